"""A store in a file that is made as a copy of another store, under another name until it is whole."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

from memfort.errors import BackupFailed, KeyMismatch
from memfort.store.port import Store
from memfort.store.port.key_text import key_from_text
from memfort.store.sql.store import SqlStore
from memfort.store.sqlite.files import StoreFiles, settle_key, write_key
from memfort.store.sqlite.part_file import check_is_free, lasting_part_file, publish, remove_part
from memfort.store.sqlite.store import SqliteStore
from memfort.trail.keys import Keys


@contextmanager
def new_copy(path: Path, source: Store) -> Iterator[SqliteStore]:
    """The store gets its name last. What an earlier source left half made is thrown away."""
    check_is_free(path, "target")
    files = StoreFiles(path)
    _check_key(files, source.keys)
    with lasting_part_file(path) as part:
        store = SqliteStore(part, keys=source.keys, ballast_bytes=0)
        if not store.may_copy_from(cast(SqlStore, source)):
            store.close()
            remove_part(part)
            store = SqliteStore(part, keys=source.keys, ballast_bytes=0)
        try:
            yield store
        finally:
            store.close()
        if StoreFiles(part).wal.exists():
            raise BackupFailed("the copy could not be closed, so it was not kept; try again")
        if not files.key.exists():
            write_key(files, source.keys)
        publish(part, path)
        settle_key(files)


def _check_key(files: StoreFiles, keys: Keys) -> None:
    """A key that lies there already stays, so it must be the right one."""
    if files.key.exists() and key_from_text(files.key.read_text(), files.key).fingerprint != keys.fingerprint:
        raise KeyMismatch(f"`{files.key}` belongs to another store; move it away, or copy to another name")
