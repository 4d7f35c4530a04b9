"""Two users with a store in this process, or behind a server: every framework plays its story with both."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Coroutine, Iterator
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.integrations.story import People
from tests.server import processes

from memfort import AsyncMemory, Memory, connect, connect_async

# The environment of a framework has no server; the one that made it has.
processes.MEMFORT = str(Path(sys.prefix).parent / "bin" / "memfort")
os.environ.update(HAYSTACK_TELEMETRY_ENABLED="False", OTEL_SDK_DISABLED="true", CREWAI_DISABLE_TELEMETRY="true")
_numbers = count(1)


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """A store behind a server, and its address."""
    store = tmp_path_factory.mktemp("served") / "memory.db"
    with Memory.open(store):
        pass
    with processes.served(store) as (_, port, _log):
        yield store, f"http://127.0.0.1:{port}"


@pytest.fixture(params=["embedded", "embedded_async", "remote", "remote_async"])
def people(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[People]:
    number = next(_numbers)
    alice, bob = f"alice{number}", f"bob{number}"
    if request.param.startswith("embedded"):
        with Memory.open(tmp_path / "memory.db") as memory:
            if request.param == "embedded":
                # As a program serves users: an agent that acts for one of them.
                bound = [memory.as_agent("assistant", owner="carol", acting_for=user) for user in (alice, bob)]
                yield People(*bound, bob)
            else:
                shared = AsyncMemory(memory)
                yield People(shared.as_user(alice), shared.as_user(bob), bob)
        return
    store, address = request.getfixturevalue("served")
    keys = [processes.key_of(store, user) for user in (alice, bob)]
    if request.param == "remote":
        doors = [connect(address, key) for key in keys]
        yield People(*(door.as_holder() for door in doors), bob)
        for door in doors:
            door.close()
    else:
        awaited = [connect_async(address, key) for key in keys]
        yield People(*(door.as_holder() for door in awaited), bob)
        for one in awaited:
            asyncio.run(one.close())


@pytest.fixture
def run() -> Callable[[Coroutine[Any, Any, Any]], Any]:
    return asyncio.run


class Served(NamedTuple):
    """A server that answers mem0's clients, and the keys of two users."""

    store: Path
    address: str
    alices: str
    bobs: str


@pytest.fixture
def mem0(tmp_path: Path) -> Iterator[Served]:
    store = tmp_path / "memory.db"
    with Memory.open(store):
        pass
    keys = [processes.key_of(store, user) for user in ("alice", "bob")]
    with processes.served(store, "--mem0") as (_, port, _log):
        yield Served(store, f"http://127.0.0.1:{port}", *keys)
