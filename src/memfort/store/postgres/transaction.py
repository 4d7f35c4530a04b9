"""One transaction on one connection: the spaces it has opened, those it has locked, and the statements it runs.

Row-level security shows a transaction the rows of the spaces that it has opened, and of none it has not. A statement
opens the spaces that it names, so one that forgets to name them sees nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from uuid import UUID

import psycopg

from memfort.store.postgres.numbers import SpaceNumbers
from memfort.store.postgres.statements import LOCAL_BITS, STATEMENTS, Statement
from memfort.store.sql.connection import AlreadyThere

UPKEEP = "memfort_upkeep"
_READ = "begin isolation level repeatable read read only"
_WRITE = "begin isolation level read committed"
_OPEN = (
    "select set_config('memfort.spaces', $1, true), set_config('memfort.at', now()::text, true), "
    "set_config('search_path', 'memfort', true)"
)
_ROWS_AT_ONCE = 200


class _Lock:
    """A space that this transaction has locked: its number, and the last number given in it."""

    __slots__ = ("is_changed", "last", "no")

    def __init__(self, no: int, last: int) -> None:
        self.no, self.last, self.is_changed = no, last, False


class Transaction:
    """A snapshot to read from, or a write."""

    def __init__(self, raw: psycopg.Connection[Any], numbers: SpaceNumbers, *, is_write: bool) -> None:
        self.raw = raw
        self.is_write = is_write
        self._numbers = numbers
        self._cursor: psycopg.RawCursor[Any] = psycopg.RawCursor(raw)
        self._before: list[tuple[str, tuple[Any, ...]]] = [(_WRITE if is_write else _READ, ())]  # to be sent first
        self._opened: set[UUID] = set()
        self._is_upkeep = False  # whether it runs in the role for upkeep now
        self._has_path = False  # whether its statements find the tables
        self._locks: dict[UUID, _Lock] = {}
        self._has_whole_store = False
        self._named = 0
        self.changes = 0  # how many statements that change something have run

    @property
    def is_open(self) -> bool:
        """Whether it can go on: an error has not ended it."""
        return self.raw.info.transaction_status is psycopg.pq.TransactionStatus.INTRANS

    # -- what statements ask while they are bound --------------------------------------------------------------------

    def space_of_number(self, number: int) -> UUID:
        return self.spaces_of_numbers((number,))[0]

    def spaces_of_numbers(self, numbers: Sequence[int]) -> list[UUID]:
        places = [int(number) >> LOCAL_BITS for number in numbers]
        if missing := [no for no in set(places) if self._numbers.space(no) is None]:
            self._numbers.note(self._spaces_numbered(missing))
        return [self._numbers.space(no) or _NOWHERE for no in places]

    def _spaces_numbered(self, numbers: list[int]) -> dict[int, UUID]:
        own = {lock.no: space for space, lock in self._locks.items()}
        found = {no: own[no] for no in numbers if no in own}
        for no in numbers:
            if no not in found:
                for (space,) in self.rows("space_of_number", [no]):
                    found[no] = space
        return found

    def spaces_about(self, persons: Sequence[str]) -> list[UUID]:
        found = [space for (space,) in self.rows("spaces_about", list(persons))] if persons else []
        return found or [_NOWHERE]

    def new_number(self, space: UUID) -> int:
        self.lock([space])
        lock = self._locks[space]
        lock.last, lock.is_changed = lock.last + 1, True
        return lock.no << LOCAL_BITS | lock.last

    def space_number(self, space: UUID) -> int:
        self.lock([space])
        return self._locks[space].no << LOCAL_BITS

    # -- locks -------------------------------------------------------------------------------------------------------

    def lock_store(self) -> None:
        """Keep everybody else from writing."""
        self._run(STATEMENTS["lock_store"], [], {_NOWHERE})
        self._has_whole_store = True

    def lock(self, spaces: Iterable[UUID]) -> None:
        """Lock spaces in the order of their keys. One that nothing is in yet gets a number."""
        wanted = sorted(space for space in spaces if space not in self._locks)
        if not wanted:
            return
        missing = set(wanted) - self._lock_known(wanted)
        if missing:
            ordered = sorted(missing)
            numbers = [self._numbers.take() for _ in ordered]
            self._run(STATEMENTS["add_space_locks"], [ordered, numbers], missing)
            self._lock_known(ordered)

    def _lock_known(self, wanted: list[UUID]) -> set[UUID]:
        self._run(STATEMENTS["lock_spaces"], [wanted], set(wanted))
        found = self._cursor.fetchall()
        for space, no, last in found:
            self._locks[space] = _Lock(no, last)
        return {space for space, _, _ in found}

    # -- statements --------------------------------------------------------------------------------------------------

    def rows(self, name: str, *values: Any) -> list[Any]:
        self._bind_and_run(STATEMENTS[name], values)
        return self._cursor.fetchall()

    def row(self, name: str, *values: Any) -> Any:
        self._bind_and_run(STATEMENTS[name], values)
        return self._cursor.fetchone()

    def run(self, name: str, *values: Any) -> None:
        self._bind_and_run(STATEMENTS[name], values)

    def add(self, name: str, *values: Any) -> int:
        found = self.row(name, *values)
        if found is None:
            raise AlreadyThere
        return int(found[0])

    def each(self, name: str, *values: Any) -> Iterator[Any]:
        """One row after the other, read in pages."""
        statement = STATEMENTS[name]
        parameters = statement.parameters(self, values)
        self._prepare(statement, statement.spaces(parameters))
        self._send_before()
        self._named += 1
        with psycopg.RawServerCursor(self.raw, f"memfort_{self._named}") as cursor:
            cursor.itersize = _ROWS_AT_ONCE
            cursor.execute(statement.sql, parameters, binary=True)
            yield from cursor

    def many(self, name: str, rows: Iterable[tuple[Any, ...]]) -> None:
        self._run_many(name, rows, returning=False)

    def rows_of_many(self, name: str, rows: Iterable[tuple[Any, ...]]) -> list[Any]:
        if not self._run_many(name, rows, returning=True):
            return []
        found = []
        for result in self._cursor.results():
            found += result.fetchall()
        return found

    def _run_many(self, name: str, rows: Iterable[tuple[Any, ...]], *, returning: bool) -> bool:
        statement = STATEMENTS[name]
        bound = [statement.parameters(self, values) for values in rows]
        if not bound:
            return False
        spaces: set[UUID] | None = set()
        for parameters in bound:
            named = statement.spaces(parameters)
            if named is None:
                spaces = None
                break
            assert spaces is not None
            spaces |= named
        self._prepare(statement, spaces)
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
        self.changes += statement.is_change
        if self.is_write and statement.locks and spaces is not None:
            self._lock_for(statement, spaces)
        if spaces is None:
            self._become_upkeep()
        else:
            self._open(spaces)

    def _lock_for(self, statement: Statement, spaces: set[UUID]) -> None:
        known = {space for space in spaces if space != _NOWHERE}
        if statement.is_change:
            known.discard(_DIRECTORY)  # its rows are changed one by one, and no number hangs on another
        self.lock(known)
        if statement.is_change:
            for space in known:
                self._locks[space].is_changed = True

    def _open(self, spaces: set[UUID]) -> None:
        if not spaces <= self._opened or not self._has_path:
            self._opened |= spaces
            self._has_path = True
            self._before.append((_OPEN, (",".join(str(space) for space in self._opened),)))
        if self._is_upkeep:
            self._before.append(("reset role", ()))
            self._is_upkeep = False

    def _become_upkeep(self) -> None:
        if not self._is_upkeep:
            if not self._has_path:
                self._before.append(("set local search_path = memfort", ()))
                self._has_path = True
            self._before.append((f"set local role {UPKEEP}", ()))
            self._is_upkeep = True

    def _execute(self, sql: str, parameters: Sequence[Any]) -> None:
        if not self._before:
            self._cursor.execute(sql, parameters, binary=True)
            return
        with self.raw.pipeline():  # one round trip for all of it
            self._send_before()
            self._cursor.execute(sql, parameters, binary=True)

    def _send_before(self) -> None:
        before, self._before = self._before, []
        for sql, parameters in before:
            psycopg.RawCursor(self.raw).execute(sql, parameters)

    # -- its parts and its end ---------------------------------------------------------------------------------------

    def savepoint(self) -> _Part:
        self._send_before()
        self.raw.execute("savepoint part")
        locks = {space: (lock.last, lock.is_changed) for space, lock in self._locks.items()}
        return _Part(set(self._opened), self._is_upkeep, self._has_path, locks)

    def release(self) -> None:
        self._send_before()
        self.raw.execute("release part")

    def take_back(self, part: _Part) -> None:
        self._before = []
        self.raw.execute("rollback to part")
        self.raw.execute("release part")
        self._opened, self._is_upkeep, self._has_path = part.opened, part.is_upkeep, part.has_path
        self._locks = {space: lock for space, lock in self._locks.items() if space in part.locks}
        for space, (last, is_changed) in part.locks.items():
            self._locks[space].last, self._locks[space].is_changed = last, is_changed

    def commit(self) -> None:
        """Keep it. What was locked and changed gets a new version."""
        changed = {space: lock for space, lock in self._locks.items() if lock.is_changed}
        if changed:
            parameters = [list(changed), [lock.last for lock in changed.values()]]
            self._open(set(changed))
            self._before.append((STATEMENTS["set_space_locks"].sql, tuple(parameters)))
        with self.raw.pipeline():
            self._send_before()
            self.raw.execute("commit")
        self._numbers.note({lock.no: space for space, lock in self._locks.items()})

    def roll_back(self) -> None:
        self._before = []
        self.raw.execute("rollback")


class _Part:
    """What a savepoint goes back to."""

    __slots__ = ("has_path", "is_upkeep", "locks", "opened")

    def __init__(self, opened: set[UUID], is_upkeep: bool, has_path: bool, locks: dict[UUID, tuple[int, bool]]) -> None:
        self.opened, self.is_upkeep, self.has_path, self.locks = opened, is_upkeep, has_path, locks


_DIRECTORY = UUID(int=0)
_NOWHERE = UUID(int=2**128 - 1)  # nothing is there

