"""Changes, made to the tables: memories with their index entries and lineage, import batches, bars, erasures."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import apsw

from memfort.errors import StoreError
from memfort.model.item import Item, Readers
from memfort.model.space import Space
from memfort.store.port import Change, DropBar, DropSource, Erase, Insert, PutBar, PutErasure, PutSource, Update
from memfort.store.sqlite import checkup, directory, records
from memfort.store.sqlite.connection import rows, scalar
from memfort.store.sqlite.queries import QUERIES
from memfort.store.sqlite.rows import columns, is_indexed, is_intact, readers_text, row_of, unpack_terms
from memfort.trace.keys import Keys


def make(connection: apsw.Connection, keys: Keys, change: Change) -> None:
    """Make one change, inside the transaction that is open."""
    if directory.change(connection, change):
        return
    match change:
        case Insert(item, value, terms):
            _insert(connection, keys, item, value, terms)
        case Update(item, value, terms):
            _update(connection, keys, item, value, terms)
        case Erase(space, id):
            _erase(connection, space, id)
        case PutSource(source):
            _run(
                connection,
                "put_source",
                _space_number(connection, source.space),
                source.id,
                records.write_source(source),
            )
        case DropSource(source):
            _run(connection, "drop_source", source.space.id, source.id)
        case PutBar(bar):
            number = _space_number(connection, bar.space)
            _run(connection, "put_bar", number, readers_text(bar.readers), bar.value, bar.authority)
        case DropBar(bar):
            _run(connection, "drop_bar", bar.space.id, readers_text(bar.readers), bar.value)
        case PutErasure(erasure):
            _run(connection, "put_erasure", erasure.id, erasure.at, erasure.pending, records.write_erasure(erasure))
        case _:
            raise StoreError(f"this store does not know the change `{type(change).__name__}`")


def _run(connection: apsw.Connection, query: str, *values: Any) -> None:
    connection.execute(QUERIES[query], values)


def _insert(connection: apsw.Connection, keys: Keys, item: Item, value: bytes, terms: Mapping[str, int]) -> None:
    space = _space_number(connection, item.space)
    shelf = _shelf_number(connection, space, item.readers)
    numbered = _numbered(keys, terms)
    try:
        added = rows(connection, QUERIES["add_item"], columns(item, space, shelf, value, numbered))
    except apsw.ConstraintError:
        raise ValueError(f"`{item.id}` is already in its space") from None
    _index(connection, added[0][0], shelf, item, numbered)
    lineage = [(space, parent, added[0][0]) for parent in item.derived_from]
    connection.executemany(QUERIES["add_lineage"], lineage)
    connection.execute(QUERIES["set_number"], (shelf, item.author.key, item.kind, item.number + 1))


def _update(connection: apsw.Connection, keys: Keys, item: Item, value: bytes, terms: Mapping[str, int]) -> None:
    space = _space_number(connection, item.space)
    shelf = _shelf_number(connection, space, item.readers)
    no = _taken_out(connection, space, item.id)
    numbered = _numbered(keys, terms)
    connection.execute(QUERIES["change_item"], columns(item, space, shelf, value, numbered))
    _index(connection, no, shelf, item, numbered)
    connection.executemany(QUERIES["add_lineage"], [(space, parent, no) for parent in item.derived_from])


def _erase(connection: apsw.Connection, space: Space, id: str) -> None:
    no = _taken_out(connection, _space_number(connection, space), id)
    connection.execute(QUERIES["drop_item"], (no,))


def _index(connection: apsw.Connection, no: int, shelf: int, item: Item, terms: Mapping[int, int]) -> None:
    if not is_indexed(item):
        return
    length = sum(terms.values())
    postings = [(shelf, term, no, frequency, length) for term, frequency in terms.items()]
    connection.executemany(QUERIES["add_posting"], postings)
    connection.execute(QUERIES["grow_shelf"], (shelf, 1, length))


def _taken_out(connection: apsw.Connection, space: int, id: str) -> int:
    """The number of a memory that is about to change or go, with its index entries and lineage gone already."""
    found = rows(connection, QUERIES["item_for_change"], (space, id))
    if not found:
        raise ValueError(f"`{id}` is not in its space")
    row = row_of(found[0])
    no, shelf, indexed, length = row[0], row[3], row[10], row[11]
    _run(connection, "drop_lineage_of_child", no)
    if not is_intact(row):
        checkup.take_out(connection, no)
        _run(connection, "release_from_quarantine", no)
    elif indexed:
        connection.executemany(QUERIES["drop_posting"], [(shelf, term, no) for term in unpack_terms(row[14])])
        connection.execute(QUERIES["grow_shelf"], (shelf, -1, -length))
    return no


def _numbered(keys: Keys, terms: Mapping[str, int]) -> dict[int, int]:
    return {keys.term(term): frequency for term, frequency in sorted(terms.items())}


def _space_number(connection: apsw.Connection, space: Space) -> int:
    found = scalar(connection, QUERIES["space_no"], (space.id,))
    if found is None:
        coordinates = json.dumps(space.as_dict(), ensure_ascii=False)
        found = connection.execute(QUERIES["add_space"], (space.id, coordinates)).fetchall()[0][0]
    return int(found)


def _shelf_number(connection: apsw.Connection, space: int, readers: Readers) -> int:
    values = (space, readers_text(readers))
    found = scalar(connection, QUERIES["shelf_no"], values)
    if found is None:
        found = connection.execute(QUERIES["add_shelf"], values).fetchall()[0][0]
    return int(found)
