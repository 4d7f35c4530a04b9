"""A write while it is under way. All that belongs to one write lives in this object and ends with it, so that several
can run at once, each in a transaction of its own."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager

from memfort.errors import StoreError
from memfort.model.people.actor import Standpoint
from memfort.model.people.directory import Facts
from memfort.store.port import OutsideScope, Scope, scope_within
from memfort.store.sql import trail
from memfort.store.sql.connection import Connection, WritingConnection
from memfort.store.sql.index import entries as index
from memfort.store.sql.index.entries import Entered
from memfort.store.sql.writing.counters import Counters
from memfort.store.sql.writing.known import Known
from memfort.store.sql.writing.numbers import Numbers, OpenNumbers
from memfort.trail.event import Event
from memfort.trail.keys import Keys

_MOST_ROWS = 100


class Write:
    """What a write may change, what it counts with, and what it holds back: index entries, events and counters, of
    which many are written at once, which is three times as fast.

    No read misses what is held back: `flushed` writes it down before these tables are read in the middle of the write,
    and before a part of it begins that may be rolled back by itself. Memories are never held back, because an insert
    can be refused.
    """

    def __init__(self, connection: WritingConnection, keys: Keys, scope: Scope, numbers: Numbers, known: Known) -> None:
        self.connection = connection
        self.keys = keys
        self.scope = scope
        self.numbers = OpenNumbers(numbers)
        self.counters = Counters(known)
        self.reached = Scope()  # what it has locked besides, because it met it on the way
        self.facts: dict[Standpoint, Facts] | None = None  # of the directory, once this write has changed it
        self._entered: list[Entered] = []
        self._events: list[Event] = []
        self._is_spoilt = False  # whether a part has failed that cannot be rolled back by itself

    # -- what it may change ------------------------------------------------------------------------------------------

    def reach(self, people: Collection[str]) -> None:
        """Take the locks of persons that the scope does not name. That must not wait, or two writes could wait for each
        other; if somebody else holds one, this write has to start again with these persons named."""
        if not people:  # as of most memories
            return
        missing = frozenset(people) - self.scope.people - self.reached.people
        if missing:
            self._take(Scope(people=missing), "what is known about more persons")

    def reach_author(self, author: bytes) -> None:
        """Take the lock of an author's budget in the same way, before the author's memories are counted."""
        if author not in self.scope.authors and author not in self.reached.authors:
            self._take(Scope(authors=frozenset([author])), "the budget of another author")

    def _take(self, more: Scope, what: str) -> None:
        if self.scope.whole:
            return
        if not self.connection.lock_at_once(more.locks()):
            raise OutsideScope(f"it changes {what}", more)
        self.reached |= more

    # -- what is held back -------------------------------------------------------------------------------------------

    def hold_back(self, entered: Sequence[Entered], events: Sequence[Event]) -> None:
        self._entered += entered
        self._events += events

    def flushed(self) -> Connection:
        """The connection, with everything written down."""
        self._flush()
        self.counters.write_down(self.connection)
        return self.connection

    def _flush(self) -> None:
        if not self._entered and not self._events:
            return
        entered, events = self._entered, self._events
        self._drop()
        try:
            index.enter(self.connection, self.keys, entered)
            trail.append(self.connection, self.counters, events, self.keys)
        except BaseException:
            self._is_spoilt = True  # some of it may be there, and the rest is lost
            raise

    def _drop(self) -> None:
        self._entered, self._events = [], []

    # -- its parts ---------------------------------------------------------------------------------------------------

    @contextmanager
    def part(self, scope: Scope | None) -> Iterator[None]:
        """A part of the write: if it fails it is rolled back by itself, and the whole can go on."""
        self._check_whole()
        outer, within = self.scope, scope_within(scope, self.scope)
        self._flush()  # it is no part of what may be rolled back
        self.connection.start_part()
        self.counters.start_part()
        reached, facts, self.scope = self.reached, self.facts, within
        try:
            yield
        except BaseException:
            self._drop()
            self.numbers.take_back()
            self.counters.take_back_part()
            self.reached, self.facts = reached, None if facts is None else {}
            self._is_spoilt |= not self.connection.take_back_part()
            raise
        finally:
            self.scope = outer
        self.counters.end_part()
        self.connection.end_part()

    def undivided(self, work: Callable[[], None]) -> None:
        """Do a part that fails either before it has changed or counted anything, or for good and all: for this no
        savepoint is needed, which would copy every page that it touches."""
        self._check_whole()
        before = self.connection.count_changes()
        try:
            work()
        except BaseException:
            self._is_spoilt = self.connection.count_changes() != before
            raise
        if len(self._entered) >= _MOST_ROWS or len(self._events) >= _MOST_ROWS:
            self._flush()

    def finish(self) -> None:
        """Write down what is held back, and move the versions of its spaces, before the commit."""
        self._check_whole()
        self.flushed()
        if self.scope.whole:
            self.connection.run("bump_all_versions")
        else:
            for space in self.scope.spaces:
                self.connection.run("bump_version", space)

    def committed(self) -> None:
        self.numbers.settle()
        if not self.scope.whole:
            self.counters.committed()

    def _check_whole(self) -> None:
        """Refuse to go on with, or to keep, a write that has lost something on the way."""
        if self._is_spoilt:
            raise StoreError("a part of this write failed half-way, so none of it was kept; try again")
