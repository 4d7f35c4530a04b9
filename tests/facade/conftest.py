"""A memory on each store, with a clock that stands still until a test moves it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memfort import BoundMemory, FixedClock, Memory
from memfort.model.moment import Moment
from memfort.store.sqlite import SqliteStore
from memfort.testing import DictStore

NOW = Moment(1_767_225_600_000_000)  # 2026-01-01T00:00:00Z


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(NOW)


@pytest.fixture(params=["dict", "sqlite"])
def open_memory(request: pytest.FixtureRequest, tmp_path: Path, clock: FixedClock) -> Iterator[Callable[..., Memory]]:
    """Make a fresh memory, on the dict store and on SQLite in turn."""
    made: list[Memory] = []

    def make(**options: Any) -> Memory:
        path = tmp_path / str(len(made)) / "memory.db"
        store = DictStore() if request.param == "dict" else SqliteStore(path, ballast_bytes=0)
        made.append(Memory(store, clock=clock, **options))
        return made[-1]

    yield make
    for memory in made:
        memory.close()


@pytest.fixture
def memory(open_memory: Callable[..., Memory]) -> Memory:
    return open_memory()


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
    trail = memory.as_system().trail
    return lambda: [line["event"] for line in trail() if line["event"]["action"] != "export"]
