"""Connections to one SQLite file: how they are opened, who holds which, and what their errors mean."""

from __future__ import annotations

import json
import threading
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from os import getpid
from pathlib import Path
from threading import get_ident
from types import TracebackType
from typing import Any

import apsw

from memfort.errors import EngineTooOld, StoreBroken, StoreBusy, StoreError, StoreFull, StoreReadOnly
from memfort.store.sql.connection import AlreadyThere, Connection
from memfort.store.sql.queries import load_queries
from memfort.store.sql.writing.buffer import WriteBuffer
from memfort.store.sql.writing.counters import Counters
from memfort.store.sql.writing.numbers import Numbers
from memfort.store.sqlite.files import StoreFiles
from memfort.store.sqlite.lock import WriterLock
from memfort.store.sqlite.read_only import ReadOnlyFile

# The write-ahead-log reset bug, by which two connections that checkpoint at once can lose acknowledged writes, is
# mended in 3.51.3 and in these two older lines.
_SAFE_FROM = (3, 51, 3)
_SAFE_OLDER = {(3, 44): 6, (3, 50): 7}
QUERIES = load_queries(Path(__file__).with_name("queries.sql"))
_PATIENCE_MILLISECONDS = 200  # how long an erase waits for readers before it says that it is pending
_PRAGMAS = {
    "journal_mode": "wal",
    "synchronous": "full",  # `normal` loses acknowledged commits when the power fails
    "secure_delete": "on",
    "temp_store": "memory",
    "trusted_schema": "off",
    "cell_size_check": "on",
}


def check_engine(version: str) -> None:
    """Refuse an SQLite that can lose what it has acknowledged. Asks the library that is linked, not the package."""
    major, minor, patch = (int(part) for part in version.split(".")[:3])
    if (major, minor, patch) >= _SAFE_FROM or patch >= _SAFE_OLDER.get((major, minor), 10_000):
        return
    raise EngineTooOld(
        f"SQLite {version} is linked, which can lose acknowledged writes; install `apsw` 3.54.1 or newer (needs 3.51.3)"
    )


class SqliteConnection:
    """A connection of SQLite that runs the statements of `queries.sql` by name. Lists go in as JSON."""

    __slots__ = ("__weakref__", "_execute", "raw")

    def __init__(self, raw: apsw.Connection) -> None:
        self.raw = raw
        self._execute = raw.execute

    def rows(self, query: str, *values: Any) -> list[Any]:
        return self._execute(QUERIES[query], values).fetchall()

    def each(self, query: str, *values: Any) -> Iterator[Any]:
        return self._execute(QUERIES[query], values)

    def row(self, query: str, *values: Any) -> Any:
        return self._execute(QUERIES[query], values).fetchone()

    def scalar(self, query: str, *values: Any) -> Any:
        row = self._execute(QUERIES[query], values).fetchone()
        return None if row is None else row[0]

    def run(self, query: str, *values: Any) -> None:
        self._execute(QUERIES[query], values)

    def many(self, query: str, rows: Iterable[tuple[Any, ...]]) -> None:
        self.raw.executemany(QUERIES[query], rows)

    def rows_of_many(self, query: str, rows: Iterable[tuple[Any, ...]]) -> list[Any]:
        return self.raw.executemany(QUERIES[query], rows).fetchall()

    def add(self, query: str, *values: Any) -> int:
        try:
            self._execute(QUERIES[query], values)
        except apsw.ConstraintError as error:
            raise AlreadyThere from error
        return self.raw.last_insert_rowid()  # to have it returned costs a table of its own

    def array(self, values: Iterable[Any]) -> str:
        return json.dumps(list(values), default=bytes.hex)

    def number_array(self, values: Sequence[int]) -> Any:
        return apsw.carray(array("q", values))


