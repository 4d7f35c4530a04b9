"""Spaces: sets of coordinates `{level: id}`. Every memory lives in exactly one.

Coordinates are compared whole and byte for byte. They are never joined into one string, never matched by prefix,
and there is no value that means "all".
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import cached_property
from typing import Final

from memfort.errors import InvalidInput, a, did_you_mean
from memfort.model.value import Value

MAX_ID_BYTES = 512


class Level(StrEnum):
    """The level of a coordinate. The order is the default order of recall: the narrowest first."""

    SESSION = "session"
    PAPER = "paper"
    TRACK = "track"
    CHAT = "chat"
    WORKSPACE = "workspace"
    USER = "user"
    PROJECT = "project"
    ROLE = "role"
    AGENT = "agent"
    TEAM = "team"
    ORG = "org"
    SYSTEM = "system"
    VISIBILITY = "visibility"


class Visibility(StrEnum):
    """The visibility of an agent's or a user's space."""

    PRIVATE = "private"
    PUBLIC = "public"
    SHARED = "shared"


# A session, a paper or a track has an owner: a space that has one names its owner too. Otherwise two users with
# `session="s1"` would share one space, and refusing the second would reveal the first.
OWNED_LEVELS = frozenset({Level.SESSION, Level.PAPER, Level.TRACK})
GROUP_LEVELS = frozenset({Level.WORKSPACE, Level.PROJECT, Level.ROLE, Level.TEAM, Level.ORG})
SYSTEM_ID = ""


def check_id(value: object, field: str) -> str:
    """Return `value` unchanged if it can be a name; otherwise raise with the reason."""
    if not isinstance(value, str):
        raise InvalidInput(field, f"{a(type(value).__name__)} is not a name", "give a non-empty text")
    if not value.strip():
        raise InvalidInput(field, "the name is empty", "give a non-empty text")
    if value == "*":
        raise InvalidInput(field, "`*` is not a name", "name exactly one; nothing here means all")
    if "\x00" in value:
        raise InvalidInput(field, "the name holds a NUL character", "remove it; no surface can carry it unchanged")
    try:
        encoded = value.encode()
    except UnicodeEncodeError:
        raise InvalidInput(field, "the name is not valid Unicode", "remove the lone surrogate") from None
    if len(encoded) > MAX_ID_BYTES:
        raise InvalidInput(field, f"the name has {len(encoded)} bytes", f"use at most {MAX_ID_BYTES}")
    return value


def encode_parts(parts: Iterable[str]) -> bytes:
    """Encode texts so that different sequences never give the same bytes: each is preceded by its length."""
    encoded = (part.encode() for part in parts)
    return b"".join(len(part).to_bytes(8, "big") + part for part in encoded)


class Coordinate(Value, frozen=True, order=True):
    """One level and one id, for example `project` and `apollo`."""

    level: Level
    id: str

    def __str__(self) -> str:
        return f"{self.level}={self.id}"


class Space:
    """A set of coordinates, at most one per level, in the order of the levels. It never changes.

    Not a Struct: as JSON a space is `{level: id}` and not its fields, so the codec of records calls our own hook.
    """

    def __init__(self, coordinates: tuple[Coordinate, ...]) -> None:
        self.coordinates: Final = coordinates

    @classmethod
    def of(cls, coordinates: Mapping[str, str]) -> Space:
        """Make a space from `{level: id}`, refusing unknown levels, unusable ids and sets that name no place."""
        if not isinstance(coordinates, Mapping):
            raise InvalidInput("space", "it is not a mapping", "write it as {level: id}, like {'project': 'apollo'}")
        made = sorted((_coordinate(level, id) for level, id in coordinates.items()), key=_position)
        space = cls(tuple(made))
        space._check_complete()
        return space

    @cached_property
    def id(self) -> bytes:
        """A fixed-size key for the store, computed over length-prefixed parts: no two spaces share one."""
        parts = [text for named in self._named for text in named]
        return hashlib.sha256(b"memfort/space\x00" + encode_parts(parts)).digest()

    @cached_property
    def levels(self) -> frozenset[Level]:
        return frozenset(coordinate.level for coordinate in self.coordinates)

    @cached_property
    def primary(self) -> Level:
        """The narrowest level the space has, which is the layer of recall it belongs to."""
        return next(iter(self.coordinates)).level

    def get(self, level: Level) -> str | None:
        return next((coordinate.id for coordinate in self.coordinates if coordinate.level is level), None)

    @cached_property
    def is_private(self) -> bool:
        """Whether it belongs to one user or to one agent's owner."""
        if Level.AGENT in self.levels and self.get(Level.VISIBILITY) != Visibility.PRIVATE:
            return False
        return bool(self.levels & {Level.USER, Level.AGENT})

    def to_dict(self) -> dict[str, str]:
        return dict(self._named)

    @cached_property
    def _named(self) -> tuple[tuple[str, str], ...]:
        return tuple((coordinate.level.value, coordinate.id) for coordinate in self.coordinates)

    def __str__(self) -> str:
        return " ".join(str(coordinate) for coordinate in self.coordinates)

    def __repr__(self) -> str:
        return f"Space({self.to_dict()!r})"

    def __reduce__(self) -> tuple[type[Space], tuple[tuple[Coordinate, ...]]]:
        return Space, (self.coordinates,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Space) and self.coordinates == other.coordinates

    def __hash__(self) -> int:
        return hash(self.id)

    def _check_complete(self) -> None:
        if not self.coordinates:
            raise InvalidInput("space", "it has no coordinates", "name at least one, like {'user': 'alice'}")
        if self.levels & OWNED_LEVELS and not self.levels & {Level.USER, Level.AGENT}:
            owned = min(self.levels & OWNED_LEVELS)
            raise InvalidInput("space", f"a {owned} needs an owner", "add the `user` or `agent` it belongs to")
        if Level.SYSTEM in self.levels and len(self.coordinates) > 1:
            raise InvalidInput("space", "`system` stands alone", "leave the other coordinates out")
        self._check_visibility()

    def _check_visibility(self) -> None:
        visibility = self.get(Level.VISIBILITY)
        if Level.AGENT in self.levels:
            if visibility not in {Visibility.PRIVATE, Visibility.PUBLIC}:
                raise InvalidInput(
                    "space.visibility", "an agent's space is private or public", "add visibility: private or public"
                )
        elif visibility is not None and not (visibility == Visibility.SHARED and Level.USER in self.levels):
            raise InvalidInput(
                "space.visibility",
                f"`{visibility}` needs an agent",
                "add the agent, or use `shared` together with a user",
            )


def level_of(name: object) -> Level:
    """Find the level `name`, or raise with the known ones."""
    try:
        return Level(name)  # type: ignore[arg-type]  # StrEnum answers any value with ValueError
    except ValueError:
        hint = did_you_mean(str(name), (level.value for level in Level))
        raise InvalidInput("space", f"`{name}` is not a level", hint) from None


def _coordinate(name: str, id: str) -> Coordinate:
    level = level_of(name)
    if level is Level.SYSTEM:
        if id != SYSTEM_ID:
            raise InvalidInput("space.system", "there is only one system space", "write it as {'system': ''}")
        return Coordinate(level, id)
    return Coordinate(level, check_id(id, f"space.{level}"))


_POSITIONS = {level: position for position, level in enumerate(Level)}


def _position(coordinate: Coordinate) -> int:
    return _POSITIONS[coordinate.level]
