"""Make deleted bytes unrecoverable.

`secure_delete` overwrites a deleted row where it lies, but not the copies that SQLite leaves in the unused part of a
page when it moves rows between pages: measured, about one deleted text in two thousand could still be read from the
file. So after a truncating checkpoint, with the write lock held and the log empty, the unused parts of all pages are
overwritten with zeros. SQLite gives those bytes no meaning, so even a crash half way harms nothing. A page that
contradicts itself is not touched: in a damaged file, what looks unused may be the last copy of something.

The file is read and written through SQLite's own file layer: closing an ordinary descriptor would drop every lock
that this process has on the file.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

import apsw

from memfort.errors import StoreBroken, StoreError

_TABLE_LEAF, _TABLE_NODE, _INDEX_LEAF, _INDEX_NODE = 13, 5, 10, 2
_HEADER_BYTES = {_TABLE_LEAF: 8, _INDEX_LEAF: 8, _TABLE_NODE: 12, _INDEX_NODE: 12}
_CHUNK_PAGES = 256
_MAX_PAGES = 0x02000000  # from here on, the first byte of an overflow page could be taken for a page kind

Span = tuple[int, int]  # from, to: offsets in the file


def dirty_spans(path: Path) -> Iterator[Span]:
    """Unused stretches of the file that are not all zeros. The caller holds the write lock, with an empty log."""
    with _opened(path, apsw.SQLITE_OPEN_READONLY) as file:
        yield from _dirty(file)


def overwrite_unused(path: Path) -> tuple[int, int]:
    """Zero every unused stretch; says how many bytes it was, and how many of them read as anything else afterwards."""
    with _opened(path, apsw.SQLITE_OPEN_READWRITE) as file:
        spans = list(_dirty(file))
        for start, end in spans:
            file.xWrite(bytes(end - start), start)
        if spans:
            file.xSync(apsw.SQLITE_SYNC_FULL)
        left = sum(end - start - file.xRead(end - start, start).count(0) for start, end in spans)
    return sum(end - start for start, end in spans), left


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
    free = {number for trunk, leaves in _trunks(file, size, header) for number in (trunk, *leaves)}
    total = file.xFileSize() // size
    for first in range(0, total, _CHUNK_PAGES):
        count = min(_CHUNK_PAGES, total - first)
        chunk = file.xRead(count * size, first * size)
        for index in range(count):
            number = first + index + 1
            if number not in free:
                page = chunk[index * size : (index + 1) * size]
                header_at = 100 if number == 1 else 0
                for start, end in _unused(page, header_at, number):
                    if page.count(0, start, end) != end - start:
                        _check_no_cell(page, header_at, number, start, end)
                        offset = (number - 1) * size
                        yield offset + start, offset + end
    yield from _dirty_free_pages(file, size, header)


def _check_layout(header: bytes, pages: int) -> None:
    """Only overwrite what is understood: pointer-map pages, bytes set aside in each page, or a huge file are not."""
    if int.from_bytes(header[52:56], "big") or header[20] or pages >= _MAX_PAGES:
        raise StoreError("this file's layout cannot be scrubbed in place; export it into a new store")


def _unused(page: bytes, header_at: int, number: int) -> Iterator[Span]:
    """The gap between a page's cell pointers and its cells, and the insides of its free blocks."""
    kind = page[header_at]
    if kind not in _HEADER_BYTES:
        return  # an overflow page, whose first byte is 0 in a file of this size, or one never written
    start = header_at + _HEADER_BYTES[kind] + 2 * _number(page, header_at + 3)
    end = _number(page, header_at + 5) or 65_536
    if not start <= end <= len(page):
        raise _damaged(number)
    yield start, end
    block, before = _number(page, header_at + 1), end - 1
    while block:
        if not before < block <= len(page) - 4:
            raise _damaged(number)
        length = _number(page, block + 2)
        if not 4 <= length <= len(page) - block:
            raise _damaged(number)
        yield block + 4, block + length
        block, before = _number(page, block), block + length - 1


def _check_no_cell(page: bytes, header_at: int, number: int, start: int, end: int) -> None:
    """A stretch in which a cell begins is in use, whatever the page's header says."""
    first = header_at + _HEADER_BYTES[page[header_at]]
    cells = struct.unpack_from(f">{_number(page, header_at + 3)}H", page, first)
    if any(start - 4 <= cell < end for cell in cells):
        raise _damaged(number)


def _damaged(number: int) -> StoreBroken:
    return StoreBroken(f"page {number} of the file is damaged, so it is not overwritten; restore it from a copy")


def _dirty_free_pages(file: apsw.VFSFile, size: int, header: bytes) -> Iterator[Span]:
    """Free pages hold nothing but, in trunk pages, the list of further free pages."""
    for trunk, leaves in list(_trunks(file, size, header)):
        used = 8 + 4 * len(leaves)
        for number, start in [(trunk, used), *((leaf, 0) for leaf in leaves)]:
            page = file.xRead(size, (number - 1) * size)
            if page.count(0, start) != size - start:
                yield (number - 1) * size + start, number * size


def _trunks(file: apsw.VFSFile, size: int, header: bytes) -> Iterator[tuple[int, list[int]]]:
    """The pages of the free list, with the free pages each names; every one is named once, or the list is damaged."""
    total, trunk = file.xFileSize() // size, int.from_bytes(header[32:36], "big")
    seen: set[int] = set()
    while trunk:
        if not 1 < trunk <= total:
            raise _damaged(trunk)
        page = file.xRead(size, (trunk - 1) * size)
        following, count = struct.unpack_from(">II", page)
        if count > size // 4 - 2:
            raise _damaged(trunk)
        leaves = list(struct.unpack_from(f">{count}I", page, 8))
        fresh = {trunk, *leaves}
        if len(fresh) != count + 1 or fresh & seen or not all(1 < leaf <= total for leaf in leaves):
            raise _damaged(trunk)
        seen |= fresh
        yield trunk, leaves
        trunk = following
    if len(seen) != int.from_bytes(header[36:40], "big"):
        raise _damaged(1)


def _number(page: bytes, offset: int) -> int:
    return int.from_bytes(page[offset : offset + 2], "big")
