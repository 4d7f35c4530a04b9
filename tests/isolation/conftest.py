"""Fresh memories to play histories on: one of plain dicts, and one on SQLite, as fast as it can be made."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from memfort.client import Memory
from memfort.clock import FixedClock
from memfort.store.memory import MemoryStore
from memfort.store.sqlite import SqliteStore, connection
from memfort.testing import REFERENCE_KEYS
from memfort.testing.histories import OpenMemory, World


@pytest.fixture
def on_dict() -> OpenMemory:
    return lambda world, clock: Memory(
        MemoryStore(REFERENCE_KEYS), policy=world.policy, clock=clock, memberships=world.memberships
    )


@pytest.fixture
def on_sqlite(monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenMemory]:
    """A new file for every history, in memory where there is a place for that and without waiting for the disk: what
    survives a power cut is tested elsewhere. All have the reference store's keys, so that digests are comparable."""
    monkeypatch.setitem(connection._PRAGMAS, "synchronous", "off")
    shm = Path("/dev/shm")
    directory = Path(tempfile.mkdtemp(prefix="memfort-", dir=shm if os.access(shm, os.W_OK) else None))
    empty = directory / "empty.db"
    SqliteStore(empty, keys=REFERENCE_KEYS, ballast_bytes=0).close()
    numbers = count()

    def open_memory(world: World, clock: FixedClock) -> Memory:
        place = directory / "store"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(mode=0o700)
        path = shutil.copy(empty, place / f"{next(numbers)}.db")
        store = SqliteStore(path, keys=REFERENCE_KEYS, ballast_bytes=0)
        return Memory(store, policy=world.policy, clock=clock, memberships=world.memberships)

    yield open_memory
    shutil.rmtree(directory)
