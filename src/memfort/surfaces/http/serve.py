"""Start a server: check that it may listen there, open the store, and run until it is stopped."""

from __future__ import annotations

import asyncio
import gc
import os
from pathlib import Path
from secrets import token_urlsafe
from typing import Any

import msgspec
import uvicorn
from msgspec import Struct
from msgspec.structs import replace
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from memfort.client import Memory
from memfort.clock import SystemClock
from memfort.errors import InvalidInput
from memfort.policy.settings.policy import Policy
from memfort.surfaces.http.app import make_app
from memfort.surfaces.http.logs import use_json_lines
from memfort.surfaces.http.server import Server
from memfort.surfaces.http.settings import ServerSettings

_GARBAGE = (500, 2, 2)  # new objects until the young are looked at; how often until the older are
_BACKLOG = 2048  # connections that wait to be accepted
_MOST_JOINED_BYTES = 65_536
_ENVIRONMENT = "MEMFORT_SERVER"  # how worker processes are told what to serve


class Served(Struct, frozen=True):
    """A store and the settings of the server for it."""

    store: str
    settings: ServerSettings
    policy: str | None = None  # as TOML, if it is not the one in use in the store
    embedder: str | None = None
    reranker: str | None = None
    extractor: str | None = None
    gc_every: float | None = 3600.0


def check_address(store: Path, settings: ServerSettings) -> ServerSettings:
    """The settings, with a token for this run where nobody has a credential yet. Without a credential that anybody
    could have, it listens to this machine alone."""
    if settings.jwt is not None or _has_keys(store):
        return settings
    if not settings.is_loopback:
        raise InvalidInput(
            "host",
            f"nobody has a credential, and `{settings.host}` can be reached by others",
            "make a key with `memfort keys create` first, or listen at 127.0.0.1",
        )
    return replace(settings, run_token=f"mfrun_{token_urlsafe(32)}")


def _has_keys(store: Path) -> bool:
    with Memory.open(store, memberships="registered", surface="http") as memory:
        now = SystemClock().now()
        return any(key.is_valid(now) for key in memory.keys.list())


def open_app(served: Served) -> ASGIApp:
    """The application of one worker process. Memberships are always registered ones."""
    memory = Memory.open(
        served.store,
        policy=None if served.policy is None else Policy.of(served.policy),
        memberships="registered",
        surface="http",
        embedder=served.embedder,
        reranker=served.reranker,
        extractor=served.extractor,
        gc_every=served.gc_every,
    )
    use_json_lines(SystemClock())
    app = make_app(Server(memory, served.settings))
    _collect_garbage()
    return app


def _collect_garbage() -> None:
    """Free what requests leave soon. The command line lets garbage wait, which suits a process that ends at once: here
    the index of every write was kept until 100,000 objects had gathered. What is loaded now stays, and is not looked at
    again."""
    gc.collect()
    gc.freeze()
    gc.collect()  # else the old are looked at only after a quarter as many new ones as were loaded
    gc.set_threshold(*_GARBAGE)


def app_of_environment() -> ASGIApp:
    """The same in a worker process, which is told by its environment."""
    return open_app(msgspec.json.decode(os.environ[_ENVIRONMENT], type=Served))


class JoinedWrites:
    """A transport that sends in one piece what is written in one turn of the event loop: the head and the body of an
    answer take one system call, and wake the client once."""

    def __init__(self, transport: Any, loop: asyncio.AbstractEventLoop) -> None:
        self._transport, self._loop = transport, loop
        self._waiting = bytearray()

    def write(self, data: bytes) -> None:
        if data and not self._waiting:
            self._loop.call_soon(self._send)
        self._waiting += data
        if len(self._waiting) > _MOST_JOINED_BYTES:
            self._send()

    def close(self) -> None:
        self._send()
        self._transport.close()

    def _send(self) -> None:
        if self._waiting:
            waiting, self._waiting = self._waiting, bytearray()
            self._transport.write(waiting)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


class GuardedProtocol(H11Protocol):
    """HTTP/1.1 with a limit on how long a connection may take to send the head of a request."""

    head_seconds = 10.0
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(JoinedWrites(transport, self.loop))  # type: ignore[arg-type]
        self._limit_head()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._limit_head()

    def _limit_head(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self.loop.call_later(self.head_seconds, self._close_if_idle)

    def _close_if_idle(self) -> None:
        """Close the connection if no request is under way. One that is under way sets the next limit when it ends."""
        is_idle = self.cycle is None or self.cycle.response_complete
        if is_idle and not self.transport.is_closing():
            self.transport.close()


def serve(served: Served, *, workers: int = 1, tls_cert: str | None = None, tls_key: str | None = None) -> None:
    """Listen until it is stopped. SIGTERM and Ctrl-C finish the requests under way first."""
    settings = served.settings.shared_by(workers)
    GuardedProtocol.head_seconds = settings.header_seconds
    options: dict[str, Any] = {
        "host": settings.host,
        "port": settings.port,
        "ssl_certfile": tls_cert,
        "ssl_keyfile": tls_key,
        "access_log": False,
        "log_level": "warning",
        "server_header": False,
        "proxy_headers": False,
        "http": GuardedProtocol,
        "ws": "none",
        "timeout_keep_alive": int(settings.header_seconds),
        "timeout_graceful_shutdown": int(settings.stop_seconds),
        "h11_max_incomplete_event_size": 65_536,
        "backlog": _BACKLOG,
        "timeout_worker_healthcheck": int(settings.start_seconds),
    }
    if workers == 1:
        uvicorn.Server(uvicorn.Config(open_app(replace(served, settings=settings)), **options)).run()
        return
    os.environ[_ENVIRONMENT] = msgspec.json.encode(replace(served, settings=settings)).decode()
    uvicorn.run("memfort.surfaces.http.serve:app_of_environment", factory=True, workers=workers, **options)
