"""What is told of a person from wherever it stands: its own words and statistics, kept apart by person, place and what
decides whether it may be told, so that nothing which may not be told moves a score."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import apsw

from memfort.model.hearing import label_from_text, label_of, label_text, told_part
from memfort.model.item import Item
from memfort.model.moment import Moment
from memfort.model.sight import Sight
from memfort.store.port import Posting, Shelf
from memfort.store.sqlite.connection import rows, scalar
from memfort.store.sqlite.queries import QUERIES
from memfort.store.sqlite.rows import readers_text
from memfort.store.sqlite.visible import readers_of, until_written

Open = dict[int, tuple[int, int]]  # by the number of what is told together: how many, and their length


def shelves(
    connection: apsw.Connection, sight: Sight, terms: Mapping[int, str], now: Moment, *, is_writing: bool
) -> list[Shelf]:
    """What is told of the person asked about, as one shelf after all others."""
    found = ((person, open_to(connection, sight, person, is_writing=is_writing)) for person in sight.about)
    return [_of_person(connection, sight, person, where, terms, now) for person, where in found if where]


def numbers(connection: apsw.Connection, sight: Sight, handles: Sequence[int], *, is_writing: bool) -> set[int]:
    """Of these memories, those that are told."""
    where = all_open(connection, sight, is_writing=is_writing)
    if not where:
        return set()
    asked = (json.dumps(sorted(sight.about)), json.dumps(where), json.dumps(list(handles)))
    return {no for (no,) in rows(connection, QUERIES["told_among"], asked)}


def all_open(connection: apsw.Connection, sight: Sight, *, is_writing: bool) -> list[int]:
    return [no for person in sight.about for no in open_to(connection, sight, person, is_writing=is_writing)]


def open_to(connection: apsw.Connection, sight: Sight, person: str, *, is_writing: bool) -> Open:
    """Where something may be told of a person. What is in sight anyway is not told as well, or it would count twice."""

    def make() -> Open:
        return {
            no: (count, length)
            for no, space, readers, label, count, length in rows(connection, QUERIES["told_shelves"], (person,))
            if space not in sight.by_id
            and sight.admits_readers(readers_of(readers))
            and sight.is_told_label(label_from_text(label), (person,))
        }

    return until_written(connection, sight, f"told of {person}", make, is_writing=is_writing)


def number_for(connection: apsw.Connection, person: str, space: int, item: Item) -> int:
    """The number of what is told together with an item: the rest of its label decides nothing about that."""
    place = (person, space, readers_text(item.readers), label_text(told_part(label_of(item))))
    found = scalar(connection, QUERIES["told_no"], place)
    return int(rows(connection, QUERIES["add_told_shelf"], place)[0][0] if found is None else found)


def _of_person(
    connection: apsw.Connection, sight: Sight, person: str, where: Open, terms: Mapping[int, str], now: Moment
) -> Shelf:
    expired = rows(connection, QUERIES["told_expired"], (person, now))
    gone = {no: length for no, shelf, length in expired if shelf in where}
    postings: dict[str, list[Posting]] = {}
    for number, term in terms.items():
        stored = connection.execute(QUERIES["told_postings"], (person, number))
        postings[term] = [(no, often, long) for no, often, long, one in stored if one in where and no not in gone]
    count = sum(count for count, _ in where.values()) - len(gone)
    length = sum(length for _, length in where.values()) - sum(gone.values())
    return Shelf(sight.last_layer, count, length, postings)
