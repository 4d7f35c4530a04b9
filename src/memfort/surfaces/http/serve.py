"""Start a server: check that it may listen there, open the store, and run until it is stopped."""

from __future__ import annotations

import gc
import os
import signal
import socket
import sys
from multiprocessing import parent_process
from pathlib import Path
from secrets import token_urlsafe
from threading import Thread
from typing import Any

import msgspec
import uvicorn
from msgspec import Struct
from msgspec.structs import replace
from starlette.types import ASGIApp
from uvicorn.supervisors.multiprocess import Multiprocess

from memfort.client import Memory
from memfort.clock import SystemClock
from memfort.errors import InvalidInput
from memfort.policy.settings.policy import Policy
from memfort.surfaces.http.app import make_app
from memfort.surfaces.http.connections import Connections, GuardedProtocol
from memfort.surfaces.http.logs import use_json_lines
from memfort.surfaces.http.server import Server
from memfort.surfaces.http.settings import ServerSettings

_GARBAGE = (500, 2, 2)  # new objects until the young are looked at; how often until the older are
_SWITCH_SECONDS = 0.0005  # how long a thread may keep the interpreter while others wait for it
_BACKLOG = 2048  # connections that wait to be accepted
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


def check_address(store: Path | str, settings: ServerSettings) -> ServerSettings:
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


def _has_keys(store: Path | str) -> bool:
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
    GuardedProtocol.open_connections = Connections(served.settings)
    app = make_app(Server(memory, served.settings))
    _collect_garbage()
    sys.setswitchinterval(
        _SWITCH_SECONDS
    )  # a small request changes threads often: with 5 ms each, it waits for long work
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
    Thread(target=_stop_without_parent, name="memfort-parent", daemon=True).start()
    return open_app(msgspec.json.decode(os.environ[_ENVIRONMENT], type=Served))


def _stop_without_parent() -> None:
    """Stop this worker, as by SIGTERM, when the process that started it is gone: if that was killed, it could tell
    nobody."""
    parent = parent_process()
    assert parent is not None
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)


def bind(settings: ServerSettings) -> list[socket.socket]:
    """The sockets of the address, which nobody else has now."""
    try:
        found = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        return [_bound(family, address) for family, address in dict.fromkeys((one[0], one[4]) for one in found)]
    except OSError as error:
        place = f"{settings.host} port {settings.port}"
        raise OSError(error.errno, f"cannot listen there ({error.strerror}); try another `--port`", place) from error


def _bound(family: socket.AddressFamily, address: Any) -> socket.socket:
    made = socket.socket(family)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if family == socket.AF_INET6:
        made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    made.bind(address)
    made.set_inheritable(True)
    return made


def serve(
    served: Served,
    sockets: list[socket.socket],
    *,
    workers: int = 1,
    tls_cert: str | None = None,
    tls_key: str | None = None,
) -> None:
    """Answer at these sockets until it is stopped. SIGTERM and Ctrl-C finish the requests under way first."""
    settings = served.settings.shared_by(workers)
    served = replace(served, settings=settings)
    options: dict[str, Any] = {
        "ssl_certfile": tls_cert,
        "ssl_keyfile": tls_key,
        "access_log": False,
        "log_config": None,
        "server_header": False,
        "proxy_headers": False,
        "loop": "memfort.surfaces.http.connections:GuardedLoop",
        "http": GuardedProtocol,
        "ws": "none",
        "timeout_keep_alive": max(1, int(settings.header_seconds)),
        "timeout_graceful_shutdown": int(settings.stop_seconds),
        "h11_max_incomplete_event_size": 65_536,
        "backlog": _BACKLOG,
        "timeout_worker_healthcheck": int(settings.start_seconds),
    }
    if workers == 1:
        uvicorn.Server(uvicorn.Config(open_app(served), **options)).run(sockets)
        return
    os.environ[_ENVIRONMENT] = msgspec.json.encode(served).decode()
    app = "memfort.surfaces.http.serve:app_of_environment"
    use_json_lines(SystemClock())
    Multiprocess(uvicorn.Config(app, factory=True, workers=workers, **options), sockets).run()
