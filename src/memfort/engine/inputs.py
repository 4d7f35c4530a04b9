"""Convert callers' input into values: bad input is refused here, with the field and a remedy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Any, TypeVar

from memfort.errors import InvalidInput, a, did_you_mean
from memfort.model.item import EVERYONE, Candidate, Kind, Origin, Readers, Sensitivity, Status, plain_candidate
from memfort.model.moment import Moment, to_moment
from memfort.model.people.actor import Actor, ActorKind, Standpoint
from memfort.model.people.directory import Principal
from memfort.model.serialize.fields import GIVEN
from memfort.model.space import OWNED_LEVELS, Coordinate, Level, Space, Visibility, check_id, level_of

_Chosen = TypeVar("_Chosen", bound=StrEnum)


def candidate_of(actor: Actor, given: Candidate | str | Mapping[str, Any]) -> Candidate:
    """A candidate from a text, a mapping of its fields, or a candidate."""
    if isinstance(given, Candidate):
        return given
    if isinstance(given, str):
        return plain_candidate(given, _ORIGIN_OF[actor.kind])
    _check_names(mapping_of(given, "memory"))
    values = {name: value for name, value in given.items() if value is not None}
    if len(values) == 1:  # the required text
        return plain_candidate(values["text"], _ORIGIN_OF[actor.kind])
    values.setdefault("origin", _ORIGIN_OF[actor.kind])
    made = {name: _READERS.get(name, _as_given)(value, name) for name, value in values.items()}
    if "subjects" in values and not made["subjects"]:
        made["about_nobody"] = True  # an empty list says so; a missing one leaves it to the words
    if "access" in made:
        made["readers"] = made.pop("access")
    return Candidate(**made)


def choice(enum: type[_Chosen], value: object, field: str) -> _Chosen:
    try:
        return enum(value)  # type: ignore[arg-type]  # anything it does not know is a ValueError
    except ValueError:
        known = ", ".join(member.value for member in enum)
        raise InvalidInput(field, f"`{value}` is not possible", f"use one of {known}") from None


def query_of(value: object) -> str:
    if not isinstance(value, str):
        raise InvalidInput("query", f"{a(type(value).__name__)} is not a text", "give the question as text")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InvalidInput("query", "it is not valid Unicode", "remove the lone surrogate") from None
    return value


def id_of(value: object, field: str = "id") -> str:
    """An id as text. Whether it exists is checked elsewhere."""
    if not isinstance(value, str):
        raise InvalidInput(field, f"{a(type(value).__name__)} is not an id", "give it as text")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InvalidInput(field, "it is not valid Unicode", "remove the lone surrogate") from None
    return value


def list_of(value: object, field: str) -> list[Any]:
    """A list of values; a single text or mapping is refused."""
    if isinstance(value, str | bytes | Mapping | Candidate) or not isinstance(value, Iterable):
        raise InvalidInput(field, f"{a(type(value).__name__)} is not a list", "give a list")
    return list(value)


def space_of(standpoint: Standpoint, given: Mapping[str, str] | Space) -> Space:
    """The space that is named; a session, paper or track gets its owner added."""
    if isinstance(given, Space):
        return given
    named = {str(level): id for level, id in mapping_of(given, "space").items()}
    levels = {level_of(level) for level in named}
    if levels & OWNED_LEVELS and not levels & {Level.USER, Level.AGENT}:
        named |= owner_coordinates(standpoint.actor)
    return Space.of(named)


def owner_coordinates(actor: Actor) -> dict[str, str]:
    """The owner of a session, paper or track that does not name one."""
    if actor.user is not None:
        return {Level.USER: actor.user}
    if actor.kind is ActorKind.AGENT:
        return {Level.AGENT: actor.id, Level.VISIBILITY: Visibility.PRIVATE.value}
    return {}


PLACES = tuple(level.value for level in Level if level not in {Level.USER, Level.SYSTEM, Level.VISIBILITY})


def coordinates_of(given: Mapping[str, object]) -> tuple[Coordinate, ...]:
    """Coordinates of a standpoint from keyword arguments."""
    for name in given:
        if name in set(Level) - set(PLACES):
            raise InvalidInput(name, "it cannot be taken as a place", "bind the identity with as_user or as_agent")
        if name not in PLACES:
            close = did_you_mean(name, PLACES)
            listed = f"places are {', '.join(PLACES)}"
            raise InvalidInput(name, "it is not a level", f"{close} {listed}" if close.endswith("?") else listed)
    return tuple(Coordinate(Level(name), check_id(id, name)) for name, id in given.items())


def principal_of_names(user: str | None, agent: str | None, field: str) -> Principal:
    if (user is None) == (agent is None):
        raise InvalidInput(field, "exactly one is needed", "give either `user` or `agent`")
    if user is not None:
        return Principal(ActorKind.USER, check_id(user, "user"))
    return Principal(ActorKind.AGENT, check_id(agent, "agent"))


def readers_of(given: Readers | Mapping[str, Any] | None) -> Readers:
    if given is None:
        return EVERYONE
    if isinstance(given, Readers):
        return given
    lists = dict(mapping_of(given, "access"))
    if unknown := set(lists) - {"users", "agents"}:
        raise InvalidInput("access", f"`{min(unknown)}` is not a list of readers", "use `users` and `agents`")
    return Readers.of(lists.get("users"), lists.get("agents"))


_ORIGIN_OF = {ActorKind.USER: Origin.USER, ActorKind.AGENT: Origin.AI, ActorKind.SYSTEM: Origin.SYSTEM}


def _check_names(values: Mapping[str, Any]) -> None:
    if not values.keys() <= GIVEN:
        name = next(str(name) for name in values if name not in GIVEN)
        raise InvalidInput(name, "a memory has no such field", did_you_mean(name, GIVEN))
    if values.get("text") is None:
        raise InvalidInput("text", "it is missing", "give the statement to remember")


def mapping_of(value: object, field: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise InvalidInput(field, f"{a(type(value).__name__)} is not a mapping", "give names and values")
    return value


def _names(value: object, field: str) -> tuple[str, ...]:
    return tuple(list_of(value, field))


def _moment(value: Any, field: str) -> Moment:
    return to_moment(value, field)


def _frozen(value: object, field: str) -> Mapping[str, Any]:
    return MappingProxyType(dict(mapping_of(value, field)))


def _as_given(value: Any, _: str) -> Any:
    return value


def _access(value: Any, _: str) -> Readers:
    return readers_of(value)


_READERS: dict[str, Any] = {
    "visibility": lambda value, field: choice(Visibility, value, field),
    "kind": lambda value, field: choice(Kind, value, field),
    "origin": lambda value, field: choice(Origin, value, field),
    "sensitivity": lambda value, field: choice(Sensitivity, value, field),
    "status": lambda value, field: choice(Status, value, field),
    "tags": _names,
    "derived_from": _names,
    "observed_at": _moment,
    "expires_at": _moment,
    "provenance": _frozen,
    "meta": _frozen,
    "access": _access,
}

Time = datetime | str | int
