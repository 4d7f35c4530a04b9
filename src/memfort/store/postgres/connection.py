"""Connections to one PostgreSQL database: who holds which, and the transactions around them.

A thread that reads holds one from the pool for as long as its snapshot lasts, a thread that writes for as long as its
write.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from os import getpid
from select import select
from typing import Any
from uuid import UUID

import psycopg
from psycopg_pool import ConnectionPool

from memfort.errors import StoreError
from memfort.store.port import Scope
from memfort.store.postgres.address import Address
from memfort.store.postgres.errors import translate_errors
from memfort.store.postgres.numbers import SpaceNumbers
from memfort.store.postgres.statements import can_be_stored
from memfort.store.postgres.transaction import Transaction
from memfort.store.sql.transactions import Transactions
from memfort.store.sql.writing.write import Write

_PREPARED = 400  # statements that a connection keeps prepared: each of ours, with a few kinds of values
_UNSURE_SECONDS = 0.05  # between two looks at what became of a write
_MOST_VIEWS = 64
_WARNING_UNREPLICATED = "01000"


class Reader:
    """What one thread reads with: in the snapshot it holds, or in one for a single statement."""

    __slots__ = ("__weakref__", "_connections")

    def __init__(self, connections: PostgresConnections) -> None:
        self._connections = connections

    def rows(self, query: str, *values: Any) -> list[Any]:
        with self._connections.snapshot() as transaction:
            return transaction.rows(query, *values)

    def each(self, query: str, *values: Any) -> Iterator[Any]:
        with self._connections.snapshot() as transaction:
            yield from transaction.each(query, *values)

    def row(self, query: str, *values: Any) -> Any:
        with self._connections.snapshot() as transaction:
            return transaction.row(query, *values)

    def scalar(self, query: str, *values: Any) -> Any:
        with self._connections.snapshot() as transaction:
            return transaction.scalar(query, *values)

    def together(self, *asked: tuple[str, tuple[Any, ...]]) -> list[Any]:
        with self._connections.snapshot() as transaction:
            return transaction.together(*asked)

    def run(self, query: str, *values: Any) -> None:
        with self._connections.snapshot() as transaction:
            transaction.run(query, *values)

    def many(self, query: str, rows: Iterable[tuple[Any, ...]]) -> None:
        with self._connections.snapshot() as transaction:
            transaction.many(query, rows)

    def rows_of_many(self, query: str, rows: Iterable[tuple[Any, ...]]) -> list[Any]:
        with self._connections.snapshot() as transaction:
            return transaction.rows_of_many(query, rows)

    def add(self, query: str, *values: Any) -> int:
        with self._connections.snapshot() as transaction:
            return transaction.add(query, *values)

    def array(self, values: Iterable[Any]) -> list[Any]:
        return [one for one in values if not isinstance(one, str) or can_be_stored(one)]

    def number_array(self, values: Sequence[int]) -> list[int]:
        return list(values)


class _Thread(threading.local):
    """What a thread reads with."""

    def __init__(self) -> None:
        self.reader: Reader | None = None
        self.snapshot: Transaction | None = None


class PostgresConnections(Transactions):
    """A connection of the pool for each thread that reads or writes."""

    def __init__(self, address: Address) -> None:
        super().__init__()
        self._address = address
        self._thread = _Thread()
        self._views: dict[str, int] = {}
        self._last_version = 0
        self._rebuilt: str | None = None  # when the index was last written anew, as far as this process knows
        self._lock = threading.Lock()
        self._pool = self._open_pool()
        self._closed = False
        self._space_numbers = SpaceNumbers(self._set_numbers_aside)

    # -- reading -----------------------------------------------------------------------------------------------------

    def reader(self) -> Reader:
        if self._thread.reader is None:
            self._thread.reader = Reader(self)
        return self._thread.reader

    def version(self) -> int | None:
        """The same for two snapshots between which nothing was committed."""
        if self.is_writing:
            return None
        with self.snapshot() as transaction:
            view = transaction.view()
        with self._lock:
            known = self._views.get(view)
            if known is None:
                if len(self._views) >= _MOST_VIEWS:
                    self._views.clear()
                self._last_version += 1
                known = self._views[view] = self._last_version
            return known

    def translate_errors(self) -> AbstractContextManager[None]:
        return translate_errors()

    def reading(self) -> AbstractContextManager[None]:
        if self.is_writing or self._thread.snapshot is not None:
            return nullcontext()
        return self._keep_snapshot()

    def snapshot(self) -> AbstractContextManager[Transaction]:
        """The snapshot that this thread holds, or one for a single statement."""
        held = self._thread.snapshot
        return self._new_snapshot() if held is None else nullcontext(held)

    @contextmanager
    def _keep_snapshot(self) -> Iterator[None]:
        with translate_errors(), self._new_snapshot() as transaction:
            thread = self._thread
            thread.snapshot = transaction
            try:
                yield
            finally:
                thread.snapshot = None

    @contextmanager
    def _new_snapshot(self) -> Iterator[Transaction]:
        with self._connection() as raw:
            transaction = Transaction(raw, self._space_numbers, is_write=False)
            try:
                yield transaction
            finally:
                transaction.end()

    # -- writing -----------------------------------------------------------------------------------------------------

    @contextmanager
    def _transaction(self, scope: Scope) -> Iterator[Transaction]:
        if self._address.behind_pgbouncer:
            with translate_errors():
                self._space_numbers.prepare()
        with translate_errors(), self._connection() as raw:
            transaction = Transaction(raw, self._space_numbers, is_write=True)
            try:
                if scope.whole:
                    transaction.lock_store()
                else:
                    transaction.lock(UUID(bytes=key) for key in scope.locks())
                self._forget_if_rebuilt(transaction)
                yield transaction
            finally:
                transaction.end()

    def _forget_if_rebuilt(self, transaction: Transaction) -> None:
        """Another process may have written the index anew."""
        if (rebuilt := transaction.rebuilt()) != self._rebuilt:
            self.numbers.forget()
            self._rebuilt = rebuilt

    def _commit(self, write: Write) -> None:
        transaction = write.connection
        assert isinstance(transaction, Transaction)
        warnings: list[str] = []

        def note(said: psycopg.errors.Diagnostic) -> None:
            warnings.append(said.sqlstate or "")

        transaction.raw.add_notice_handler(note)
        try:
            transaction.commit()
        except psycopg.OperationalError:
            if not transaction.raw.closed or not self._was_committed(transaction.identity):
                raise
        finally:
            transaction.raw.remove_notice_handler(note)
        if _WARNING_UNREPLICATED in warnings:
            raise StoreError("the write was cancelled before its standby had it; whether it is kept is not certain")

    def _was_committed(self, identity: str | None) -> bool:
        """What became of a write whose answer was lost: the server knows."""
        until = time.monotonic() + self._address.wait_seconds
        while identity is not None and time.monotonic() < until:
            with suppress(psycopg.Error), self.new_connection() as raw:
                found = raw.execute("select pg_xact_status(%s::xid8)", (identity,)).fetchone()
                if found is not None and found[0] in {"committed", "aborted"}:
                    return bool(found[0] == "committed")
            time.sleep(_UNSURE_SECONDS)
        raise StoreError("the connection was lost at the end of a write, and whether it was kept could not be asked")

    def _set_numbers_aside(self, count: int) -> int:
        """In a transaction of its own, so that nobody waits for the write that needs one."""
        with self.new_connection() as raw:
            transaction = Transaction(raw, self._space_numbers, is_write=True)
            last = int(transaction.scalar("take_space_numbers", count))
            transaction.commit()
        return last

    # -- connections ---------------------------------------------------------------------------------------------------

    @contextmanager
    def _connection(self) -> Iterator[psycopg.Connection[Any]]:
        self._check_usable()
        raw = self._pool.getconn()
        try:
            yield raw
        finally:
            self._pool.putconn(raw)

    def new_connection(self) -> psycopg.Connection[Any]:
        """One that is nobody else's, and is closed after use."""
        return psycopg.connect(self._address.conninfo, **self._address.options, autocommit=True)

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
            check=_check_alive,
            min_size=0,
            max_size=self._address.pool_size,
            timeout=self._address.wait_seconds,
            num_workers=1,
            open=True,
            name="memfort",
        )

    def _configure(self, raw: psycopg.Connection[Any]) -> None:
        raw.prepare_threshold = None if self._address.behind_pgbouncer else 2
        raw.prepared_max = _PREPARED

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
        self._leave_write()
        self._lock = threading.Lock()
        self._space_numbers = SpaceNumbers(self._set_numbers_aside)
        self._pool = self._open_pool()


def _check_alive(raw: psycopg.Connection[Any]) -> None:
    """Notice without a round trip that the server has closed a connection: it says nothing else to an idle one."""
    if select([raw.fileno()], [], [], 0)[0]:
        raw.close()  # so that the pool does not keep it
        raise psycopg.OperationalError("the server has closed the connection")
