"""Memories about a person that are disclosed from other spaces. Each person has a
partition group for them, with a partition for each space, reader list and audience: what may not be disclosed
moves no score."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memfort.model.audience import audience_from_text, audience_of
from memfort.model.item import Item
from memfort.model.sight import Sight
from memfort.store.sql.connection import Connection
from memfort.store.sql.damage import index_damaged
from memfort.store.sql.index.partitions import is_disclosed_sealed, readers_of
from memfort.store.sql.index.visibility import PartitionGroup, cache_until_written
from memfort.store.sql.rows import readers_text, seal
from memfort.trail.keys import Keys


def partition_groups(connection: Connection, keys: Keys, sight: Sight, version: int | None) -> list[PartitionGroup]:
    """What is disclosed to the persons asked about, after everything in sight."""
    found = (disclosed_group_of(connection, keys, sight, person, version) for person in sorted(sight.about))
    return [partition_group for partition_group in found if partition_group is not None]


def numbers(connection: Connection, keys: Keys, sight: Sight, handles: Sequence[int], version: int | None) -> set[int]:
    """Of these memories, those that are disclosed."""
    where = disclosed_partition_numbers(connection, keys, sight, version)
    if not where:
        return set()
    asked = (connection.array(sorted(sight.about)), connection.array(where), connection.array(handles))
    return {no for (no,) in connection.rows("disclosed_among", *asked)}


def disclosed_partition_numbers(connection: Connection, keys: Keys, sight: Sight, version: int | None) -> list[int]:
    return [
        no
        for partition_group in partition_groups(connection, keys, sight, version)
        for no in partition_group.partitions or ()
    ]


def disclosed_group_of(
    connection: Connection, keys: Keys, sight: Sight, person: str, version: int | None
) -> PartitionGroup | None:
    """What may be disclosed about a person. What is in sight anyway is left out, and so is what is disclosed because of
    another person already: either would count twice."""

    def make() -> PartitionGroup | None:
        found = connection.rows("disclosed_partitions", person)
        check_listed(connection, [person])
        if connection.scalar("any_undisclosable", person) or not all(_is_whole(keys, row) for row in found):
            raise index_damaged("a partition of what may be disclosed to a person is missing or damaged")
        partitions = frozenset(
            no
            for no, _, _, readers, audience, _, _, space, user, _, _ in found
            if space not in sight.by_id
            and sight.disclosed_about(readers_of(readers), audience_from_text(audience), user) == person
        )
        if not partitions:
            return None
        *_, stamp, entries = found[0]
        return PartitionGroup(found[0][5], sight.last_layer, partitions, stamp, entries)

    return cache_until_written(connection, sight, f"disclosed to {person}", make, version)


def _is_whole(keys: Keys, row: tuple[Any, ...]) -> bool:
    *_, space, _, stamp, entries = row
    return is_disclosed_sealed(keys, row[:7]) and space is not None and type(stamp) is type(entries) is int


def check_listed(connection: Connection, persons: Sequence[str]) -> None:
    """That no memory is missing from the list of those about each of these persons."""
    if any(counted != listed for counted, listed in connection.rows("subjects_counted", connection.array(persons))):
        raise index_damaged("the list of memories about people is damaged")


def group_of_person(connection: Connection, person: str) -> int:
    """The partition group of a person, made if it is not there yet."""
    found = connection.scalar("partition_group_of_person", person)
    return connection.add("add_partition_group_of_person", person) if found is None else int(found)


def disclosed_partition_for(connection: Connection, keys: Keys, person: str, group: int, space: int, item: Item) -> int:
    """The number of the partition that an item is disclosed with, in a person's partition group."""
    place = (person, space, readers_text(item.readers), audience_of(item).text)
    for partition, _ in connection.rows("disclosed_partition_no", *place):
        return int(partition)
    row = (int(connection.scalar("next_disclosed_partition", person)), *place, group)
    connection.run("add_disclosed_partition", *row, seal(keys, "disclosed_partition", *row))
    return row[0]


def restore(connection: Connection, keys: Keys) -> None:
    """Take out the partitions that are damaged or of another group than their person's: memories make them anew."""
    groups = {person: no for no, _, _, person in connection.rows("partition_groups") if person is not None}
    for row in connection.rows("all_disclosed_partitions"):
        if not is_disclosed_sealed(keys, row) or groups.get(row[1]) != row[5]:
            connection.run("drop_disclosed_partition", row[0])
