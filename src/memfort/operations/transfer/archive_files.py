"""The files of an archive: one file, a folder, a zip, or bytes that a caller sent. They are read as a stream, and a
hostile archive is refused before anything of it is unpacked: too many files, too large, too tightly packed, encrypted.
Links in a folder are not followed, and names in a zip are only names: nothing is ever written to disk."""

from __future__ import annotations

import hashlib
import io
import os
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, BinaryIO, Self, cast

from memfort.capture.importers.formats import KNOWN
from memfort.errors import InvalidInput
from memfort.model.moment import Moment, to_moment

MAX_FILES = 100_000
MAX_FILES_IN_BYTES = 5_000  # of a zip that is sent: whoever sends it may wait at a server, where others wait too
MAX_TOTAL_BYTES = 16 * 1024**3
MAX_RATIO = 200  # a zipped text is 5 to 20 times smaller than the text; a bomb a thousand times
MAX_WHOLE_BYTES = 2 * 1024**3
_SMALL = 1024 * 1024  # what is smaller may be packed as tightly as it likes
_DEEPEST = 64  # folders in each other
_CHUNK = 256 * 1024
_HEAD_BYTES = 64 * 1024
_ZIP = b"PK\x03\x04"
_METADATA = ("__MACOSX/", ".git/")
_REMEDY = "give a file, a folder or a zip that can be read"


class Archive:
    """Its files, in the order of their names, and what it is known by."""

    def __init__(
        self,
        name: str | None,
        sha256: str,
        files: list[ArchivedFile],
        unread: Sequence[tuple[str, str]] = (),
        zipped: BinaryIO | None = None,
    ) -> None:
        self.name, self.sha256, self.files, self._zipped = name, sha256, files, zipped
        self.unread = unread  # files that are not read, and why: `linked`
        self.bytes_read = 0
        for file in files:
            file.archive = self

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._zipped is not None:
            self._zipped.close()

    @property
    def size(self) -> int:
        return sum(file.size for file in self.files)

    @property
    def is_one_file(self) -> bool:
        return self._zipped is None and [file.name for file in self.files] == [""]

    def read_only_file(self) -> bytes:
        """The whole of a file that stands alone: an export of ours, or records that are read together."""
        if not self.is_one_file:
            raise InvalidInput("file", "no file in it has a format that is known", f"give {KNOWN}")
        if self.files[0].size > MAX_WHOLE_BYTES:
            raise InvalidInput("file", "it is too large for a file of its format", f"give {KNOWN}, or split it")
        data = b"".join(self.files[0].chunks())
        if b"\x00" in data[:_HEAD_BYTES] or not _looks_like_json(data[:_HEAD_BYTES]):
            raise InvalidInput("file", "its format is unknown", f"give {KNOWN}")
        return data


class ArchivedFile:
    """One file of an archive; `ArchiveFile` for the readers."""

    archive: Archive

    def __init__(
        self,
        name: str,
        size: int,
        modified_at: Moment | None,
        open_: Callable[[], BinaryIO],
        path: Path | None = None,
    ) -> None:
        self.name, self.size, self.modified_at, self._open = name, size, modified_at, open_
        self.path = path  # where it is on this machine, if it is a file there by itself
        self.counts = False  # whether what is read of it is progress

    @property
    def tag(self) -> str:
        return hashlib.sha256(f"{self.archive.sha256}\x00{self.name}".encode(errors="replace")).hexdigest()[:16]

    def chunks(self) -> Iterator[bytes]:
        try:
            with self._open() as stream:
                while chunk := stream.read(_CHUNK):
                    if self.counts:
                        self.archive.bytes_read += len(chunk)
                    yield chunk
        except (OSError, EOFError, zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError) as error:
            raise _unreadable(self.name or "file", error) from error


def open_archive(data: bytes | None, path: str | None) -> Archive:
    """An archive from bytes, or from a file or folder of this machine."""
    if (data is None) == (path is None):
        raise InvalidInput("data", "one of data and path is needed", "give the bytes of a file, or a path")
    if data is not None:
        archive = _of_stream(None, len(data), lambda: io.BytesIO(data), None)
        if (count := len(archive.files)) > MAX_FILES_IN_BYTES:
            remedy = f"send at most {MAX_FILES_IN_BYTES} at once, or give a path where the store is"
            raise InvalidInput("data", f"it holds {count} files", remedy)
        return archive
    assert path is not None
    if not path.strip():
        raise InvalidInput("path", "it is empty", "name a file, a folder or a zip")
    try:
        where = Path(path)
        if where.is_dir():
            return _of_folder(where)
        if not where.is_file():
            raise InvalidInput("path", "there is no such file or folder", "name a file, a folder or a zip")
        found = where.stat()
        archive = _of_stream(where.name, found.st_size, lambda: where.open("rb"), _moment(found.st_mtime))
    except InvalidInput:
        raise
    except (OSError, ValueError) as error:
        raise _unreadable("path", error) from error
    if archive.is_one_file:
        archive.files[0].path = where
    return archive


