"""Partitions: which there are, who may read them, and how they are made, looked up and made anew.

A partition that is lost would hide its memories, so every look-up shows what is missing: the rows of a reader are
linked one to the next, each partition carries a seal, and both can be worked out from the memories again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from memfort.model.audience import audience_of
from memfort.model.item import Item, Readers
from memfort.model.people.actor import Actor
from memfort.model.sight import Sight
from memfort.store.sql.connection import AlreadyThere, Connection
from memfort.store.sql.damage import index_damaged
from memfort.store.sql.rows import readers_from_text, readers_text, seal
from memfort.trail.keys import Keys

_EVERYONE, _NOBODY = "", "-"
_FIRST = (_EVERYONE, 0)  # before all rows of a space
_END = (None, None)
_LOST = index_damaged("a partition of the index is missing or damaged")


class Place(NamedTuple):
    """Where a memory stands, in numbers."""

    space: int
    partition: int
    partition_group: int


class Partition(NamedTuple):
    """A partition as its row has it."""

    no: int
    space: int
    readers: str
    audience: str
    partition_group: int


class SeenPartition(NamedTuple):
    """A partition that a sight may open, with what its partition group counts."""

    space: bytes
    partition: Partition
    stamp: int
    entries: int


@lru_cache(maxsize=4096)
def readers_of(text: str) -> Readers:
    return readers_from_text(text)


def _reader_names(readers: Readers) -> list[str]:
    """Under which names a partition for these readers is found. Where users and agents are named both must admit, so
    the users' are enough."""
    if readers.is_open:
        return [_EVERYONE]
    kind, names = ("user", readers.users) if readers.users is not None else ("agent", readers.agents)
    return [f"{kind}:{name}" for name in sorted(names or ())] or [_NOBODY]


@lru_cache(maxsize=4096)
def _names_in(readers: str) -> frozenset[str]:
    return frozenset(_reader_names(readers_of(readers)))


def _names_of(actor: Actor) -> list[str]:
    """Under which names an actor finds partitions."""
    known = [("agent", actor.agent), ("user", actor.user)]
    return [_EVERYONE, *(f"{kind}:{name}" for kind, name in known if name is not None)]


# -- looking up ------------------------------------------------------------------------------------------------------


def in_sight(connection: Connection, keys: Keys, sight: Sight) -> list[SeenPartition]:
    """The partitions of the spaces in sight whose reader lists name the asker; all of them for a whole sight."""
    spaces = connection.array(seen.space.id for seen in sight.spaces)
    if connection.scalar("any_lost_space", spaces):
        raise index_damaged("a space is missing from the index")
    if sight.whole:
        rows = connection.rows("partitions_of_spaces", spaces)
        _check_links(rows)
    else:
        names = _names_of(sight.actor)
        rows = connection.rows("partitions_of_readers", spaces, connection.array(names))
        before = connection.rows("partition_readers_before", spaces, connection.array(names[1:]))
        _check_links(rows, names, before)
    found = {row[2]: row for row in rows if row[2] != _FIRST[1]}
    return [_seen(keys, row) for row in found.values()]


def _seen(keys: Keys, row: tuple[Any, ...]) -> SeenPartition:
    space, reader, stored, stamp, entries = row[0], row[1], row[5:11], row[11], row[12]
    if type(stamp) is not int or type(entries) is not int or not is_sealed(keys, stored):
        raise _LOST
    if reader not in _names_in(stored[2]):  # it took the number of one that was lost
        raise _LOST
    return SeenPartition(space, Partition(*stored[:-1]), stamp, entries)


def _check_links(
    rows: Sequence[tuple[Any, ...]], names: Sequence[str] | None = None, before: Iterable[tuple[Any, ...]] = ()
) -> None:
    """That no row is missing: of each reader's, or of all where no names are given."""
    chains: dict[Any, list[tuple[Any, Any]]] = {}  # by space and reader: where each row is, and which it says is next
    for space, reader, next_reader, next_partition, no in before:
        if no is not None:
            chains[space, reader] = [(None, (next_reader, next_partition))]
    for space, reader, partition, *next in (row[:5] for row in rows):
        chains.setdefault((space, reader if names else None), []).append(((reader, partition), tuple(next)))
    for (_, reader), chain in chains.items():
        if reader in {_EVERYONE, None} and chain[0][0] != _FIRST:
            raise _LOST
        if any(one[1] != other[0] for one, other in pairwise(chain)):
            raise _LOST
        last = chain[-1][1]
        if last != _END and (reader is None or last[0] is None or last[0] <= reader):
            raise _LOST


def is_sealed(keys: Keys, row: tuple[Any, ...]) -> bool:
    return _is_sealed(keys, "partition", row)


def is_disclosed_sealed(keys: Keys, row: tuple[Any, ...]) -> bool:
    return _is_sealed(keys, "disclosed_partition", row)


@lru_cache(maxsize=65_536)
def _is_sealed(keys: Keys, table: str, row: tuple[Any, ...]) -> bool:
    return bool(row[-1] == seal(keys, table, *row[:-1]))


# -- making ----------------------------------------------------------------------------------------------------------


