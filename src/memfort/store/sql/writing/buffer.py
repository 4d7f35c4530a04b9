"""The write buffer: index entries and events that a write holds back to write many of one table at once, which is three
times as fast.

No read misses them: `Connections.current` flushes the buffer before these tables are read in the middle of a write, and
it is flushed before a part of the write begins that may be rolled back by itself. Memories are never held back, because
an insert can be refused.
"""

from __future__ import annotations

from collections.abc import Sequence

from memfort.store.sql import trail
from memfort.store.sql.connection import Connection
from memfort.store.sql.index import entries as index
from memfort.store.sql.index.entries import Entered
from memfort.store.sql.writing.counters import Counters
from memfort.trail.event import Event
from memfort.trail.keys import Keys

_MOST_ROWS = 100


class WriteBuffer:
    """Rows to be written, in the order in which they came."""

    def __init__(self) -> None:
        self._keys: Keys | None = None
        self._entered: list[Entered] = []
        self._events: list[Event] = []

    def add(self, keys: Keys, entered: Sequence[Entered], events: Sequence[Event]) -> None:
        self._keys = keys
        self._entered += entered
        self._events += events

    @property
    def is_full(self) -> bool:
        return len(self._entered) >= _MOST_ROWS or len(self._events) >= _MOST_ROWS

    def flush(self, connection: Connection, counters: Counters) -> None:
        """Write all of it."""
        if self._keys is None:
            return
        keys, entered, events = self._keys, self._entered, self._events
        self.clear()
        index.enter(connection, keys, entered)
        trail.append(connection, counters, events, keys)

    def clear(self) -> None:
        """Drop all of it: the write that it belongs to is rolled back."""
        self._keys, self._entered, self._events = None, [], []
