"""Histories of several people, in which an assistant of theirs asks through MCP before each of their calls: a party
left out of a history changes no byte of what the observer's assistant is answered, and both stores answer alike."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.generated import Seeds, half_fresh
from tests.server.behind import InProcess, Served
from tests.server.client import Client

from memfort.client.remote.transport import Answer
from memfort.clock import FixedClock
from memfort.store.port import Store
from memfort.store.sqlite import SqliteStore
from memfort.surfaces.http import assistants
from memfort.surfaces.mcp.tools import offered_tools
from memfort.testing import REFERENCE_KEYS
from memfort.testing.chat_histories import HIDDEN, compare_in_chat, generate_chat_history
from memfort.testing.histories import World
from memfort.testing.playback import play
from memfort.testing.purge import compare_transcripts
from memfort.testing.space_histories import generate_history

WIRE = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-11-25"}
WORDS = ("orchid", "tea", "number", "apollo", "who lives where", "")
Message = tuple[str, dict[str, Any]]


class Assistant:
    """Asks in turns with every tool, a resource and a prompt, about what it was answered before; and keeps the bytes of
    each answer, by who asked."""

    def __init__(self) -> None:
        self.answers: dict[str, list[bytes]] = {}
        self.used: set[str] = set()

    def ask(self, client: Client, who: str, headers: Mapping[str, str]) -> None:
        heard = self.answers.setdefault(who, [])
        method, params = self._next(heard)
        self.used.add(params.get("name", method))
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        heard.append(client.post("/mcp", message, **headers, **WIRE).body)

    def _next(self, heard: list[bytes]) -> Message:
        turn, word = len(heard), WORDS[len(heard) % len(WORDS)]
        ids = re.findall(rb"mem_[a-z2-7]{24}", b" ".join(heard[-12:]))
        known = ids[turn % len(ids)].decode() if ids else "mem_" + "a" * 24
        messages: list[Message] = [
            tool("list_memories", limit=20),
            tool("recall", query=word),
            tool("remember", text=f"the orchid of day {turn} is {word or 'white'}"),
            tool("context", query=word),
            tool("search", query=word),
            tool("fetch", id=known),
            tool("explain", id=known, query=word or "tea"),
            tool("correct", id=known, text=f"the orchid was number {turn}"),
            ("resources/read", {"uri": "memfort://spaces"}),
            ("resources/read", {"uri": f"memfort://memories/{known}/history"}),
            ("prompts/get", {"name": "review", "arguments": {}}),
            tool("forget", ids=[known]),
        ]
        return messages[turn % len(messages)]


def tool(name: str, **arguments: Any) -> Message:
    return "tools/call", {"name": name, "arguments": arguments}


class WithAssistant(InProcess):
    """Sends what the history says over HTTP, after an assistant has asked through MCP for the same caller."""

    def __init__(self, client: Client, assistant: Assistant, asks: Callable[[str], bool]) -> None:
        super().__init__(client)
        self._assistant, self._asks = assistant, asks

    def send(
        self, path: str, fields: Mapping[str, Any], headers: Mapping[str, str], *, writes: bool, repeatable: bool
    ) -> Answer:
        who = headers.get("x-requester-id", "")
        if self._asks(who):
            self._assistant.ask(self._client, who, headers)
        return super().send(path, fields, headers, writes=writes, repeatable=repeatable)


def opened_with(
    assistant: Assistant, asks: Callable[[str], bool], make_store: Callable[[], Store | None] = lambda: None
) -> Callable[[World, FixedClock], Any]:
    def opened(world: World, clock: FixedClock) -> Served:
        memory = Served(clock, world.policy, make_store())
        memory._transport = WithAssistant(memory._transport._client, assistant, asks)
        return memory

    return opened


def is_bea(who: str) -> bool:
    return who == "user:bea"


@pytest.mark.parametrize("seeds", half_fresh(6, 6))
def test_bea_cannot_detect_adas_presence_through_mcp(seeds: Seeds):
    used: set[str] = set()
    for seed in seeds:
        history = generate_history(seed)
        present, absent = Assistant(), Assistant()
        with_ada = play(history, opened_with(present, is_bea))
        without = play(history.without("ada"), opened_with(absent, is_bea))
        assert present.answers == absent.answers, history
        assert compare_transcripts(with_ada, without, "bea") is None, history
        used |= present.used
    assert used >= set(offered_tools()) or not seeds.show_everything  # it did ask, with every tool


@pytest.mark.parametrize("seeds", half_fresh(2, 2))
def test_a_chat_cannot_detect_memories_closed_to_it_through_mcp(seeds: Seeds):
    """Assistants that read, between the calls of a chat, leave it as unable to notice as before."""
    for seed in seeds:
        history = generate_chat_history(seed)
        with_hidden = play(history, opened_with(Assistant(), is_bea))
        without = play(history.without(HIDDEN), opened_with(Assistant(), is_bea))
        assert compare_in_chat(history, with_hidden, without) is None, history


def test_a_surface_that_takes_bea_for_ada_is_caught(monkeypatch: pytest.MonkeyPatch):
    """The positive control."""
    right = assistants.requester_of

    def wrong(*given: Any) -> Any:
        found = right(*given)
        return type(found)(found.kind, "ada") if found is not None and found.id == "bea" else found

    monkeypatch.setattr(assistants, "requester_of", wrong)
    caught = 0
    for seed in range(3):
        history = generate_history(seed)
        present, absent = Assistant(), Assistant()
        play(history, opened_with(present, is_bea))
        play(history.without("ada"), opened_with(absent, is_bea))
        caught += present.answers != absent.answers
    assert caught > 0


def test_both_stores_answer_alike_through_mcp(tmp_path: Path):
    """The memory store is the oracle."""
    numbers: Iterator[int] = iter(range(10**6))

    def sqlite() -> SqliteStore:
        return SqliteStore(tmp_path / str(next(numbers)) / "memory.db", keys=REFERENCE_KEYS, ballast_bytes=0)

    kept = 0
    for seed in range(100, 103):
        history, oracle, compared = generate_history(seed), Assistant(), Assistant()
        for make_store, assistant in ((lambda: None, oracle), (sqlite, compared)):
            play(history, opened_with(assistant, lambda who: who.startswith("user:"), make_store))
        assert compared.answers == oracle.answers, history
        answers = [json.loads(one) for heard in oracle.answers.values() for one in heard]
        kept += sum("result" in one and not one["result"].get("isError") for one in answers)
    assert kept > 20
