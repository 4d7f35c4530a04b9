"""What a sight opens: the shelves whose reader list admits the asker and whose label the room, rack by rack. It is kept
with the sight until somebody writes, since nothing else can change it."""

from __future__ import annotations

import json
import weakref
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, TypeVar, cast

import apsw

from memfort.model.hearing import label_from_text
from memfort.model.item import Readers
from memfort.model.sight import Sight
from memfort.store.sqlite.connection import rows
from memfort.store.sqlite.queries import QUERIES
from memfort.store.sqlite.rows import readers_from_text

_Made = TypeVar("_Made")


class Rack(NamedTuple):
    """The visible shelves of one space and reader list as one, since whoever sees them sees them all."""

    no: int
    layer: int
    shelves: frozenset[int] | None  # `None`: every shelf of the rack
    stamp: int  # of its last change


@dataclass(frozen=True, slots=True)
class Visible:
    shelves: frozenset[int]
    racks: tuple[Rack, ...]


def visible(connection: apsw.Connection, sight: Sight, version: int | None) -> Visible:
    return until_written(connection, sight, "shelves", lambda: _visible(connection, sight), version)


def until_written(
    connection: apsw.Connection, sight: Sight, name: str, make: Callable[[], _Made], version: int | None
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


def _visible(connection: apsw.Connection, sight: Sight) -> Visible:
    ids = json.dumps([seen.space.id.hex() for seen in sight.spaces])
    open: defaultdict[int, list[int]] = defaultdict(list)
    all: Counter[int] = Counter()
    known: dict[int, tuple[int, int]] = {}
    for no, space, readers, label, rack, stamp in rows(connection, QUERIES["shelves_in_sight"], (ids,)):
        all[rack] += 1
        seen = sight.by_id[space]
        if sight.admits_shelf(seen, readers_of(readers), label_from_text(label)):
            open[rack].append(no)
            known[rack] = seen.layer, stamp
    racks = [
        Rack(rack, known[rack][0], None if len(inside) == all[rack] else frozenset(inside), known[rack][1])
        for rack, inside in open.items()
    ]
    return Visible(frozenset(no for inside in open.values() for no in inside), tuple(racks))
