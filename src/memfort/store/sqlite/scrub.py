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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import apsw
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from memfort.errors import StoreBroken, StoreError

_TABLE_LEAF, _TABLE_NODE, _INDEX_LEAF, _INDEX_NODE = 13, 5, 10, 2
_HEADER_BYTES = {_TABLE_LEAF: 8, _INDEX_LEAF: 8, _TABLE_NODE: 12, _INDEX_NODE: 12}
_HEADERS = np.array([_HEADER_BYTES.get(kind, 0) for kind in range(256)])
_CHUNK_PAGES = 1024
_JOINED_BYTES = 2**16  # a write of 128 kilobytes is none in SQLite's file layer
_MAX_PAGES = 0x02000000  # from here on, the first byte of an overflow page could be taken for a page kind
_NONE: frozenset[int] = frozenset()

Span = tuple[int, int]  # from, to: offsets in the file
Bytes = NDArray[np.uint8]
Offsets = NDArray[np.int64]


class Scrubbed(Struct, frozen=True):
    """What a scrub did."""

    overwritten: int  # bytes
    left: int  # bytes that read as anything but zero afterwards
    free_pages: frozenset[int]


def dirty_spans(path: Path) -> Iterator[Span]:
    """Unused stretches of the file that are not all zeros. The caller holds the write lock, with an empty log."""
    with _opened(path, apsw.SQLITE_OPEN_READONLY) as file:
        layout = _read_layout(file)
        yield from _dirty(file, layout, range(1, layout.pages + 1))


def overwrite_unused(path: Path, changed: frozenset[int] | None = None, clean: frozenset[int] = _NONE) -> Scrubbed:
    """Zero every unused stretch: of the whole file, or of the pages that have `changed` since a scrub. A page can
    become free without being written, so all free pages count as changed but those that were free and clean then."""
    with _opened(path, apsw.SQLITE_OPEN_READWRITE) as file:
        layout = _read_layout(file)
        free = frozenset(layout.free)
        wanted: Sequence[int] = range(1, layout.pages + 1)
        if changed is not None:
            wanted = sorted(page for page in changed | (free - clean) if page <= layout.pages)
        spans = list(_joined(_dirty(file, layout, wanted)))
        for start, end in spans:
            file.xWrite(bytes(end - start), start)
        if spans:
            file.xSync(apsw.SQLITE_SYNC_FULL)
        left = sum(len(file.xRead(end - start, start).replace(b"\0", b"")) for start, end in spans)
    return Scrubbed(sum(end - start for start, end in spans), left, free)


def _joined(spans: Iterable[Span]) -> Iterator[Span]:
    """The same stretches; those that follow each other without a gap are one, up to a limit."""
    before: Span | None = None
    for start, end in spans:
        if before is not None and before[1] == start and end - before[0] <= _JOINED_BYTES:
            before = (before[0], end)
            continue
        if before is not None:
            yield before
        before = (start, end)
    if before is not None:
        yield before


class _opened:  # noqa: N801  # reads as `with _opened(path)`
    def __init__(self, path: Path, mode: int) -> None:
        self._file = apsw.VFSFile("", str(path), [mode | apsw.SQLITE_OPEN_MAIN_DB, 0])

    def __enter__(self) -> apsw.VFSFile:
        return self._file

    def __exit__(self, *_: object) -> None:
        self._file.xClose()


class _Layout(Struct, frozen=True):
    """What the file says about itself."""

    page_bytes: int
    pages: int
    free: Mapping[int, int]  # free pages, and where the unused part of each begins


def _read_layout(file: apsw.VFSFile) -> _Layout:
    header = file.xRead(100, 0)
    size = int.from_bytes(header[16:18], "big")
    size = 65_536 if size == 1 else size
    total = file.xFileSize() // size
    _check_layout(header, total)
    return _Layout(size, total, _free_pages(file, size, header))


def _dirty(file: apsw.VFSFile, layout: _Layout, wanted: Sequence[int]) -> Iterator[Span]:
    """The unused stretches of these pages, in ascending order, that are not all zeros."""
    size, free = layout.page_bytes, layout.free
    zeros = bytes(size)
    for begin in range(0, len(wanted), _CHUNK_PAGES):
        numbers = wanted[begin : begin + _CHUNK_PAGES]
        chunk = b"".join(file.xRead(count * size, (first - 1) * size) for first, count in _runs(numbers))
        for start, end in _unused_in_chunk(chunk, size, np.array(numbers), free):
            if not chunk.startswith(zeros[: end - start], start):
                index, offset = divmod(start, size)
                number = numbers[index]
                if number not in free:
                    page = chunk[index * size : (index + 1) * size]
                    _check_no_cell(page, _header_at(number), number, offset, offset + end - start)
                yield (number - 1) * size + offset, (number - 1) * size + offset + end - start


