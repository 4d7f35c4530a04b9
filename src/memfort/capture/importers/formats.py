"""Detect the format of a file by its contents, never by its name, and read its records."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memfort.capture.importers.record import Imported, is_well_formed
from memfort.capture.importers.research_rows import is_research_row, read_research_row
from memfort.capture.importers.scoped_nodes import is_scoped_node, read_scoped_node
from memfort.errors import InvalidInput
from memfort.model.moment import Moment
from memfort.model.results import source_from_dict
from memfort.model.serialize.record import item_from_dict
from memfort.model.space import check_id

EXPORT_VERSION = 1
OWN = "memfort"  # the platform of our own exports


def read_import(data: bytes, now: Moment) -> tuple[str, list[Imported]]:
    """The platform a file comes from, and its records. A file of an unknown format is refused as a whole."""
    records = list(_records(data))
    if not records:
        raise InvalidInput("file", "it holds no records", "give JSON lines, or a JSON list of records")
    first = records[0][1]
    if isinstance(first, Mapping) and "memfort_export" in first:
        _check_whole(first, [record for _, record in records[1:]])
        return OWN, [_read_own(place, record) for place, record in records[1:]]
    for platform, fits, read in _FORMATS:
        if any(isinstance(record, Mapping) and fits(record) for _, record in records):
            return platform, [_read(place, record, fits, read, now) for place, record in records]
    raise InvalidInput("file", "its format is unknown", "give a memfort export, scoped memory nodes or research rows")


_FORMATS = (
    ("scoped", is_scoped_node, read_scoped_node),
    ("research", is_research_row, read_research_row),
)


def _read(place: str, record: Any, fits: Any, read: Any, now: Moment) -> Imported:
    if not isinstance(record, Mapping) or not fits(record):
        return Imported(place, problem="it is not a record of this file's format")
    made: Imported = read(place, record, now)
    return made


def _check_whole(header: Mapping[str, Any], records: Sequence[Any]) -> None:
    """A file that was cut off between two lines still has only valid lines; the counts in the header show it."""
    if header["memfort_export"] != EXPORT_VERSION:
        raise InvalidInput("file", "it was exported by another version", f"this one reads version {EXPORT_VERSION}")
    sources = sum(_is_source(record) for record in records)
    if (header.get("memories"), header.get("sources", 0)) != (len(records) - sources, sources):
        problem = f"it holds {len(records) - sources} memories, and its header tells of more or fewer"
        raise InvalidInput("file", problem, "export again")


def _is_source(record: Any) -> bool:
    return isinstance(record, Mapping) and "source" in record


def _read_own(place: str, record: Any) -> Imported:
    if _is_source(record):
        return _read_own_source(place, record["source"])
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
        problem = error.msg if isinstance(error, json.JSONDecodeError) else "a number in it is too long"
        raise InvalidInput("file", f"{place} is not JSON: {problem}", "mend it; nothing was imported") from None
