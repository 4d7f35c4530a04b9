"""When each API key was last used: gathered in memory, and written in its own time. Knowing a caller takes no lock."""

from __future__ import annotations

from contextlib import suppress
from threading import Event, Lock, Thread

from memfort.errors import StoreError
from memfort.model.moment import MICROSECONDS_PER_SECOND, Moment
from memfort.store.port import Store, TouchKey

_NOTED_EVERY = 60 * MICROSECONDS_PER_SECOND
_WRITTEN_AFTER_SECONDS = 5.0


class KeyUses:
    """The uses that are not written yet. What is written is true to within a minute."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._noted: dict[str, Moment] = {}  # by key: the use that was last taken to be written
        self._waiting: dict[str, Moment] = {}
        self._lock, self._wake, self._stop = Lock(), Event(), Event()
        self._thread: Thread | None = None

    def note(self, id: str, now: Moment) -> None:
        with self._lock:
            if now - self._noted.get(id, Moment(0)) < _NOTED_EVERY or self._stop.is_set():
                return
            self._noted[id] = self._waiting[id] = now
            if self._thread is None:
                self._thread = Thread(target=self._run, name="memfort-key-uses", daemon=True)
                self._thread.start()
        self._wake.set()

    def write(self) -> None:
        """Write what waits, in one commit."""
        with self._lock:
            waiting, self._waiting = self._waiting, {}
        if waiting:
            with suppress(StoreError):  # a store that cannot write can still answer
                self._store.apply([TouchKey(id, now) for id, now in waiting.items()], [])

    def close(self) -> None:
        """Write the last of them."""
        self._stop.set()
        self._wake.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while not self._stop.is_set():
            self._wake.wait()
            self._wake.clear()
            self._stop.wait(_WRITTEN_AFTER_SECONDS)
            self.write()
