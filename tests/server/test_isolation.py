"""Histories of several people through HTTP: a party left out of a history changes no byte of the observer's answers."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from tests.server.client import RUN_TOKEN, Client

from memfort import Memory
from memfort.client.remote.memory import RemoteBoundMemory, RemoteMemory
from memfort.client.remote.transport import Answer
from memfort.clock import FixedClock
from memfort.model.people.actor import ActorKind
from memfort.model.people.directory import Principal
from memfort.store.memory import MemoryStore
from memfort.surfaces.http import verbs
from memfort.surfaces.http.app import make_app
from memfort.surfaces.http.server import Server
from memfort.surfaces.http.settings import ServerSettings
from memfort.testing import REFERENCE_KEYS
from memfort.testing.chat_histories import HIDDEN, compare_in_chat, generate_chat_history
from memfort.testing.histories import World, history_count
from memfort.testing.playback import play
from memfort.testing.purge import compare_transcripts
from memfort.testing.space_histories import generate_history

SPACE_HISTORIES, CHAT_HISTORIES, CHUNKS = history_count(30), history_count(20), 2
UNLIMITED = 10**9


class InProcess:
    """Sends requests to an application in this process, in place of `Transport`."""

    url = "http://127.0.0.1"

    def __init__(self, client: Client) -> None:
        self._client = client

    def send(
        self, path: str, fields: Mapping[str, Any], headers: Mapping[str, str], *, writes: bool, repeatable: bool
    ) -> Answer:
        self._sent = getattr(self, "_sent", 0) + 1
        once = {"idempotency-key": f"request {self._sent}"} if writes and repeatable else {}
        answer = self._client.post(path, fields, **headers, **once)
        return Answer(answer.status, answer.headers, answer.body)

    def stream(
        self, path: str, fields: Mapping[str, Any], headers: Mapping[str, str], accept: str
    ) -> tuple[Answer | None, Iterator[bytes]]:
        answer = self._client.post(path, fields, **headers, accept=accept)
        if answer.status >= 400:
            return Answer(answer.status, answer.headers, answer.body), iter(())
        return None, iter(answer.body.splitlines())

    def close(self) -> None:
        pass


class Served(RemoteMemory):
    """A memory behind the application. An agent that acts for a user has a key of its own, as the server wants it."""

    def __init__(self, world: World, clock: FixedClock) -> None:
        memory = Memory(MemoryStore(REFERENCE_KEYS), policy=world.policy, clock=clock, memberships="registered")
        settings = ServerSettings(
            run_token=RUN_TOKEN, requests_per_minute=UNLIMITED, failures_per_minute=UNLIMITED, threads=1
        )
        self._server = Server(memory, settings, clock)
        self._app, self._runner = make_app(self._server), asyncio.Runner()
        self._agents: dict[str, str] = {}
        super().__init__(InProcess(Client(self._app, RUN_TOKEN, self._runner)))

    def as_agent(self, agent: str, /, *, acting_for: str | None = None, **places: Any) -> RemoteBoundMemory:
        if acting_for is None:
            return super().as_agent(agent, **places)
        if agent not in self._agents:
            made = self._server.memory.keys.create(agent=agent, scopes=["read", "write", "review", "act_for"])
            self._agents[agent] = made.token
        own = RemoteMemory(InProcess(Client(self._app, self._agents[agent], self._runner)))
        return own.as_user(acting_for, **places)

    def close(self) -> None:
        self._runner.run(self._server.close())
        self._runner.close()


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_bea_cannot_detect_adas_presence_through_http(chunk: int):
    answered = 0
    for seed in range(chunk, SPACE_HISTORIES, CHUNKS):
        history = generate_history(seed)
        with_ada, without = play(history, Served), play(history.without("ada"), Served)
        assert compare_transcripts(with_ada, without, "bea") is None, history
        answered += sum(b'"error"' not in answer for _, answer in with_ada.get("bea", []))
    assert answered > SPACE_HISTORIES  # she did get answers


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_a_chat_cannot_detect_memories_closed_to_it_through_http(chunk: int):
    for seed in range(chunk, CHAT_HISTORIES, CHUNKS):
        history = generate_chat_history(seed)
        with_hidden, without = play(history, Served), play(history.without(HIDDEN), Served)
        assert compare_in_chat(history, with_hidden, without) is None, history


def test_a_server_that_takes_bea_for_ada_is_caught(monkeypatch: pytest.MonkeyPatch):
    """The positive control."""
    right = verbs.requester_of

    def wrong(*given: Any) -> Principal | None:
        found = right(*given)
        return Principal(ActorKind.USER, "ada") if found == Principal(ActorKind.USER, "bea") else found

    monkeypatch.setattr(verbs, "requester_of", wrong)
    found = 0
    for seed in range(6):
        history = generate_history(seed)
        found += compare_transcripts(play(history, Served), play(history.without("ada"), Served), "bea") is not None
    assert found
