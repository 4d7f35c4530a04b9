"""The files of a store: database, key, lock and ballast, readable by their owner alone."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from memfort.errors import InvalidInput, KeyMismatch, StoreBroken
from memfort.store.port import new_keys
from memfort.store.port.key_text import key_from_text, key_to_text
from memfort.trail.keys import Keys

KEY_BYTES = 32


class StoreFiles(Struct, frozen=True):
    """Where each file of a store lies, from the path of its database."""

    database: Path

    @property
    def key(self) -> Path:
        return self._beside(".key")

    @property
    def new_key(self) -> Path:
        """The key of a store that is not ready yet."""
        return self._beside(".key.new")

    @property
    def lock(self) -> Path:
        return self._beside(".lock")

    @property
    def ballast(self) -> Path:
        return self._beside(".ballast")

    @property
    def erased(self) -> Path:
        """The list of erased memories."""
        return self._beside(".erased")

    @property
    def wal(self) -> Path:
        return self._beside("-wal")

    @property
    def shm(self) -> Path:
        """The index of the log."""
        return self._beside("-shm")

    def _beside(self, suffix: str) -> Path:
        return self.database.with_name(self.database.name + suffix)


def check_path(database: Path) -> None:
    """Refuse a path at which no store can be without making directories."""
    if not database.parent.is_dir():
        raise InvalidInput("path", f"there is no directory `{database.parent}`", "make it first, or name another file")
    if database.exists() and not database.is_file():
        raise InvalidInput("path", f"`{database}` is not a file", "name the file that memories are kept in")


def prepare(files: StoreFiles) -> None:
    """Make the directory and the database file, closed to everybody else, before SQLite opens it."""
    _make_directory(files.database.parent)
    if files.database.exists():
        return  # and never open it here: closing a descriptor drops every lock this process has on the file
    try:
        os.close(os.open(files.database, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    except FileExistsError:
        return  # another process made it just now


def _make_directory(path: Path) -> None:
    """Make a directory and those above it, so that they are still there after a power cut: each in its parent."""
    if path.exists():
        return
    _make_directory(path.parent)
    path.mkdir(mode=0o700, exist_ok=True)
    sync_directory(path.parent)


def read_or_make_key(files: StoreFiles, *, is_new: bool) -> Keys:
    """The store's keys. They are made with the store; later a missing key file is an error, never a new key, and so
    is a key without its store: what was lost must not be taken for what never was."""
    if files.key.exists():
        if is_new:
            raise StoreBroken(
                f"`{files.database}` is empty, but it had contents once; restore it from a copy, "
                f"or remove `{files.key}` to begin anew"
            )
        return _read_key(files.key)
    with suppress(KeyMismatch, FileNotFoundError):
        return _read_key(files.new_key)  # whoever made it was stopped before the store was ready
    if not is_new:
        raise _missing_key(files)
    return write_new_key(files)


def read_key(files: StoreFiles) -> Keys:
    """The keys of a store that is only to be read."""
    for path in (files.key, files.new_key):
        if path.exists():
            return _read_key(path)
    raise _missing_key(files)


def _missing_key(files: StoreFiles) -> KeyMismatch:
    return KeyMismatch(
        f"the key file `{files.key}` is missing; put it back from where the store was copied, "
        "or let the doctor make a new one and rebuild the index"
    )


def settle_key(files: StoreFiles) -> None:
    """Give a new key its name, now that the store it belongs to is there."""
    if files.new_key.exists():
        files.new_key.replace(files.key)
        sync_directory(files.key.parent)


def write_new_key(files: StoreFiles) -> Keys:
    """A new key, under a name of its own until `settle_key`: it counts once the store knows it."""
    keys = new_keys.make_keys()
    write_key(files, keys)
    return keys


def write_key(files: StoreFiles, keys: Keys) -> None:
    """A key under the name of a new one, until `settle_key`."""
    descriptor = os.open(files.new_key, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(key_to_text(keys) + "\n")
        file.flush()
        os.fsync(file.fileno())
    sync_directory(files.key.parent)


def _read_key(path: Path) -> Keys:
    try:
        text = path.read_text()
    except UnicodeDecodeError as error:
        raise KeyMismatch(f"the key file `{path}` cannot be read; put the right one back") from error
    return key_from_text(text, path)


def put_ballast(files: StoreFiles, size: int) -> None:
    """Set space aside that erasing can use when the disk is full. Without room for it, what there is stays."""
    before = ballast_bytes(files)
    if size <= before:
        return
    try:
        descriptor = os.open(files.ballast, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            os.posix_fallocate(descriptor, 0, size)
        except OSError:
            os.ftruncate(descriptor, before)
        finally:
            os.close(descriptor)
    except OSError:  # not even a name for it fits; the next opening tries again
        return


def ballast_bytes(files: StoreFiles) -> int:
    return files.ballast.stat().st_size if files.ballast.exists() else 0


def shrink_ballast(files: StoreFiles, by: int) -> bool:
    """Give a part of the ballast's space back to the disk; says whether there was any."""
    if not files.ballast.exists():
        return False
    with files.ballast.open("rb+") as file:
        os.ftruncate(file.fileno(), max(0, ballast_bytes(files) - by))
    return True


def release_ballast(files: StoreFiles) -> bool:
    """Give the ballast's space back to the disk; says whether there was any."""
    if not files.ballast.exists():
        return False
    files.ballast.unlink()
    return True


def sync_directory(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
