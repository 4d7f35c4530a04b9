"""A store made from a backup under another name. It gets its own when it is whole, so nobody reads it before, and a
process that is killed leaves no store at all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from memfort.errors import BackupFailed, InvalidInput, KeyMismatch
from memfort.store.port import Backup, Progress, RestoreOrder
from memfort.store.port.key_text import key_from_text
from memfort.store.sqlite.backup import check_key, read_note, unpack
from memfort.store.sqlite.erased_list import ErasedNames, read_list
from memfort.store.sqlite.files import StoreFiles, settle_key, write_key
from memfort.store.sqlite.part_file import part_file, publish
from memfort.store.sqlite.store import SqliteStore
from memfort.trail.keys import Keys


class SqliteRestoring:
    """A restored store, and what was erased since."""

    def __init__(self, part: Path, files: StoreFiles, keys: Keys, note: Backup, lists: Sequence[Path]) -> None:
        self._part, self._files = StoreFiles(part), files
        self.note, self.place = note, str(files.database)
        _copy_lists(lists, self._part.erased)
        self.erased = read_list(self._part.erased, keys, after=note.erased_lines)
        self.not_promised = tuple(_not_promised(note, lists, self.erased))
        self.store = SqliteStore(part, keys=keys, ballast_bytes=0)

    def publish(self) -> None:
        """The database gets its name last: until then there is no store, and what lies there does no harm."""
        self.store.close()
        if self._part.wal.exists():
            raise BackupFailed("the restored store could not be closed, so it was not kept; try again")
        if not self._files.key.exists():
            write_key(self._files, self.store.keys)
        if self._part.erased.exists():
            self._part.erased.replace(self._files.erased)
        publish(self._part.database, self._files.database)
        settle_key(self._files)


@contextmanager
def restoring(order: RestoreOrder, progress: Progress | None) -> Iterator[SqliteRestoring]:
    """A store that is there already is never overwritten."""
    files = StoreFiles(order.store.absolute())
    _check_no_log(files)
    note, in_backup = read_note(order.backup)
    keys = _find_keys(order, files, note, in_backup)
    lists = _find_lists(order, files)
    with part_file(files.database) as part:
        unpack(order.backup, part, progress)
        restored = SqliteRestoring(part, files, keys, note, lists)
        try:
            yield restored
        finally:
            restored.store.close()


def _check_no_log(files: StoreFiles) -> None:
    """Refuse a place with the log of another store: SQLite would apply it to this one."""
    for path in (files.wal, files.shm):
        if path.exists():
            raise InvalidInput("store", f"`{path}` belongs to a store that was here", "move it to where that store is")


def _find_keys(order: RestoreOrder, files: StoreFiles, note: Backup, in_backup: Keys | None) -> Keys:
    """The key of the store: from the backup, from the file that was named, or from where the store will be."""
    if files.key.exists():  # it stays there, so it must be the right one
        here = key_from_text(files.key.read_text(), files.key)
        if here.fingerprint != note.key:
            raise KeyMismatch(f"`{files.key}` belongs to another store; move it away, or restore under another name")
    if order.key is not None:
        if not order.key.is_file():
            raise InvalidInput("key", f"there is no file `{order.key}`", "name the key file of the store")
        given = key_from_text(order.key.read_text(), order.key)
        check_key(note, given, f"in `{order.key}`")
        return given
    if in_backup is not None:
        check_key(note, in_backup, "in the backup")
        return in_backup
    if files.key.exists():
        return here
    raise KeyMismatch(
        f"the backup is without its key; name the store's key file with `key`, or put it at `{files.key}`"
    )


def _find_lists(order: RestoreOrder, files: StoreFiles) -> list[Path]:
    """The lists of erased memories: the one that was named, and the one where the store will be."""
    if order.erased is not None and not order.erased.is_file():
        raise InvalidInput("erased", f"there is no file `{order.erased}`", "name the list: `memory.db.erased`")
    named = [] if order.erased is None else [order.erased.absolute()]
    return [*named, *([files.erased] if files.erased.exists() and files.erased not in named else [])]


def _copy_lists(lists: Sequence[Path], target: Path) -> None:
    """Both lists as one: the restored store goes on with it."""
    lines = dict.fromkeys(line for path in lists for line in path.read_bytes().splitlines() if line.strip())
    if lines:
        target.touch(mode=0o600)
        target.write_bytes(b"".join(line + b"\n" for line in lines))


def _not_promised(note: Backup, lists: Sequence[Path], erased: ErasedNames) -> Iterator[str]:
    """What a restore cannot rule out, and why."""
    if not lists:
        yield (
            "no list of erased memories was given, so what was erased after the backup was made is back; "
            "erase it again, or restore with the list `memory.db.erased` of the store"
        )
        return
    if erased.last_number < note.erased_lines:
        yield (
            f"the list is older than the backup: it ends at line {erased.last_number}, and the backup knows "
            f"{note.erased_lines}; what was erased after the list was copied is back"
        )
    if erased.of_other_keys:
        yield (
            f"{erased.of_other_keys} lines of the list were written with another key and could not be compared; "
            "what they name may be back"
        )
    if erased.unreadable:
        yield f"{erased.unreadable} lines of the list could not be read; what they name may be back"
