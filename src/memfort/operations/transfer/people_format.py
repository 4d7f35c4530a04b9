"""The lines of an export that describe people and relations.

They are taken out of a file and checked before its memories are read. An invalid memory is left out and reported; an
invalid person stops the whole import, because memories would refer to a missing person.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from memfort.capture.importers.formats import EXPORT_VERSION
from memfort.errors import InvalidInput
from memfort.model.item import Readers
from memfort.model.moment import to_moment
from memfort.model.people.actor import ActorKind
from memfort.model.people.person import (
    Person,
    Relation,
    check_name,
    check_names,
    check_term,
    is_made,
    person_from_dict,
    relation_from_dict,
    user_of_person,
)
from memfort.model.serialize.encoding import is_short_name
from memfort.model.space import Space, check_id

_REMEDY = "fix it, or export again; nothing was imported"
_KINDS = ("person", "relation")
_LINE = re.compile(r'\s*\{\s*"(?:person|relation)"\s*:')


class PeopleInExport(Struct, frozen=True):
    """The people and relations of a file, each with its place in the file."""

    header: Mapping[str, Any] = field(default_factory=dict)
    people: Mapping[str, tuple[str, Person]] = field(default_factory=dict)  # by id
    relations: Sequence[tuple[str, Relation]] = ()


def split_people(data: bytes) -> tuple[bytes, PeopleInExport]:
    """Split an export of ours into the file without the lines about people, with every other line in its place, and
    those lines parsed. Anything else is returned unchanged for other parsers."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data, PeopleInExport()
    found = _from_list(text) if text.lstrip().startswith("[") else _from_lines(text)
    if found is None:
        return data, PeopleInExport()
    rest, header, in_file = found
    people = [(place, _person(place, record)) for place, kind, record in in_file if kind == "person"]
    relations = [(place, _relation(place, record)) for place, kind, record in in_file if kind == "relation"]
    _check_whole(header, len(people), len(relations))
    made = PeopleInExport(header, {person.id: (place, person) for place, person in people}, relations)
    _check_references(made, people)
    return rest if in_file else data, made


_Entries = list[tuple[str, str, Any]]  # place, `person` or `relation`, and its fields
_Parts = tuple[bytes, Mapping[str, Any], _Entries]  # the file without them, its header, and them


def _from_lines(text: str) -> _Parts | None:
    lines, in_file = text.split("\n"), _Entries()
    header = _parse_json(next((line for line in lines if line.strip()), ""))
    if not _is_header(header):
        return None
    for number, line in enumerate(lines):
        if _LINE.match(line):
            in_file.append(_parse_entry(f"line {number + 1}", _parse_json(line)))
            lines[number] = ""
    return "\n".join(lines).encode(), header, in_file


def _from_list(text: str) -> _Parts | None:
    records, in_file, rest = _parse_json(text), _Entries(), []
    if not isinstance(records, list) or not records or not _is_header(records[0]):
        return None
    for number, record in enumerate(records, start=1):
        if isinstance(record, Mapping) and not record.keys().isdisjoint(_KINDS):
            in_file.append(_parse_entry(f"record {number}", record))
        else:
            rest.append(record)
    return json.dumps(rest).encode(), records[0], in_file


def _is_header(record: Any) -> bool:
    return isinstance(record, Mapping) and record.get("memfort_export") == EXPORT_VERSION


