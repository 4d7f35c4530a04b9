"""Connections to one SQLite file: how they are opened, who holds which, and what their errors mean."""

from __future__ import annotations

import json
import threading
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from os import getpid
from pathlib import Path
from types import TracebackType
from typing import Any

import apsw

from memfort.errors import EngineTooOld, StoreBroken, StoreBusy, StoreError, StoreFull, StoreReadOnly
from memfort.store.port import Scope
from memfort.store.sql.connection import AlreadyThere
from memfort.store.sql.queries import load_queries
from memfort.store.sql.transactions import Transactions
from memfort.store.sql.writing.write import Write
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

    def together(self, *asked: tuple[str, tuple[Any, ...]]) -> list[Any]:
        return [self._execute(QUERIES[query], values).fetchone() for query, values in asked]

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

    def lock_at_once(self, keys: Sequence[bytes]) -> bool:  # noqa: ARG002
        return True  # the lock that every write holds is over the whole file

    def count_changes(self) -> int:
        return self.raw.total_changes() if self.raw.in_transaction else -1

    def start_part(self) -> None:
        self._execute("savepoint part")

    def end_part(self) -> None:
        self._execute("release part")

    def take_back_part(self) -> bool:
        _end(self.raw, "rollback to part; release part")
        return self.raw.in_transaction  # a full or failing disk may have ended all of it


class SqliteConnections(Transactions):
    """A connection for each thread that reads, and one, under the lock, that writes: SQLite locks nothing smaller than
    the file, so whatever a write names, it writes alone."""

    def __init__(
        self,
        files: StoreFiles,
        wait_seconds: float,
        snapshot: ReadOnlyFile | None = None,
        *,
        is_durable: bool = True,
    ) -> None:
        """With a `snapshot`, the store is only read, and nothing beside it is made."""
        super().__init__()
        self._files = files
        self._pragmas = _PRAGMAS if is_durable else {**_PRAGMAS, "synchronous": "off"}
        self._wait_seconds = wait_seconds
        self._snapshot_file = snapshot
        self._lock = None if snapshot is not None else WriterLock(files.lock, wait_seconds)
        self._local = threading.local()
        self._readers: list[tuple[threading.Thread, SqliteConnection]] = []
        self._opening = threading.Lock()
        self._writer: SqliteConnection | None = None
        self._left_at: int | None = None  # the version of the store that this process has left behind
        self._rebuilt: int | None = None  # when the index was last written anew, as far as this process knows
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

    def reader(self) -> SqliteConnection:
        self._check_usable()
        connection: SqliteConnection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = self._open_for_thread()
        return connection

    def version(self) -> int | None:
        """It is asked for once in a snapshot, which shows nothing new."""
        if self.is_writing:
            return None
        known: int | None = getattr(self._local, "version", None)
        if known is None:
            known = int(self.reader().raw.execute("pragma data_version").get)
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
            connection = self.reader()
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

    @contextmanager
    def _transaction(self, scope: Scope) -> Iterator[SqliteConnection]:  # noqa: ARG002  # the lock is over the whole file
        if self.is_read_only:
            raise StoreReadOnly
        self.check_sound()
        self.lock.acquire()
        try:
            with translate_errors():
                writer = self._begun()
            try:
                yield writer
            except BaseException:
                self._left_at = None
                _end(writer.raw, "rollback")
                raise
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
            writer.raw.data_version()
            != self._left_at  # another process or program has written, or our last write failed
            and (rebuilt := writer.scalar("get_meta", "rebuilt")) != self._rebuilt
        ):
            self.numbers.forget()
            self._rebuilt = rebuilt
        return writer

    def _commit(self, write: Write) -> None:  # noqa: ARG002
        writer = self._open_writer()
        with translate_errors():
            writer.raw.execute("commit")
        self._left_at = writer.raw.data_version()

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
        self._leave_write()
        self._writer = None
        self._left_at = None
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
        for name, value in self._pragmas.items():
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
