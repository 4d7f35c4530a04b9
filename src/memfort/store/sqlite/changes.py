"""Changes, made to the tables: memories with their index entries and lineage, batches, bars, erasures, upkeep."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import apsw

from memfort.errors import StoreError
from memfort.model.item import Item, is_in_force
from memfort.model.space import Space
from memfort.store.port import (
    Change,
    DropBar,
    DropPhases,
    DropSource,
    Erase,
    Insert,
    PutBar,
    PutErasure,
    PutPhase,
    PutPolicy,
    PutSource,
    Quarantine,
    Reindex,
    Sign,
    Update,
)
from memfort.store.sqlite import checkup, directory, index, people, records, trail
from memfort.store.sqlite.connection import rows
from memfort.store.sqlite.counters import Counters
from memfort.store.sqlite.index import Entered, space_number
from memfort.store.sqlite.numbers import Numbers
from memfort.store.sqlite.queries import QUERIES
from memfort.store.sqlite.rows import Row, columns, is_intact, item_of, readers_text, row_of
from memfort.trace.event import Event
from memfort.trace.keys import Keys


class Desk(NamedTuple):
    """What changes are made with, inside the transaction that is open."""

    connection: apsw.Connection
    keys: Keys
    numbers: Numbers
    counters: Counters


def append(desk: Desk, events: Sequence[Event]) -> None:
    """Put the events on record."""
    trail.append(desk.connection, desk.counters, events, desk.keys)


def undivided(numbers: Numbers, changes: Sequence[Change]) -> Sequence[Insert] | None:
    """These changes, if they can fail only before they have changed anything, unless the store itself fails: an item on
    a shelf that is there already, or none at all."""
    if not changes:
        return ()
    only = changes[0]
    if len(changes) > 1 or not isinstance(only, Insert) or only.origin is not None:
        return None
    return (only,) if index.has_place(numbers, only.item) else None


def make(desk: Desk, change: Change) -> None:
    """Make one change."""
    match change:
        case Insert():
            index.enter(desk.connection, desk.keys, insert(desk, change))
        case Update():
            _update(desk, change)
        case Erase(space, id):
            _erase(desk, space, id)
        case _:
            _make_other(desk, change)


def _make_other(desk: Desk, change: Change) -> None:
    connection, keys, numbers, counters = desk
    if directory.change(connection, change):
        counters.facts = {}
        return
    if people.change(connection, keys, numbers, change) or _set(desk, change) or _keep_up(desk, change):
        return
    match change:
        case PutSource(source):
            number = space_number(connection, numbers, source.space)
            _run(connection, "put_source", *records.source_row(keys, number, source))
        case DropSource(source):
            _run(connection, "drop_source", source.space.id, source.id)
        case PutBar(bar):
            number = space_number(connection, numbers, bar.space)
            counters.forget_bars(number)
            _run(connection, "put_bar", *records.bar_row(keys, number, bar))
        case DropBar(bar):
            _run(connection, "drop_bar", bar.space.id, readers_text(bar.readers), bar.value)
        case PutErasure(erasure):
            _run(connection, "put_erasure", *records.erasure_row(keys, erasure))
        case _:
            raise StoreError(f"this store does not know the change `{type(change).__name__}`")


def _set(desk: Desk, change: Change) -> bool:
    """Make a change if it sets a phase or the policy; says whether it was."""
    connection, keys, numbers, counters = desk
    match change:
        case PutPhase(space, phase):
            _run(connection, "put_phase", *records.phase_row(keys, space_number(connection, numbers, space), phase))
            _run(connection, "bump_phases")
            _run(connection, "bump_directory")
        case DropPhases(space, last):
            _run(connection, "drop_phases", space.id, last)
        case PutPolicy(digest, document):
            _run(connection, "put_policy", *records.sealed(keys, "policy", digest, document))
            _run(connection, "set_meta", "policy", digest)
            _run(connection, "bump_directory")
        case _:
            return False
    counters.facts = {}
    return True


def _keep_up(desk: Desk, change: Change) -> bool:
    """Make a change if it is about the store as a whole; says whether it was."""
    connection, keys, _, counters = desk
    match change:
        case Reindex():
            index.rebuild(connection, keys, counters, change.entry_of, change.told_entry_of, change.progress)
            people.index_anew(connection, keys)
        case Quarantine(at):
            checkup.quarantine(connection, keys, counters, at)
        case Sign(at):
            trail.sign_grown(connection, counters, keys, at)
        case _:
            return False
    return True


def _run(connection: apsw.Connection, query: str, *values: Any) -> None:
    connection.execute(QUERIES[query], values)


def insert(desk: Desk, change: Insert) -> list[Entered]:
    """Add a memory; gives what is to be entered of it in the index."""
    connection, keys, numbers, counters = desk
    item, origin = change.item, change.origin
    place, stamp = _placed(desk, item)
    try:
        connection.execute(QUERIES["add_item"], columns(keys, item, *place[:2], change.value, stamp))
    except apsw.ConstraintError:
        raise ValueError(f"`{item.id}` is already in its space") from None
    counters.put_value(place.space, change.value)
    no = connection.last_insert_rowid()  # to have it returned costs a table of its own
    entered = index.put_in(connection, keys, counters, no, place, stamp, item, change.entry, change.told)
    lineage = [(place.space, parent, no) for parent in item.derived_from]
    if origin is not None:
        lineage.append((space_number(connection, numbers, origin[0]), origin[1], no))
    if lineage:
        connection.executemany(QUERIES["add_lineage"], lineage)
    return entered


def _update(desk: Desk, change: Update) -> None:
    connection, keys, numbers, counters = desk
    item = change.item
    row = _taken_out(desk, space_number(connection, numbers, item.space), item.id)
    place, stamp = _placed(desk, item)  # it may have come to another shelf
    no, record = row[0], row[11] if is_intact(keys, row) and item_of(row) == item else None
    connection.execute(QUERIES["change_item"], columns(keys, item, *place[:2], change.value, stamp, record))
    counters.put_value(place.space, change.value)
    entered = index.put_in(connection, keys, counters, no, place, stamp, item, change.entry, change.told)
    index.enter(connection, keys, entered)
    _run(connection, "drop_lineage", place.space, no)
    connection.executemany(QUERIES["add_lineage"], [(place.space, parent, no) for parent in item.derived_from])


def _erase(desk: Desk, space: Space, id: str) -> None:
    connection = desk.connection
    row = _taken_out(desk, space_number(connection, desk.numbers, space), id)
    _run(connection, "drop_lineage_of_child", row[0])
    _run(connection, "drop_item", row[0])


def _taken_out(desk: Desk, space: int, id: str) -> Row:
    """The row of a memory that is about to change or go, with its index entries gone already."""
    connection, keys, _, counters = desk
    found = rows(connection, QUERIES["item_for_change"], (space, id))
    if not found:
        raise ValueError(f"`{id}` is not in its space")
    row = row_of(found[0])
    if is_intact(keys, row):
        index.take_out(connection, counters, row)
    else:
        index.take_out_damaged(connection, keys, counters, [row[0]])
        _run(connection, "release_from_quarantine", row[0])
    return row


def _placed(desk: Desk, item: Item) -> tuple[index.Place, int]:
    """Where the item stands, and the stamp that its entry there will have."""
    place = index.place_of(desk.connection, desk.numbers, item)
    return place, desk.counters.next_stamp(desk.connection, place.rack) if is_in_force(item) else 0
