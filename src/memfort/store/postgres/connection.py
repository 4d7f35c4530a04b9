"""Connections to one PostgreSQL database: who holds which, and the transactions around them.

A thread that reads holds one from the pool for as long as its snapshot lasts, a thread that writes for as long as its
write. What a write counts and holds back belongs to the thread that is in it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from itertools import count
from os import getpid
from select import select
from typing import Any

import psycopg
from psycopg_pool import ConnectionPool

from memfort.errors import StoreError
from memfort.store.port import Scope
from memfort.store.postgres.address import Address
from memfort.store.postgres.errors import translate_errors
from memfort.store.postgres.numbers import SpaceNumbers
from memfort.store.postgres.statements import space_of_digest
from memfort.store.postgres.transaction import Transaction
from memfort.store.sql.connection import Connection
from memfort.store.sql.writing.buffer import WriteBuffer
from memfort.store.sql.writing.counters import Counters
from memfort.store.sql.writing.numbers import Numbers

_PREPARED = 400  # statements that a connection keeps prepared: each of ours, with a few kinds of values


class PostgresConnection:
    """What one thread reads and writes with: runs the statements of `queries.sql` by name."""

    __slots__ = ("__weakref__", "_connections")

    def __init__(self, connections: PostgresConnections) -> None:
        self._connections = connections

    def rows(self, query: str, *values: Any) -> list[Any]:
        with self._connections.transaction() as transaction:
            return transaction.rows(query, *values)

    def each(self, query: str, *values: Any) -> Iterator[Any]:
        with self._connections.transaction() as transaction:
            yield from transaction.each(query, *values)

    def row(self, query: str, *values: Any) -> Any:
        with self._connections.transaction() as transaction:
            return transaction.row(query, *values)

    def scalar(self, query: str, *values: Any) -> Any:
        row = self.row(query, *values)
        return None if row is None else row[0]

    def run(self, query: str, *values: Any) -> None:
        with self._connections.transaction() as transaction:
            transaction.run(query, *values)

    def many(self, query: str, rows: Iterable[tuple[Any, ...]]) -> None:
        with self._connections.transaction() as transaction:
            transaction.many(query, rows)

    def rows_of_many(self, query: str, rows: Iterable[tuple[Any, ...]]) -> list[Any]:
        with self._connections.transaction() as transaction:
            return transaction.rows_of_many(query, rows)

    def add(self, query: str, *values: Any) -> int:
        with self._connections.transaction() as transaction:
            return transaction.add(query, *values)

    def array(self, values: Iterable[Any]) -> list[Any]:
        return [one for one in values if not isinstance(one, str) or _can_be_stored(one)]

    def number_array(self, values: Sequence[int]) -> list[int]:
        return list(values)


def _can_be_stored(text: str) -> bool:
    """Whether any row can have this text: no row has what PostgreSQL does not take."""
    return "\0" not in text and (text.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in text))


class _Thread(threading.local):
    """What a thread is in the middle of."""

    def __init__(self) -> None:
        self.snapshot: Transaction | None = None
        self.write: _Write | None = None
        self.version = 0
        self.connection: PostgresConnection | None = None
        self.scope: Scope = None


class _Write:
    """One write: its transaction, and what it counts and holds back."""

    def __init__(self, transaction: Transaction) -> None:
        self.transaction = transaction
        self.numbers = Numbers()
        self.counters = Counters()
        self.buffer = WriteBuffer()
        self.is_spoilt = False  # whether a part has failed that cannot be taken back by itself


class PostgresConnections:
    """A connection of the pool for each thread that reads or writes."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._process = getpid()
        self._thread = _Thread()
        self._versions = count(1)
        self._pool = self._open_pool()
        self._closed = False
        self.space_numbers = SpaceNumbers(self._set_numbers_aside)

    # -- what belongs to the write of this thread ----------------------------------------------------------------------

    @property
    def numbers(self) -> Numbers:
        return Numbers() if self._thread.write is None else self._thread.write.numbers

    @property
    def counters(self) -> Counters:
        return Counters() if self._thread.write is None else self._thread.write.counters

    @property
    def buffer(self) -> WriteBuffer:
        return WriteBuffer() if self._thread.write is None else self._thread.write.buffer

    @property
    def scope(self) -> Scope:
        return self._thread.scope

    @scope.setter
    def scope(self, scope: Scope) -> None:
        self._thread.scope = scope

    # -- connections ---------------------------------------------------------------------------------------------------

    def current(self) -> PostgresConnection:
        connection = self._own()
        if (write := self._thread.write) is not None:
            self._flush(write, connection)
            write.counters.write_down(connection)
        return connection

    def without_counters(self) -> PostgresConnection:
        return self._own()

    def current_writer(self) -> PostgresConnection | None:
        return None if self._thread.write is None else self._own()

    @property
    def is_writing(self) -> bool:
        return self._thread.write is not None

    def version(self) -> int | None:
        """Nothing is taken for known longer than a snapshot lasts."""
        if self.is_writing:
            return None
        return self._thread.version if self._thread.snapshot is not None else next(self._versions)

    def _own(self) -> PostgresConnection:
        if self._thread.connection is None:
            self._thread.connection = PostgresConnection(self)
        return self._thread.connection

    def transaction(self) -> AbstractContextManager[Transaction]:
        """The transaction that this thread is in, or one for a single statement."""
        if self._thread.write is not None:
            return nullcontext(self._thread.write.transaction)
        if self._thread.snapshot is not None:
            return nullcontext(self._thread.snapshot)
        return self._one_shot()

    @contextmanager
    def _one_shot(self) -> Iterator[Transaction]:
        with self._connection() as raw:
            transaction = Transaction(raw, self.space_numbers, is_write=False)
            try:
                yield transaction
            finally:
                _end(transaction)

    @contextmanager
    def _connection(self) -> Iterator[psycopg.Connection[Any]]:
        self._check_usable()
        raw = self._pool.getconn()
        try:
            yield raw
        finally:
            self._pool.putconn(raw)

    # -- reading and writing ---------------------------------------------------------------------------------------------

    def translate_errors(self) -> AbstractContextManager[None]:
        return translate_errors()

    def reading(self) -> AbstractContextManager[None]:
        if self._thread.write is not None or self._thread.snapshot is not None:
            return nullcontext()
        return self._snapshot()

    @contextmanager
    def _snapshot(self) -> Iterator[None]:
        with translate_errors(), self._connection() as raw:
            thread = self._thread
            thread.snapshot = Transaction(raw, self.space_numbers, is_write=False)
            thread.version = next(self._versions)
            try:
                yield
            finally:
                transaction, thread.snapshot = thread.snapshot, None
                _end(transaction)

    def writing(self) -> AbstractContextManager[None]:
        """A write of what the scope of this thread names."""
        return self._whole_write() if self._thread.write is None else self._part_of_write(self._thread.write)

    @contextmanager
    def _whole_write(self) -> Iterator[None]:
        with translate_errors(), self._connection() as raw:
            write = _Write(Transaction(raw, self.space_numbers, is_write=True))
            self._thread.write = write
            try:
                if self.scope is None:
                    write.transaction.lock_store()
                else:
                    write.transaction.lock(space_of_digest(space) for space in self.scope)
                yield
                self._commit(write)
            except BaseException:
                with suppress(psycopg.Error):
                    write.transaction.roll_back()
                raise
            finally:
                self._thread.write = None

    def _commit(self, write: _Write) -> None:
        _check_whole(write)
        connection = self._own()
        self._flush(write, connection)
        write.counters.write_down(connection)
        write.transaction.commit()

    @contextmanager
    def _part_of_write(self, write: _Write) -> Iterator[None]:
        _check_whole(write)
        self._flush(write, self._own())  # it is no part of what may be taken back
        part = write.transaction.savepoint()
        write.counters.start_part()
        try:
            yield
        except BaseException:
            write.numbers.take_back()
            write.counters.take_back_part()
            write.buffer.clear()
            try:
                write.transaction.take_back(part)
            except psycopg.Error:
                write.is_spoilt = True
            raise
        write.counters.end_part()
        write.transaction.release()

    def undivided(self, work: Callable[[Connection], None]) -> None:
        """Without a savepoint, which costs two round trips."""
        write = self._thread.write
        assert write is not None
        _check_whole(write)
        before = write.transaction.changes
        write.counters.start_part()
        try:
            work(self._own())
        except BaseException:
            write.numbers.take_back()
            write.counters.take_back_part()
            write.is_spoilt = write.transaction.changes != before or not write.transaction.is_open
            raise
        write.counters.end_part()
        if write.buffer.is_full:
            self._flush(write, self._own())

    def _flush(self, write: _Write, connection: PostgresConnection) -> None:
        try:
            write.buffer.flush(connection, write.counters)
        except BaseException:
            write.is_spoilt = True  # some of it may be there, and the rest is lost
            raise

    # -- opening and closing -----------------------------------------------------------------------------------------------

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            if self._process == getpid():
                self._pool.close()

    def _open_pool(self) -> ConnectionPool[psycopg.Connection[Any]]:
        return ConnectionPool(
            self._address.conninfo,
            kwargs={**self._address.options, "autocommit": True},
            configure=self._configure,
            min_size=0,
            max_size=self._address.pool_size,
            check=_check_alive,
            timeout=self._address.wait_seconds,
            num_workers=1,
            open=True,
            name="memfort",
        )

    def _configure(self, raw: psycopg.Connection[Any]) -> None:
        raw.prepare_threshold = None if self._address.behind_pgbouncer else 2
        raw.prepared_max = _PREPARED

    def _set_numbers_aside(self, count: int) -> int:
        """In a transaction of its own, so that nobody waits for the write that needs one."""
        with psycopg.connect(self._address.conninfo, **self._address.options, autocommit=True) as raw:
            transaction = Transaction(raw, self.space_numbers, is_write=True)
            last = int(transaction.row("take_space_numbers", count)[0])
            transaction.commit()
        return last

    def _check_usable(self) -> None:
        if self._closed:
            raise StoreError("the store is closed; open it again")
        if self._process != getpid():
            self._start_over_after_fork()

    def _start_over_after_fork(self) -> None:
        """A connection must not cross a fork. The parent's are left alone, and this process opens its own."""
        self._process = getpid()
        self._left_to_parent = (self._pool, self._thread)
        self._thread = _Thread()
        self.space_numbers = SpaceNumbers(self._set_numbers_aside)
        self._pool = self._open_pool()


def _check_alive(raw: psycopg.Connection[Any]) -> None:
    """Notice without a round trip that the server has closed a connection: it says nothing else to an idle one."""
    if select([raw.fileno()], [], [], 0)[0]:
        raise psycopg.OperationalError("the server has closed the connection")


def _end(transaction: Transaction) -> None:
    """End a snapshot that an error may have ended already. A second error must not hide the first."""
    with suppress(psycopg.Error):
        transaction.roll_back()


def _check_whole(write: _Write) -> None:
    """Refuse to go on with, or to keep, a write that has lost something on the way."""
    if write.is_spoilt:
        raise StoreError("a part of this write failed half-way, so none of it was kept; try again")

