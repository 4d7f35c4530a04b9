"""The statements of `queries.sql`, read once: where each goes, and how the values of a call become its parameters.

`queries.sql` says at its head what the signs mean. Nothing here knows a connection: what has to be looked up or given
out on the way is asked of whoever runs the statement.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol
from uuid import UUID

from msgspec import Struct
from psycopg.types.json import Jsonb

from memfort.store.port.values.scope import DIRECTORY_KEY, lock_key, person_key
from memfort.store.sql.queries import load_queries

DIRECTORY = UUID(bytes=DIRECTORY_KEY)  # what stands in place of a space for the directory; its number is 0
NOWHERE = UUID(int=2**128 - 1)  # nothing is there
LOCAL_BITS = 32  # of a number: the number in its space
_ITEM = (
    "no, no & -4294967296, id, partition, status, deleted, created_at, expires_at, source, value, indexed, "
    "convert_to(record, 'UTF8'), seal"
)
_NAME = re.compile(r"^(?P<name>\w+)(?: \((?P<how>whole store|to change)\))?$")
_SIGN = re.compile(
    r"(?P<list>(?:any|unnest)\()?(?:"
    r"\?(?P<value>\d+)(?:\.(?P<part>\d+))?"
    r"|&(?P<json>\d+)"
    r"|@(?P<space>\d+)(?:\.(?P<space_part>\d+))?"
    r"|@(?P<of>person|about)(?P<of_value>\d+)"
    r"|(?P<chain>@chain)"
    r"|#(?P<new>\d+|person1|chain))"
)


class Spaces(Protocol):
    """What binding asks of whoever runs a statement."""

    def space_of_number(self, number: int) -> UUID: ...
    def spaces_of_numbers(self, numbers: Sequence[int]) -> list[UUID]:
        """The space of each."""

    def spaces_about(self, persons: Sequence[str]) -> list[UUID]:
        """The spaces of memories about persons."""

    def new_number(self, space: UUID) -> int:
        """A number that nothing in the space has."""

    def space_number(self, space: UUID) -> int:
        """The number of a space itself."""


Bind = Callable[[Spaces, Sequence[Any]], Any]


class Statement(Struct, frozen=True):
    """A statement, and how its parameters are made. `places` are those parameters that are spaces."""

    name: str
    sql: str
    binds: tuple[Bind, ...]
    places: tuple[int, ...]
    is_whole: bool  # it goes through all spaces, in the role for upkeep
    is_change: bool
    locks: bool  # in a write, its spaces are locked before it runs

    def parameters(self, spaces: Spaces, values: Sequence[Any]) -> list[Any]:
        return [bind(spaces, values) for bind in self.binds]

    def spaces(self, parameters: Sequence[Any]) -> set[UUID] | None:
        """The spaces that it goes to; `None`: all of them."""
        if self.is_whole:
            return None
        found: set[UUID] = set()
        for place in self.places:
            named = parameters[place]
            if named is None:
                return None
            if isinstance(named, UUID):
                found.add(named)
            else:
                found.update(named)
        return found


def read_statements() -> dict[str, Statement]:
    found = {}
    for heading, text in load_queries(Path(__file__).with_name("queries.sql")).items():
        said = _NAME.match(heading)
        assert said is not None, heading
        found[said["name"]] = _statement(said["name"], said["how"], text)
    return found


def _statement(name: str, how: str | None, text: str) -> Statement:
    lines = [line for line in text.replace("{item}", _ITEM).split("\n") if not line.startswith("--")]
    binds: dict[str, tuple[Bind, bool]] = {}

    def numbered(sign: re.Match[str]) -> str:
        before = sign["list"] or ""
        bind, is_space, cast = _bind(sign, name)
        key = (before if before == "unnest(" and sign["space"] else "") + sign[0].removeprefix(before) + cast
        binds.setdefault(key, (bind, is_space))
        return f"{before}${list(binds).index(key) + 1}{cast}"

    sql = _SIGN.sub(numbered, "\n".join(lines))
    is_change = sql.lstrip().split(None, 1)[0] in {"insert", "update", "delete"}
    places = tuple(place for place, (_, is_space) in enumerate(binds.values()) if is_space)
    return Statement(
        name,
        sql,
        tuple(bind for bind, _ in binds.values()),
        places,
        how == "whole store",
        is_change,
        is_change or how == "to change" or "#" in text,
    )


def _bind(sign: re.Match[str], name: str) -> tuple[Bind, bool, str]:
    """How the parameter for a sign is made, whether it is a space, and the cast that says so."""
    is_list = sign["list"] is not None
    if sign["value"]:
        return _value(int(sign["value"]) - 1, sign["part"]), False, ""
    if sign["json"]:
        at = int(sign["json"]) - 1
        return (lambda _, values: Jsonb(values[at])), False, ""
    if sign["new"]:
        return _new(sign["new"], name), False, "::bigint"
    return _place(sign, is_list=is_list)


def _place(sign: re.Match[str], *, is_list: bool) -> tuple[Bind, bool, str]:
    """The same for a parameter that is a space."""
    if sign["chain"]:
        return (lambda _, values: space_of_chain(values[0], values[1])), True, "::uuid"
    if sign["of"] == "about":
        at = int(sign["of_value"]) - 1
        return (lambda spaces, values: spaces.spaces_about(_listed(values[at]))), True, "::uuid[]"
    if sign["of"] == "person":
        return _person(int(sign["of_value"]) - 1, is_list=is_list), True, "::uuid[]" if is_list else "::uuid"
    return _space(int(sign["space"]), sign["space_part"], is_list=is_list, beside=sign["list"] == "unnest(")


def _value(at: int, part: str | None) -> Bind:
    if part is None:
        return lambda _, values: values[at]
    of = int(part) - 1
    return lambda _, values: [one[of] for one in values[at]]


def _person(at: int, *, is_list: bool) -> Bind:
    if is_list:
        return lambda _, values: [space_of_person(one) for one in values[at]]
    return lambda _, values: None if values[at] is None else space_of_person(values[at])


def _space(number: int, part: str | None, *, is_list: bool, beside: bool) -> tuple[Bind, bool, str]:
    if number == 0:
        return (lambda _spaces, _values: DIRECTORY), True, "::uuid"
    at = number - 1
    if part is not None:
        of = int(part) - 1
        return (lambda spaces, values: _spaces_of(spaces, [one[of] for one in values[at]])), True, "::uuid[]"
    if is_list:
        if beside:  # a list of the same length stands beside it
            return (lambda spaces, values: _spaces_of(spaces, values[at])), True, "::uuid[]"
        return (lambda spaces, values: list(dict.fromkeys(_spaces_of(spaces, values[at])))), True, "::uuid[]"
    return (lambda spaces, values: _space_of(spaces, values[at])), True, "::uuid"


def _spaces_of(spaces: Spaces, named: Sequence[Any]) -> list[UUID]:
    if named and isinstance(named[0], bytes):
        return [space_of_digest(one) for one in named]
    return spaces.spaces_of_numbers(named)


def _space_of(spaces: Spaces, named: Any) -> UUID:
    return space_of_digest(named) if isinstance(named, bytes) else spaces.space_of_number(int(named or 0))


def _new(of: str, name: str) -> Bind:
    if of == "person1":
        return lambda spaces, values: spaces.new_number(space_of_person(values[0]))
    if of == "chain":
        return lambda spaces, values: spaces.new_number(space_of_chain(values[0], values[1]))
    at = int(of) - 1
    if name == "add_space":
        return lambda spaces, values: spaces.space_number(_space_of(spaces, values[at]))
    return lambda spaces, values: spaces.new_number(_space_of(spaces, values[at]))


def _listed(named: Any) -> list[str]:
    return [named] if isinstance(named, str) else list(named)


@lru_cache(maxsize=65_536)
def space_of_digest(digest: bytes) -> UUID:
    return UUID(bytes=digest[:16])


@lru_cache(maxsize=65_536)
def space_of_person(person: str) -> UUID:
    """What stands in place of a space for a person, whom memories of many spaces are about."""
    return UUID(bytes=person_key(person))


@lru_cache(maxsize=65_536)
def space_of_chain(kind: str, key: bytes) -> UUID:
    """The space that a chain is of, or what stands in place of one for an actor or the directory."""
    if kind == "space":
        return UUID(bytes=key[:16])
    return DIRECTORY if kind == "directory" else UUID(bytes=lock_key(kind, key))


def can_be_stored(text: str) -> bool:
    """Whether any row can have this text: PostgreSQL takes neither zero bytes nor halves of characters."""
    return "\0" not in text and (text.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in text))


STATEMENTS = read_statements()
