"""`MemoryStore`: the four kinds of questions a store answers, on one state, and the one way to change it."""

from __future__ import annotations

from collections.abc import Sequence

from memfort.store.memory.budgets import BudgetQuestions
from memfort.store.memory.changes import append_event, make_change
from memfort.store.memory.directory import DirectoryQuestions
from memfort.store.memory.memories import MemoryQuestions
from memfort.store.memory.people import PeopleQuestions
from memfort.store.memory.trail import TrailQuestions
from memfort.store.memory.upkeep import UpkeepQuestions
from memfort.store.port import Change, check_scope, new_keys, reach_of
from memfort.trail.event import Event
from memfort.trail.keys import Keys


class MemoryStore(
    DirectoryQuestions, MemoryQuestions, BudgetQuestions, PeopleQuestions, TrailQuestions, UpkeepQuestions
):
    """A store that lives as long as the object. Without `keys` it makes its own, as a new file would; give it the keys
    of another store to compare the two byte for byte."""

    is_read_only = False
    engine = None

    def __init__(self, keys: Keys | None = None) -> None:
        super().__init__()
        self.keys = keys or new_keys.make_keys()
        self._leases: dict[str, tuple[str, float]] = {}  # by name: who has it, and until when

    def apply(self, changes: Sequence[Change], events: Sequence[Event]) -> None:
        scope = self._thread.scope
        if scope is not None:
            check_scope(scope, changes, events)
        with self.writing(reach_of(changes, events) if scope is None else None):
            for event in events:
                append_event(self._state, event, self.keys)
            for change in changes:
                make_change(self._state, change, self.keys)

    def close(self) -> None:
        """Forget everything. What is asked afterwards is an error, as on a file that is closed."""
        self._committed = None
