"""Every list and every text of every request has a limit, which holds before anything is done."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from tests.server.client import Service

from memfort import InvalidInput, Memory
from memfort.model.item import MAX_DERIVED_FROM, MAX_READERS, Candidate, Readers
from memfort.operations.limits import MOST_ENTRIES, MOST_ENTRIES_OVER_HTTP
from memfort.operations.requests import Field, check_sizes, fields_of, request_of
from memfort.operations.table import TABLE, Http, Operation
from memfort.surfaces.http.openapi import openapi_document
from memfort.surfaces.mcp.tools import offered_tools

LIMITS = {"string": "maxLength", "array": "maxItems", "object": "maxProperties"}
FIELDS = [(row, field) for row in TABLE.values() for field in fields_of(row.request)]


def unlimited(schema: Any, path: str = "") -> Iterator[str]:
    """The places of a schema that admit a text, a list or a mapping of any size."""
    if isinstance(schema, list):
        for one in schema:
            yield from unlimited(one, path)
    if not isinstance(schema, dict) or schema.keys() & {"$ref", "enum", "const"}:
        return
    for name in ("anyOf", "items", "additionalProperties"):
        yield from unlimited(schema.get(name), f"{path}/{name}")
    for name, one in schema.get("properties", {}).items():
        yield from unlimited(one, f"{path}/{name}")
    if "anyOf" not in schema and "properties" not in schema:
        kinds = schema.get("type", list(LIMITS))
        for kind in [kinds] if isinstance(kinds, str) else kinds:
            if kind in LIMITS and LIMITS[kind] not in schema:
                yield f"{path}: {kind}"


def test_no_request_over_http_has_a_text_or_a_list_without_a_limit():
    schemas = msgspec.json.decode(openapi_document())["components"]["schemas"]
    requests = [*(row.request.__name__ for row in TABLE.values() if isinstance(row.http, Http)), "Readers"]
    assert [place for name in requests for place in unlimited(schemas[name], name)] == []
    assert schemas["RecallRequest"]["properties"]["query"]["maxLength"] == 65_536
    assert schemas["RememberManyRequest"]["properties"]["memories"]["maxItems"] == 500
    assert schemas["ForgetRequest"]["properties"]["ids"]["maxItems"] == MOST_ENTRIES_OVER_HTTP


def test_no_tool_of_mcp_has_a_text_or_a_list_without_a_limit():
    tools = offered_tools()
    assert [place for name, tool in tools.items() for place in unlimited(tool.described.input_schema, name)] == []
    assert tools["recall"].described.input_schema["properties"]["query"]["maxLength"] == 65_536


def test_a_text_or_a_list_without_a_limit_would_be_noticed():
    """The two tests above can fail."""
    assert list(unlimited({"properties": {"a": {"anyOf": [{"type": "string"}, {"type": "null"}]}}})) == [
        "/a/anyOf: string"
    ]
    assert list(unlimited({"type": "array", "items": {}, "maxItems": 3})) == [f"/items: {kind}" for kind in LIMITS]


def too_large(row: Operation, field: Field) -> list[Any]:
    """Values that are one larger than a field takes."""
    found: list[Any] = [["x"] * (field.most + 1), {str(n): "x" for n in range(field.most + 1)}]
    if field.name not in row.request.read_one_by_one:  # those of the others are compared by the verb
        found = [*found, "x" * (field.longest + 1), ["x" * (field.longest + 1)]] if field.longest < 2**24 else found
    return found[:1] if field.name in row.request.read_one_by_one else found


def test_every_field_refuses_what_is_larger_than_its_limit_and_names_it():
    for row, field in FIELDS:
        if field.most > 100_000:
            continue  # the same check, which would take long to make a value for
        for value in too_large(row, field):
            with pytest.raises(InvalidInput, match=r"give at most \d+") as refused:
                request_of(row.request, {field.name: value})
            assert refused.value.field == field.name, (row.name, field.name)


def test_what_is_as_large_as_its_limit_is_taken():
    for row, field in FIELDS:
        check_sizes(row.request, {field.name: "x" * min(field.longest, 2**20)})
        check_sizes(row.request, {field.name: ["x"] * min(field.most, 100_000)})


def test_entries_of_lists_in_a_list_count_and_a_list_in_itself_ends():
    knot: list[Any] = []
    knot.append(knot)
    for value in ([["x"] * MOST_ENTRIES] * 2, {"project": knot}):
        with pytest.raises(InvalidInput, match="give at most"):
            check_sizes(TABLE["recall"].request, {"space": value})


def test_an_endless_iterable_is_refused():
    def endless() -> Iterator[str]:
        while True:
            yield "tea"

    with Memory.open(":memory:") as memory:
        alice = memory.as_user("alice")
        for ask in (alice.remember_many, alice.observe):
            with pytest.raises(InvalidInput, match="give at most"):
                ask(endless())
        assert alice.observe(iter(["I like tea"])).messages


def test_the_parts_of_a_statement_have_limits_in_a_batch_too():
    """Each statement of a batch is read by itself, and one that is too large does not keep the others out."""
    with Memory.open(":memory:") as memory:
        alice = memory.as_user("alice")
        large = [
            {"text": "x" * 65_537},
            {"text": "tea", "derived_from": ["mem_a"] * (MAX_DERIVED_FROM + 1)},
            {"text": "tea", "access": {"users": [f"u{n}" for n in range(MAX_READERS + 1)]}},
        ]
        outcomes = alice.remember_many([*large, "I like tea"])
        assert [outcome.kept for outcome in outcomes] == [False, False, False, True]
    with pytest.raises(InvalidInput, match="derived_from"):
        Candidate(text="tea", derived_from=("mem_a",) * (MAX_DERIVED_FROM + 1))
    with pytest.raises(InvalidInput, match=r"access\.users"):
        Readers.of(users=(f"u{n}" for n in range(MAX_READERS + 1)))


# -- over HTTP --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "body", "field", "most"),
    [
        ("/v1/remember-many", {"memories": ["tea"] * 501}, "memories", 500),
        ("/v1/observe", {"messages": ["I like tea"] * 501}, "messages", 500),
        ("/v1/memories", {"messages": ["I like tea"] * 501}, "messages", 500),
        ("/v1/observe", {"messages": [{"role": "user", "content": "x" * 65_536}] * 5}, "messages", 262_144),
        ("/v1/remember-many", {"memories": [{"text": "x" * 65_536}] * 17}, "memories", 1_048_576),
        ("/v1/memories/search", {"query": "x" * 65_537}, "query", 65_536),
        ("/v1/forget", {"ids": ["mem_a"] * 1001}, "ids", MOST_ENTRIES_OVER_HTTP),
        ("/v1/recall", {"query": "x" * 65_537}, "query", 65_536),
        ("/v1/remember", {"text": "tea", "derived_from": ["mem_a"] * 1001}, "derived_from", MAX_DERIVED_FROM),
        ("/v1/policy/simulate", {"policy": "#" * 262_145}, "policy", 262_144),
    ],
)
def test_http_names_the_field_and_its_limit(service: Service, path: str, body: Any, field: str, most: int):
    alice = service.user("alice")
    refused = alice.post(path, body)
    assert (refused.status, refused.json["field"]) == (422, field)
    assert f"at most {most}" in refused.json["remedy"]
    assert alice.post("/v1/list", {}).json["items"] == []


def test_python_takes_more_entries_than_http():
    with Memory.open(":memory:") as memory:
        alice = memory.as_user("alice")
        assert all(alice.remember_many(f"I like tea number {n}" for n in range(501)))
