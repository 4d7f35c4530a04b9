"""The stores that histories are played on."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from tests.purge.steps import GROUPS, History

from memfort import FixedClock, Memory
from memfort.store.memory import MemoryStore

GROUP_LEVELS = tuple(level for level, _ in GROUPS)

# The default, and ways to promote from everywhere to everywhere; into an org somebody there has to agree.
POLICY = {
    "extends": "default",
    "spaces": {
        "promotions": [
            {"from_level": source, "to_level": target, "authority": "ai_inferred", "approvals": int(target == "org")}
            for source in ("user", "chat", "agent", *GROUP_LEVELS)
            for target in ("user", "chat", "agent", *GROUP_LEVELS)
            if source != target
        ]
    },
}


class Opened:
    """A store in use. What is without a file has no backup, and stays where it is."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory

    def move(self) -> None:
        """Back the store up, restore it elsewhere, and go on there."""


class _File(Opened):
    def __init__(self, folder: Path, clock: FixedClock, options: dict[str, Any]) -> None:
        self._folder = folder
        self._clock = clock
        self._options = options
        self._path = folder / "memory.db"
        self._moves = 0
        super().__init__(Memory.open(self._path, clock=clock, **options))

    def move(self) -> None:
        self._moves += 1
        backup, path = self._folder / f"backup-{self._moves}", self._folder / f"memory-{self._moves}.db"
        self.memory.store.backup(str(backup))
        self.memory.close()
        key, erased = Path(f"{self._path}.key"), Path(f"{self._path}.erased")
        Memory.restore(backup, path, key=key, erased=erased if erased.exists() else None, clock=self._clock)
        self._path = path
        self.memory = Memory.open(path, clock=self._clock, **self._options)


Open = Callable[[FixedClock, History], AbstractContextManager[Opened]]


@contextmanager
def open_dict(clock: FixedClock, history: History) -> Iterator[Opened]:
    """A fresh store of dicts."""
    opened = Opened(Memory(MemoryStore(), clock=clock, **_options(history)))
    try:
        yield opened
    finally:
        opened.memory.close()


@contextmanager
def open_sqlite(clock: FixedClock, history: History) -> Iterator[Opened]:
    """A fresh store in a file."""
    with tempfile.TemporaryDirectory(prefix="purge-", dir=_fast_folder()) as folder:
        opened = _File(Path(folder), clock, _options(history))
        try:
            yield opened
        finally:
            opened.memory.close()


def policy_of(history: History) -> dict[str, Any]:
    return {**POLICY, "conversation": {"forget_requests": history.forget_requests}}


def _options(history: History) -> dict[str, Any]:
    return {"memberships": history.memberships, "policy": policy_of(history)}


def _fast_folder() -> str | None:
    return "/dev/shm" if Path("/dev/shm").is_dir() else None


def store_for(history: History) -> Open:
    """Most histories are played on the store without a file; every tenth, and where the store moves, on SQLite."""
    moves = any(step.kind == "move_store" for step in history.steps)
    return open_sqlite if moves or history.seed % 100 // 10 == 9 else open_dict
