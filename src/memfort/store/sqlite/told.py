"""What is told of a person from wherever it stands: its own words and statistics, kept for each person and shelf apart,
so that nothing which may not be told moves a score."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache

import apsw

from memfort.model.hearing import label_from_text
from memfort.model.item import Readers
from memfort.model.moment import Moment
from memfort.model.sight import Sight
from memfort.store.port import Posting, Shelf
from memfort.store.sqlite.connection import rows
from memfort.store.sqlite.queries import QUERIES
from memfort.store.sqlite.rows import readers_from_text

_Statistics = dict[int, tuple[int, int]]  # by shelf: how many may be told, and their length


def shelves(connection: apsw.Connection, sight: Sight, terms: Mapping[int, str], now: Moment) -> list[Shelf]:
    """What is told of the person asked about, as one shelf after all others."""
    of_each = ((person, _open_shelves(connection, sight, person)) for person in sight.about)
    return [_of_person(connection, sight, person, where, terms, now) for person, where in of_each if where]


def visible(connection: apsw.Connection, sight: Sight) -> set[int]:
    """The shelves out of sight on which something is told."""
    return {no for person in sight.about for no in _open_shelves(connection, sight, person)}


def _open_shelves(connection: apsw.Connection, sight: Sight, person: str) -> _Statistics:
    """What is in sight anyway is not told as well, or it would count twice."""
    return {
        no: (count, length)
        for no, space, readers, label, count, length in rows(connection, QUERIES["told_shelves"], (person,))
        if space not in sight.by_id
        and sight.admits_readers(_readers(readers))
        and sight.is_told_label(label_from_text(label), (person,))
    }


def _of_person(
    connection: apsw.Connection,
    sight: Sight,
    person: str,
    open_shelves: _Statistics,
    terms: Mapping[int, str],
    now: Moment,
) -> Shelf:
    numbers = json.dumps(list(open_shelves))
    gone = {no: length for _, no, length in connection.execute(QUERIES["told_expired"], (numbers, now, person))}
    postings: dict[str, list[Posting]] = {}
    for number, term in terms.items():
        stored = connection.execute(QUERIES["told_postings"], (person, number))
        postings[term] = [
            (no, often, long) for no, often, long, shelf in stored if shelf in open_shelves and no not in gone
        ]
    count = sum(count for count, _ in open_shelves.values()) - len(gone)
    length = sum(length for _, length in open_shelves.values()) - sum(gone.values())
    return Shelf(sight.last_layer, count, length, postings)


@lru_cache(maxsize=4096)
def _readers(text: str) -> Readers:
    return readers_from_text(text)