def _of_stream(name: str | None, size: int, open_: Callable[[], BinaryIO], at: Moment | None) -> Archive:
    with open_() as stream:
        is_zip = stream.read(len(_ZIP)) == _ZIP
        stream.seek(0)
        sha256 = _digest(stream)
    if not is_zip:
        return Archive(name, sha256, [ArchivedFile("", size, at, open_)])
    zipped = open_()
    try:
        return Archive(name, sha256, list(_zipped_files(zipfile.ZipFile(zipped))), zipped=zipped)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        zipped.close()
        raise error if isinstance(error, InvalidInput) else _unreadable("file", error) from error


def _looks_like_json(head: bytes) -> bool:
    begins = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    return begins in (b"", b"[", b"{", b'"')


def _digest(stream: IO[bytes]) -> str:
    digest = hashlib.sha256()
    while chunk := stream.read(_CHUNK):
        digest.update(chunk)
    return digest.hexdigest()


# -- zips --------------------------------------------------------------------------------------------------------------


def _zipped_files(zipped: zipfile.ZipFile) -> Iterator[ArchivedFile]:
    entries = [one for one in zipped.infolist() if not one.is_dir() and not one.filename.startswith(_METADATA)]
    _check_size(len(entries), sum(one.file_size for one in entries))
    for entry in sorted(entries, key=lambda one: (one.filename, one.header_offset)):
        if entry.flag_bits & 1:
            raise InvalidInput("file", "it is encrypted", "unpack it, and import the folder")
        if entry.file_size > max(_SMALL, MAX_RATIO * entry.compress_size):
            problem = f"a file in it is more than {MAX_RATIO} times as large as it is packed"
            raise InvalidInput("file", problem, "unpack it, and import the folder")
        open_ = _opener(zipped, entry)
        yield ArchivedFile(entry.filename, entry.file_size, _zip_moment(entry), open_)


def _opener(zipped: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Callable[[], BinaryIO]:
    return lambda: cast(BinaryIO, zipped.open(entry))


def _zip_moment(entry: zipfile.ZipInfo) -> Moment | None:
    try:
        return to_moment(datetime(*entry.date_time, tzinfo=UTC), "date")
    except (ValueError, InvalidInput):
        return None


def _check_size(files: int, size: int) -> None:
    if files > MAX_FILES:
        raise InvalidInput("file", f"it holds {files} files", f"import at most {MAX_FILES} at once")
    if size > MAX_TOTAL_BYTES:
        raise InvalidInput("file", f"it unpacks to {size} bytes", f"import at most {MAX_TOTAL_BYTES} at once")


# -- folders -----------------------------------------------------------------------------------------------------------


def _of_folder(folder: Path) -> Archive:
    files: list[ArchivedFile] = []
    unread: list[tuple[str, str]] = []
    digest = hashlib.sha256(b"memfort/folder\x00")
    for name, path, found in sorted(_walk(folder, "", unread), key=lambda one: one[0]):
        with _open_regular(path) as stream:
            digest.update(f"{len(name)}:{name}\x00{_digest(stream)}\x00".encode(errors="surrogateescape"))
        files.append(ArchivedFile(name, found.st_size, _moment(found.st_mtime), _opener_of(path)))
        _check_size(len(files), 0)
    _check_size(len(files), sum(one.size for one in files))
    return Archive(folder.resolve().name or None, digest.hexdigest(), files, sorted(unread))


def _walk(folder: Path, prefix: str, unread: list[tuple[str, str]]) -> Iterator[tuple[str, Path, os.stat_result]]:
    """The plain files under a folder. A link may lead anywhere, so none is followed."""
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda one: one.name):
            name = f"{prefix}{entry.name}"
            if entry.is_symlink():
                unread.append((name, "linked"))
            elif entry.is_dir(follow_symlinks=False):
                if prefix.count("/") >= _DEEPEST:
                    unread.append((name, "too_deep"))
                elif f"{entry.name}/" not in _METADATA:
                    yield from _walk(folder / entry.name, f"{name}/", unread)
            elif entry.is_file(follow_symlinks=False):
                yield name, folder / entry.name, entry.stat(follow_symlinks=False)
            else:
                unread.append((name, "no_file"))


def _opener_of(path: Path) -> Callable[[], BinaryIO]:
    return lambda: _open_regular(path)


def _open_regular(path: Path) -> BinaryIO:
    """A plain file. One that has become a link since the folder was listed is refused."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(f"`{path.name}` is not a plain file")
    return cast(BinaryIO, os.fdopen(descriptor, "rb"))


def _moment(seconds: float) -> Moment | None:
    try:
        return to_moment(int(seconds * 1_000_000), "date")
    except InvalidInput:
        return None


def _unreadable(field: str, error: Exception) -> InvalidInput:
    problem = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return InvalidInput(field, f"it cannot be read: {problem}", _REMEDY)