def place(connection: Connection, keys: Keys, space: int, readers: str, audience: str) -> Place:
    """The partition of a reader list and an audience in a space, made if it is not there yet."""
    for partition, partition_group in connection.rows("partition_no", space, readers, audience):
        return Place(space, partition, partition_group)
    group = _group(connection, space, readers)
    no = int(connection.scalar("next_partition", space))
    try:
        add(connection, keys, Partition(no, space, readers, audience, group))
        _add_readers(connection, space, readers, no)
    except AlreadyThere:  # as readers of a partition that was lost
        raise _LOST from None
    return Place(space, no, group)


def _group(connection: Connection, space: int, readers: str) -> int:
    found = connection.scalar("partition_group_no", space, readers)
    return connection.add("add_partition_group", space, readers) if found is None else int(found)


def add(connection: Connection, keys: Keys, partition: Partition) -> None:
    connection.add("add_partition", *partition, seal(keys, "partition", *partition))


def _add_readers(connection: Connection, space: int, readers: str, partition: int) -> None:
    """Enter a partition under every name that it is found by, each between the rows before and after it."""
    if connection.row("partition_reader_before", space, _EVERYONE, 1) is None:
        connection.run("add_partition_reader", space, *_FIRST, *_END)
    for name in _reader_names(readers_of(readers)):
        no, *next = connection.row("partition_reader_before", space, name, partition)
        connection.add("add_partition_reader", space, name, partition, *next)
        connection.run("set_next_partition_reader", no, name, partition)


# -- recounting and making anew --------------------------------------------------------------------------------------


class Expected:
    """The spaces and partitions that memories say there are."""

    def __init__(self) -> None:
        self.spaces: dict[int, tuple[bytes, str]] = {}
        self.partitions: dict[int, tuple[int, str, str]] = {}

    def add(self, space: int, partition: int, item: Item) -> None:
        if space not in self.spaces:
            self.spaces[space] = (item.space.id, coordinates_text(item))
        if partition not in self.partitions:
            self.partitions[partition] = (space, readers_text(item.readers), audience_of(item).text)


def coordinates_text(item: Item) -> str:
    return json.dumps(item.space.to_dict(), ensure_ascii=False)


def problems(connection: Connection, keys: Keys, expected: Expected) -> Iterator[str]:
    """What of the spaces and partitions is not as the memories say."""
    spaces = {no: (id, text) for no, id, text in connection.rows("all_spaces")}
    if lost := sum(spaces.get(no) != one for no, one in expected.spaces.items()):
        yield f"missing or damaged spaces: {lost}"
    rows = connection.rows("all_partitions")
    there = {row[0]: row[1:4] for row in rows if is_sealed(keys, row)}
    if lost := sum(there.get(no) != one for no, one in expected.partitions.items()):
        yield f"missing or damaged partitions: {lost}"
    if damaged := sum(not is_sealed(keys, row) for row in rows):
        yield f"partitions that do not match their seals: {damaged}"
    groups = {no: (space, readers) for no, space, readers, _ in connection.rows("partition_groups")}
    if sum(groups.get(row[4]) != (row[1], row[2]) for row in rows):
        yield "the partition groups are off"
    if connection.rows("all_partition_readers") != _expected_readers(there):
        yield "the list of who may read which partition is off"


def _expected_readers(partitions: dict[int, tuple[int, str, str]]) -> list[tuple[Any, ...]]:
    by_space: dict[int, list[tuple[str, int]]] = {}
    for no, (space, readers, _) in partitions.items():
        by_space.setdefault(space, [_FIRST]).extend((name, no) for name in _reader_names(readers_of(readers)))
    found = []
    for space in sorted(by_space):
        listed = sorted(by_space[space])
        found += [(space, *one, *next) for one, next in zip(listed, [*listed[1:], _END], strict=True)]
    return found


def restore(connection: Connection, keys: Keys, expected: Expected) -> None:
    """Make the spaces and partitions as the memories say. Those that are right stay as they are, with their numbers."""
    spaces = {no: (id, text) for no, id, text in connection.rows("all_spaces")}
    for no, one in expected.spaces.items():
        if spaces.get(no) != one:
            connection.run("drop_space", no, one[0])
            connection.run("restore_space", no, *one)
    connection.run("drop_damaged_partition_groups")
    there = {row[0]: row for row in connection.rows("all_partitions")}
    wanted = {no: row[1:4] for no, row in there.items() if is_sealed(keys, row)} | expected.partitions
    first = {one: no for no, one in sorted(wanted.items(), reverse=True)}  # a lost one may have been made once more
    wanted = {no: one for one, no in first.items()}
    for no in there.keys() - wanted.keys():
        connection.run("drop_partition", no)
    for no, (space, readers, audience) in sorted(wanted.items()):
        partition = Partition(no, space, readers, audience, _group(connection, space, readers))
        if no in there and is_sealed(keys, there[no]) and there[no][:-1] == partition:
            continue
        connection.run("drop_partition", no)
        connection.run("drop_partition_at", space, readers, audience)
        add(connection, keys, partition)
    connection.run("clear_partition_readers")
    connection.many("add_partition_reader", _expected_readers(wanted))
