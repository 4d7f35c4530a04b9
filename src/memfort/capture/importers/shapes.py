"""Which kind of archive a file is of, by its contents and never by its name, and how its records are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from typing import Any

from msgspec import Struct

from memfort.capture.importers import (
    chatgpt,
    claude,
    gemini,
    letta,
    mcp_memory,
    mem0,
    notes,
    openai_messages,
    transcript,
)
from memfort.capture.importers.archive import ArchiveFile, place_in
from memfort.capture.importers.formats import FORMATS, Format, read_row
from memfort.capture.importers.json_stream import Problem, Record, read_records
from memfort.capture.importers.record import Imported
from memfort.model.moment import Moment

_NOTES = (".md", ".mdx", ".mdc", ".markdown", ".txt")
_HEAD_BYTES = 64 * 1024
_RECORDS = 20  # by which a file of records is recognised


class Shape(Struct, frozen=True):
    """How the files of one kind of archive are read."""

    platform: str  # its name in reports and in the provenance
    read: Callable[[ArchiveFile], Iterator[Imported]]
    is_account: bool = False  # a download of a whole account, in which other files stand that are not meant
    is_rows: bool = False  # records for this program, which a small file brings all at once or not at all


class _OfRecords(Struct, frozen=True):
    platform: str
    fits: Callable[[Any], bool]
    read: Callable[[ArchiveFile, Iterator[Record]], Iterator[Imported]]
    is_account: bool = False
    is_rows: bool = False


def _rows(format: Format, now: Moment) -> _OfRecords:
    def read(file: ArchiveFile, records: Iterator[Record]) -> Iterator[Imported]:
        return (read_row(format, place_in(file, one.place), one.value, now) for one in records)

    return _OfRecords(format.platform, format.fits, read, is_rows=True)


def _json_forms(now: Moment) -> tuple[_OfRecords, ...]:
    """The formats of JSON, those with the most telling fields first: a file is of the first that fits any record."""
    *rows, plain = (_rows(format, now) for format in FORMATS)
    return (
        _OfRecords(chatgpt.PLATFORM, chatgpt.is_chatgpt, chatgpt.read_chatgpt, is_account=True),
        _OfRecords(claude.PLATFORM, claude.is_claude, claude.read_claude, is_account=True),
        _OfRecords(gemini.PLATFORM, gemini.is_gemini, gemini.read_gemini, is_account=True),
        _OfRecords(letta.PLATFORM, letta.is_letta, letta.read_letta),
        _OfRecords(mcp_memory.PLATFORM, mcp_memory.is_mcp_memory, mcp_memory.read_mcp_memory),
        _OfRecords(openai_messages.PLATFORM, openai_messages.is_openai_messages, openai_messages.read_openai_messages),
        *rows,
        _OfRecords(mem0.PLATFORM, mem0.is_mem0, mem0.read_mem0),
        plain,
    )


def shape_of(file: ArchiveFile, now: Moment) -> Shape | None:
    """The shape of a file; nothing where it is unknown here."""
    head = _head(file)
    begins = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    if begins in (b"[", b"{"):
        return _json_shape(file, now)
    return None if b"\x00" in head else _text_shape(file, head.decode("utf-8-sig", errors="replace"))


def _text_shape(file: ArchiveFile, head: str) -> Shape | None:
    if head.lstrip().startswith("<"):
        is_gemini = gemini.is_gemini_html(head)
        return Shape(gemini.PLATFORM, gemini.read_gemini_html, is_account=True) if is_gemini else None
    if transcript.is_transcript(head):
        return Shape(transcript.PLATFORM, lambda one: transcript.read_transcript(one, head))
    if not file.name:
        return Shape(notes.PLATFORM, notes.read_notes) if notes.is_notes(head) else None
    # In a folder any program's code has lines that begin like a heading, and a note may be one plain sentence.
    is_note = file.name.rpartition("/")[2].casefold().endswith(_NOTES) and any(map(str.isalpha, head))
    return Shape(notes.PLATFORM, notes.read_notes) if is_note else None


def _head(file: ArchiveFile) -> bytes:
    head = b""
    for chunk in file.chunks():
        head += chunk
        if len(head) >= _HEAD_BYTES:
            break
    return head[:_HEAD_BYTES]


def _json_shape(file: ArchiveFile, now: Moment) -> Shape | None:
    forms = _json_forms(now)
    best = len(forms)
    for record in islice(read_records(file.chunks()), _RECORDS):  # one at a time: a record may be large
        fitting = (place for place in range(best) if forms[place].fits(record.value))
        best = next(fitting, best)
    if best == len(forms):
        return None
    form = forms[best]
    return Shape(form.platform, partial(_read_json, form=form), form.is_account, form.is_rows)


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
