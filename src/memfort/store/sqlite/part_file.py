"""A file that is made under another name and gets its own when it is whole, so that a process that is killed leaves
either nothing under that name or all of it."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from memfort.errors import InvalidInput, StoreBusy
from memfort.store.sqlite.files import sync_directory

try:
    import fcntl
except ImportError:  # no such locks on this platform: two at once are not noticed
    fcntl = None  # type: ignore[assignment]

_BESIDE = ("", "-journal", "-wal", "-shm", ".key", ".key.new", ".lock", ".lock-queue", ".ballast", ".erased")


def part_of(target: Path) -> Path:
    return target.with_name(f"{target.name}.part")


@contextmanager
def part_file(target: Path) -> Iterator[Path]:
    """The name to work under. What a killed process left there is removed first, and whatever is still there at the
    end afterwards."""
    check_is_free(target)
    part = part_of(target)
    lock = part.with_name(f"{part.name}-lock")
    descriptor = _locked(lock, target)
    try:
        remove_part(part)
        os.close(os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        yield part
    finally:
        remove_part(part)
        lock.unlink(missing_ok=True)
        os.close(descriptor)


@contextmanager
def lasting_part_file(target: Path) -> Iterator[Path]:
    """The same for long work that can go on where a killed process left it: the file stays until the work is done."""
    check_is_free(target)
    part = target.with_name(f"{target.name}.copying")
    lock = part.with_name(f"{part.name}-lock")
    descriptor = _locked(lock, target)
    try:
        yield part
        remove_part(part)
    finally:
        lock.unlink(missing_ok=True)
        os.close(descriptor)


def check_is_free(target: Path, field: str = "path") -> None:
    """Refuse to write over anything. `field` is what the caller's file is called in an error."""
    if not target.parent.is_dir():
        raise InvalidInput(field, f"there is no directory `{target.parent}`", "make it first, or name another file")
    if os.path.lexists(target):
        raise InvalidInput(field, f"`{target}` is there already", "name another file, or move it away")


def publish(part: Path, target: Path) -> None:
    """Give a whole file its name, without ever replacing another."""
    descriptor = os.open(part, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    try:
        os.link(part, target)  # unlike a rename it fails if the name is taken
    except FileExistsError:
        check_is_free(target)
        raise
    except OSError as error:
        if error.errno not in {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK}:
            raise
        check_is_free(target)  # a file system without links
        part.rename(target)
    sync_directory(target.parent)


def _locked(lock: Path, target: Path) -> int:
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        if fcntl is not None:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(descriptor).st_ino != lock.stat().st_ino:  # removed and made again meanwhile
            raise BlockingIOError
    except (BlockingIOError, FileNotFoundError):
        os.close(descriptor)
        raise StoreBusy(f"another process is writing `{target}`; try again later") from None
    return descriptor


def remove_part(part: Path) -> None:
    """Take away a part file with what lies beside it."""
    for suffix in _BESIDE:
        with suppress(FileNotFoundError):
            part.with_name(part.name + suffix).unlink()
