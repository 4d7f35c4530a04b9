"""The SQLite store: the port of `memfort.store.port` over one file, for any number of threads and processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import apsw

from memfort.errors import KeyMismatch, StoreFull
from memfort.store.port import ANALYZER, BALLAST_BYTES, Change, Erase, PutErasure, Scrub
from memfort.store.sql.checkup import structure
from memfort.store.sql.store import SqlStore
from memfort.store.sqlite import checkup
from memfort.store.sqlite.connection import SqliteConnection, SqliteConnections, check_engine, translate_errors
from memfort.store.sqlite.files import (
    StoreFiles,
    prepare,
    put_ballast,
    read_or_make_key,
    release_ballast,
    settle_key,
)
from memfort.store.sqlite.migrate import check_is_ours, migrate, shipped_migrations
from memfort.store.sqlite.scrub import dirty_spans, overwrite_unused
from memfort.trail.event import Event
from memfort.trail.keys import Keys

WAIT_SECONDS = 30.0
_WORDS_BEFORE = "words-2"  # the last that stores did not note


class SqliteStore(SqlStore):
    """Memories in one SQLite file."""

    _connections: SqliteConnections

    def __init__(
        self,
        path: Path | str,
        *,
        keys: Keys | None = None,
        wait_seconds: float = WAIT_SECONDS,
        ballast_bytes: int = BALLAST_BYTES,
    ) -> None:
        check_engine(apsw.sqlite_lib_version())
        self._files = StoreFiles(Path(path).absolute())
        self._ballast_bytes = ballast_bytes
        prepare(self._files)
        self._with_room(self._check_is_ours)
        self._connections = SqliteConnections(self._files, wait_seconds)
        try:
            self._with_room(lambda: self._set_up(keys))
        except BaseException:
            self._connections.close()
            raise

    def apply(self, changes: Sequence[Change], events: Sequence[Event]) -> None:
        try:
            super().apply(changes, events)
        except StoreFull:
            erases = any(isinstance(change, Erase | PutErasure) for change in changes)
            if not erases or self._connections.is_writing:
                raise
            self._make_room()
            super().apply(changes, events)

    def scrub(self) -> Scrub:
        """The one write that is no change and has no event: it changes no byte that means anything. The note it leaves
        is read by nobody; it is there because only a commit makes other connections drop their cached pages."""
        with self._exclusively() as why_not:
            if why_not is not None:
                return Scrub(why_not)
            with self._connections.note_failure_of(), self._connections.standstill() as connection:
                if connection is None:
                    return Scrub("another program wrote at that moment; run `memfort erasures --finish` again")
                with translate_errors():
                    in_log = self._wal_bytes()
                    overwritten, left = overwrite_unused(self._files.database)
                    connection.run("set_meta", "scrubbed", overwritten)
        with self._exclusively():
            put_ballast(self._files, self._ballast_bytes)
        places = {"log_bytes_left": in_log, "unused_bytes_left": left, "unused_bytes_overwritten": overwritten}
        return Scrub(None if not left else "the disk gave back other bytes than were written", places)

    def residue(self) -> Mapping[str, int]:
        with self._exclusively() as why_not:
            if why_not is not None:
                return {"log_bytes": self._wal_bytes()}
            unused = sum(end - start for start, end in dirty_spans(self._files.database))
        return {"unused_bytes": unused} if unused else {}

    def checkup(self) -> list[tuple[str, str]]:
        with self.reading():
            connection = self._connections.current()
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
            "ballast_bytes": self._files.ballast.stat().st_size if self._files.ballast.exists() else 0,
        }

    def close(self) -> None:
        self._connections.close()

    def _with_room(self, work: Callable[[], None]) -> None:
        """A process needs a little room only to read, and without it could not erase either."""
        try:
            work()
        except StoreFull:
            if not release_ballast(self._files):
                raise
            work()

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
            put_ballast(self._files, self._ballast_bytes)
            put_ballast(self._files, self._ballast_bytes * 3 // 4)  # if there is no room for the whole
        finally:
            lock.release()

    def _check_key(self, writer: SqliteConnection) -> None:
        known = writer.scalar("get_meta", "key")
        if known is None:
            writer.run("set_meta", "words", ANALYZER)
            writer.run("set_meta", "key", self.keys.fingerprint)
        elif known != self.keys.fingerprint:
            raise KeyMismatch(f"the key file `{self._files.key}` belongs to another store; put the right one back")

    def _make_room(self) -> None:
        """Give the ballast back to the disk, and the log's space too if nobody reads from it."""
        release_ballast(self._files)
        with suppress(StoreFull), self._exclusively():
            pass

    @contextmanager
    def _exclusively(self) -> Iterator[str | None]:
        """Hold the write lock over an emptied log; yields why the log could not be emptied, if it could not."""
        lock = self._connections.lock
        self._connections.check_sound()
        lock.acquire()
        try:
            with self._connections.note_failure_of(), translate_errors():
                busy = self._truncate_log(self._connections.writer_outside_transaction().raw)
            yield (
                "a reader is still open on an older view of the store; run `memfort erasures --finish` later"
                if busy
                else None
            )
        finally:
            lock.release()

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
