"""The files of a store: database, key, lock and ballast, readable by their owner alone."""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from memfort.errors import KeyMismatch
from memfort.trace.keys import Keys

BALLAST_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class StoreFiles:
    """Where each file of a store lies, from the path of its database."""

    database: Path

    @property
    def key(self) -> Path:
        return self._beside(".key")

    @property
    def lock(self) -> Path:
        return self._beside(".lock")

    @property
    def ballast(self) -> Path:
        return self._beside(".ballast")

    @property
    def wal(self) -> Path:
        return self._beside("-wal")

    def _beside(self, suffix: str) -> Path:
        return self.database.with_name(self.database.name + suffix)


def prepare(files: StoreFiles) -> None:
    """Make the directory and the database file, closed to everybody else, before SQLite opens it."""
    if not files.database.parent.exists():
        files.database.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if files.database.exists():
        return  # and never open it here: closing a descriptor drops every lock this process has on the file
    try:
        os.close(os.open(files.database, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    except FileExistsError:
        return  # another process made it just now


def read_or_make_key(files: StoreFiles, *, is_new: bool) -> Keys:
    """The store's keys. They are made with the store; later a missing key file is an error, never a new key."""
    if files.key.exists():
        return _read_key(files.key)
    if not is_new:
        raise KeyMismatch(
            f"the key file `{files.key}` is missing; put it back from where the store was copied, "
            "or run `memfort doctor --new-key` to make one and rebuild the index"
        )
    return make_key(files)


def make_key(files: StoreFiles) -> Keys:
    keys = Keys(secret=secrets.token_bytes(32), signing=secrets.token_bytes(32))
    text = json.dumps({"memfort_key": 1, "secret": keys.secret.hex(), "signing": keys.signing.hex()})
    descriptor = os.open(files.key, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(text + "\n")
        file.flush()
        os.fsync(file.fileno())
    sync_directory(files.key.parent)
    return keys


def _read_key(path: Path) -> Keys:
    try:
        data = json.loads(path.read_text())
        return Keys(secret=bytes.fromhex(data["secret"]), signing=bytes.fromhex(data["signing"]))
    except (ValueError, KeyError, TypeError) as error:
        raise KeyMismatch(f"the key file `{path}` cannot be read; put the right one back") from error


def put_ballast(files: StoreFiles, size: int) -> bool:
    """Set space aside that erasing can use when the disk is full. Says whether it is there."""
    if size == 0 or (files.ballast.exists() and files.ballast.stat().st_size >= size):
        return size > 0
    try:
        descriptor = os.open(files.ballast, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            os.posix_fallocate(descriptor, 0, size)
        finally:
            os.close(descriptor)
    except OSError:  # no room for it now; the next opening tries again
        files.ballast.unlink(missing_ok=True)
        return False
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
