"""What is told of a person from wherever it stands: a rack of its own, where it is kept apart by place and by what
decides whether it may be told, so that nothing which may not be told moves a score."""

from __future__ import annotations

import json
from collections.abc import Sequence

import apsw

from memfort.model.hearing import label_from_text, label_of, told_part
from memfort.model.item import Item
from memfort.model.sight import Sight
from memfort.store.sqlite.connection import rows, scalar
from memfort.store.sqlite.queries import QUERIES
from memfort.store.sqlite.rows import readers_text
from memfort.store.sqlite.visible import Rack, readers_of, until_written


def racks(connection: apsw.Connection, sight: Sight, version: int | None) -> list[Rack]:
    """What is told of the persons asked about, after everything in sight."""
    found = (open_to(connection, sight, person, version) for person in sorted(sight.about))
    return [rack for rack in found if rack is not None]


def numbers(connection: apsw.Connection, sight: Sight, handles: Sequence[int], version: int | None) -> set[int]:
    """Of these memories, those that are told."""
    where = all_open(connection, sight, version)
    if not where:
        return set()
    asked = (json.dumps(sorted(sight.about)), json.dumps(where), json.dumps(list(handles)))
    return {no for (no,) in rows(connection, QUERIES["told_among"], asked)}


def all_open(connection: apsw.Connection, sight: Sight, version: int | None) -> list[int]:
    return [no for rack in racks(connection, sight, version) for no in rack.shelves or ()]


def open_to(connection: apsw.Connection, sight: Sight, person: str, version: int | None) -> Rack | None:
    """Where something may be told of a person. What is in sight anyway is not told as well, or it would count twice."""

    def make() -> Rack | None:
        found = rows(connection, QUERIES["told_shelves"], (person,))
        shelves = frozenset(
            no
            for no, space, user, readers, label, _, _ in found
            if space not in sight.by_id
            and sight.is_told_shelf(readers_of(readers), label_from_text(label), (person,), user)
        )
        return Rack(found[0][5], sight.last_layer, shelves, found[0][6]) if shelves else None

    return until_written(connection, sight, f"told of {person}", make, version)


def told_shelf_for(connection: apsw.Connection, person: str, space: int, item: Item) -> tuple[int, int]:
    """The number of what is told together with an item, and of the person's rack: the rest of its label decides nothing
    about that."""
    place = (person, space, readers_text(item.readers), told_part(label_of(item), person).text)
    for shelf, rack in rows(connection, QUERIES["told_no"], place):
        return shelf, rack
    rack = scalar(connection, QUERIES["rack_of_person"], (person,))
    if rack is None:
        rack = rows(connection, QUERIES["add_rack_of_person"], (person,))[0][0]
    return rows(connection, QUERIES["add_told_shelf"], (*place, rack))[0][0], rack
