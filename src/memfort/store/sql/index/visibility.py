"""What a sight opens: the partitions whose reader list admits the asker and whose audience the room, partition group
by partition group. It is kept with the sight until somebody writes, since nothing else can change it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from typing import NamedTuple, TypeVar, cast
from weakref import WeakKeyDictionary

from msgspec import Struct

from memfort.model.audience import audience_from_text
from memfort.model.sight import Sight
from memfort.store.sql.connection import Connection
from memfort.store.sql.index.partitions import in_sight, readers_of
from memfort.trail.keys import Keys

_Made = TypeVar("_Made")


class PartitionGroup(NamedTuple):
    """The visible partitions of one space and reader list as one, since whoever sees them sees them all."""

    no: int
    layer: int
    partitions: frozenset[int] | None  # `None`: every partition of the partition group
    stamp: int  # of its last change
    entries: int  # how many it has


class Visible(Struct, frozen=True):
    partitions: frozenset[int]
    partition_groups: tuple[PartitionGroup, ...]


def visible(connection: Connection, keys: Keys, sight: Sight, version: int | None) -> Visible:
    return cache_until_written(connection, sight, "partitions", lambda: _visible(connection, keys, sight), version)


def cache_until_written(
    connection: Connection, sight: Sight, name: str, make: Callable[[], _Made], version: int | None
) -> _Made:
    """What was made for this sight, as long as no other connection has written since. The version is that of the view
    that is read from; another connection has another. Whoever writes has none, as what they see is not written yet, so
    nothing is kept then."""
    if version is None:
        return make()
    # One for each connection: threads take turns on a sight, and would push out what the others made.
    by_connection = sight.memo.setdefault(name, WeakKeyDictionary())
    known, made = by_connection.get(connection, (None, None))
    if known != version:
        made = make()
        by_connection[connection] = (version, made)
    return cast(_Made, made)


def _visible(connection: Connection, keys: Keys, sight: Sight) -> Visible:
    open: defaultdict[int, list[int]] = defaultdict(list)
    all: Counter[int] = Counter()
    known: dict[int, tuple[int, int, int]] = {}
    for space, partition, stamp, entries in in_sight(connection, keys, sight):
        all[partition.partition_group] += 1
        seen = sight.by_id[space]
        if sight.admits_partition(seen, readers_of(partition.readers), audience_from_text(partition.audience)):
            open[partition.partition_group].append(partition.no)
            known[partition.partition_group] = seen.layer, stamp, entries
    partition_groups = []
    for no, inside in open.items():
        layer, stamp, entries = known[no]
        visible = None if len(inside) == all[no] else frozenset(inside)
        partition_groups.append(PartitionGroup(no, layer, visible, stamp, entries))
    return Visible(frozenset(no for inside in open.values() for no in inside), tuple(partition_groups))
