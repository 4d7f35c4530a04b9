"""Who owns which agent, who is in which chat or group, and what has been shared with whom."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from memfort.model.actor import Actor, ActorKind
from memfort.model.moment import Moment
from memfort.model.space import Coordinate, Space


class ChatKind(StrEnum):
    PRIVATE = "private"
    GROUP = "group"


@dataclass(frozen=True, slots=True, order=True)
class Principal:
    """A name in the directory: a user or an agent, without the question of whom it acts for."""

    kind: ActorKind
    id: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.id}"


def principal_of(actor: Actor) -> Principal:
    """Whose rights count: the user an agent acts for, otherwise the actor itself."""
    if actor.acting_for is not None:
        return Principal(ActorKind.USER, actor.acting_for)
    return Principal(actor.kind, actor.id)


@dataclass(frozen=True, slots=True)
class Agent:
    id: str
    owner: str


@dataclass(frozen=True, slots=True)
class Chat:
    id: str
    kind: ChatKind
    participants: frozenset[Principal]


@dataclass(frozen=True, slots=True)
class Share:
    """A named reader may read a named space, until it is revoked."""

    id: str
    space: Space
    reader: Principal
    granted_by: Actor
    granted_at: Moment


@dataclass(frozen=True, slots=True)
class Facts:
    """What the directory says about one standpoint, read in the same snapshot as the memories themselves."""

    owners: Mapping[str, str]  # of the agents the standpoint names
    registered: frozenset[Coordinate]  # of the standpoint's coordinates, those the directory knows
    joined: frozenset[Coordinate]  # of those, the ones the standpoint's principal is in
    shared: tuple[Space, ...]  # spaces shared with the principal


NO_FACTS = Facts(owners={}, registered=frozenset(), joined=frozenset(), shared=())
