"""A store that lives as long as the object: SQLite in a private folder of its own, in memory where the machine has a
file system there. The folder goes when the store is closed; those of processes that were killed go with the next
start."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from memfort.store.sqlite.store import SqliteStore

try:
    import fcntl
except ImportError:  # no such locks on this platform: what a killed process left stays until the folder is cleaned
    fcntl = None  # type: ignore[assignment]

_IN_MEMORY = Path("/dev/shm")  # noqa: S108  # a folder in it is private, and what is in it never reaches a disk
_PREFIX = "memfort-memory-"
_ALIVE = "alive"  # a file that is locked for as long as the store is open


class TemporaryStore(SqliteStore):
    """Memories that are forgotten when the store is closed."""

    def __init__(self) -> None:
        base = _base()
        _remove_left_behind(base)
        folder, alive = _make_folder(base)
        self._remove = weakref.finalize(self, _remove, folder, alive, os.getpid())  # also for who forgets to close it
        super().__init__(folder / "memory.db", ballast_bytes=0, is_durable=False)

    def info(self) -> Mapping[str, Any]:
        return {**super().info(), "file": ":memory:"}

    def close(self) -> None:
        super().close()
        self._remove()


def _base() -> Path:
    return (
        _IN_MEMORY if _IN_MEMORY.is_dir() and os.access(_IN_MEMORY, os.W_OK | os.X_OK) else Path(tempfile.gettempdir())
    )


def _make_folder(base: Path) -> tuple[Path, int]:
    """A folder that is closed to everybody else, and the file that says that somebody uses it."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=base))
        alive = os.open(folder / _ALIVE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        if fcntl is None:
            return folder, alive
        fcntl.flock(alive, fcntl.LOCK_EX)
        if os.fstat(alive).st_nlink:  # otherwise another process took it for one that was left behind
            return folder, alive
        os.close(alive)


def _remove(folder: Path, alive: int, process: int) -> None:
    """Remove the folder, unless this is a child of the process that made it."""
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(alive)


def _remove_left_behind(base: Path) -> None:
    """Remove folders of this user that no process holds any more."""
    if fcntl is None:
        return
    for folder in base.glob(f"{_PREFIX}*"):
        with suppress(OSError):
            if folder.is_symlink() or folder.lstat().st_uid != os.getuid():
                continue
            descriptor = os.open(folder / _ALIVE, os.O_RDWR | os.O_CLOEXEC)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(descriptor)
