"""Memories that are disclosed to the person they are about, from whatever space they are in. Each person has a
partition group for them, with a partition for each space, reader list and audience: what may not be disclosed
moves no score."""

from __future__ import annotations

from collections.abc import Sequence

from memfort.model.audience import audience_from_text, audience_of, disclosed_part
from memfort.model.item import Item
from memfort.model.sight import Sight
from memfort.store.sql.connection import Connection
from memfort.store.sql.index.visibility import PartitionGroup, cache_until_written, readers_of
from memfort.store.sql.rows import readers_text


def partition_groups(connection: Connection, sight: Sight, version: int | None) -> list[PartitionGroup]:
    """What is disclosed to the persons asked about, after everything in sight."""
    found = (disclosed_group_of(connection, sight, person, version) for person in sorted(sight.about))
    return [partition_group for partition_group in found if partition_group is not None]


def numbers(connection: Connection, sight: Sight, handles: Sequence[int], version: int | None) -> set[int]:
    """Of these memories, those that are disclosed."""
    where = disclosed_partition_numbers(connection, sight, version)
    if not where:
        return set()
    asked = (connection.array(sorted(sight.about)), connection.array(where), connection.array(handles))
    return {no for (no,) in connection.rows("disclosed_among", *asked)}


def disclosed_partition_numbers(connection: Connection, sight: Sight, version: int | None) -> list[int]:
    return [
        no
        for partition_group in partition_groups(connection, sight, version)
        for no in partition_group.partitions or ()
    ]


def disclosed_group_of(connection: Connection, sight: Sight, person: str, version: int | None) -> PartitionGroup | None:
    """What may be disclosed to a person. What is in sight anyway is left out, or it would count twice."""

    def make() -> PartitionGroup | None:
        found = connection.rows("disclosed_partitions", person)
        partitions = frozenset(
            no
            for no, space, user, readers, audience, _, _ in found
            if space not in sight.by_id
            and sight.is_disclosed_partition(readers_of(readers), audience_from_text(audience), (person,), user)
        )
        return PartitionGroup(found[0][5], sight.last_layer, partitions, found[0][6]) if partitions else None

    return cache_until_written(connection, sight, f"disclosed to {person}", make, version)


def disclosed_partition_for(connection: Connection, person: str, space: int, item: Item) -> tuple[int, int]:
    """The numbers of the partition that an item is disclosed with, and of the person's partition group. Only a part of
    its audience decides about that."""
    place = (person, space, readers_text(item.readers), disclosed_part(audience_of(item), person).text)
    for partition, partition_group in connection.rows("disclosed_partition_no", *place):
        return partition, partition_group
    partition_group = connection.scalar("partition_group_of_person", person)
    if partition_group is None:
        partition_group = connection.add("add_partition_group_of_person", person)
    return connection.add("add_disclosed_partition", *place, partition_group), partition_group
