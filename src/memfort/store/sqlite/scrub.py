"""Make deleted bytes unrecoverable.

`secure_delete` overwrites a deleted row where it lies, but not the copies that SQLite leaves in the unused part of a
page when it moves rows between pages: measured, about one deleted text in two thousand could still be read from the
file. So after a truncating checkpoint, with the write lock held and the log empty, the unused parts of all pages are
overwritten with zeros. SQLite gives those bytes no meaning, so even a crash half way harms nothing.

The file is read and written through SQLite's own file layer: closing an ordinary descriptor would drop every lock
that this process has on the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import apsw

from memfort.errors import StoreError

_TABLE_LEAF, _TABLE_NODE, _INDEX_LEAF, _INDEX_NODE = 13, 5, 10, 2
_HEADER_BYTES = {_TABLE_LEAF: 8, _INDEX_LEAF: 8, _TABLE_NODE: 12, _INDEX_NODE: 12}
_CHUNK_PAGES = 256
_MAX_PAGES = 0x02000000  # from here on, the first byte of an overflow page could be taken for a page kind

Span = tuple[int, int]  # from, to: offsets in the file


def dirty_spans(path: Path) -> Iterator[Span]:
    """Unused stretches of the file that are not all zeros. The caller holds the write lock, with an empty log."""
    with _opened(path, apsw.SQLITE_OPEN_READONLY) as file:
        yield from _dirty(file)


def overwrite_unused(path: Path) -> int:
    """Zero every unused stretch; says how many bytes it was."""
    count = 0
    with _opened(path, apsw.SQLITE_OPEN_READWRITE) as file:
        for start, end in list(_dirty(file)):
            file.xWrite(bytes(end - start), start)
            count += end - start
        if count:
            file.xSync(apsw.SQLITE_SYNC_FULL)
    return count


class _opened:  # noqa: N801  # reads as `with _opened(path)`
    def __init__(self, path: Path, mode: int) -> None:
        self._file = apsw.VFSFile("", str(path), [mode | apsw.SQLITE_OPEN_MAIN_DB, 0])

    def __enter__(self) -> apsw.VFSFile:
        return self._file

    def __exit__(self, *_: object) -> None:
        self._file.xClose()


def _dirty(file: apsw.VFSFile) -> Iterator[Span]:
    header = file.xRead(100, 0)
    size = int.from_bytes(header[16:18], "big")
    size = 65_536 if size == 1 else size
    _check_layout(header, file.xFileSize() // size)
    free = set(_free_pages(file, size, header))
    total = file.xFileSize() // size
    for first in range(0, total, _CHUNK_PAGES):
        count = min(_CHUNK_PAGES, total - first)
        chunk = file.xRead(count * size, first * size)
        for index in range(count):
            number = first + index + 1
            if number not in free:
                page = chunk[index * size : (index + 1) * size]
                for start, end in _unused(page, 100 if number == 1 else 0):
                    if page.count(0, start, end) != end - start:
                        offset = (number - 1) * size
                        yield offset + start, offset + end
    yield from _dirty_free_pages(file, size, header)


def _check_layout(header: bytes, pages: int) -> None:
    """Only overwrite what is understood: a file with pointer-map pages, or a huge one, is laid out differently."""
    if int.from_bytes(header[52:56], "big") or pages >= _MAX_PAGES:
        raise StoreError("this file's layout cannot be scrubbed in place; export it into a new store")


def _unused(page: bytes, offset: int) -> Iterator[Span]:
    """The gap between a page's cell pointers and its cells, and the insides of its free blocks."""
    kind = page[offset]
    if kind not in _HEADER_BYTES:
        return
    cells = _number(page, offset + 3)
    start = offset + _HEADER_BYTES[kind] + 2 * cells
    end = _number(page, offset + 5) or 65_536
    if start < end <= len(page):
        yield start, end
    block = _number(page, offset + 1)
    while block and block + 4 <= len(page):
        length = _number(page, block + 2)
        if length > 4:
            yield block + 4, min(block + length, len(page))
        following = _number(page, block)
        if following <= block:
            return
        block = following


def _free_pages(file: apsw.VFSFile, size: int, header: bytes) -> Iterator[int]:
    for trunk, leaves in _trunks(file, size, header):
        yield trunk
        yield from leaves


def _dirty_free_pages(file: apsw.VFSFile, size: int, header: bytes) -> Iterator[Span]:
    """Free pages hold nothing but, in trunk pages, the list of further free pages."""
    for trunk, leaves in list(_trunks(file, size, header)):
        used = 8 + 4 * len(leaves)
        for number, start in [(trunk, used), *((leaf, 0) for leaf in leaves)]:
            page = file.xRead(size, (number - 1) * size)
            if page.count(0, start) != size - start:
                yield (number - 1) * size + start, number * size


def _trunks(file: apsw.VFSFile, size: int, header: bytes) -> Iterator[tuple[int, list[int]]]:
    trunk = int.from_bytes(header[32:36], "big")
    seen: set[int] = set()
    while trunk and trunk not in seen:
        seen.add(trunk)
        page = file.xRead(size, (trunk - 1) * size)
        count = int.from_bytes(page[4:8], "big")
        yield trunk, [int.from_bytes(page[8 + 4 * n : 12 + 4 * n], "big") for n in range(count)]
        trunk = int.from_bytes(page[:4], "big")


def _number(page: bytes, offset: int) -> int:
    return int.from_bytes(page[offset : offset + 2], "big")
