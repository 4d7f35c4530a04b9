"""Work on memories after they are written: a thread with a queue, for embedding and for judging sensitivity."""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from itertools import islice
from typing import ClassVar

from memfort.engine.lease import Lease
from memfort.engine.transaction import Session
from memfort.errors import MemfortError, StoreBusy
from memfort.model.item import Item
from memfort.model.space import Space

_MAX_PENDING = 100_000  # ids kept in the queue; a full run finds the others
_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 60.0  # seconds, after a failure


class BackgroundWorker(ABC):
    """A thread that works off the queued memories, and on request all. A failure is reported and tried again."""

    thread_name: ClassVar[str]
    batch: ClassVar[int]  # memories of one space in one step
    close_seconds: ClassVar[float]  # for the queue when a memory is closed; the next process finds the rest

    def __init__(self, session: Session) -> None:
        self._session = session
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None
        self._pending: dict[tuple[Space, str], None] = {}
        self._all_requested = False
        self._until: float | None = None  # the deadline after closing
        self._lease = Lease(session.store, self.thread_name)

    # -- the work itself ---------------------------------------------------------------------------------------------

    @abstractmethod
    def _work_on(self, space: Space, ids: list[str]) -> None:
        """Do the work for some memories of one space."""

    @abstractmethod
    def _work_on_all(self) -> None:
        """Do the work for all memories that need it, as long as it is not closed."""

    @abstractmethod
    def _update_progress(self, **news: object) -> None:
        """Publish how far it is: `is_running`, `problem` and the counts."""

    # -- the queue and the thread ------------------------------------------------------------------------------------

    def add(self, item: Item) -> None:
        """A memory is being written that needs the work."""
        with self._lock:
            if len(self._pending) < _MAX_PENDING:
                self._pending[item.space, item.id] = None
        self._start()

    def all(self) -> None:
        """Go over all memories once."""
        self._all_requested = True
        self._update_progress(is_running=True)  # from now on, not from when the thread starts it
        self._start()

    def close(self) -> None:
        """Work off the queue for a few seconds at most, and stop."""
        with self._lock:
            self._until = time.monotonic() + self.close_seconds
            thread = self._thread
        self._wake.set()
        if thread is not None:
            thread.join()

    def _must_stop(self) -> bool:
        """Whether to leave the rest of all memories to the next process."""
        return self.is_closed or not self._lease.is_held()

    @property
    def is_closed(self) -> bool:
        return self._until is not None

    def _start(self) -> None:
        with self._lock:
            if self._thread is None and not self.is_closed:
                self._thread = threading.Thread(target=self._run, name=self.thread_name, daemon=True)
                self._thread.start()
        self._wake.set()

    def _run(self) -> None:
        pause = _FIRST_PAUSE
        while True:
            self._wake.wait()
            self._wake.clear()
            is_last = self.is_closed
            try:
                self._work()
            except MemfortError as error:  # the model or the store failed: both may recover soon
                self._update_progress(problem=str(error), is_running=False)
                if is_last or self._is_closed_within(pause):
                    return
                pause = min(2 * pause, _LONGEST_PAUSE)
                self._wake.set()
            else:
                pause = _FIRST_PAUSE
                if is_last:
                    return

    def _is_closed_within(self, seconds: float) -> bool:
        """Wait; memories queued meanwhile wait too."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0 and not self.is_closed:
            self._wake.wait(left)
            self._wake.clear()
        return self.is_closed

    def _work(self) -> None:
        self._update_progress(is_running=True)
        while some := self._next_pending():
            self._work_on_pending(*some)
        if self._all_requested and not self.is_closed:
            with self._lease.taken() as is_held:
                if not is_held:
                    raise StoreBusy("another process does this work; what it leaves is done when it ends")
                self._work_on_all()
            self._all_requested = self.is_closed
        self._update_progress(is_running=False, problem=None)

    def _next_pending(self) -> tuple[Space, list[str]] | None:
        """The ids of some queued memories of one space, the longest waiting first. They leave the queue here: one that
        is written again meanwhile is queued again."""
        with self._lock:
            if not self._pending or (self._until is not None and time.monotonic() >= self._until):
                return None
            space = next(iter(self._pending))[0]
            ids = list(islice((id for one, id in self._pending if one == space), self.batch))
            for id in ids:
                del self._pending[space, id]
            return space, ids

    def _work_on_pending(self, space: Space, ids: list[str]) -> None:
        try:
            self._work_on(space, ids)
        except MemfortError:
            with self._lock:
                self._pending |= {(space, id): None for id in ids}
            raise
