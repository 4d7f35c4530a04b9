"""Which kind of archive a file is of, by its contents and never by its name, and how its records are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from msgspec import Struct

from memfort.capture.importers.archive import ArchiveFile, place_in
from memfort.capture.importers.chatgpt import is_chatgpt, read_chatgpt
from memfort.capture.importers.claude import is_claude, read_claude
from memfort.capture.importers.json_stream import Problem, Record, read_records
from memfort.capture.importers.openai_messages import is_openai_messages, read_openai_messages
from memfort.capture.importers.record import Imported
from memfort.capture.importers.transcript import is_transcript, read_transcript

_HEAD_BYTES = 64 * 1024
_RECORDS = 20  # by which a file of records is recognised


class Shape(Struct, frozen=True):
    """How the files of one kind of archive are read."""

    platform: str  # its name in reports and in the provenance
    read: Callable[[ArchiveFile], Iterator[Imported]]
    is_account: bool = False  # a download of a whole account, in which other files stand that are not meant


class _OfRecords(Struct, frozen=True):
    platform: str
    fits: Callable[[Any], bool]
    read: Callable[[ArchiveFile, Iterator[Record]], Iterator[Imported]]
    is_account: bool = False


_JSON = (
    _OfRecords("chatgpt", is_chatgpt, read_chatgpt, is_account=True),
    _OfRecords("claude", is_claude, read_claude, is_account=True),
    _OfRecords("messages", is_openai_messages, read_openai_messages),
)


def shape_of(file: ArchiveFile) -> Shape | None:
    """The shape of a file; nothing where it is unknown here."""
    head = _head(file)
    begins = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    if begins in (b"[", b"{"):
        return _json_shape(file)
    text = head.decode("utf-8-sig", errors="replace")
    if b"\x00" in head:
        return None
    if is_transcript(text):
        return Shape("transcript", lambda one: read_transcript(one, text))
    return None


def _head(file: ArchiveFile) -> bytes:
    head = b""
    for chunk in file.chunks():
        head += chunk
        if len(head) >= _HEAD_BYTES:
            break
    return head[:_HEAD_BYTES]


def _json_shape(file: ArchiveFile) -> Shape | None:
    first = [one.value for one in islice(read_records(file.chunks()), _RECORDS) if not isinstance(one.value, Problem)]
    for form in _JSON:
        if any(form.fits(value) for value in first):
            return Shape(form.platform, lambda one, form=form: _read_json(one, form), form.is_account)  # type: ignore[misc]
    return None


def _read_json(file: ArchiveFile, form: _OfRecords) -> Iterator[Imported]:
    notes: list[Imported] = []
    for one in form.read(file, _readable(file, read_records(file.chunks()), notes)):
        yield from notes
        notes.clear()
        yield one
    yield from notes


def _readable(file: ArchiveFile, records: Iterator[Record], notes: list[Imported]) -> Iterator[Record]:
    """The records that could be decoded; what is to be said of the others goes to `notes`."""
    for record in records:
        place = place_in(file, record.place)
        if isinstance(record.value, Problem):
            notes.append(Imported(place, problem=record.value.text))
            continue
        if record.is_repaired:
            notes.append(Imported(place, notes=("repaired",)))
        yield record
