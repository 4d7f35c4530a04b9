"""Rows of a LangGraph store: a namespace, a key, and a value in JSON, of which the text is read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from memfort.capture.importers.archive import ArchiveFile, moment_of, place_in, statement
from memfort.capture.importers.record import Imported
from memfort.model.item import Origin

PLATFORM = "langgraph"
SQLITE = b"SQLite format 3\x00"
_TEXTS = ("memory", "text", "content", "data", "value", "fact")
_DEEPEST = 4


class StoreRow(Struct, frozen=True):
    """One row of the table `store`."""

    prefix: str
    key: str
    value: str
    created_at: str | None = None
    updated_at: str | None = None
    expires_at: str | None = None


def read_langgraph(file: ArchiveFile, rows: Iterable[StoreRow]) -> Iterator[Imported]:
    for number, row in enumerate(rows, start=1):
        yield _read(place_in(file, f"row {number}"), row)


def _read(place: str, row: StoreRow) -> Imported:
    try:
        value = msgspec.json.decode(row.value)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return Imported(place, problem="its value is not JSON")
    text = _text(value, _DEEPEST)
    if text is None:
        return Imported(place, skip="no_text")
    at = moment_of(row.updated_at) or moment_of(row.created_at)
    named = {"namespace": row.prefix[:200], "key": row.key[:200]}
    return statement(
        place, text, at=at, origin=Origin.AI, meta={"langgraph": named}, expires_at=moment_of(row.expires_at)
    )


def _text(value: Any, deepest: int) -> str | None:
    """The text of a value: itself, or that of the first field that usually holds it."""
    if isinstance(value, str):
        return value.strip() or None
    if not isinstance(value, Mapping) or not deepest:
        return None
    found = (_text(value.get(name), deepest - 1) for name in _TEXTS)
    return next((text for text in found if text is not None), None)
