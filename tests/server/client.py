"""A client for the application without a socket: it speaks ASGI, one request at a time."""

from __future__ import annotations

import asyncio
import json
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from memfort import Memory
from memfort.surfaces.http.app import make_app
from memfort.surfaces.http.server import Server
from memfort.surfaces.http.settings import ServerSettings

RUN_TOKEN = "mfrun_of-the-tests"


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def code(self) -> str:
        return self.json["code"]


class Client:
    """Asks with one credential; `None` is none at all."""

    def __init__(self, app: Any, credential: str | None, runner: asyncio.Runner, **headers: str) -> None:
        self._app, self._credential, self._runner, self._headers = app, credential, runner, headers

    def at(self, **headers: str) -> Client:
        """The same with more headers: `memfort_at="project=apollo"`."""
        return Client(self._app, self._credential, self._runner, **{**self._headers, **headers})

    def post(self, path: str, body: Any = None, **headers: str) -> Answer:
        return self.request("POST", path, body, **headers)

    def request(
        self, method: str, path: str, body: Any = None, *, raw: bytes | None = None, **headers: str | None
    ) -> Answer:
        return self._runner.run(self.ask(method, path, body, raw=raw, **headers))

    async def ask(
        self, method: str, path: str, body: Any = None, *, raw: bytes | None = None, **headers: str | None
    ) -> Answer:
        """The same in a running loop, for requests at the same time."""
        content = raw if raw is not None else b"" if body is None else json.dumps(body).encode()
        given: dict[str, str | None] = {"host": "127.0.0.1:8642", "content-type": "application/json"}
        if self._credential is not None:
            given["authorization"] = f"Bearer {self._credential}"
        given |= {name.replace("_", "-").lower(): value for name, value in {**self._headers, **headers}.items()}
        sent = [(name.encode(), value.encode()) for name, value in given.items() if value is not None]
        return await self._ask(method, path, content, sent)

    async def _ask(self, method: str, path: str, content: bytes, headers: list[tuple[bytes, bytes]]) -> Answer:
        parts = urlsplit(path)
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": parts.path,
            "raw_path": parts.path.encode(),
            "root_path": "",
            "query_string": parts.query.encode(),
            "headers": headers,
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 8642),
            "state": {},
        }
        messages: list[dict[str, Any]] = []
        sent = False

        async def receive() -> dict[str, Any]:
            nonlocal sent
            if sent:
                await asyncio.sleep(3600)
            sent = True
            return {"type": "http.request", "body": content, "more_body": False}

        async def send(message: dict[str, Any]) -> None:
            messages.append(message)

        await self._app(scope, receive, send)
        start = messages[0]
        body = b"".join(message.get("body", b"") for message in messages[1:])
        return Answer(start["status"], {k.decode(): v.decode() for k, v in start["headers"]}, body)


class Service:
    """A store behind the application, with keys for whoever is asked for."""

    def __init__(
        self, path: Any = ":memory:", policy: Any = None, clock: Any = None, store: Any = None, **settings: Any
    ) -> None:
        options = {"memberships": "registered", "surface": "http", "policy": policy, "clock": clock}
        self.memory = Memory.open(path, **options) if store is None else Memory(store, **options)
        self.server = Server(self.memory, ServerSettings(run_token=RUN_TOKEN, **settings), clock)
        self.app = make_app(self.server)
        self.runner = asyncio.Runner()

    @property
    def operator(self) -> Client:
        return Client(self.app, RUN_TOKEN, self.runner)

    @property
    def anonymous(self) -> Client:
        return Client(self.app, None, self.runner)

    def with_credential(self, credential: str) -> Client:
        return Client(self.app, credential, self.runner)

    @property
    def operator_key(self) -> str:
        return RUN_TOKEN

    def key(self, name: str, *scopes: str, **fields: Any) -> str:
        """A new key of a user."""
        return self.memory.keys.create(user=name, scopes=scopes or ("read", "write", "review"), **fields).token

    def user(self, name: str, *scopes: str, **fields: Any) -> Client:
        return self.with_credential(self.key(name, *scopes, **fields))

    def agent(self, name: str, *scopes: str) -> Client:
        made = self.memory.keys.create(agent=name, scopes=scopes or ("read", "write", "review"))
        return self.with_credential(made.token)

    def close(self) -> None:
        self.runner.run(self.server.close())
        self.runner.close()
