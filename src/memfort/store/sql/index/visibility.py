"""What a sight opens: the partitions whose reader list admits the asker and whose audience the room, partition group
by partition group. It is kept with the sight until somebody writes, since nothing else can change it."""

from __future__ import annotations

import weakref
from collections import Counter, defaultdict
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple, TypeVar, cast

from msgspec import Struct

from memfort.model.audience import audience_from_text
from memfort.model.item import Readers
from memfort.model.sight import Sight
from memfort.store.sql.connection import Connection
from memfort.store.sql.rows import readers_from_text

_Made = TypeVar("_Made")


class PartitionGroup(NamedTuple):
    """The visible partitions of one space and reader list as one, since whoever sees them sees them all."""

    no: int
    layer: int
    partitions: frozenset[int] | None  # `None`: every partition of the partition group
    stamp: int  # of its last change


class Visible(Struct, frozen=True):
    partitions: frozenset[int]
    partition_groups: tuple[PartitionGroup, ...]


def visible(connection: Connection, sight: Sight, version: int | None) -> Visible:
    return cache_until_written(connection, sight, "partitions", lambda: _visible(connection, sight), version)


def cache_until_written(
    connection: Connection, sight: Sight, name: str, make: Callable[[], _Made], version: int | None
) -> _Made:
    """What was made for this sight, as long as no other connection has written since. The version is that of the view
    that is read from; another connection has another. Whoever writes has none, as what they see is not written yet, so
    nothing is kept then."""
    if version is None:
        return make()
    whose, known, made = sight.memo.get(name, (None, None, None))
    if whose is None or whose() is not connection or known != version:
        made = make()
        sight.memo[name] = (weakref.ref(connection), version, made)
    return cast(_Made, made)


@lru_cache(maxsize=4096)
def readers_of(text: str) -> Readers:
    return readers_from_text(text)


def _visible(connection: Connection, sight: Sight) -> Visible:
    ids = connection.array(seen.space.id for seen in sight.spaces)
    open: defaultdict[int, list[int]] = defaultdict(list)
    all: Counter[int] = Counter()
    known: dict[int, tuple[int, int]] = {}
    for no, space, readers, audience, partition_group, stamp in connection.rows("partitions_in_sight", ids):
        all[partition_group] += 1
        seen = sight.by_id[space]
        if sight.admits_partition(seen, readers_of(readers), audience_from_text(audience)):
            open[partition_group].append(no)
            known[partition_group] = seen.layer, stamp
    partition_groups = [
        PartitionGroup(
            partition_group,
            known[partition_group][0],
            None if len(inside) == all[partition_group] else frozenset(inside),
            known[partition_group][1],
        )
        for partition_group, inside in open.items()
    ]
    return Visible(frozenset(no for inside in open.values() for no in inside), tuple(partition_groups))
