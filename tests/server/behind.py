"""A memory behind the application in this process, in the shape of `Memory`: what plays a history on a memory plays it
through HTTP with this one."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from typing import Any

from tests.server.client import RUN_TOKEN, Client

from memfort import Memory
from memfort.client.remote.memory import RemoteBoundMemory, RemoteMemory
from memfort.client.remote.transport import Answer
from memfort.clock import FixedClock
from memfort.store.memory import MemoryStore
from memfort.store.port import Store
from memfort.surfaces.http.app import make_app
from memfort.surfaces.http.server import Server
from memfort.surfaces.http.settings import ServerSettings
from memfort.testing import REFERENCE_KEYS

UNLIMITED = 10**9


class InProcess:
    """Sends requests to an application in this process, in place of `Transport`."""

    url = "http://127.0.0.1"

    def __init__(self, client: Client) -> None:
        self._client, self._sent = client, 0

    def send(
        self, path: str, fields: Mapping[str, Any], headers: Mapping[str, str], *, writes: bool, repeatable: bool
    ) -> Answer:
        self._sent += 1
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
    """A memory behind the application. Its memberships are registered ones, as a server's always are. An agent that
    acts for a user has a key of its own, as the server wants it; its owner is the registered one.
    Stores have the same keys, so that signed cursors of two plays can be compared."""

    def __init__(self, clock: FixedClock, policy: Any = None, store: Store | None = None) -> None:
        memory = Memory(
            store or MemoryStore(REFERENCE_KEYS), policy=policy, clock=clock, memberships="registered", surface="http"
        )
        settings = ServerSettings(
            run_token=RUN_TOKEN, requests_per_minute=UNLIMITED, failures_per_minute=UNLIMITED, threads=1
        )
        self._server = Server(memory, settings, clock)
        self._app, self._runner = make_app(self._server), asyncio.Runner()
        self._agents: dict[str, RemoteMemory] = {}
        super().__init__(InProcess(Client(self._app, RUN_TOKEN, self._runner)))

    def as_agent(
        self, agent: str, /, *, owner: str | None = None, acting_for: str | None = None, **places: Any
    ) -> RemoteBoundMemory:
        if acting_for is None:
            return super().as_agent(agent, **places)
        if agent not in self._agents:
            made = self._server.memory.keys.create(agent=agent, scopes=["read", "write", "review", "act_for"])
            self._agents[agent] = RemoteMemory(InProcess(Client(self._app, made.token, self._runner)))
        return self._agents[agent].as_user(acting_for, **places)

    def close(self) -> None:
        self._runner.run(self._server.close())
        self._runner.close()
