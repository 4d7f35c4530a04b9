"""Detect the format of a file by its contents, never by its name, and read its records."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, convert, to_builtins

from memfort.capture.importers.plain_texts import is_plain_text, read_plain_text
from memfort.capture.importers.record import NOT_ITS_FORM, UNREADABLE, Imported, is_well_formed
from memfort.capture.importers.research_rows import is_research_row, read_research_row
from memfort.capture.importers.scoped_nodes import is_scoped_node, read_scoped_node
from memfort.errors import InvalidInput
from memfort.model.moment import Moment, to_moment
from memfort.model.phase import Phase
from memfort.model.results import source_from_dict
from memfort.model.serialize.record import item_from_dict
from memfort.model.space import Space, check_id

EXPORT_VERSION = 1
OWN = "memfort"  # the platform of our own exports
KNOWN = (
    "an export of Memfort, ChatGPT, Claude or Gemini (Takeout), memories of mem0, LangGraph, Letta or an MCP memory "
    "server, notes in Markdown, messages by role, text with speakers (`User: …`), scoped memory "
    'nodes, research rows, or texts: [{"text": "…"}]'
)


def read_import(data: bytes, now: Moment) -> tuple[str, list[Imported]]:
    """The platform a file comes from, and its records. A file of an unknown format is refused as a whole."""
    records = list(_records(data))
    if not records:
        raise InvalidInput("file", "it holds no records", "give JSON lines, or a JSON list of records")
    first = records[0][1]
    if isinstance(first, Mapping) and "memfort_export" in first:
        _check_whole(first, [record for _, record in records[1:]])
        return OWN, [_read_own(place, record) for place, record in records[1:]]
    for format in FORMATS:
        if any(format.fits(record) for _, record in records):
            return format.platform, [read_row(format, place, record, now) for place, record in records]
    raise InvalidInput("file", "its format is unknown", f"give {KNOWN}")


class Format(Struct, frozen=True):
    """How the records of another program are read. To add one: a module here with the two functions, and a row below.
    A file is of the first format that fits any of its records."""

    platform: str  # its name in reports and in the provenance
    fits: Callable[[Any], bool]  # whether a record is of this format; must accept any JSON value
    read: Callable[[str, Any, Moment], Imported]  # place in the file, record, now; a field of an odd form may raise


FORMATS = (
    Format("scoped", is_scoped_node, read_scoped_node),
    Format("research", is_research_row, read_research_row),
    Format("plain", is_plain_text, read_plain_text),  # last: other formats may have a text, too
)


def read_row(format: Format, place: str, record: Any, now: Moment) -> Imported:
    if not format.fits(record):
        return Imported(place, problem="it is not a record of this file's format")
    try:
        return format.read(place, record, now)
    except UNREADABLE:
        return Imported(place, problem=NOT_ITS_FORM)


def _check_whole(header: Mapping[str, Any], records: Sequence[Any]) -> None:
    """A file that was cut off between two lines still has only valid lines; the counts in the header show it."""
    if header["memfort_export"] != EXPORT_VERSION:
        raise InvalidInput("file", "it was exported by another version", f"this one reads version {EXPORT_VERSION}")
    sources, phases = (sum(_is_about(name, record) for record in records) for name in ("source", "phase"))
    memories = len(records) - sources - phases
    if (header.get("memories"), header.get("sources", 0), header.get("phases", 0)) != (memories, sources, phases):
        problem = f"it holds {memories} memories, and its header tells of more or fewer"
        raise InvalidInput("file", problem, "export again")


def _is_about(name: str, record: Any) -> bool:
    return isinstance(record, Mapping) and name in record and "memory" not in record


def _read_own(place: str, record: Any) -> Imported:
    if _is_about("source", record):
        return _read_own_source(place, record["source"])
    if _is_about("phase", record):
        return _read_own_phase(place, record["phase"])
    try:
        item = item_from_dict(record["memory"])
        well_formed = is_well_formed(item)
    except (KeyError, TypeError, ValueError, AttributeError):
        well_formed = False
    if not well_formed:
        return Imported(place, problem="it is not a memory of our export format")
    return Imported(place, skip="deleted") if item.deleted_at_us is not None else Imported(place, item=item)


def _read_own_source(place: str, record: Any) -> Imported:
    try:
        source = source_from_dict(record)
        for name in (source.id, source.platform, source.sha256, *([source.filename] if source.filename else [])):
            check_id(name, "source")
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        return Imported(place, problem="it is not an import batch of our export format")
    return Imported(place, source=source)


def _read_own_phase(place: str, record: Any) -> Imported:
    try:
        space = Space.of(record["space"])
        return Imported(place, phase=(space, convert({**record, "space": None}, ExportedPhase).phase))
    except (KeyError, TypeError, ValueError, AttributeError):
        return Imported(place, problem="it is not a phase of our export format")


class ExportedPhase(Struct, frozen=True):
    """A phase in an export."""

    index: int
    reason: str
    started_tick: int
    name: str | None = None
    started_at: int | None = None
    space: Mapping[str, str] | None = None

    @property
    def phase(self) -> Phase:
        at = None if self.started_at is None else to_moment(self.started_at, "started_at")
        return Phase(self.index, self.reason, self.started_tick, self.name, at)


def phase_to_dict(space: Space, phase: Phase) -> dict[str, Any]:
    """A phase as a line of an export has it."""
    made = ExportedPhase(
        phase.index, phase.reason, phase.started_tick, phase.name, phase.started_at_us, space.to_dict()
    )
    return to_builtins(made)  # type: ignore[no-any-return]


def _records(data: bytes) -> Iterator[tuple[str, Any]]:
    """Records of a JSON list, or of JSON lines, with the place of each."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput("file", f"byte {error.start} is not UTF-8", "save it as UTF-8") from error
    if text.lstrip().startswith("["):
        yield from ((f"record {number}", record) for number, record in enumerate(_parse_list(text), start=1))
        return
    for number, line in enumerate(text.split("\n"), start=1):  # a text may hold other line ends, JSON lines do not
        if line.strip():
            yield f"line {number}", _parse_json(line, f"line {number}")


def _parse_list(text: str) -> Sequence[Any]:
    parsed = _parse_json(text, "file")
    return parsed if isinstance(parsed, list) else [parsed]


def _parse_json(text: str, place: str) -> Any:
    try:
        return json.loads(text)
    except RecursionError:
        raise InvalidInput("file", f"{place} is nested too deeply", "mend it; nothing was imported") from None
    except ValueError as error:
        problem = "a number in it is too long"
        if isinstance(error, json.JSONDecodeError):
            problem = f"{error.msg} line {error.lineno} column {error.colno}"
        place = "it" if place == "file" else place
        raise InvalidInput("file", f"{place} is not JSON: {problem}", "mend it; nothing was imported") from None
