"""Changes, made to the tables: memories with their index entries and lineage, batches, rejected values, erasures,
upkeep."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from memfort.errors import StoreError
from memfort.model.item import Item, conversation_of, has_ended, is_in_force, parents_of
from memfort.store.port import (
    Change,
    DropPerson,
    DropPhases,
    DropQueuedTurn,
    DropRejectedValue,
    DropSource,
    Erase,
    Insert,
    PutErasure,
    PutKey,
    PutPerson,
    PutPhase,
    PutPolicy,
    PutQueuedTurn,
    PutRejectedValue,
    PutSource,
    Quarantine,
    Reindex,
    Sign,
    TouchKey,
    Update,
)
from memfort.store.sql import checkup, directory, people, records, trail
from memfort.store.sql.connection import AlreadyThere, Connection
from memfort.store.sql.damage import IdTaken
from memfort.store.sql.index import entries as index
from memfort.store.sql.index.entries import Entered, space_number
from memfort.store.sql.index.partitions import Place
from memfort.store.sql.rows import Row, columns, is_intact, item_of, row_of
from memfort.store.sql.writing import replies
from memfort.store.sql.writing.numbers import OpenNumbers
from memfort.store.sql.writing.write import Write
from memfort.trail.event import Event


def append(write: Write, events: Sequence[Event]) -> None:
    """Put the events on record."""
    trail.append(write.connection, write.counters, events, write.keys)


def undivided(numbers: OpenNumbers, changes: Sequence[Change]) -> Sequence[Insert] | None:
    """These changes, if they can fail only before they have changed anything, unless the store itself fails: an item on
    a partition that is there already, or none at all."""
    if not changes:
        return ()
    only = changes[0]
    if len(changes) > 1 or not isinstance(only, Insert) or only.origin is not None:
        return None
    return (only,) if index.has_place(numbers, only.item) else None


def make_all(write: Write, changes: Sequence[Change]) -> None:
    """Make the changes. Of inserts that follow each other the index entries are written together, and erasures that
    follow each other are made together."""
    for _, run in groupby(changes, key=type):
        made = list(run)
        inserts = [change for change in made if isinstance(change, Insert)]
        erased = [change for change in made if isinstance(change, Erase)]
        if inserts:
            entered = [one for change in inserts for one in insert(write, change)]
            index.enter(write.connection, write.keys, entered)
        elif erased:
            _erase(write, erased)
        else:
            for change in made:
                _make(write, change)


def _make(write: Write, change: Change) -> None:
    if isinstance(change, Update):
        _update(write, change)
    else:
        _make_other(write, change)


def _make_other(write: Write, change: Change) -> None:
    connection, keys, numbers = write.connection, write.keys, write.numbers
    if directory.change(connection, change):
        write.facts = {}
        return
    if replies.change(connection, change) or _queue(write, change):
        return
    if _change_people(write, change) or _set(write, change) or _keep_up(write, change):
        return
    match change:
        case PutSource(source):
            number = space_number(connection, numbers, source.space)
            connection.run("put_source", *records.source_row(keys, number, source))
        case DropSource(source):
            connection.run("drop_source", source.space.id, source.id)
        case PutRejectedValue(rejected_value):
            number = space_number(connection, numbers, rejected_value.space)
            write.counters.forget_rejected_values(number)
            connection.run(*records.statement_to_put(keys, number, rejected_value))
        case DropRejectedValue(rejected_value):
            connection.run(*records.statement_to_drop(rejected_value))
        case PutKey(kept):
            connection.run("put_access_key", *records.access_key_row(keys, kept))
        case TouchKey(id, at):
            connection.run("touch_access_key", id, at)
        case PutErasure(erasure):
            connection.run("put_erasure", *records.erasure_row(keys, erasure))
        case _:
            raise StoreError(f"this store does not know the change `{type(change).__name__}`")


def _change_people(write: Write, change: Change) -> bool:
    """Make a change if it is one of people; says whether it was."""
    if isinstance(change, PutPerson):
        write.reach([change.person.id])
    elif isinstance(change, DropPerson):
        write.reach([change.id])
        replies.empty(write.connection, change.id)
    return people.change(write.connection, write.keys, write.numbers, change)


def _set(write: Write, change: Change) -> bool:
    """Make a change if it sets a phase or the policy; says whether it was."""
    connection, keys, numbers = write.connection, write.keys, write.numbers
    match change:
        case PutPhase(space, phase):
            connection.run("put_phase", *records.phase_row(keys, space_number(connection, numbers, space), phase))
            connection.run("bump_phases")
            connection.run("bump_directory")
        case DropPhases(space, last):
            connection.run("drop_phases", space.id, last)
        case PutPolicy(digest, document):
            connection.run("put_policy", *records.with_seal(keys, "policy", digest, document))
            connection.run("set_meta", "policy", digest)
            connection.run("bump_directory")
        case _:
            return False
    write.facts = {}
    return True


def _queue(write: Write, change: Change) -> bool:
    """Make a change if it is one of the queue of turns; says whether it was."""
    connection, keys, numbers = write.connection, write.keys, write.numbers
    match change:
        case PutQueuedTurn(queued):
            number = space_number(connection, numbers, queued.space)
            if not connection.rows("item_for_change", number, queued.turn):
                raise ValueError(f"`{queued.turn}` is not in its space")
            connection.run("put_queued_turn", *records.queued_turn_row(keys, number, queued))
        case DropQueuedTurn(space, turn):
            connection.run("drop_queued_turn", space_number(connection, numbers, space), turn)
        case _:
            return False
    return True


def _keep_up(write: Write, change: Change) -> bool:
    """Make a change if it is about the store as a whole; says whether it was."""
    connection, keys, counters = write.connection, write.keys, write.counters
    match change:
        case Reindex():
            index.rebuild(connection, keys, counters, change.entry_of, change.disclosed_entry_of, change.progress)
            people.rebuild_names(connection, keys)
        case Quarantine(at):
            checkup.quarantine(connection, keys, counters, at, write.reach)
        case Sign(at):
            trail.sign_grown_chains(connection, counters, keys, at)
        case _:
            return False
    return True


def insert(write: Write, change: Insert) -> list[Entered]:
    """Add a memory; gives what is to be entered of it in the index."""
    connection, keys, numbers, counters = write.connection, write.keys, write.numbers, write.counters
    item, origin = change.item, change.origin
    write.reach(item.subjects)
    place = index.place_of(connection, keys, numbers, item)
    stamp = counters.coming_stamp(connection, place.partition_group) if is_in_force(item) else 0
    try:
        known = columns(keys, item, *place[:2], change.value, stamp)
        no = connection.add("add_item", *known, place.partition_group, conversation_of(item))
    except AlreadyThere:
        raise IdTaken(item.id) from None
    if stamp:
        counters.next_stamp(connection, place.partition_group, 1)
    counters.count_memories(connection, place.partition_group, 1)
    counters.put_value(place.space, change.value)
    entered = index.put_in(connection, keys, counters, no, place, stamp, item, change.entry, change.disclosed)
    lineage = [(place.space, parent, no) for parent in parents_of(item)]
    if origin is not None:
        lineage.append((space_number(connection, numbers, origin[0]), origin[1], no))
    if lineage:
        connection.many("add_lineage", lineage)
    return entered


def _update(write: Write, change: Update) -> None:
    connection, keys, numbers, counters = write.connection, write.keys, write.numbers, write.counters
    item = change.item
    write.reach(item.subjects)
    row = _taken_out(write, space_number(connection, numbers, item.space), item.id)
    place, stamp = _placed(write, item)  # it may have come to another partition
    no, record = row[0], row[11] if is_intact(keys, row) and item_of(row) == item else None
    known = columns(keys, item, *place[:2], change.value, stamp, record)
    connection.run("change_item", *known, place.partition_group)
    counters.count_memories(connection, place.partition_group, 1)
    counters.put_value(place.space, change.value)
    entered = index.put_in(connection, keys, counters, no, place, stamp, item, change.entry, change.disclosed)
    index.enter(connection, keys, entered)
    connection.run("drop_lineage", place.space, no)
    connection.many("add_lineage", [(place.space, parent, no) for parent in parents_of(item)])
    if has_ended(item):
        connection.run("drop_queued_turn", place.space, item.id)
    if change.redacts:
        replies.empty(connection, item.id)


def _erase(write: Write, erased: Sequence[Erase]) -> None:
    """Remove memories, all of them with a few statements."""
    connection, keys, numbers, counters = write.connection, write.keys, write.numbers, write.counters
    by_space: dict[int, list[str]] = {}
    for change in erased:
        by_space.setdefault(space_number(connection, numbers, change.space), []).append(change.id)
    intact: list[Row] = []
    damaged: list[Row] = []
    for space, ids in by_space.items():
        connection.run("drop_queued_turns", space, connection.array(ids))
    for row, group in _rows_to_erase(connection, by_space):
        if group != index.NO_GROUP:
            counters.count_memories(connection, group, -1)
        (intact if is_intact(keys, row) else damaged).append(row)
    index.take_out(connection, counters, intact, write.reach)
    _drop_rows(connection, intact)
    for row in damaged:  # after the others are gone: what is in force is counted anew from the rows that are left
        index.take_out_damaged(connection, keys, counters, [row[0]], write.reach)
        connection.run("release_from_quarantine", row[0])
    _drop_rows(connection, damaged)
    replies.empty(connection, *(change.id for change in erased))


def _drop_rows(connection: Connection, rows: Sequence[Row]) -> None:
    if not rows:
        return
    gone = connection.number_array([row[0] for row in rows])
    connection.run("drop_lineage_of_children", gone)
    connection.run("drop_items", gone)


def _rows_to_erase(connection: Connection, by_space: dict[int, list[str]]) -> Iterator[tuple[Row, int]]:
    """The rows of these memories with the partition group of each; every memory must be there."""
    for space, ids in by_space.items():
        stored = connection.rows("items_to_erase", space, connection.array(ids))
        found = {row[2]: (row, group) for *known, group in stored for row in [row_of(tuple(known))]}
        for id in ids:
            if id not in found:
                raise ValueError(f"`{id}` is not in its space")
            yield found.pop(id)


def _taken_out(write: Write, space: int, id: str) -> Row:
    """The row of a memory that is about to change or go, with its index entries gone already."""
    connection, keys, counters = write.connection, write.keys, write.counters
    found = connection.rows("item_for_change", space, id)
    if not found:
        raise ValueError(f"`{id}` is not in its space")
    row = row_of(found[0])
    group = connection.scalar("group_of_item", row[0])
    if group != index.NO_GROUP:
        counters.count_memories(connection, group, -1)
    if is_intact(keys, row):
        index.take_out(connection, counters, [row], write.reach)
    else:
        index.take_out_damaged(connection, keys, counters, [row[0]], write.reach)
        connection.run("release_from_quarantine", row[0])
    return row


def _placed(write: Write, item: Item) -> tuple[Place, int]:
    """Where the item stands, and the stamp that its entry there will have."""
    connection, keys, numbers, counters = write.connection, write.keys, write.numbers, write.counters
    place = index.place_of(connection, keys, numbers, item)
    return place, counters.next_stamp(connection, place.partition_group, 1) if is_in_force(item) else 0
