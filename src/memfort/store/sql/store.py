"""A store over an SQL engine: the whole port but for what files and processes have to do with."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager

from memfort.store.port import Change, Insert, Progress, Scope, check_scope, reach_of, write_until_done
from memfort.store.sql.answers.deciding import DecisionAnswers
from memfort.store.sql.answers.directory import DirectoryAnswers
from memfort.store.sql.answers.memories import MemoryAnswers
from memfort.store.sql.answers.upkeep import UpkeepAnswers, lease_name
from memfort.store.sql.connection import Connection
from memfort.store.sql.copying.copy import MARK, Copy, is_empty, state_of
from memfort.store.sql.writing.changes import append, insert, make_all, undivided
from memfort.store.sql.writing.write import Write
from memfort.trail.event import Event


class SqlStore(DirectoryAnswers, MemoryAnswers, DecisionAnswers, UpkeepAnswers):
    """What an engine adds: its connections, `scrub`, `residue`, `checkup`, `info` and `close`."""

    is_read_only = False

    def writing(self, scope: Scope | None = None) -> AbstractContextManager[None]:
        return self._connections.writing(self.keys, scope)

    def apply(self, changes: Sequence[Change], events: Sequence[Event]) -> None:
        write = self._connections.current_write()
        if write is None:
            write_until_done(reach_of(changes, events), lambda scope: self._apply_alone(scope, changes, events))
            return
        check_scope(write.scope, changes, events)
        with self._translate_errors():
            inserts = undivided(write.numbers, changes)
            if inserts is not None:
                write.undivided(lambda: _apply_undivided(write, inserts, events))
                return
            with write.part(None):
                self._apply(write, changes, events)

    def take_lease(self, name: str, holder: str, seconds: float) -> bool:
        with self.writing(Scope()), self._translate_errors():
            connection = self._connection
            now = float(connection.scalar("server_seconds"))  # that of the database: clocks of machines differ
            connection.run("drop_ended_leases", lease_name(""), lease_name(chr(0x10FFFF)), now)
            return connection.row("take_lease", lease_name(name), holder, now + seconds) is not None

    def give_back_lease(self, name: str, holder: str) -> None:
        with self.writing(Scope()), self._translate_errors():
            self._connection.run("give_back_lease", lease_name(name), holder)

    def copy_from(self, source: SqlStore, progress: Progress | None) -> None:
        """Become a copy of a store that has the same key, or go on with becoming one; compared with it at the end."""
        with source.reading():
            copy = Copy(source, self, progress)
            copy.make()
            copy.compare()

    def may_copy_from(self, source: SqlStore) -> bool:
        """Whether it is empty, or a half made copy of what `source` is now."""
        mark = self._connection.scalar("get_meta", MARK)
        with source.reading():
            return is_empty(self._connection) if mark is None else mark == state_of(source.current_connection())

    def current_connection(self) -> Connection:
        return self._connection

    def _apply_alone(self, scope: Scope, changes: Sequence[Change], events: Sequence[Event]) -> None:
        with self.writing(scope), self._translate_errors():
            write = self._connections.current_write()
            assert write is not None
            self._apply(write, changes, events)

    def _apply(self, write: Write, changes: Sequence[Change], events: Sequence[Event]) -> None:
        append(write, events)  # first, so that a signature covers them
        make_all(write, changes)
        self._before_commit(changes, events)

    def _before_commit(self, changes: Sequence[Change], events: Sequence[Event]) -> None:
        """What an engine writes outside its database before the changes count."""


def _apply_undivided(write: Write, inserts: Sequence[Insert], events: Sequence[Event]) -> None:
    entered = [one for change in inserts for one in insert(write, change)]  # first: they alone can still be refused
    write.hold_back(entered, events)
