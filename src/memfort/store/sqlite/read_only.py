"""Reading a store's file without making or changing anything beside it, also where nothing can be written.

SQLite reads a file in write-ahead mode only together with the index of its log. Where the log is empty the file itself
is the store, and is read as one that does not change; where it is not, its index has to be there as the writer left it.
"""

from __future__ import annotations

from urllib.parse import quote

import apsw

from memfort.errors import StoreBusy, StoreError
from memfort.store.sqlite.files import StoreFiles


class ReadOnlyFile:
    """A store's file as it was when it was last looked at."""

    def __init__(self, files: StoreFiles) -> None:
        self._files = files
        self.look()

    def look(self) -> None:
        self._seen = self._state()

    @property
    def has_changed(self) -> bool:
        """Whether it has to be opened otherwise: somebody has written to it, or has emptied its log."""
        now = self._state()
        return now[1] == 0 if self._has_log else now != self._seen

    def check_unchanged(self) -> None:
        """What was read as a file that does not change must not have changed meanwhile."""
        if not self._has_log and self.has_changed:
            raise StoreBusy("the store was written to while it was read; try again")

    def open(self, wait_milliseconds: int) -> apsw.Connection:
        """A connection that writes nothing."""
        how = "mode=ro&readonly_shm=1" if self._has_log else "mode=ro&immutable=1"
        if self._has_log and not self._files.shm.exists():
            raise StoreError(
                f"the log `{self._files.wal}` holds writes that are not in the file yet, and its index "
                f"`{self._files.shm.name}` is missing; copy that too, or open the store once where it can be written"
            )
        address = f"file:{quote(str(self._files.database))}?{how}"
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        connection = apsw.Connection(address, flags=flags, statementcachesize=256)
        connection.set_busy_timeout(wait_milliseconds)
        for pragma in ("query_only = on", "temp_store = memory", "trusted_schema = off", "cell_size_check = on"):
            connection.execute(f"pragma {pragma}").fetchall()
        return connection

    @property
    def _has_log(self) -> bool:
        return self._seen[1] > 0

    def _state(self) -> tuple[tuple[int, int, int], int]:
        file, wal = self._files.database.stat(), self._files.wal
        return (file.st_ino, file.st_size, file.st_mtime_ns), wal.stat().st_size if wal.exists() else 0
