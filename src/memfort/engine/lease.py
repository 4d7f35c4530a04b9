"""Work that one process at a time does, of all that have a store open: whoever holds its lease. A process that is
killed holds it for a minute at most, and the next one goes on with what is left."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from memfort.store.port import Store

SECONDS = 60.0


class Lease:
    """A lease as one process holds it, or does not. It is renewed by asking for it, well before it ends."""

    def __init__(self, store: Store, name: str, seconds: float = SECONDS) -> None:
        self._store, self._name, self._seconds = store, name, seconds
        self._holder = secrets.token_hex(8)
        self._renew_at = 0.0
        self._lock = threading.Lock()

    def is_held(self) -> bool:
        """Whether this process has it, or gets it now."""
        with self._lock:
            now = time.monotonic()
            if now < self._renew_at:
                return True
            is_held = self._store.take_lease(self._name, self._holder, self._seconds)
            self._renew_at = now + self._seconds / 3 if is_held else 0.0
            return is_held

    def give_back(self) -> None:
        with self._lock:
            if self._renew_at:
                self._renew_at = 0.0
                self._store.give_back_lease(self._name, self._holder)

    @contextmanager
    def taken(self) -> Iterator[bool]:
        """Says whether this process has it; it is given back at the end."""
        is_held = self.is_held()
        try:
            yield is_held
        finally:
            if is_held:
                self.give_back()