class SqliteConnections:
    """A connection for each thread that reads, and one, under the lock, that writes."""

    def __init__(self, files: StoreFiles, wait_seconds: float, snapshot: ReadOnlyFile | None = None) -> None:
        """With a `snapshot`, the store is only read, and nothing beside it is made."""
        self._files = files
        self._wait_seconds = wait_seconds
        self._snapshot_file = snapshot
        self._lock = None if snapshot is not None else WriterLock(files.lock, wait_seconds)
        self.numbers = Numbers()
        self.counters = Counters()
        self.buffer = WriteBuffer()
        self._process = getpid()
        self._local = threading.local()
        self._readers: list[tuple[threading.Thread, SqliteConnection]] = []
        self._opening = threading.Lock()
        self._writer: SqliteConnection | None = None
        self._writing_thread: int | None = None
        self._left_at: int | None = None  # the version of the store that this process has left behind
        self._rebuilt: int | None = None  # when the index was last written anew, as far as this process knows
        self._spoilt = False  # whether a part of the open write has failed that cannot be taken back by itself
        self._closed = False
        self.broken: str | None = None

    @property
    def is_read_only(self) -> bool:
        return self._snapshot_file is not None

    @property
    def lock(self) -> WriterLock:
        if self._lock is None:
            raise StoreReadOnly
        return self._lock

    def current(self) -> SqliteConnection:
        """The connection this thread should read with: the writer's while it writes, so that it sees its own work."""
        connection = self.without_counters()
        if self.is_writing:
            self._flush_buffer(connection)
            self.counters.write_down(connection)
        return connection

    def without_counters(self) -> SqliteConnection:
        """The same for what reads no counter, and nothing that is held back: in the middle of a write those may not be
        written down yet."""
        if (writer := self.current_writer()) is not None:
            return writer
        self._check_usable()
        connection: SqliteConnection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = self._open_for_thread()
        return connection

    def current_writer(self) -> SqliteConnection | None:
        """The connection of the write that this thread is in the middle of, if it is in one; uncounted, as above."""
        return self._writer if self._writing_thread == get_ident() and self._process == getpid() else None

    @property
    def is_writing(self) -> bool:
        """Whether this thread is in the middle of a write, and so sees what may yet be taken back."""
        return self._writing_thread == get_ident()

    def version(self) -> int | None:
        """Moves when another connection has written, as far as this thread's view shows it; `None` inside a write. It
        is asked for once in a snapshot, which shows nothing new."""
        if self.is_writing:
            return None
        known: int | None = getattr(self._local, "version", None)
        if known is None:
            known = int(self.without_counters().raw.execute("pragma data_version").get)
            if getattr(self._local, "inside", False):
                self._local.version = known
        return known

    def translate_errors(self) -> AbstractContextManager[None]:
        return _TRANSLATED

    def reading(self) -> AbstractContextManager[None]:
        """Keep one snapshot for all reads inside. Inside a write, that write's own view is the snapshot."""
        return _SAME_VIEW if self.is_writing or getattr(self._local, "inside", False) else self._snapshot()

    @contextmanager
    def _snapshot(self) -> Iterator[None]:
        with translate_errors():
            connection = self.current()
            connection.raw.execute("begin")
        self._local.inside = True
        try:
            with translate_errors():
                yield
            if self._snapshot_file is not None:
                self._snapshot_file.check_unchanged()
        finally:
            self._local.inside, self._local.version = False, None
            _end(connection.raw)

    def writing(self) -> AbstractContextManager[None]:
        """Hold the write lock for one transaction, committed at the end and rolled back on any error.

        A write inside a write is a part of it: if it fails it is taken back by itself, and the whole can go on.
        """
        return self._savepoint() if self.is_writing else self._transaction()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        if self.is_read_only:
            raise StoreReadOnly
        self.check_sound()
        self.lock.acquire()
        try:
            with translate_errors():
                writer = self._begun()
            try:
                with translate_errors():
                    yield
                    self._commit(writer)
            except BaseException:
                self._roll_back(writer)
                raise
            finally:
                self._writing_thread, self._spoilt = None, False
        except StoreBroken as error:
            self._note_failure(error)
            raise
        finally:
            self.lock.release()

    def _begun(self) -> SqliteConnection:
        """The writer, in a transaction of its own."""
        writer = self._open_writer()
        writer.raw.execute("begin immediate")
        if (
            writer.raw.data_version() != self._left_at
        ):  # another process or program has written, or our last write failed
            self.counters.forget()
            if (rebuilt := writer.scalar("get_meta", "rebuilt")) != self._rebuilt:
                self.numbers.forget()
                self._rebuilt = rebuilt
        self._writing_thread = get_ident()
        return writer

    def _commit(self, writer: SqliteConnection) -> None:
        self._check_whole()
        self._flush_buffer(writer)
        self.counters.write_down(writer)
        writer.raw.execute("commit")
        self._left_at = writer.raw.data_version()
        self.numbers.settle()
        self.counters.committed()

    def _roll_back(self, writer: SqliteConnection) -> None:
        self._left_at = None
        self.numbers.take_back()
        self.counters.forget()
        self.buffer.clear()
        _end(writer.raw, "rollback")

    @contextmanager
    def _savepoint(self) -> Iterator[None]:
        self._check_whole()
        writer = self._open_writer()
        self._flush_buffer(writer)  # it is no part of what may be taken back
        writer.raw.execute("savepoint part")
        self.counters.start_part()
        try:
            yield
        except BaseException:
            self.numbers.take_back()
            self.counters.take_back_part()
            self.buffer.clear()
            _end(writer.raw, "rollback to part; release part")
            self._spoilt = not writer.raw.in_transaction  # a full or failing disk may have ended all of it
            raise
        self.counters.end_part()
        writer.raw.execute("release part")

    def undivided(self, work: Callable[[Connection], None]) -> None:
        """Do a write inside a write that fails either before it has changed anything, or for good and all: for this no
        savepoint is needed, which would copy every page that it touches."""
        self._check_whole()
        writer = self._open_writer()
        before = writer.raw.total_changes()
        self.counters.start_part()
        try:
            work(writer)
        except BaseException:
            self.numbers.take_back()
            self.counters.take_back_part()
            self._spoilt = writer.raw.total_changes() != before or not writer.raw.in_transaction
            raise
        self.counters.end_part()
        if self.buffer.is_full:
            self._flush_buffer(writer)

    def _flush_buffer(self, writer: SqliteConnection) -> None:
        try:
            self.buffer.flush(writer, self.counters)
        except BaseException:
            self._spoilt = True  # some of it may be there, and the rest is lost
            raise

    def _check_whole(self) -> None:
        """Refuse to go on with, or to keep, a write that has lost something on the way."""
        if self._spoilt:
            raise StoreError("a part of this write failed half-way, so none of it was kept; try again")

    @contextmanager
    def note_failure_of(self) -> Iterator[None]:
        try:
            yield
        except StoreBroken as error:
            self._note_failure(error)
            raise

    def _note_failure(self, error: StoreBroken) -> None:
        """After a failed sync nobody knows what is on the disk. Trying again would only hide it, so writing stops."""
        if isinstance(error.__cause__, apsw.IOError):
            self.broken = str(error.__cause__)

    def check_sound(self) -> None:
        """Refuse to write in a process whose disk has failed."""
        self._check_usable()
        if self.broken is not None:
            raise StoreBroken(f"the disk failed before ({self.broken}); restart after mending it")

    def writer_outside_transaction(self) -> SqliteConnection:
        """For what cannot run inside a transaction, such as a checkpoint. The caller holds the lock."""
        return self._open_writer()

    @contextmanager
    def standstill(self) -> Iterator[SqliteConnection | None]:
        """Nobody writes and the log stays empty, so that the file itself is the store; `None` if somebody just wrote.

        Our own lock does not stop a program that does not know it, such as the `sqlite3` shell, so SQLite's write lock
        is held as well. The connection is a new one: what it commits has never been in a cache, and the commit makes
        all other connections drop theirs, out of which overwritten bytes could otherwise come back.
        """
        with translate_errors():
            connection = self._open_plain(_PATIENCE_MILLISECONDS)
        try:
            with translate_errors():
                connection.execute("begin immediate")
            yield SqliteConnection(connection) if self._log_is_empty() else None
            with translate_errors():
                connection.execute("commit")
        finally:
            _end(connection, "rollback")
            connection.close()

    def be_patient(self, connection: apsw.Connection, *, patient: bool) -> None:
        """Whether a connection waits as long as configured, or only a moment."""
        connection.set_busy_timeout(int(self._wait_seconds * 1000) if patient else _PATIENCE_MILLISECONDS)

    def _log_is_empty(self) -> bool:
        wal = self._files.wal
        return not wal.exists() or wal.stat().st_size == 0

    def reset(self) -> None:
        """Drop this process's connections and with them their page caches."""
        for _, connection in self._readers:
            connection.raw.close()
        if self._writer is not None:
            self._writer.raw.close()
        self._readers.clear()
        self._local = threading.local()
        self._writer = None
        self._left_at = None

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        if self._process == getpid():
            self.reset()
            if self._lock is not None:
                self._lock.close()

    def _open_writer(self) -> SqliteConnection:
        self._check_usable()
        if self._writer is None:
            self._writer = self._open()
        return self._writer

    def _check_usable(self) -> None:
        if self._closed:
            raise StoreError("the store is closed; open it again")
        if self._process != getpid():
            self._start_over_after_fork()
        if self._snapshot_file is not None and self._snapshot_file.has_changed and not self._is_inside:
            self.reset()
            self._snapshot_file.look()

    @property
    def _is_inside(self) -> bool:
        return bool(getattr(self._local, "inside", False))

    def _start_over_after_fork(self) -> None:
        """An SQLite connection must not cross a fork. The parent's are left alone, and this process opens its own."""
        self._process = getpid()
        self._left_to_parent = (self._readers, self._writer)  # kept, because dropping a connection closes it
        self._readers = []
        self._opening = threading.Lock()
        self._local = threading.local()
        self._writer = None
        self._writing_thread = None
        self._left_at = None
        self.numbers.take_back()
        self.buffer.clear()
        if self._lock is not None:
            self._lock.reopen_after_fork()

    def _open_for_thread(self) -> SqliteConnection:
        """A connection for this thread to read with. Those of threads that have ended are closed on the way."""
        with self._opening:
            ended = [connection for thread, connection in self._readers if not thread.is_alive()]
            self._readers = [pair for pair in self._readers if pair[0].is_alive()]
            connection = self._open()
            self._readers.append((threading.current_thread(), connection))
        for one in ended:
            one.raw.close()
        return connection

    def _open(self) -> SqliteConnection:
        with translate_errors():
            return SqliteConnection(self._open_plain(int(self._wait_seconds * 1000)))

    def _open_plain(self, wait_milliseconds: int) -> apsw.Connection:
        if self._snapshot_file is not None:
            return self._snapshot_file.open(wait_milliseconds)
        connection = apsw.Connection(str(self._files.database), statementcachesize=256)
        connection.set_busy_timeout(wait_milliseconds)
        for name, value in _PRAGMAS.items():
            connection.execute(f"pragma {name} = {value}").fetchall()
        return connection


