"""The file of an MCP memory server: a graph of entities with observations, and relations between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from memfort.capture.importers.archive import ArchiveFile, as_list, as_mapping, place_in, statement
from memfort.capture.importers.json_stream import Record
from memfort.capture.importers.record import Imported, read_each
from memfort.model.item import Origin

PLATFORM = "mcp_memory"
_ENDS = ("from", "relationType", "to")


def is_mcp_memory(record: Any) -> bool:
    return _is_entity(record) or _is_relation(record) or _is_graph(record)


def _is_entity(record: Any) -> bool:
    return isinstance(record, Mapping) and "entityType" in record and isinstance(record.get("observations"), list)


def _is_relation(record: Any) -> bool:
    return isinstance(record, Mapping) and all(isinstance(record.get(name), str) for name in _ENDS)


def _is_graph(record: Any) -> bool:
    """The whole graph in one record, as the tool `read_graph` gives it."""
    return any(_is_entity(one) for one in as_list(as_mapping(record).get("entities")))


def read_mcp_memory(file: ArchiveFile, records: Iterator[Record]) -> Iterator[Imported]:
    for record in records:
        place = place_in(file, record.place)
        if _is_graph(record.value):
            for one in (*record.value["entities"], *as_list(record.value.get("relations"))):
                yield from read_each(place, partial(_read, place, one))
        else:
            yield from read_each(place, partial(_read, place, record.value))


def _read(place: str, given: Any) -> Iterator[Imported]:
    if _is_relation(given):
        words = " ".join(given[name].replace("_", " ").strip() for name in _ENDS)
        yield statement(place, words, origin=Origin.AI)
        return
    if not _is_entity(given) or not isinstance(given.get("name"), str):
        yield Imported(place, problem="it is neither an entity nor a relation")
        return
    name = given["name"].replace("_", " ").strip()
    for text in given["observations"]:
        if isinstance(text, str) and text.strip():
            known = text if name.casefold() in text.casefold() else f"{name}: {text}"
            yield statement(place, known, origin=Origin.AI)
        else:
            yield Imported(place, omitted={"empty": 1})
