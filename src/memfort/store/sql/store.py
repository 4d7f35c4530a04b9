"""A store over an SQL engine: the whole port but for what files and processes have to do with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager

from memfort.model.space import Space
from memfort.store.port import Change, Insert, Scope, check_scope, scope_of
from memfort.store.sql.answers.deciding import DecisionAnswers
from memfort.store.sql.answers.directory import DirectoryAnswers
from memfort.store.sql.answers.memories import MemoryAnswers
from memfort.store.sql.answers.upkeep import UpkeepAnswers
from memfort.store.sql.connection import Connection
from memfort.store.sql.writing.changes import WriteSession, append, insert, make_all, undivided
from memfort.trail.event import Event


class SqlStore(DirectoryAnswers, MemoryAnswers, DecisionAnswers, UpkeepAnswers):
    """What an engine adds: its connections, `scrub`, `residue`, `checkup`, `info` and `close`."""

    is_read_only = False
    _scope: Scope = None  # of the write that is under way

    def writing(self, spaces: Iterable[Space] | None = None) -> AbstractContextManager[None]:
        if spaces is None and self._scope is None:
            return self._connections.writing()
        return self._writing_in(spaces)

    @contextmanager
    def _writing_in(self, spaces: Iterable[Space] | None) -> Iterator[None]:
        with self._connections.writing():
            outer = self._scope
            self._scope = scope_of(spaces, outer)
            try:
                yield
            finally:
                self._scope = outer

    def apply(self, changes: Sequence[Change], events: Sequence[Event]) -> None:
        connections = self._connections
        if connections.is_writing:  # otherwise the scope is that of another thread's write
            check_scope(self._scope, changes, events)
        inserts = undivided(connections.numbers, changes) if connections.is_writing else None
        if inserts is not None:
            with self._translate_errors():
                connections.undivided(lambda writer: self._apply_undivided(writer, inserts, events))
            return
        with self._connections.writing(), self._translate_errors():
            session = self._session(self._without_counters)
            append(session, events)  # first, so that a signature covers them
            make_all(session, changes)
            self._before_commit(changes, events)

    def _before_commit(self, changes: Sequence[Change], events: Sequence[Event]) -> None:
        """What an engine writes outside its database before the changes count."""

    def _apply_undivided(self, writer: Connection, inserts: Sequence[Insert], events: Sequence[Event]) -> None:
        session = self._session(writer)
        entered = [
            one for change in inserts for one in insert(session, change)
        ]  # first: they alone can still be refused
        self._connections.buffer.add(self.keys, entered, events)

    def _session(self, writer: Connection) -> WriteSession:
        return WriteSession(writer, self.keys, self._connections.numbers, self._connections.counters)
