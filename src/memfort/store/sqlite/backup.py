"""Backups: one consistent state of a store in one SQLite file, with a note about itself; and the way back.

The copy is made by SQLite's online backup inside one read transaction, so others write meanwhile and the copy never
begins anew. The note is a table of its own; the key is in it only if that was asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import apsw
import msgspec

from memfort.errors import InvalidInput, KeyMismatch
from memfort.model.moment import Moment
from memfort.store.port import Backup, Progress
from memfort.store.port.key_text import key_from_text, key_to_text
from memfort.store.sqlite.connection import SqliteConnection, translate_errors
from memfort.trail.keys import Keys

ERASED_LINES = "erased"  # in `meta`: the number of the last line in the list of erased memories
FORMAT = 1
_NOTE, _KEY = "backup", "key"
_PAGES_PER_STEP = 512


def copy_store(
    source: SqliteConnection, target: Path, at: Moment, keys: Keys | None, progress: Progress | None
) -> Backup:
    """Copy the state that the source's open transaction sees into an empty file. With `keys`, the copy has them too."""
    note = Backup(
        at,
        str(source.scalar("get_meta", "key")),
        int(source.scalar("count_items")),
        int(source.scalar("count_spaces")),
        int(source.scalar("count_links")),
        int(source.scalar("get_meta", ERASED_LINES) or 0),
        keys is not None,
    )
    copy = apsw.Connection(str(target))
    try:
        _copy(source.raw, copy, progress)
        for pragma in ("journal_mode = delete", "synchronous = full", "secure_delete = on"):
            copy.execute(f"pragma {pragma}").fetchall()
        _write_note(SqliteConnection(copy), note, keys)
    finally:
        copy.close()
    return note


def _copy(source: apsw.Connection, copy: apsw.Connection, progress: Progress | None) -> None:
    with copy.backup("main", source, "main") as backup:
        while not backup.done:
            backup.step(_PAGES_PER_STEP)
            if progress is not None:
                progress(backup.page_count - backup.remaining, backup.page_count)


def _write_note(copy: SqliteConnection, note: Backup, keys: Keys | None) -> None:
    with copy.raw:
        copy.run("make_backup_note")
        copy.run("put_backup_note", "format", FORMAT)
        copy.run("put_backup_note", _NOTE, msgspec.json.encode(note))
        if keys is not None:
            copy.run("put_backup_note", _KEY, key_to_text(keys))


def read_note(path: Path) -> tuple[Backup, Keys | None]:
    """What a backup says about itself, and its key if it has it."""
    with _opened(path) as connection:
        return _read_note(connection, path)


def _read_note(connection: SqliteConnection, path: Path) -> tuple[Backup, Keys | None]:
    if not connection.scalar("has_backup_note"):
        raise InvalidInput("backup", f"`{path}` is not a backup of a store", "name a file that `backup` wrote")
    if (format := connection.scalar("backup_note", "format")) != FORMAT:
        problem = f"`{path}` is a backup of format {format}, and this version reads format {FORMAT}"
        raise InvalidInput("backup", problem, "use the memfort that wrote it, or a newer one")
    key = connection.scalar("backup_note", _KEY)
    try:
        note = msgspec.json.decode(connection.scalar("backup_note", _NOTE), type=Backup)
    except (msgspec.MsgspecError, TypeError) as error:
        raise InvalidInput("backup", f"the note in `{path}` is damaged", "use another backup") from error
    return note, None if key is None else key_from_text(key, path)


def unpack(path: Path, target: Path, progress: Progress | None) -> None:
    """Copy a backup into an empty file as a store, without the note."""
    with _opened(path) as source, translate_errors():
        copy = apsw.Connection(str(target))
        try:
            _copy(source.raw, copy, progress)
            for pragma in ("journal_mode = delete", "synchronous = full", "secure_delete = on"):
                copy.execute(f"pragma {pragma}").fetchall()
            SqliteConnection(copy).run("drop_backup_note")
        finally:
            copy.close()


def check_key(note: Backup, keys: Keys, where: str) -> None:
    if keys.fingerprint != note.key:
        raise KeyMismatch(f"the key {where} belongs to another store; give the key of the store that was backed up")


@contextmanager
def _opened(path: Path) -> Iterator[SqliteConnection]:
    """A backup, opened to read. Nothing is made beside it."""
    if not path.is_file():
        raise InvalidInput("backup", f"there is no file `{path}`", "name a file that `backup` wrote")
    with translate_errors():
        address = f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1"
        connection = apsw.Connection(address, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
        try:
            for pragma in ("query_only = on", "trusted_schema = off", "cell_size_check = on"):
                connection.execute(f"pragma {pragma}").fetchall()
            yield SqliteConnection(connection)
        finally:
            connection.close()
