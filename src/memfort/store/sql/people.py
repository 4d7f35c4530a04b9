"""People and relations in SQLite: sealed records, and the names that lead to them.

A name leads to a record and proves nothing. Whether somebody is called so is asked of the record, which has a seal.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from memfort.model.item import Readers
from memfort.model.people.actor import Actor
from memfort.model.people.person import (
    Homes,
    Person,
    Relation,
    lookup_names,
    person_from_dict,
    person_to_dict,
    relation_from_dict,
    relation_to_dict,
)
from memfort.model.serialize.encoding import canonical_json
from memfort.model.sight import Sight
from memfort.store.port import Change, DropPerson, DropRelation, PutPerson, PutRelation
from memfort.store.sql import records
from memfort.store.sql.connection import Connection
from memfort.store.sql.index.entries import space_number
from memfort.store.sql.pages import ROWS_PER_PAGE, pages
from memfort.store.sql.rows import readers_text
from memfort.store.sql.writing.numbers import OpenNumbers
from memfort.trail.keys import Keys

LISTED = 0  # in place of a space, for who is there for all to see


def homes(sight: Sight, numbered: Iterable[int]) -> list[int]:
    """Where a sight sees people: in its spaces, and those who are listed."""
    return [LISTED, *numbered] if sight.sees_directory else []


def by_id(connection: Connection, keys: Keys, sight: Sight, homes: str, ids: Sequence[str]) -> list[Person]:
    return list(_people(keys, sight, connection.rows("people_by_id", homes, connection.array(ids))))


def people_named(connection: Connection, keys: Keys, sight: Sight, homes: str, names: Sequence[str]) -> list[Person]:
    found = _people(keys, sight, connection.rows("people_named", homes, connection.array(names)))
    return [person for person in found if not lookup_names(person).isdisjoint(names)]


def after(connection: Connection, keys: Keys, sight: Sight, homes: str, last: str, limit: int) -> list[Person]:
    return list(islice(_people(keys, sight, connection.each("people_after", homes, last)), limit))


def relations(connection: Connection, keys: Keys, sight: Sight, homes: str, persons: str) -> list[Relation]:
    return list(_relations(keys, sight, connection.rows("relations_of", homes, persons)))


def all_relations(connection: Connection, keys: Keys, sight: Sight, homes: str) -> Iterator[Relation]:
    rows = pages(lambda last: connection.rows("relations_after", homes, last[0] if last else "", ROWS_PER_PAGE))
    return _relations(keys, sight, rows)


def next_number(connection: Connection, home: int, readers: Readers, creator: bytes) -> int:
    found = connection.scalar("next_person_number", home, readers_text(readers), creator)
    return 1 if found is None else int(found)


def change(connection: Connection, keys: Keys, numbers: OpenNumbers, change: Change) -> bool:
    """Make a change if it is about people; says whether it was."""
    match change:
        case PutPerson(person):
            home = LISTED if person.home is None else space_number(connection, numbers, person.home)
            record = canonical_json(person_to_dict(person)).decode()
            connection.run("put_person", *records.with_seal(keys, "person", person.id, home, record))
            connection.run("drop_person_names", person.id)
            _put_names(connection, person)
            _grow(connection, home, person.readers, person.created_by, person.number)
        case DropPerson(id):
            connection.run("drop_person_names", id)
            connection.run("drop_person", id)
        case PutRelation(relation):
            home = LISTED if relation.home is None else space_number(connection, numbers, relation.home)
            known = (relation.id, home, relation.from_person, relation.to_person)
            record = canonical_json(relation_to_dict(relation)).decode()
            connection.run("put_relation", *records.with_seal(keys, "relation", *known, record))
            _grow(connection, home, relation.readers, relation.created_by, relation.number)
        case DropRelation(id):
            connection.run("drop_relation", id)
        case _:
            return False
    return True


def put_names(connection: Connection, rows: Iterable[tuple[Any, ...]]) -> None:
    """Write down the names of the persons in rows of theirs."""
    for _, _, record, _ in rows:
        _put_names(connection, person_from_dict(json.loads(record)))


def rebuild_names(connection: Connection, keys: Keys) -> None:
    """Write every name down again, from the records."""
    connection.run("clear_person_names")
    for person in _sealed_people(connection, keys):
        _put_names(connection, person)


def is_indexed(connection: Connection, keys: Keys) -> bool:
    """Whether everybody can be found by their names, and by no other."""
    expected = {(name, person.id) for person in _sealed_people(connection, keys) for name in lookup_names(person)}
    damaged = {row[0] for row in connection.rows("all_people") if not records.is_sealed(keys, "person", row)}
    found = {row for row in connection.rows("all_person_names") if row[1] not in damaged}
    return found == expected


def _sealed_people(connection: Connection, keys: Keys) -> Iterator[Person]:
    for _, _, record, _ in records.filter_sealed(keys, "person", connection.rows("all_people")):
        yield person_from_dict(json.loads(record))


def _people(keys: Keys, sight: Sight, found: Iterable[tuple[Any, ...]]) -> Iterator[Person]:
    """The persons in those of the rows that this store wrote, whom the sight may know of."""
    homes: Homes = {}
    for row in found:
        if records.is_sealed(keys, "person", row):
            person = person_from_dict(json.loads(row[2]), homes)
            if sight.admits_readers(person.readers):
                yield person


def _relations(keys: Keys, sight: Sight, found: Iterable[tuple[Any, ...]]) -> Iterator[Relation]:
    """The relations in those of the rows that this store wrote, which the sight may know of."""
    homes: Homes = {}
    for row in found:
        if records.is_sealed(keys, "relation", row):
            relation = relation_from_dict(json.loads(row[4]), homes)
            if sight.admits_readers(relation.readers):
                yield relation


def _put_names(connection: Connection, person: Person) -> None:
    connection.many("add_person_name", [(name, person.id) for name in sorted(lookup_names(person))])


def _grow(connection: Connection, home: int, readers: Readers, creator: Actor, number: int) -> None:
    if number:  # the person of a user has none
        connection.run("grow_person_sequence", home, readers_text(readers), creator.key, number + 1)
