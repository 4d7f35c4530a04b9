"""What a write holds back: entries of the index, and events. Many are put down together, because each sort of row has
code of its own, which a processor that has it at hand runs three times as fast.

Nobody misses them: whoever reads these tables in the middle of a write has them put down first (`Connections.current`),
and so has a part of it that may be taken back by itself. Memories are never held back, because one can be refused.
"""

from __future__ import annotations

from collections.abc import Sequence

import apsw

from memfort.store.sqlite import index, trail
from memfort.store.sqlite.counters import Counters
from memfort.store.sqlite.index import Entered
from memfort.trace.event import Event
from memfort.trace.keys import Keys

_MOST_HELD = 100


class Held:
    """In the order in which they came."""

    def __init__(self) -> None:
        self._keys: Keys | None = None
        self._entered: list[Entered] = []
        self._events: list[Event] = []

    def hold(self, keys: Keys, entered: Sequence[Entered], events: Sequence[Event]) -> None:
        self._keys = keys
        self._entered += entered
        self._events += events

    @property
    def is_full(self) -> bool:
        return len(self._entered) >= _MOST_HELD or len(self._events) >= _MOST_HELD

    def put_down(self, connection: apsw.Connection, counters: Counters) -> None:
        """Put all of it where it belongs."""
        if self._keys is None:
            return
        keys, entered, events = self._keys, self._entered, self._events
        self.forget()
        index.enter(connection, keys, entered)
        trail.append(connection, counters, events, keys)

    def forget(self) -> None:
        """The write, or the part of it that they all belong to, is taken back."""
        self._keys, self._entered, self._events = None, [], []
