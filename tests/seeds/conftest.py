"""A memory on each store, and the question every rule comes down to: through which paths does who get what."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memfort import BoundMemory, FixedClock, Item, Memory, NotFound
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


READ_PATHS: dict[str, Callable[[BoundMemory, Item], bool]] = {
    "recall": lambda reader, item: item.text in reader.recall(item.text, limit=1000).texts,
    "get": lambda reader, item: reader.get(item.id) is not None,
    "list": lambda reader, item: item.id in [one.id for one in reader.list(limit=1000)],
    "history": lambda reader, item: item.id in _history(reader, item),
    "explain": lambda reader, item: reader.explain(item.id).shown,
    "export": lambda reader, item: item.id in [line["memory"]["id"] for line in reader.export() if "memory" in line],
    "inbox": lambda reader, item: item.id in [entry.item.id for entry in reader.inbox()],
}


def _history(reader: BoundMemory, item: Item) -> list[str]:
    try:
        return [version.id for version in reader.history(item.id)]
    except NotFound:
        return []


@pytest.fixture
def paths() -> Callable[[BoundMemory, Item | None], set[str]]:
    """Through which read paths a standpoint is shown an item."""

    def showing(reader: BoundMemory, item: Item | None) -> set[str]:
        assert item is not None
        return {name for name, shows in READ_PATHS.items() if shows(reader, item)}

    return showing


@pytest.fixture
def read_paths() -> dict[str, Callable[[BoundMemory, Item], bool]]:
    return READ_PATHS
