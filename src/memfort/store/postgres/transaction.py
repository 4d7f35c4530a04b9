"""One transaction on one connection: the spaces it has opened, those it has locked, and the statements it runs.

Row-level security shows a transaction the rows of the spaces that it has opened, and of none it has not. A statement
opens the spaces that it names, so one that forgets to name them sees nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any
from uuid import UUID

import psycopg
from msgspec import Struct

from memfort.store.postgres.numbers import SpaceNumbers
from memfort.store.postgres.schema import UPKEEP
from memfort.store.postgres.statements import (
    DIRECTORY,
    LOCAL_BITS,
    NOWHERE,
    STATEMENTS,
    Statement,
    can_be_stored,
    space_of_digest,
)
from memfort.store.sql.connection import AlreadyThere

_READ = "begin isolation level repeatable read read only"
_WRITE = "begin isolation level read committed"
_OPEN = (
    "select set_config('memfort.spaces', $1, true), set_config('memfort.at', now()::text, true), "
    "set_config('search_path', 'memfort', true)"
)
_FIND_TABLES = "set local search_path = memfort"
_VIEW = "select pg_current_snapshot()::text, null"
_IDENTITY = "select pg_current_xact_id()::text, (select value #>> '{}' from memfort.meta where name = 'rebuilt')"
_ROWS_AT_ONCE = 200
_VERSION = "version_of_space"
_MOST_OPEN = 256  # spaces at a time, unless a statement names more: the server reads the list for each statement


class _Lock:
    """A space that this transaction has locked: its number, its version, and the last number given in it."""

    __slots__ = ("is_changed", "last", "no", "version")

    def __init__(self, no: int, version: int, last: int) -> None:
        self.no, self.version, self.last, self.is_changed = no, version, last, False


class _Part(Struct, frozen=True):
    """What a savepoint goes back to."""

    opened: set[UUID]
    is_upkeep: bool
    has_opened: bool
    locks: dict[UUID, tuple[int, bool]]


class Transaction:
    """A snapshot to read from, or a write. Runs the statements of `queries.sql`, each by its name."""

    def __init__(self, raw: psycopg.Connection[Any], numbers: SpaceNumbers, *, is_write: bool) -> None:
        self.raw = raw
        self.is_write = is_write
        self.identity: str | None = None  # of a write, by which the server knows what became of it; of a read, its view
        self._rebuilt: str | None = None
        self._numbers = numbers
        self._cursor: psycopg.RawCursor[Any] = psycopg.RawCursor(raw)
        self._before: list[tuple[str, tuple[Any, ...]]] = [(_WRITE if is_write else _READ, ())]  # to be sent first
        self._opened = {DIRECTORY}
        self._is_upkeep = False  # whether it runs in the role for upkeep now
        self._has_opened = False
        self._locks: dict[UUID, _Lock] = {}
        self._parts: list[_Part] = []
        self._cursors = 0
        self._changes = 0  # how many statements that change something have run

    # -- what statements ask while they are bound --------------------------------------------------------------------

    def space_of_number(self, number: int) -> UUID:
        return self.spaces_of_numbers((number,))[0]

    def spaces_of_numbers(self, numbers: Sequence[int]) -> list[UUID]:
        places = [int(number) >> LOCAL_BITS for number in numbers]
        if missing := [no for no in set(places) if self._numbers.space(no) is None]:
            self._numbers.note({lock.no: space for space, lock in self._locks.items()})
            if missing := [no for no in missing if self._numbers.space(no) is None]:
                self._numbers.note(dict(self.rows("spaces_of_numbers", missing)))
        return [self._numbers.space(no) or NOWHERE for no in places]

    def spaces_about(self, persons: Sequence[str]) -> list[UUID]:
        found = [space for (space,) in self.rows("spaces_about", list(persons))] if persons else []
        return found or [NOWHERE]

    def new_number(self, space: UUID) -> int:
        lock = self._locked(space)
        lock.last, lock.is_changed = lock.last + 1, True
        return lock.no << LOCAL_BITS | lock.last

    def space_number(self, space: UUID) -> int:
        return self._locked(space).no << LOCAL_BITS

    def _locked(self, space: UUID) -> _Lock:
        self.lock([space])
        return self._locks[space]

    # -- locks -------------------------------------------------------------------------------------------------------

    def lock_store(self) -> None:
        """Keep everybody else from writing."""
        self._run(STATEMENTS["lock_store"], [], {NOWHERE})

    def lock(self, spaces: Iterable[UUID]) -> None:
        """Lock spaces in the order of their keys. One that nothing is in yet gets a number."""
        wanted = sorted(space for space in spaces if space not in self._locks)
        if wanted and (missing := sorted(set(wanted) - self._lock_known("lock_spaces", wanted))):
            self._add_locks(missing)

    def lock_at_once(self, keys: Sequence[bytes]) -> bool:
        wanted = sorted(space for key in keys if (space := UUID(bytes=key)) not in self._locks)
        missing = sorted(set(wanted) - self._lock_known("lock_free_spaces", wanted)) if wanted else []
        if not missing:
            return True
        self._run(STATEMENTS["locked_spaces"], [missing], set(missing))
        if self._cursor.fetchall():  # there, and not free
            return False
        self._add_locks(missing)
        return True

    def _add_locks(self, missing: list[UUID]) -> None:
        numbers = [self._numbers.take() for _ in missing]
        self._run(STATEMENTS["add_space_locks"], [missing, numbers], set(missing))
        self._lock_known("lock_spaces", missing)

    def _lock_known(self, query: str, wanted: list[UUID]) -> set[UUID]:
        self._run(STATEMENTS[query], [wanted], set(wanted))
        found = self._cursor.fetchall()
        for space, no, version, last in found:
            self._locks[space] = _Lock(no, version, last)
        return {space for space, *_ in found}

    # -- statements --------------------------------------------------------------------------------------------------

    def rows(self, query: str, *values: Any) -> list[Any]:
        self._bind_and_run(STATEMENTS[query], values)
        return self._cursor.fetchall()

    def row(self, query: str, *values: Any) -> Any:
        self._bind_and_run(STATEMENTS[query], values)
        return self._cursor.fetchone()

    def scalar(self, query: str, *values: Any) -> Any:
        if query == _VERSION and self.is_write:
            return self._version(*values)
        row = self.row(query, *values)
        return None if row is None else row[0]

    def together(self, *asked: tuple[str, tuple[Any, ...]]) -> list[Any]:
        bound = []
        for query, values in asked:
            if query == _VERSION and self.is_write:
                continue
            statement = STATEMENTS[query]
            parameters = statement.parameters(self, values)
            if statement.spaces(parameters) is None:
                return [self.row(query, *values) for query, values in asked]
            bound.append((statement, parameters))
        for statement, parameters in bound:
            self._prepare(statement, statement.spaces(parameters))
        cursors = []
        with self.raw.pipeline():
            identity = self._send_before_in_pipeline()
            for statement, parameters in bound:
                cursors.append(psycopg.RawCursor(self.raw))
                cursors[-1].execute(statement.sql, parameters, binary=True)
        self._note_identity(identity)
        found = iter(cursors)
        return [
            (self._version(*values),) if query == _VERSION and self.is_write else next(found).fetchone()
            for query, values in asked
        ]

    def _version(self, number: int) -> int:
        """That of a space, which is known since it was locked."""
        return self._locked(self.space_of_number(number)).version

    def run(self, query: str, *values: Any) -> None:
        if query == "bump_version":  # at the end, with those of all spaces at once
            self._locked(space_of_digest(values[0])).is_changed = True
            return
        self._bind_and_run(STATEMENTS[query], values)

    def add(self, query: str, *values: Any) -> int:
        found = self.row(query, *values)
        if found is None:
            raise AlreadyThere
        return int(found[0])

    def each(self, query: str, *values: Any) -> Iterator[Any]:
        statement = STATEMENTS[query]
        parameters = statement.parameters(self, values)
        self._prepare(statement, statement.spaces(parameters))
        self._send_before()
        self._cursors += 1
        with psycopg.RawServerCursor(self.raw, f"memfort_{self._cursors}") as cursor:
            cursor.itersize = _ROWS_AT_ONCE
            cursor.execute(statement.sql, parameters, binary=True)
            yield from cursor

    def many(self, query: str, rows: Iterable[tuple[Any, ...]]) -> None:
        self._run_many(STATEMENTS[query], rows, returning=False)

    def rows_of_many(self, query: str, rows: Iterable[tuple[Any, ...]]) -> list[Any]:
        if not self._run_many(STATEMENTS[query], rows, returning=True):
            return []
        return [row for result in self._cursor.results() for row in result.fetchall()]

    def array(self, values: Iterable[Any]) -> list[Any]:
        return [one for one in values if not isinstance(one, str) or can_be_stored(one)]

    def number_array(self, values: Sequence[int]) -> list[int]:
        return list(values)

    def _run_many(self, statement: Statement, rows: Iterable[tuple[Any, ...]], *, returning: bool) -> bool:
        bound = [statement.parameters(self, values) for values in rows]
        if not bound:
            return False
        named = [statement.spaces(parameters) for parameters in bound]
        self._prepare(statement, None if None in named else set().union(*filter(None, named)))
        self._send_before()
        if len(bound) == 1:
            self._cursor.execute(statement.sql, bound[0], binary=True)
        else:
            self._cursor.executemany(statement.sql, bound, returning=returning)
        return True

    def _bind_and_run(self, statement: Statement, values: Sequence[Any]) -> None:
        parameters = statement.parameters(self, values)
        self._prepare(statement, statement.spaces(parameters))
        self._execute(statement.sql, parameters)

    def _run(self, statement: Statement, parameters: list[Any], spaces: set[UUID]) -> None:
        self._open(spaces)
        self._execute(statement.sql, parameters)

    def _prepare(self, statement: Statement, spaces: set[UUID] | None) -> None:
        """Lock and open the spaces that a statement goes to."""
        self._changes += statement.is_change
        if self.is_write and statement.locks and spaces is not None:
            self._lock_for(statement, spaces)
        if spaces is None:
            self._become_upkeep()
        else:
            self._open(spaces)

    def _lock_for(self, statement: Statement, spaces: set[UUID]) -> None:
        known = {space for space in spaces if space != NOWHERE}
        if statement.is_change:
            known.discard(DIRECTORY)  # its rows are changed one by one, and no number hangs on another
        self.lock(known)
        if statement.is_change:
            for space in known:
                self._locks[space].is_changed = True

    def _open(self, spaces: set[UUID]) -> None:
        is_wide = len(self._opened) > _MOST_OPEN and len(spaces) <= _MOST_OPEN
        if not self._has_opened or is_wide or not spaces <= self._opened:
            together = self._opened | spaces
            self._opened = together if len(together) <= _MOST_OPEN else {DIRECTORY} | spaces
            self._has_opened = True
            self._before.append((_OPEN, (",".join(map(str, self._opened)),)))
        if self._is_upkeep:
            self._before.append(("reset role", ()))
            self._is_upkeep = False

    def _become_upkeep(self) -> None:
        if self._is_upkeep:
            return
        if not self._has_opened:
            self._before.append((_FIND_TABLES, ()))
        self._before.append((f"set local role {UPKEEP}", ()))
        self._is_upkeep = True

    def _execute(self, sql: str, parameters: Sequence[Any]) -> None:
        if not self._before:
            self._cursor.execute(sql, parameters, binary=True)
            return
        with self.raw.pipeline():  # one round trip for all of it
            identity = self._send_before_in_pipeline()
            self._cursor.execute(sql, parameters, binary=True)
        self._note_identity(identity)

    def _send_before(self) -> None:
        if self._before:
            with self.raw.pipeline():
                identity = self._send_before_in_pipeline()
            self._note_identity(identity)

    def _send_before_in_pipeline(self) -> psycopg.RawCursor[Any] | None:
        before, self._before = self._before, []
        asked = None
        for sql, parameters in before:
            psycopg.RawCursor(self.raw).execute(sql, parameters)
        if self.identity is None:
            asked = psycopg.RawCursor(self.raw)
            asked.execute(_IDENTITY if self.is_write else _VIEW)
        return asked

    def _note_identity(self, asked: psycopg.RawCursor[Any] | None) -> None:
        if asked is not None and (found := asked.fetchone()) is not None:
            self.identity, self._rebuilt = found

    def rebuilt(self) -> str | None:
        """When the index was last written anew."""
        self._ask_identity()
        return self._rebuilt

    def view(self) -> str:
        """What names the state of the database that a read sees: equal only where nothing was committed in between."""
        self._ask_identity()
        assert self.identity is not None
        return self.identity

    def _ask_identity(self) -> None:
        if self.identity is None:
            self._open(set())
            self._send_before()

    # -- its parts and its end ---------------------------------------------------------------------------------------

    def count_changes(self) -> int:
        is_open = self.raw.info.transaction_status is psycopg.pq.TransactionStatus.INTRANS
        return self._changes if is_open else -1

    def start_part(self) -> None:
        self._before.append(("savepoint part", ()))
        self._send_before()
        locks = {space: (lock.last, lock.is_changed) for space, lock in self._locks.items()}
        self._parts.append(_Part(set(self._opened), self._is_upkeep, self._has_opened, locks))

    def end_part(self) -> None:
        self._parts.pop()
        self._before.append(("release part", ()))
        self._send_before()

    def take_back_part(self) -> bool:
        self._before = []
        part = self._parts.pop()
        self._opened, self._is_upkeep, self._has_opened = part.opened, part.is_upkeep, part.has_opened
        self._locks = {space: lock for space, lock in self._locks.items() if space in part.locks}
        for space, (last, is_changed) in part.locks.items():
            self._locks[space].last, self._locks[space].is_changed = last, is_changed
        try:
            self.raw.execute("rollback to part")
            self.raw.execute("release part")
        except psycopg.Error:
            return False
        return True

    def changed_spaces(self) -> list[UUID]:
        return [space for space, lock in self._locks.items() if lock.is_changed]

    def commit(self) -> None:
        """Keep it. What was changed gets a new version."""
        changed = {space: lock for space, lock in self._locks.items() if lock.is_changed}
        if changed:
            self._open(set(changed))
            parameters = ([*changed], [lock.last for lock in changed.values()])
            self._before.append((STATEMENTS["set_space_locks"].sql, parameters))
        self._before.append(("commit", ()))
        self._send_before()

    def end(self) -> None:
        """Roll back what is still open. A second error must not hide the first."""
        self._before = []
        if self.raw.info.transaction_status is not psycopg.pq.TransactionStatus.IDLE:
            with suppress(psycopg.Error):
                self.raw.execute("rollback")
