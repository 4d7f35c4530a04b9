"""Split a stream of JSON into its records without holding more than one of them.

An archive is one list of many megabytes, often in a single line. The splitter looks only for brackets, strings and
commas; each record is then decoded by itself, so a broken or an oversized one takes no neighbour with it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, NamedTuple

import msgspec

MAX_RECORD_BYTES = 64 * 1024 * 1024
_SPACE = b" \t\r\n"
_BOM = b"\xef\xbb\xbf"
_STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_UP_TO_BRACKET = re.compile(rb'(?:[^"{}\[\]]++|' + _STRING + rb")*+", re.DOTALL)
_UP_TO_COMMA = re.compile(rb'(?:[^"{}\[\],]++|' + _STRING + rb")*+", re.DOTALL)
_REST_OF_STRING = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)


class Problem(NamedTuple):
    """Why a record cannot be read."""

    text: str


class Record(NamedTuple):
    """One record of a file, and its place there for people: `record 3`, `line 3`."""

    place: str
    value: Any  # what the JSON says, or a `Problem`
    is_repaired: bool = False  # bytes of it were not UTF-8, and were replaced


def read_records(chunks: Iterable[bytes], limit: int = MAX_RECORD_BYTES) -> Iterator[Record]:
    """The records of a JSON list, of JSON lines, or a single JSON value, in order."""
    chunks = iter(chunks)
    first = b""
    for chunk in chunks:
        first = (first + chunk).removeprefix(_BOM).lstrip(_SPACE)
        if first:
            break
    if first.startswith(b"["):
        found = _split_list(chain((first[1:],), chunks), limit)
        yield from (_decode(f"record {number}", raw) for number, raw in enumerate(found, start=1))
        return
    lines = _split_lines(chain((first,), chunks), limit)
    opening = next(lines, b"")
    if not opening:
        return
    if isinstance(opening, bytes) and not _is_record(opening):  # one value, written over several lines
        yield _decode("record 1", _join(opening, lines, limit))
        return
    for number, line in enumerate(chain((opening,), lines), start=1):
        if not isinstance(line, bytes) or line.strip():
            yield _decode(f"line {number}", line)


# -- lists -------------------------------------------------------------------------------------------------------------


class _Collected:
    """The bytes of one record, as long as they are not too many."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._parts: list[bytes] = []
        self._size = 0

    def add(self, part: bytes) -> None:
        self._size += len(part)
        if self._size <= self._limit:
            self._parts.append(part)
        else:
            self._parts.clear()

    def take(self) -> bytes | Problem:
        """What was collected; the next record begins."""
        whole, size = b"".join(self._parts), self._size
        self._parts, self._size = [], 0
        return whole if size <= self._limit else too_large(size, self._limit)


def too_large(size: int, limit: int) -> Problem:
    return Problem(f"it has {size} bytes; a record may have {limit}")


def _split_list(chunks: Iterator[bytes], limit: int) -> Iterator[bytes | Problem]:
    """The elements of a list whose opening bracket has been read. What stands after its end is not read."""
    element, depth, in_string, escaped = _Collected(limit), 1, False, False
    for chunk in chunks:
        begin = position = 0
        while position < len(chunk):
            if in_string:
                if escaped:  # the backslash was the last byte of the chunk before
                    position, escaped = position + 1, False
                found = _REST_OF_STRING.match(chunk, position)
                assert found is not None
                position = found.end()
                if position >= len(chunk):
                    break
                in_string, escaped = chunk[position : position + 1] == b"\\", chunk[position : position + 1] == b"\\"
                position += 1
                continue
            found = (_UP_TO_COMMA if depth == 1 else _UP_TO_BRACKET).match(chunk, position)
            assert found is not None
            position = found.end()
            match chunk[position : position + 1]:
                case b'"':
                    in_string = True
                case b"{" | b"[":
                    depth += 1
                case b"}" | b"]":
                    depth -= 1
            if depth == 0 or (depth == 1 and chunk[position : position + 1] == b","):
                element.add(chunk[begin:position])
                raw = element.take()
                if depth or not isinstance(raw, bytes) or raw.strip():
                    yield raw
                if depth == 0:
                    return
                begin = position + 1
            position += 1
        element.add(chunk[begin:])
    raw = element.take()
    if not isinstance(raw, bytes) or raw.strip():
        yield raw
    yield Problem("the file ends before its list does; export it again")


# -- lines -------------------------------------------------------------------------------------------------------------


def _split_lines(chunks: Iterator[bytes], limit: int) -> Iterator[bytes | Problem]:
    line = _Collected(limit)
    for chunk in chunks:
        *ended, rest = chunk.split(b"\n")
        for part in ended:
            line.add(part)
            yield line.take()
        line.add(rest)
    last = line.take()
    if not isinstance(last, bytes) or last.strip():
        yield last


def _join(opening: bytes, lines: Iterator[bytes | Problem], limit: int) -> bytes | Problem:
    whole = _Collected(limit)
    whole.add(opening)
    for line in lines:
        if isinstance(line, Problem):
            return line
        whole.add(b"\n" + line)
    return whole.take()


def _is_record(line: bytes) -> bool:
    """Whether a line is a record by itself, if only a broken one."""
    return line.rstrip().endswith(b"}") or not isinstance(_decode("", line).value, Problem)


# -- records -----------------------------------------------------------------------------------------------------------


def _decode(place: str, raw: bytes | Problem) -> Record:
    if isinstance(raw, Problem):
        return Record(place, raw)
    try:
        value = _parse(raw)
    except UnicodeDecodeError:
        value = _parse(raw.decode(errors="replace"))
        return Record(place, value, is_repaired=not isinstance(value, Problem))
    if isinstance(value, Problem) and b"\\ud" in raw.lower():
        value = _parse_half_characters(raw)
        return Record(place, value, is_repaired=not isinstance(value, Problem))
    return Record(place, value)


def _parse(text: bytes | str) -> Any:
    try:
        return msgspec.json.decode(text)
    except RecursionError:
        return Problem("it is nested too deeply")
    except msgspec.DecodeError:
        return Problem("it is not JSON")


def _parse_half_characters(raw: bytes) -> Any:
    """JSON with half of a surrogate pair in a text, as a program leaves it that cuts an emoji in two."""
    try:
        return _parse(json.dumps(json.loads(raw), ensure_ascii=False).encode(errors="replace"))
    except (ValueError, RecursionError):
        return Problem("it is not JSON")
