"""A secret in any field of any verb is refused or left out, and no file, answer, error or log has it.

The fields come from the table of operations, so a new one is tested without being listed here. Every try has a secret
of its own, so a hit names the field that let it through.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from memfort import Denied, FixedClock, MemfortError, Memory
from memfort.errors import InvalidInput, NotFound
from memfort.model.serialize.fields import GIVEN
from memfort.operations.requests import fields_of
from memfort.operations.table import TABLE, Effect, Operation
from memfort.store.memory import MemoryStore
from memfort.store.sqlite import SqliteStore

# What a statement, a message and a line of a file may hold; their gates refuse each by itself.
MESSAGE = ("role", "content", "name", "speaker", "id", "tool", "at", "conversation")
REQUIRED: dict[str, Any] = {
    "text": "likes tea", "memories": ["likes tea"], "messages": "I like tea", "data": b'[{"text": "likes jam"}]',
    "ids": ["mem_x"], "persons": ["@bob"], "to": {"project": "apollo"}, "group": {"project": "apollo"}, "kind": "group",
    "policy": {}, "before": {}, "after": {}, "verb": "remember", "aliases": ["Bobby"], "checks": [], "scopes": ["read"],
}  # fmt: skip
OWN_QUESTION = {"query", "viewers"}  # which an answer repeats to who asked it, and nothing else does
GATED = {"text", "key", "tags", "provenance", "meta", "memories", "messages", "data"}


def secret_of(name: str) -> str:
    """A token that no other try has, made when the test runs."""
    return "gh" + "p_" + hashlib.sha256(name.encode()).hexdigest()[:36]


def values_of(field: str, secret: str) -> Iterator[Any]:
    """The secret in every shape that a field may have."""
    yield secret
    yield [secret]
    yield f"@{secret}"
    yield {"project": secret}
    yield {secret: "apollo"}
    yield {"users": [secret]}
    if field == "memories":
        yield from (
            [{"text": "likes ink", name: value}] for name in GIVEN for value in (secret, [secret], {"a": secret})
        )
    if field == "messages":
        yield from ([{"role": "user", "content": "I like ink", name: secret}] for name in MESSAGE)
    if field == "data":
        yield from (json.dumps([{"text": "likes ink", name: secret}]).encode() for name in (*GIVEN, "id", "source"))
        yield f"- likes ink\n- the key is {secret}".encode()
    if "policy" in field or field in {"before", "after"}:
        yield {"name": secret}
        yield {"governance": [{"effect": "allow", "name": secret}]}
        yield {"privacy": {"deny_patterns": {secret: "x"}}}


def tries(row: Operation) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """The name of the field, the secret, and the whole request."""
    fields = fields_of(row.request)
    required = {field.name: REQUIRED.get(field.name, "x") for field in fields if field.required}
    for field in fields:
        for number, value in enumerate(values_of(field.name, secret_of(""))):
            secret = secret_of(f"{row.name} {field.name} {number}")
            yield field.name, secret, required | {field.name: with_secret(value, secret)}


def with_secret(value: Any, secret: str) -> Any:
    """The value with this secret in place of the first one."""
    if isinstance(value, dict):
        return {with_secret(key, secret): with_secret(inner, secret) for key, inner in value.items()}
    if isinstance(value, list):
        return [with_secret(inner, secret) for inner in value]
    if isinstance(value, bytes):
        return value.replace(secret_of("").encode(), secret.encode())
    return value.replace(secret_of(""), secret)


@pytest.fixture(params=["dict", "sqlite"])
def opened(request: pytest.FixtureRequest, tmp_path: Path, clock: FixedClock) -> Iterator[Memory]:
    store = MemoryStore() if request.param == "dict" else SqliteStore(tmp_path / "memory.db", ballast_bytes=0)
    with Memory(store, clock=clock, audit_reads="durable") as memory:
        yield memory


def answer_to(memory: Memory, row: Operation, given: dict[str, Any]) -> str:
    """All that a caller gets to see: the answer, or the error with its causes."""
    asker = memory if row.effect is Effect.ADMIN else memory.as_user("alice", project="apollo")
    try:
        made = asker.run(row, given)
        return repr(list(made) if isinstance(made, Iterator) else made) + getattr(made, "to_json", lambda: "")()
    except MemfortError as error:
        return f"{error!r} {error} {error.args} {vars(error)}"


def test_no_field_of_any_verb_keeps_or_repeats_a_secret(
    opened: Memory, tmp_path: Path, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    tried: dict[str, str] = {}
    for row in TABLE.values():
        for field, secret, given in tries(row):
            answer = answer_to(opened, row, given)
            is_own_question = field in OWN_QUESTION
            assert is_own_question or secret not in answer, f"{row.name}({field}) answers with it: {answer}"
            tried[secret] = f"{row.name}({field})"
    assert len(tried) > 1_500
    found = hits(tried, "".join([caplog.text, *capsys.readouterr(), kept(opened, tmp_path)]))
    assert found == set()


def kept(memory: Memory, folder: Path) -> str:
    """All that is stored: the files, or every value inside the store without any."""
    memory.trail.checkpoint()  # the reads that wait are recorded
    if isinstance(memory.store_in_use, MemoryStore):
        return "\n".join(texts_within(memory.store_in_use, set()))
    memory.close()
    return "\n".join(path.read_bytes().decode("latin-1") for path in folder.rglob("*") if path.is_file())


def texts_within(value: Any, seen: set[int]) -> Iterator[str]:
    if isinstance(value, str | bytes | bytearray):
        yield value if isinstance(value, str) else value.decode("latin-1")
        return
    if id(value) in seen or isinstance(value, type | int | float | None):
        return
    seen.add(id(value))
    names = (*getattr(value, "__struct_fields__", ()), *getattr(type(value), "__slots__", ()))
    inner = [getattr(value, name, None) for name in names if isinstance(name, str)]
    inner += [*getattr(value, "__dict__", {}).values()]
    if isinstance(value, Mapping):
        inner += [*value.keys(), *value.values()]
    elif isinstance(value, Iterable):
        inner += [*value]
    for one in inner:
        yield from texts_within(one, seen)


def hits(tried: dict[str, str], text: str) -> set[str]:
    return {where for secret, where in tried.items() if secret in text}


def test_the_search_finds_what_is_stored(opened: Memory, tmp_path: Path) -> None:
    opened.as_user("alice").remember("likes ink", tags=["a-tag-to-find"])
    assert hits({"a-tag-to-find": "tags"}, kept(opened, tmp_path)) == {"tags"}


WRITES = [row for row in TABLE.values() if row.effect is not Effect.READ]


@pytest.mark.parametrize("row", WRITES, ids=lambda row: row.name)
def test_a_name_that_is_a_secret_is_refused_as_one(memory: Memory, row: Operation) -> None:
    """And not for another reason, so that it would be refused too if the rest of the request were in order."""
    for field in fields_of(row.request):
        if field.name in GATED or field.python != "str":
            continue
        if row.group == "people" and field.name in {"name", "aliases", "relation", "term"}:
            continue  # their handlers record the refusal: test_people.py
        given = {one.name: REQUIRED.get(one.name, "x") for one in fields_of(row.request) if one.required}
        secret = secret_of(field.name)
        asker = memory if row.effect is Effect.ADMIN else memory.as_user("alice")
        with pytest.raises(Denied) as refused:
            asker.run(row, given | {field.name: [secret] if field.is_list else secret})
        assert refused.value.reason == "secret"
        assert refused.value.explanation.startswith(f"{field.name}: ")
        assert "`github_pat`" in refused.value.explanation


PLACES = {
    "user": lambda memory, secret: memory.as_user(secret),
    "agent": lambda memory, secret: memory.as_agent(secret, owner="bob"),
    "acting_for": lambda memory, secret: memory.as_agent("helper", owner="bob", acting_for=secret),
    "owner": lambda memory, secret: memory.as_agent("helper", owner=secret),
    "chat": lambda memory, secret: memory.as_user("alice", chat=secret),
    "project": lambda memory, secret: memory.as_user("alice", project=secret),
}


@pytest.mark.parametrize("place", PLACES)
def test_who_asks_and_from_where_is_no_secret(memory: Memory, place: str) -> None:
    secret = secret_of(place)
    with pytest.raises(Denied) as refused:
        PLACES[place](memory, secret)
    assert refused.value.reason == "secret"
    assert secret not in repr(refused.value)
    assert memory.store_in_use.agent("helper") is None, "a mistake enters nothing"


def test_errors_quote_what_is_no_secret() -> None:
    secret = secret_of("error")
    assert "`mem_x`" in str(NotFound("memory", "mem_x"))
    assert secret not in f"{NotFound('memory', secret)} {NotFound('memory', secret).name}"
    assert "`green`" in str(InvalidInput("kind", "`green` is not possible", "use red"))
    for parts in [(secret, "x", "y"), ("x", f"`{secret}` is not possible", "y"), ("x", "y", f"not {secret}")]:
        assert secret not in f"{InvalidInput(*parts)!r} {vars(InvalidInput(*parts))}"


class TestAllowedByPolicy:
    TEXT = "no credential for the build cache may be shared outside the owning team, see 8f7KQ2m4Zx9Lw3Vt6Rb1"
    DETECTOR = "key_nearby"

    def allowing(self, **more: Any) -> dict[str, Any]:
        return {"secrets": {"allow": [{"detector": self.DETECTOR, **more}]}}

    def test_a_rule_that_names_the_detector(self, open_memory: Any) -> None:
        refused = open_memory().as_user("alice").remember(self.TEXT)
        assert (refused.kept, refused.decision.detail["rule"]) == (False, self.DETECTOR)
        kept = open_memory(policy=self.allowing()).as_user("alice").remember(self.TEXT)
        assert kept.kept
        assert kept.decision.detail["allowed_detectors"] == [self.DETECTOR]

    @pytest.mark.parametrize(
        ("rule", "is_kept"),
        [
            ({"user": "alice"}, True), ({"user": "bob"}, False),
            ({"type": "knowledge"}, True), ({"type": "event"}, False),
            ({"space": {"user": "alice"}}, True), ({"space": {"project": "apollo"}}, False),
            ({"agent": "helper"}, False),
        ],
    )  # fmt: skip
    def test_only_where_all_of_it_matches(self, open_memory: Any, rule: dict[str, Any], is_kept: bool) -> None:
        alice = open_memory(policy=self.allowing(**rule)).as_user("alice")
        assert alice.remember(self.TEXT, type="knowledge").kept is is_kept

    def test_another_finding_in_the_text_is_refused_still(self, open_memory: Any) -> None:
        alice = open_memory(policy=self.allowing()).as_user("alice")
        assert alice.remember(f"{self.TEXT} {secret_of('x')}").reason == "secret"

    def test_an_unknown_detector_is_an_error(self, open_memory: Any) -> None:
        with pytest.raises(InvalidInput, match="key_nearby"):
            open_memory(policy={"secrets": {"allow": [{"detector": "key_nearbi"}]}})