def _runs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Pages that follow each other, as the first and how many, so that each run is read at once."""
    if isinstance(numbers, range):
        yield numbers[0], len(numbers)
        return
    first = last = numbers[0]
    for number in numbers[1:]:
        if number != last + 1:
            yield first, last - first + 1
            first = number
        last = number
    yield first, last - first + 1


def _unused_in_chunk(chunk: bytes, size: int, numbers: Offsets, free: Mapping[int, int]) -> Iterator[Span]:
    """The unused stretches of some pages, as offsets in the chunk. All pages are looked at together, which is faster
    than one by one."""
    data, bases = np.frombuffer(chunk, np.uint8), np.arange(len(chunk) // size) * size
    places = bases + np.where(numbers == 1, 100, 0)  # the file's own header is on the first page
    headers = _HEADERS[data[places]]  # an overflow page begins with 0 in a file of this size, and has none
    for index, number in enumerate(numbers.tolist() if free else ()):
        if number in free:
            headers[index] = 0
            yield index * size + free[number], (index + 1) * size
    is_tree = headers > 0
    bases, places, headers, numbers = bases[is_tree], places[is_tree], headers[is_tree], numbers[is_tree]
    starts = places + headers + 2 * _numbers(data, places + 3)
    ends = _numbers(data, places + 5)
    ends = bases + np.where(ends == 0, 65_536, ends)
    _check_pages((starts <= ends) & (ends <= bases + size), numbers)
    yield from zip(starts.tolist(), ends.tolist(), strict=True)
    yield from _free_blocks(data, bases, _numbers(data, places + 1), ends, size, numbers)


def _free_blocks(
    data: Bytes, bases: Offsets, blocks: Offsets, ends: Offsets, size: int, numbers: Offsets
) -> Iterator[Span]:
    """The insides of the free blocks: the first of every page, then the second, and so on."""
    while (has_block := blocks > 0).any():
        bases, ends, numbers = bases[has_block], ends[has_block], numbers[has_block]
        blocks = bases + blocks[has_block]
        _check_pages((ends <= blocks) & (blocks <= bases + size - 4), numbers)
        lengths = _numbers(data, blocks + 2)
        ends = blocks + lengths
        _check_pages((lengths >= 4) & (ends <= bases + size), numbers)
        yield from zip((blocks + 4).tolist(), ends.tolist(), strict=True)
        blocks = _numbers(data, blocks)


def _numbers(data: Bytes, offsets: Offsets) -> Offsets:
    return data[offsets].astype(np.int64) * 256 + data[offsets + 1]


def _check_pages(is_sound: NDArray[np.bool_], numbers: Offsets) -> None:
    if not is_sound.all():
        raise _damaged(int(numbers[~is_sound][0]))


def _header_at(number: int) -> int:
    """Where the header of a page begins: the first page has the header of the file before it."""
    return 100 if number == 1 else 0


def _free_pages(file: apsw.VFSFile, size: int, header: bytes) -> dict[int, int]:
    """Free pages, and where the unused part of each begins: they hold nothing but, in trunk pages, the list of further
    free pages."""
    found: dict[int, int] = {}
    for trunk, leaves in _trunks(file, size, header):
        found[trunk] = 8 + 4 * len(leaves)
        found.update(dict.fromkeys(leaves, 0))
    return found


def _check_layout(header: bytes, pages: int) -> None:
    """Only overwrite what is understood: pointer-map pages, bytes set aside in each page, or a huge file are not."""
    if int.from_bytes(header[52:56], "big") or header[20] or pages >= _MAX_PAGES:
        raise StoreError("this file's layout cannot be scrubbed in place; export it into a new store")


def _check_no_cell(page: bytes, header_at: int, number: int, start: int, end: int) -> None:
    """A stretch in which a cell begins is in use, whatever the page's header says."""
    first = header_at + _HEADER_BYTES[page[header_at]]
    cells = struct.unpack_from(f">{_number(page, header_at + 3)}H", page, first)
    if any(start - 4 <= cell < end for cell in cells):
        raise _damaged(number)


def _damaged(number: int) -> StoreBroken:
    return StoreBroken(f"page {number} of the file is damaged, so it is not overwritten; restore it from a copy")


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
