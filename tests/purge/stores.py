"""The stores that histories are played on."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from tests.purge.steps import GROUPS, Memberships

from memfort import FixedClock, Memory

GROUP_LEVELS = tuple(level for level, _ in GROUPS)

# The default, and ways to promote from everywhere to everywhere.
POLICY = {
    "extends": "default",
    "spaces": {
        "promotions": [
            {"from_level": source, "to_level": target, "authority": "ai_inferred"}
            for source in ("user", "chat", "agent", *GROUP_LEVELS)
            for target in ("user", "chat", "agent", *GROUP_LEVELS)
            if source != target
        ]
    },
}

Open = Callable[[FixedClock, Memberships], AbstractContextManager[Memory]]


@contextmanager
def _closing(memory: Memory) -> Iterator[Memory]:
    try:
        yield memory
    finally:
        memory.close()


def open_dict(clock: FixedClock, memberships: Memberships) -> AbstractContextManager[Memory]:
    """A fresh store without a file."""
    return _closing(Memory.open(":memory:", clock=clock, memberships=memberships, policy=POLICY))


@contextmanager
def open_sqlite(clock: FixedClock, memberships: Memberships) -> Iterator[Memory]:
    """A fresh store in a file."""
    with tempfile.TemporaryDirectory(prefix="purge-", dir=_fast_folder()) as folder:
        path = Path(folder) / "memory.db"
        memory = Memory.open(path, clock=clock, memberships=memberships, policy=POLICY)
        with _closing(memory):
            yield memory


def _fast_folder() -> str | None:
    return "/dev/shm" if Path("/dev/shm").is_dir() else None


def store_for(seed: int) -> Open:
    """Most histories are played on the store without a file, every tenth on SQLite."""
    return open_sqlite if seed % 100 // 10 == 9 else open_dict
