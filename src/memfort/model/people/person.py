"""Persons: subjects and speakers of memories, and the relations between them.

Every user is a person without any record: `@bob` is the person of the user `bob`. Other persons are added explicitly or
by a mention, and a mention makes them known only in its own space.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from memfort.errors import InvalidInput
from memfort.folding import category, without_case_or_invisible
from memfort.model.item import EVERYONE, Readers, check_size
from memfort.model.moment import Instant, Microseconds, Moment
from memfort.model.people.actor import SYSTEM, Actor
from memfort.model.serialize.encoding import canonical_json, is_short_name, short_name
from memfort.model.serialize.record import actor_from_dict, actor_to_dict
from memfort.model.space import Space, check_id
from memfort.model.value import Value

MAX_NAME_BYTES = 256
MAX_TERM_BYTES = 64
MAX_ALIASES = 64
_USER = "@"
_MADE = "per_"
_SHORT_WORDS = ("my ", "the ", _USER)  # prefixes that are not part of a name
SPEAKER = frozenset({"me", "myself"})  # the speaker


class Person(Value, frozen=True, kw_only=True):
    """Somebody that memories can be about."""

    id: str
    name: str
    aliases: tuple[str, ...] = ()
    home: Space | None = None  # where it is known; `None`: in the directory, visible to all
    readers: Readers = EVERYONE  # of the readers of the home, those who may know of it
    created_by: Actor
    created_at_us: Microseconds
    number: int  # its place in its creator's own sequence there; 0 for the person of a user
    merged_into: str | None = None  # the person that it was merged into
    merged_by: Actor | None = None  # who merged it
    mentioned: bool = False  # known from the words of memories alone, and erased with the last of them
    version: int = 1

    created_at = Instant()

    @property
    def user(self) -> str | None:
        """The user whose person this is, directly or by a merge."""
        return user_of_person(self.merged_into or self.id)

    @property
    def names(self) -> tuple[str, ...]:
        """All names of a person; for a user also the user's name."""
        own = user_of_person(self.id)
        return (self.name, *self.aliases, *([] if own is None else [own]))


class Relation(Value, frozen=True, kw_only=True):
    """What one person is to another: `to_person` is the `term` of `from_person`."""

    id: str
    from_person: str
    term: str
    to_person: str
    home: Space | None = None
    readers: Readers = EVERYONE
    created_by: Actor
    at_us: Microseconds
    number: int  # its place in the sequence that it shares with the persons made there
    mentioned: bool = False  # known from the words of memories alone, and erased with the last of them

    at = Instant()

    @property
    def ends(self) -> tuple[str, str, str]:
        """The relation itself, without its author and place."""
        return self.from_person, self.term, self.to_person

    @property
    def stated_by(self) -> str | None:
        """The person who stated it; `None`: an agent without a user, or the system."""
        return None if self.created_by.user is None else person_of_user(self.created_by.user)


# -- ids -------------------------------------------------------------------------------------------------------------


def person_of_user(user: str) -> str:
    return _USER + user


def user_of_person(id: str) -> str | None:
    """The user whose person this is; `None` for an added person."""
    return id.removeprefix(_USER) if id.startswith(_USER) and id != _USER else None


def is_made(id: str) -> bool:
    """Whether this could be the id of an added person."""
    return is_short_name(_MADE, id)


def user_person(user: str) -> Person:
    """The person of a user, as it is without any record."""
    return Person(id=person_of_user(user), name=user, created_by=SYSTEM, created_at_us=Moment(0), number=0, version=0)


def person_id(home: Space | None, readers: Readers, creator: Actor, number: int) -> str:
    """The id of a creator's n-th person in a home, for these readers. Every part is known to all who may see the
    person."""
    return short_name(_MADE, b"memfort/person\x00" + _place(home, readers, creator, number))


def relation_id(home: Space | None, readers: Readers, creator: Actor, number: int) -> str:
    return short_name("rel_", b"memfort/relation\x00" + _place(home, readers, creator, number))


def _place(home: Space | None, readers: Readers, creator: Actor, number: int) -> bytes:
    rest = canonical_json([home is not None, readers.to_dict(), number])
    return (bytes(32) if home is None else home.id) + creator.key + rest


# -- names -----------------------------------------------------------------------------------------------------------


def normal_name(text: str) -> str:
    """The normal form of a name: folded, with single spaces, without invisible characters, and without `my`, `the` or
    `@` before it. It is idempotent."""
    while (bare := _bare(text)) != text:
        text = bare
    return text


def _bare(text: str) -> str:
    folded = " ".join(without_case_or_invisible(text).split())
    for word in _SHORT_WORDS:
        folded = folded.removeprefix(word)
    return folded


def normal_names(person: Person) -> frozenset[str]:
    return frozenset(normal_name(name) for name in person.names)


