"""Every read that a tool can make shows the same memories through MCP as over HTTP: in the oracle of disclosure, which
says what every read has to show from every standpoint, and in the histories of the purge fuzzer, whose observer must
notice nothing that is hidden."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest
from msgspec.structs import replace
from tests.disclosure import ask, matrix, play
from tests.generated import Seeds, half_fresh
from tests.purge.histories import generate
from tests.purge.replay import compare
from tests.purge.report import Leak, report
from tests.purge.steps import History
from tests.purge.stores import Opened, policy_of
from tests.server.behind import InProcess, Served
from tests.server.mcp.test_hostile import fenced

from memfort import FixedClock
from memfort.client.remote.transport import Answer
from memfort.surfaces.http import assistants
from memfort.surfaces.mcp.tools import offered_tools

STANDPOINTS = 1 if os.environ.get("MEMFORT_TEST_MATRIX") == "all" else 8
MOST = 50  # memories that a tool shows at once, and the largest limit of `recall`
WIRE = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-11-25"}
READS = {offered_tools()[name].row.path: name for name in ("recall", "context", "list_memories", "fetch")}


class Agreeing(InProcess):
    """Sends a read over HTTP and through MCP, and fails where they do not show the same."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.compared: Counter[str] = Counter()

    def send(
        self, path: str, fields: Mapping[str, Any], headers: Mapping[str, str], *, writes: bool, repeatable: bool
    ) -> Answer:
        answer = super().send(path, fields, headers, writes=writes, repeatable=repeatable)
        name = READS.get(path)
        given = {field: value for field, value in fields.items() if value not in (None, False, [], ())}
        if given.get("weak") is True:  # as the tool asks too
            del given["weak"]
        if name is not None and set(given) <= set(offered_tools()[name].takes) and "cursor" not in given:
            limit = min(given.get("limit", MOST), MOST)
            asked = {**given, "limit": limit} if "limit" in given else given
            expected = shown_over_http(name, answer)
            expected = expected if name == "context" else expected[:limit]
            assert self._through_mcp(name, asked, headers) == expected, (name, fields, headers)
            self.compared[name if expected else "nothing"] += 1
        return answer

    def _through_mcp(self, name: str, fields: Mapping[str, Any], headers: Mapping[str, str]) -> list[str]:
        """The texts that the tool shows."""
        params = {"name": name, "arguments": dict(fields)}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        said = self._client.post("/mcp", message, **headers, **WIRE)
        if said.status != 200 or (result := json.loads(said.body)["result"])["isError"]:
            return []
        answer = result["structuredContent"]
        if name == "context":
            return answer["memories"].split("\n")
        fence = answer["text"] if name == "fetch" else answer["memories"]
        texts = fenced(fence) if fence else {}
        assert name == "fetch" or [one["id"] for one in answer["items"]] == list(texts)
        return [f"{id} {text}" for id, text in texts.items()]


def shown_over_http(name: str, answer: Answer) -> list[str]:
    if answer.status != 200:
        return []
    document = json.loads(answer.body)
    if name == "context":
        return document["text"].split("\n")
    items = {"recall": lambda: [hit["item"] for hit in document["hits"]], "fetch": lambda: [document]}
    found = items.get(name, lambda: document["items"])()
    return [f"{item['id']} {item['text']}" for item in found]


@contextmanager
def served(clock: FixedClock, policy: Any) -> Iterator[tuple[Served, Counter[str]]]:
    with Served(clock, policy) as memory:
        transport = memory._transport = Agreeing(memory._transport._client)
        yield memory, transport.compared


@pytest.mark.parametrize("name", play.POLICIES)
def test_reads_through_mcp_show_what_the_oracle_says(name: str, clock: FixedClock):
    rules, policy = play.POLICIES[name]
    with served(clock, policy) as (memory, compared):
        world = play.tell(memory, clock, rules, matrix.chosen_specs(rules, registered=True)[::2])
        assert not world.problems, "\n".join(world.problems)
        found: list[ask.Failure] = []
        for number, standpoint in enumerate(matrix.standpoints(registered=True)[::STANDPOINTS]):
            found += ask.failures_at(world, standpoint, world.kept[number % 12 :: 12])
    if found:
        pytest.fail(ask.report(found, len(world.kept)), pytrace=False)
    assert compared["nothing"] > 10
    assert min(compared[tool] for tool in ("recall", "fetch")) > 10, compared


@pytest.mark.parametrize("seeds", half_fresh(16, 50))
def test_the_purge_fuzzer_finds_nothing_through_mcp(seeds: Seeds):
    compared = Counter[str]()

    @contextmanager
    def opened(clock: FixedClock, history: History) -> Iterator[Opened]:
        assert history.memberships == "registered"
        with served(clock, policy_of(history)) as (memory, counted):
            yield Opened(memory)
        compared.update(counted)

    for seed in seeds:
        found = compare(replace(generate(seed), memberships="registered"), opened)
        if found.differences:
            raise Leak(report(found, opened))
    assert sum(compared.values()) > len(seeds), compared


def test_a_surface_that_takes_bob_for_alice_is_caught(monkeypatch: pytest.MonkeyPatch, clock: FixedClock):
    """The positive control."""
    right = assistants.requester_of

    def wrong(*given: Any) -> Any:
        found = right(*given)
        return type(found)(found.kind, "alice") if found is not None and found.id == "bob" else found

    with served(clock, None) as (memory, _):
        memory.as_user("alice").remember("the walrus is called Lobster")
        assert not memory.as_user("bob").recall("walrus").hits
        monkeypatch.setattr(assistants, "requester_of", wrong)
        with pytest.raises(AssertionError, match="recall"):
            memory.as_user("bob").recall("walrus")
