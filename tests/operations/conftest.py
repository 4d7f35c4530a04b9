"""Two users of a memory, and what they can be asked for."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from memfort import BoundMemory, FixedClock, Memory
from memfort.store.sqlite import SqliteStore


@pytest.fixture
def alice(memory: Memory) -> BoundMemory:
    return memory.as_user("alice")


@pytest.fixture
def bob(memory: Memory) -> BoundMemory:
    return memory.as_user("bob")


@pytest.fixture
def exported() -> Callable[[BoundMemory], bytes]:
    """What `export` gives, as the bytes of a file."""
    return lambda reader: "\n".join(json.dumps(line, ensure_ascii=False) for line in reader.export()).encode()


@pytest.fixture
def events(memory: Memory) -> Callable[[], list[dict[str, Any]]]:
    """The whole trail, as events, but for the exports by which the tests look at what is there."""
    trail = memory.as_system().trail.export
    return lambda: [line["event"] for line in trail() if line["event"]["action"] != "export"]


@pytest.fixture
def on_disk(
    tmp_path: Path, clock: FixedClock, request: pytest.FixtureRequest
) -> Iterator[tuple[Memory, apsw.Connection]]:
    """A memory in a file, settled as the module says, that verifies; and a way past Memfort into that file."""
    memory = Memory(SqliteStore(tmp_path / "memory.db", ballast_bytes=0), clock=clock)
    request.module.settle(memory)
    assert memory.trail.verify().ok
    assert memory.as_system().doctor(checks=["integrity"]).problems == []
    raw = apsw.Connection(str(tmp_path / "memory.db"))
    yield memory, raw
    raw.close()
    memory.close()