_SAME_VIEW = nullcontext()


class _ErrorTranslation(AbstractContextManager[None]):
    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None and (meant := _translate_error(error)) is not None:
            raise meant from error


_TRANSLATED = _ErrorTranslation()


def translate_errors() -> _ErrorTranslation:
    """Say what an engine's error means, keeping the cause."""
    return _TRANSLATED


def _translate_error(error: BaseException) -> StoreError | None:
    # Finding no room for the log's index is an error of its own.
    if isinstance(error, apsw.FullError) or getattr(error, "extendedresult", 0) == apsw.SQLITE_IOERR_SHMSIZE:
        return full()
    for kinds, meaning, said in _MEANINGS:
        if isinstance(error, kinds):
            return meaning(said)
    return None


def full() -> StoreFull:
    return StoreFull("the disk is full; free some space (erasing still works)")


_MEANINGS: tuple[tuple[tuple[type[Exception], ...], type[StoreError], str], ...] = (
    ((apsw.BusyError, apsw.LockedError), StoreBusy, "another program holds the store; try again"),
    (  # of rows that contradict each other; an insert that may be refused is not met here
        (apsw.ConstraintError, apsw.MismatchError),
        StoreBroken,
        "the store's tables contradict each other; run `doctor()`, and restore the store from a copy",
    ),
    ((apsw.IOError,), StoreBroken, "the disk reported an error; the write was not acknowledged"),
    (  # a statement of ours that makes no sense any more meets a schema that is not ours any more
        (apsw.CorruptError, apsw.NotADBError, apsw.SQLError, UnicodeDecodeError),
        StoreBroken,
        "the file is damaged or not a memfort store; name another file, or restore the store from a copy",
    ),
    (
        (apsw.CantOpenError,),
        StoreError,
        "the store's file cannot be opened; check that its directory exists and is yours",
    ),
    ((apsw.ReadOnlyError,), StoreError, "the store's file is read-only; check its permissions"),
)


def _end(connection: apsw.Connection, how: str = "commit") -> None:
    """End a transaction that an error may have ended already. A second error must not hide the first."""
    if connection.in_transaction:
        with suppress(apsw.Error):
            connection.execute(how)
