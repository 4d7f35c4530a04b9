"""The SQLite store: the port of `memfort.store.port` over one file, for any number of threads and processes."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw

from memfort.errors import InvalidInput, KeyMismatch, StoreBroken, StoreFull
from memfort.model.moment import Moment
from memfort.store.port import (
    ANALYZER,
    BALLAST_BYTES,
    Backup,
    Change,
    Erase,
    Erasure,
    Progress,
    PutErasure,
    Scrub,
    StoreEngine,
)
from memfort.store.sql.checkup import structure
from memfort.store.sql.damage import RESTORE
from memfort.store.sql.store import SqlStore
from memfort.store.sqlite import checkup
from memfort.store.sqlite.backup import ERASED_LINES, copy_store
from memfort.store.sqlite.connection import SqliteConnection, SqliteConnections, check_engine, full, translate_errors
from memfort.store.sqlite.erased_list import (
    append_lines,
    digest_of_memory,
    digests_of_changes,
    digests_of_erasures,
    last_number,
    read_list,
)
from memfort.store.sqlite.files import (
    StoreFiles,
    ballast_bytes,
    check_path,
    prepare,
    put_ballast,
    read_key,
    read_or_make_key,
    release_ballast,
    settle_key,
    shrink_ballast,
)
from memfort.store.sqlite.migrate import check_is_current, check_is_ours, migrate, shipped_migrations
from memfort.store.sqlite.read_only import ReadOnlyFile
from memfort.trail.event import Event
from memfort.trail.keys import Keys

if TYPE_CHECKING:  # it loads numpy
    from memfort.store.sqlite.changed_pages import ScrubbedState

WAIT_SECONDS = 30.0
_ROOM_TO_READ_BYTES = 128 * 1024  # the index of the log, and a little for the file system
_MOST_ERASED_ON_FULL_DISK = 64  # in a transaction: what it writes is far less than the ballast
_LOG_PAGES = 1000  # after so many SQLite copies the log into the file
_LOG_PAGES_WHILE_ERASING = 16 * _LOG_PAGES  # the scrub copies it once, and sees in it which pages have changed
READER_STILL_OPEN = "a reader is still open on an older view of the store; run `finish_erasures()` later"
_WORDS_BEFORE = "words-2"  # the last that stores did not note


class SqliteStore(SqlStore):
    """Memories in one SQLite file."""

    _connections: SqliteConnections

    @property
    def engine(self) -> StoreEngine:
        from memfort.store.sqlite.engine import ENGINE  # which opens stores

        return ENGINE

    def __init__(
        self,
        path: Path | str,
        *,
        keys: Keys | None = None,
        wait_seconds: float = WAIT_SECONDS,
        ballast_bytes: int = BALLAST_BYTES,
        read_only: bool = False,
        is_durable: bool = True,
    ) -> None:
        """With `read_only` nothing is written: not to the file, not beside it. What is not durable is not waited for:
        it lives as long as the process."""
        check_engine(apsw.sqlite_lib_version())
        self._files = StoreFiles(Path(path).absolute())
        self._ballast_bytes = ballast_bytes
        self._has_lent_ballast = False  # a part of the ballast is in use because the disk is full
        self._scrubbed: ScrubbedState | None = None  # how the last scrub of this process left the file
        self.is_read_only = read_only
        if read_only:
            self._open_to_read(keys, wait_seconds)
            return
        prepare(self._files)
        self._with_room(self._check_is_ours)
        self._connections = SqliteConnections(self._files, wait_seconds, is_durable=is_durable)
        try:
            self._with_room(lambda: self._set_up(keys))
        except BaseException:
            self._connections.close()
            raise

    def _open_to_read(self, keys: Keys | None, wait_seconds: float) -> None:
        check_path(self._files.database)
        if not self._files.database.exists():
            raise InvalidInput("path", f"there is no store at `{self._files.database}`", "name one that is there")
        with translate_errors():
            self._connections = SqliteConnections(self._files, wait_seconds, ReadOnlyFile(self._files))
            try:
                connection = self._connections.reader()
                check_is_current(connection.raw, self._files.database)
                self.keys = keys or read_key(self._files)
                self._check_key(connection)
            except BaseException:
                self._connections.close()
                raise

    def apply(self, changes: Sequence[Change], events: Sequence[Event]) -> None:
        erases = any(isinstance(change, Erase | PutErasure) for change in changes)
        is_large = sum(isinstance(change, Erase) for change in changes) > _MOST_ERASED_ON_FULL_DISK
        if self._has_lent_ballast and (is_large or not erases):
            self._take_ballast_back()
        try:
            super().apply(changes, events)
        except StoreFull:
            if not erases or self._connections.is_writing:
                raise
            self._make_room()
            if is_large:  # a log as large as the ballast could not be copied any more: the caller tries fewer at a time
                raise
            super().apply(changes, events)

    def _before_commit(self, changes: Sequence[Change], events: Sequence[Event]) -> None:
        """List what is erased outside the database, durably and before the commit: an erasure without its line could
        come back with a backup."""
        if digests := digests_of_changes(self.keys, changes):
            self._list_erased(digests, events[-1].at if events else None)
            self._connections.writer_outside_transaction().raw.wal_autocheckpoint(_LOG_PAGES_WHILE_ERASING)

    def _list_erased(self, digests: Sequence[str], at: Moment | None = None) -> None:
        connection = self._without_counters
        known = int(connection.scalar("get_meta", ERASED_LINES) or 0)
        number = append_lines(self._files.erased, self.keys, digests, after=known, at=at)
        connection.run("set_meta", ERASED_LINES, number)

    def unlisted(self, erasure: Erasure) -> list[str]:
        listed = read_list(self._files.erased, self.keys).digests
        return [id for space, id in erasure.items if digest_of_memory(self.keys, space, id) not in listed]

    def backup(self, target: Path, at: Moment, *, with_key: bool, progress: Progress | None = None) -> Backup:
        with self.reading(), translate_errors():
            return copy_store(self._connections.reader(), target, at, self.keys if with_key else None, progress)

    def scrub(self) -> Scrub:
        """The one write that is no change and has no event: it changes no byte that means anything. The note it leaves
        is read by nobody; it is there because only a commit makes other connections drop their cached pages."""
        # numpy: a command that erases nothing starts without it
        from memfort.store.sqlite.changed_pages import state_after_scrub
        from memfort.store.sqlite.scrub import overwrite_unused

        before, self._scrubbed = self._scrubbed, None
        with self._write_lock(), self._connections.note_failure_of():
            writer = self._connections.writer_outside_transaction()
            version = _data_version(writer)
            changed = self._pages_changed_since(before)
            if self._empty_log():
                return Scrub(READER_STILL_OPEN)
            with self._connections.standstill() as connection:
                if connection is None:
                    return Scrub("another program wrote at that moment; run `finish_erasures()` again")
                with translate_errors():
                    in_log = self._wal_bytes()
                    if before is None or _data_version(writer) != version:  # a program that does not know our lock
                        changed = None
                    done = overwrite_unused(
                        self._files.database, changed, frozenset() if before is None else before.free_pages
                    )
                    mark = secrets.token_hex(16)
                    connection.run("set_meta", "scrubbed", mark)
            if not done.left:
                self._scrubbed = state_after_scrub(self._files.wal, mark, done.free_pages)
        self._put_ballast_back()
        places = {
            "log_bytes_left": in_log,
            "unused_bytes_left": done.left,
            "unused_bytes_overwritten": done.overwritten,
        }
        return Scrub(None if not done.left else "the disk gave back other bytes than were written", places)

    def _pages_changed_since(self, before: ScrubbedState | None) -> frozenset[int] | None:
        from memfort.store.sqlite.changed_pages import pages_changed_since

        return None if before is None else pages_changed_since(before, self._files.wal)

    def _put_ballast_back(self) -> None:
        """Make the ballast whole again, if a part of it is in use; an emptied log leaves room for it."""
        if ballast_bytes(self._files) < self._ballast_bytes:
            with self._locked_with_empty_log():
                put_ballast(self._files, self._ballast_bytes)
        self._has_lent_ballast &= ballast_bytes(self._files) < self._ballast_bytes

    def residue(self) -> Mapping[str, int]:
        with self._locked_with_empty_log() as why_not:
            if why_not is not None:
                return {"log_bytes": self._wal_bytes()}
            from memfort.store.sqlite.scrub import dirty_spans

            unused = sum(end - start for start, end in dirty_spans(self._files.database))
        return {"unused_bytes": unused} if unused else {}

    def checkup(self) -> list[tuple[str, str]]:
        with self.reading():
            connection = self._connections.reader()
            own = (*checkup.permissions(self._files), *checkup.pages(connection.raw))
            return [*own, *structure(connection, self.keys)]

    def info(self) -> Mapping[str, Any]:
        return {
            "engine": f"sqlite {apsw.sqlite_lib_version()}",
            "file": str(self._files.database),
            "bytes": self._files.database.stat().st_size + self._wal_bytes(),
            "memories": self._connection.scalar("count_items"),
            "spaces": self._connection.scalar("count_spaces"),
            "schema": shipped_migrations()[-1].number,
            "key": self.keys.fingerprint,
            "words": self._connection.scalar("get_meta", "words") or _WORDS_BEFORE,
            "ballast_bytes": ballast_bytes(self._files),
            "erased_lines": int(self._connection.scalar("get_meta", ERASED_LINES) or 0),
            "erased_listed": last_number(self._files.erased),
        }

    def close(self) -> None:
        self._connections.close()
        if self._has_lent_ballast:
            put_ballast(self._files, self._ballast_bytes)

    def _with_room(self, work: Callable[[], None]) -> None:
        """A process needs a little room only to read, and without it could not erase either. The ballast lends it, and
        until it is whole again nothing but an erasure is written."""
        try:
            work()
        except StoreFull:
            if not shrink_ballast(self._files, _ROOM_TO_READ_BYTES):
                raise
            self._has_lent_ballast = True
            work()

    def _is_ballast_short(self) -> bool:
        """Whether a process that was stopped has lent a part of the ballast and not put it back."""
        return ballast_bytes(self._files) not in {0, self._ballast_bytes, self._ballast_bytes * 3 // 4}

    def _take_ballast_back(self) -> None:
        put_ballast(self._files, self._ballast_bytes)
        if ballast_bytes(self._files) < self._ballast_bytes:
            raise full()
        self._has_lent_ballast = False

    def _check_is_ours(self) -> None:
        with translate_errors():
            check_is_ours(self._files.database)

    def _set_up(self, keys: Keys | None) -> None:
        lock = self._connections.lock
        lock.acquire()
        try:
            with translate_errors():
                writer = self._connections.writer_outside_transaction()
                is_new = writer.raw.execute("select count(*) from sqlite_schema").get == 0
                self.keys = keys or read_or_make_key(self._files, is_new=is_new)
                migrate(writer.raw, shipped_migrations())
                self._check_key(writer)
                settle_key(self._files)
            if not self._has_lent_ballast:
                put_ballast(self._files, self._ballast_bytes)
                put_ballast(self._files, self._ballast_bytes * 3 // 4)  # if there is no room for the whole
                self._has_lent_ballast = self._is_ballast_short()
        finally:
            lock.release()
        if not self._files.erased.exists():
            self._remake_erased_list()

    def _remake_erased_list(self) -> None:
        """Make a missing list of erased memories from the records of the erasures."""
        if not (digests := digests_of_erasures(self.keys, self.erasures())):
            return
        with self.writing():
            if not self._files.erased.exists():  # another process made it just now
                self._list_erased(digests)

    def _check_key(self, writer: SqliteConnection) -> None:
        known = writer.scalar("get_meta", "key")
        if known is None and (self._connections.is_read_only or writer.scalar("count_spaces")):
            raise StoreBroken(f"the store does not say which key it has any more; {RESTORE}")
        if known is None:
            writer.run("set_meta", "words", ANALYZER)
            writer.run("set_meta", "key", self.keys.fingerprint)
        elif known != self.keys.fingerprint:
            raise KeyMismatch(f"the key file `{self._files.key}` belongs to another store; put the right one back")

    def _make_room(self) -> None:
        """Give the ballast back to the disk, and the log's space too if nobody reads from it."""
        self._has_lent_ballast |= release_ballast(self._files)
        with suppress(StoreFull), self._locked_with_empty_log():
            pass

    @contextmanager
    def _locked_with_empty_log(self) -> Iterator[str | None]:
        """Hold the write lock over an emptied log; yields why the log could not be emptied, if it could not."""
        with self._write_lock():
            with self._connections.note_failure_of():
                busy = self._empty_log()
            yield READER_STILL_OPEN if busy else None

    @contextmanager
    def _write_lock(self) -> Iterator[None]:
        self._connections.check_sound()
        lock = self._connections.lock
        lock.acquire()
        try:
            yield
        finally:
            lock.release()

    def _empty_log(self) -> bool:
        """Empty the log; says whether somebody still reads from it."""
        with translate_errors():
            writer = self._connections.writer_outside_transaction().raw
            writer.wal_autocheckpoint(_LOG_PAGES)
            return self._truncate_log(writer)

    def _truncate_log(self, writer: apsw.Connection) -> bool:
        self._connections.be_patient(writer, patient=False)
        try:
            busy, _, _ = writer.execute("pragma wal_checkpoint(truncate)").fetchall()[0]
        except apsw.BusyError:
            return True
        finally:
            self._connections.be_patient(writer, patient=True)
        return bool(busy)

    def _wal_bytes(self) -> int:
        return self._files.wal.stat().st_size if self._files.wal.exists() else 0


def _data_version(connection: SqliteConnection) -> int:
    """Moves when another connection, of any program, has written."""
    return int(connection.raw.execute("pragma data_version").get)
