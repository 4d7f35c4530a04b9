"""The measured stores: filled once, then copied for measurements that write."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.speed.corpus import Corpus
from memfort import Memory

Progress = Callable[[str], None]
BATCH = 1000


def name_of(user: int) -> str:
    return f"user-{user}"


def fill(path: Path, memories: int, users: int, progress: Progress) -> float:
    """Make a store with that many memories, the same number for each user; says how many it took in per second.

    What a user says depends on the user alone, so that one can be met again, word for word, in a larger store.
    """
    each = memories // users
    start = time.perf_counter()
    with Memory.open(path) as memory:
        for user in range(users):
            bound, statements = memory.as_user(name_of(user)), Corpus(seed=user).statements(each)
            for first in range(0, each, BATCH):
                bound.remember_many(statements[first : first + BATCH])
            if user % 50 == 0:
                progress(f"filling {memories:,} memories over {users:,} users: {(user + 1) * each:,}")
    return memories / (time.perf_counter() - start)


@contextmanager
def copied(path: Path) -> Iterator[Path]:
    """A copy of a closed store, to be written to and thrown away. It is on the disk before anything is timed: the
    first commit would otherwise have to sync the whole of it."""
    with tempfile.TemporaryDirectory(prefix="copy-", dir=path.parent) as folder:
        for file in _files(path):
            with Path(shutil.copy(file, folder)).open("rb") as copy:
                os.fsync(copy.fileno())
        yield Path(folder) / path.name


def drop_from_cache(path: Path) -> None:
    """Drop a closed store's files from the operating system's cache."""
    for file in _files(path):
        with file.open("rb") as opened:
            os.fsync(opened.fileno())
            os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def disk(path: Path) -> dict[str, float]:
    """The disk use of a closed store: its database, and all files with key, locks and ballast."""
    return {
        "database_megabytes": round(path.stat().st_size / 1e6, 1),
        "all_files_megabytes": round(sum(file.stat().st_size for file in _files(path)) / 1e6, 1),
    }


def _files(path: Path) -> list[Path]:
    return sorted(path.parent.glob(path.name + "*"))
