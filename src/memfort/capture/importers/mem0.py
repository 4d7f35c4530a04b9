"""Memories of mem0: what `get_all` or its API gives, or a file for its own import."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from memfort.capture.importers.archive import ArchiveFile, as_list, as_mapping, moment_of, place_in, statement
from memfort.capture.importers.json_stream import Record
from memfort.capture.importers.record import Imported, read_each
from memfort.model.item import Origin

PLATFORM = "mem0"


def is_mem0(record: Any) -> bool:
    return _is_memory(record) or any(_is_memory(one) for one in _results(record))


def _is_memory(record: Any) -> bool:
    return isinstance(record, Mapping) and isinstance(record.get("memory"), str)


def _text(record: Any) -> str | None:
    """The words of a memory. A file for mem0's own import may call them otherwise."""
    given = as_mapping(record)
    return next((given[name] for name in ("memory", "text", "content") if isinstance(given.get(name), str)), None)


def _results(record: Any) -> list[Any]:
    found = as_mapping(record).get("results")
    return found if isinstance(found, list) else []


def read_mem0(file: ArchiveFile, records: Iterator[Record]) -> Iterator[Imported]:
    for record in records:
        place = place_in(file, record.place)
        if _results(record.value):
            for number, one in enumerate(_results(record.value), start=1):
                yield from read_each(place, partial(_read, f"{place}, result {number}", one))
        else:
            yield from read_each(place, partial(_read, place, record.value))


def _read(place: str, given: Any) -> Iterator[Imported]:
    """One memory: a guess of a model about the user that it names."""
    text = _text(given)
    if text is None:
        yield Imported(place, problem="it is not a memory of mem0")
        return
    if not text.strip():
        yield Imported(place, skip="empty")
        return
    user, expires_at = given.get("user_id"), moment_of(given.get("expiration_date"))
    at = moment_of(given.get("updated_at")) or moment_of(given.get("created_at"))
    tags = [one for one in as_list(given.get("categories")) if isinstance(one, str) and one.strip()]
    named = {name: given[name] for name in ("id", "agent_id", "run_id") if isinstance(given.get(name), str)}
    yield statement(
        place,
        text,
        at=at,
        origin=Origin.AI,
        owner=user if isinstance(user, str) else None,
        tags=tags[:20],
        meta={"mem0": named} if named else None,
        expires_at=expires_at,
    )