def _parse_json(text: str) -> Any:
    """The parsed value of a text, or nothing: the reader of the file reports invalid JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _parse_entry(place: str, record: Any) -> tuple[str, str, Any]:
    if not isinstance(record, Mapping) or len(record) != 1:
        raise InvalidInput(place, "it is not a line about one person or one relation", _REMEDY)
    [(kind, in_file)] = record.items()
    return place, kind, in_file


def _check_whole(header: Mapping[str, Any], people: int, relations: int) -> None:
    """A file that was cut off between two lines still has only valid lines; the counts in the header show it."""
    if (header.get("people", 0), header.get("relations", 0)) != (people, relations):
        problem = f"it holds {people} people and {relations} relations, which differs from its header"
        raise InvalidInput("file", problem, "export again")


def _check_references(in_file: PeopleInExport, people: Sequence[tuple[str, Person]]) -> None:
    """No person occurs twice, and every named person has a line."""
    for place, person in people:
        if in_file.people[person.id][0] != place:
            raise InvalidInput(f"{place}: person.id", "it is the id of another line too", _REMEDY)
    for place, relation in in_file.relations:
        for name, end in (("from_person", relation.from_person), ("to_person", relation.to_person)):
            if user_of_person(end) is None and end not in in_file.people:
                raise InvalidInput(f"{place}: relation.{name}", "there is no line for this person", _REMEDY)


# -- fields ----------------------------------------------------------------------------------------------------------


def _person(place: str, record: Any) -> Person:
    _check_fields(place, "person", record, _PERSON)
    person = person_from_dict(record)
    if (person.merged_into is None) != (person.merged_by is None) or person.merged_into == person.id:
        raise InvalidInput(f"{place}: person.merged_into", "it does not go with `merged_by` and `id`", _REMEDY)
    if (person.number == 0) != (user_of_person(person.id) is not None):
        raise InvalidInput(f"{place}: person.number", "it does not go with `id`", _REMEDY)
    return person


def _relation(place: str, record: Any) -> Relation:
    _check_fields(place, "relation", record, _RELATION)
    return relation_from_dict(record)


def _check_fields(place: str, kind: str, record: Any, fields: Mapping[str, tuple[str, Callable[[Any], bool]]]) -> None:
    """Check that every field is present and valid. The error names the field, never its value."""
    if not isinstance(record, Mapping):
        raise InvalidInput(f"{place}: {kind}", "it is not a table of fields", _REMEDY)
    for name, (what, fits) in fields.items():
        if name not in record:
            raise InvalidInput(f"{place}: {kind}.{name}", "it is missing", _REMEDY)
        if not _is(fits, record[name]):
            raise InvalidInput(f"{place}: {kind}.{name}", f"it is not {what}", _REMEDY)


def _is(fits: Callable[[Any], bool], value: Any) -> bool:
    try:
        return fits(value)
    except (InvalidInput, TypeError, ValueError, KeyError, AttributeError):
        return False


def _is_person(value: Any) -> bool:
    return isinstance(value, str) and (is_made(value) or bool(check_id(user_of_person(value), "id")))


def _is_actor(value: Any) -> bool:
    names = (value["id"], *(name for name in (value["acting_for"], value["owner"]) if name is not None))
    return ActorKind(value["kind"]) in ActorKind and all(check_id(name, "actor") for name in names)


def _is_readers(value: Any) -> bool:
    lists = (value["users"], value["agents"])
    return all(one is None or isinstance(one, list) for one in lists) and bool(Readers.of(*lists))


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63


def _is_aliases(value: Any) -> bool:
    return isinstance(value, list) and bool(check_names("somebody", value))


def _is_moment(value: Any) -> bool:
    return isinstance(value, int) and to_moment(value, "time") == value


def _is_home(value: Any) -> bool:
    return value is None or bool(Space.of(value))


_Field = tuple[str, Callable[[Any], bool]]
_ID: _Field = ("the id of a person", _is_person)
_WHERE: dict[str, _Field] = {
    "home": ("a space, or null", _is_home),
    "readers": ("two lists of readers", _is_readers),
    "created_by": ("an actor", _is_actor),
    "number": ("a count", _is_count),
}
_PERSON: dict[str, _Field] = {
    "id": _ID,
    "name": ("a name", lambda value: bool(check_name(value, "name"))),
    "aliases": ("a list of names", _is_aliases),
    **_WHERE,
    "created_at": ("a moment", _is_moment),
    "merged_into": ("the id of a person, or null", lambda value: value is None or _is_person(value)),
    "merged_by": ("an actor, or null", lambda value: value is None or _is_actor(value)),
    "version": ("a count from 1", lambda value: _is_count(value) and value > 0),
}
_RELATION: dict[str, _Field] = {
    "id": ("the id of a relation", lambda value: is_short_name("rel_", value)),
    "from_person": _ID,
    "term": ("what one person is to another", lambda value: check_term(value) == value),
    "to_person": _ID,
    **_WHERE,
    "at": ("a moment", _is_moment),
}