def first_names(person: Person) -> frozenset[str]:
    """The first words of the names that have several words."""
    words = (name.split() for name in normal_names(person))
    return frozenset(first for first, *rest in words if rest)


def lookup_names(person: Person) -> frozenset[str]:
    """Everything that a person is looked up by."""
    return normal_names(person) | first_names(person)


def check_name(value: object, field: str) -> str:
    """Return `value` if it can be a name; otherwise raise with the reason."""
    name = check_id(value, field)
    check_size(name, field, MAX_NAME_BYTES)
    if name.lstrip().startswith(_USER) or is_made(name.strip()):
        raise InvalidInput(field, "it is an id, not a name", "give the name; `link` says which user it is")
    if any(category(letter) in {"Cc", "Zl", "Zp"} for letter in name):
        raise InvalidInput(field, "it has a line break or a control character", "give the name in one line")
    if not normal_name(name) or normal_name(name) in SPEAKER:
        raise InvalidInput(field, "it is not a usable name", "give a name that others would know them by")
    return name


def check_names(name: object, aliases: Iterable[object]) -> tuple[str, tuple[str, ...]]:
    """A name and other names without duplicates, whatever their spelling."""
    first = check_name(name, "name")
    others: dict[str, str] = {}
    for one in aliases:
        alias = check_name(one, "aliases")
        others.setdefault(normal_name(alias), alias)
    others.pop(normal_name(first), None)
    if len(others) > MAX_ALIASES:
        raise InvalidInput("aliases", f"there are {len(others)}", f"use at most {MAX_ALIASES}")
    return first, tuple(others.values())


def check_term(value: object, field: str = "term") -> str:
    """What one person is to another, in its normal form: `My Wife` is `wife`."""
    term = normal_name(check_name(value, field))
    check_size(term, field, MAX_TERM_BYTES)
    return term


# -- records ---------------------------------------------------------------------------------------------------------

Homes = dict[tuple[tuple[str, str], ...], Space]  # by their coordinates: many people share few of them
_MOST_HOMES = 1000


def person_to_dict(person: Person) -> dict[str, Any]:
    return {
        "id": person.id,
        "name": person.name,
        "aliases": list(person.aliases),
        "home": None if person.home is None else person.home.to_dict(),
        "readers": person.readers.to_dict(),
        "created_by": actor_to_dict(person.created_by),
        "created_at": person.created_at_us,
        "number": person.number,
        "merged_into": person.merged_into,
        "merged_by": None if person.merged_by is None else actor_to_dict(person.merged_by),
        "version": person.version,
        **_mention(person),
    }


def person_from_dict(data: Mapping[str, Any], homes: Homes | None = None) -> Person:
    """The person that `person_to_dict` wrote. Raises KeyError, TypeError or ValueError on anything else. `homes` are
    those that were read before it."""
    return Person(
        id=data["id"],
        name=data["name"],
        aliases=tuple(data["aliases"]),
        home=_home(data["home"], homes),
        readers=Readers.of(**data["readers"]),
        created_by=actor_from_dict(data["created_by"]),
        created_at_us=Moment(int(data["created_at"])),
        number=int(data["number"]),
        merged_into=data["merged_into"],
        merged_by=None if data["merged_by"] is None else actor_from_dict(data["merged_by"]),
        version=int(data["version"]),
        mentioned=data.get("mentioned") is True,
    )


def relation_to_dict(relation: Relation) -> dict[str, Any]:
    return {
        "id": relation.id,
        "from_person": relation.from_person,
        "term": relation.term,
        "to_person": relation.to_person,
        "home": None if relation.home is None else relation.home.to_dict(),
        "readers": relation.readers.to_dict(),
        "created_by": actor_to_dict(relation.created_by),
        "at": relation.at_us,
        "number": relation.number,
        **_mention(relation),
    }


def relation_from_dict(data: Mapping[str, Any], homes: Homes | None = None) -> Relation:
    """The relation that `relation_to_dict` wrote. Raises KeyError, TypeError or ValueError on anything else. `homes`
    are those that were read before it."""
    return Relation(
        id=data["id"],
        from_person=data["from_person"],
        term=data["term"],
        to_person=data["to_person"],
        home=_home(data["home"], homes),
        readers=Readers.of(**data["readers"]),
        created_by=actor_from_dict(data["created_by"]),
        at_us=Moment(int(data["at"])),
        number=int(data["number"]),
        mentioned=data.get("mentioned") is True,
    )


def _mention(known: Person | Relation) -> dict[str, bool]:
    """Only if it is so: records that were written before it was noted keep their digest."""
    return {"mentioned": True} if known.mentioned else {}


def _home(given: Mapping[str, str] | None, known: Homes | None) -> Space | None:
    if given is None or known is None:
        return None if given is None else Space.of(given)
    named = tuple(given.items())
    if named not in known:
        if len(known) >= _MOST_HOMES:
            known.clear()
        known[named] = Space.of(given)
    return known[named]
