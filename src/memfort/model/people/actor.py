"""Actors and standpoints: who asks, for which user, and from which places."""

from __future__ import annotations

import hashlib
from enum import StrEnum
from functools import cached_property, lru_cache

from msgspec import Struct

from memfort.model.space import Coordinate, Level, Space, encode_parts
from memfort.model.value import Value


class ActorKind(StrEnum):
    USER = "user"
    AGENT = "agent"
    SYSTEM = "system"


class Actor(Value, frozen=True, dict=True):
    """Whoever does something: a user, an agent (perhaps acting for a user), or the system itself."""

    kind: ActorKind
    id: str
    acting_for: str | None = None  # the user an agent acts for; the agent then has only that user's rights
    owner: str | None = None  # the one user an agent belongs to

    @property
    def user(self) -> str | None:
        """The user whose rights these are: the user itself, or the one an agent acts for."""
        return self.id if self.kind is ActorKind.USER else self.acting_for

    @property
    def agent(self) -> str | None:
        return self.id if self.kind is ActorKind.AGENT else None

    @cached_property
    def key(self) -> bytes:
        """A fixed-size unique name, for counters and chains."""
        return _key(self.kind.value, self.id, self.acting_for)

    def __str__(self) -> str:
        suffix = f" for user:{self.acting_for}" if self.acting_for is not None else ""
        return f"{self.kind}:{self.id}{suffix}"


@lru_cache(4096)  # every memory that is read has an author of its own, and they are the same few
def _key(kind: str, id: str, acting_for: str | None) -> bytes:
    parts = [kind, id, "" if acting_for is None else f"={acting_for}"]
    return hashlib.sha256(b"memfort/actor\x00" + encode_parts(parts)).digest()


SYSTEM = Actor(ActorKind.SYSTEM, "system")


class Standpoint(Struct, frozen=True, dict=True):
    """An actor and the coordinates it asks from. Whether it may stand there is decided by `standing`, at each call."""

    actor: Actor
    coordinates: tuple[Coordinate, ...]
    within: tuple[Space, ...] | None = None  # of what it may see, only these spaces: of a key that is bound to them

    def get(self, level: Level) -> str | None:
        return next((coordinate.id for coordinate in self.coordinates if coordinate.level is level), None)

    def __str__(self) -> str:
        places = ", ".join(str(coordinate) for coordinate in self.coordinates)
        return f"{self.actor} at {places}" if places else f"{self.actor} nowhere"
