"""One writer at a time, and everybody's turn comes.

SQLite's own busy handler sleeps longer the longer it has waited, so a process that keeps writing wins again and
again and another can wait for seconds. Here whoever wants to write stands in a queue that others can see, and
whoever has just written lets the queue go first.
"""

from __future__ import annotations

import os
import random
import threading
import time
from pathlib import Path

from memfort.errors import StoreBusy

try:
    import fcntl
except ImportError:  # no such locks on this platform; SQLite's own wait has to do
    fcntl = None  # type: ignore[assignment]

_POLL_SECONDS = 0.0002
_SLOWEST_POLL_SECONDS = 0.001
_COURTESY_SECONDS = 0.004


class WriterLock:
    """A lock between threads and processes, held while one transaction writes."""

    def __init__(self, path: Path, wait_seconds: float) -> None:
        self._path = path
        self._wait_seconds = wait_seconds
        self._threads = threading.Lock()
        self._wrote_last = False
        self._open()

    def acquire(self) -> None:
        deadline = time.monotonic() + self._wait_seconds
        if not self._threads.acquire(timeout=self._wait_seconds):
            raise StoreBusy(f"another thread has been writing for {self._wait_seconds:g} seconds; try again")
        try:
            self._acquire_from_processes(deadline)
        except BaseException:
            self._threads.release()
            raise

    def release(self) -> None:
        self._wrote_last = True
        if fcntl is not None:
            fcntl.flock(self._lock, fcntl.LOCK_UN)
        self._threads.release()

    def close(self) -> None:
        os.close(self._lock)
        os.close(self._queue)

    def reopen_after_fork(self) -> None:
        """A child must not share its parent's locks: take files, and a thread lock, of its own. Closing the parent's
        here lets go of nothing that the parent holds, and keeps its lock from outliving it in the child."""
        self.close()
        self._threads = threading.Lock()
        self._wrote_last = False
        self._open()

    def _open(self) -> None:
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
        self._lock = os.open(self._path, flags, 0o600)
        self._queue = os.open(self._path.with_name(self._path.name + "-queue"), flags, 0o600)

    def _acquire_from_processes(self, deadline: float) -> None:
        if fcntl is None:
            return
        if self._wrote_last and self._somebody_waits():
            self._wrote_last = False
            time.sleep(_COURTESY_SECONDS)
        if self._try(self._lock, fcntl.LOCK_EX):
            return
        fcntl.flock(self._queue, fcntl.LOCK_SH)
        try:
            self._wait(deadline)
        finally:
            fcntl.flock(self._queue, fcntl.LOCK_UN)

    def _wait(self, deadline: float) -> None:
        pause = _POLL_SECONDS
        while not self._try(self._lock, fcntl.LOCK_EX):
            if time.monotonic() > deadline:
                raise StoreBusy(f"another process has been writing for {self._wait_seconds:g} seconds; try again")
            time.sleep(pause * random.uniform(0.5, 1.5))  # noqa: S311  # spread, not secrecy
            pause = min(pause * 1.2, _SLOWEST_POLL_SECONDS)

    def _somebody_waits(self) -> bool:
        if not self._try(self._queue, fcntl.LOCK_EX):
            return True
        fcntl.flock(self._queue, fcntl.LOCK_UN)
        return False

    @staticmethod
    def _try(descriptor: int, kind: int) -> bool:
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
