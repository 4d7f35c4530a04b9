"""The directory: owners of agents, members of chats and groups, and shares of spaces."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from msgspec import Struct

from memfort.model.moment import Instant, Microseconds, Moment
from memfort.model.people.actor import Actor, ActorKind
from memfort.model.serialize.record import actor_from_dict, actor_to_dict
from memfort.model.space import Coordinate, Space
from memfort.model.value import Listing, Value


class Trust(StrEnum):
    """The trust of a member of a group, the least first."""

    VIEWER = "viewer"  # reads
    CONTRIBUTOR = "contributor"  # also writes, and ends their own memories
    APPROVER = "approver"  # also reviews, and ends others' memories
    OWNER = "owner"  # also adds and removes members, and shares the group's space


class ChatKind(StrEnum):
    PRIVATE = "private"
    GROUP = "group"


class Principal(Value, frozen=True, order=True):
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


def is_author(actor: Actor, author: Actor) -> bool:
    """Whether a memory of this author is the actor's own: an agent acts with the rights of the user it acts for."""
    return principal_of(author) == principal_of(actor)


def owner_of(actor: Actor, owners: Mapping[str, str]) -> Principal | None:
    """The owner of an agent that acts for no user; `owners` are the owners in the directory."""
    owner = None if actor.agent is None or actor.acting_for is not None else owners.get(actor.agent)
    return None if owner is None else Principal(ActorKind.USER, owner)


class Agent(Value, frozen=True):
    id: str
    owner: str


class Chat(Value, frozen=True):
    id: str
    kind: ChatKind
    participants: frozenset[Principal]


class Member(Value, frozen=True):
    """A user or an agent that belongs to a group."""

    kind: ActorKind
    id: str
    trust: Trust

    def __str__(self) -> str:
        return f"{self.kind}:{self.id}"


class Members(Listing[Member], frozen=True):
    """The members of a group."""

    group: dict[str, str]  # its level and its id
    members: tuple[Member, ...]

    @property
    def _entries(self) -> tuple[Member, ...]:
        return self.members


class Share(Value, frozen=True):
    """A named reader may read a named space, until it is revoked."""

    id: str
    space: Space
    reader: Principal
    granted_by: Actor
    granted_at_us: Microseconds

    granted_at = Instant()


def share_to_dict(share: Share) -> dict[str, Any]:
    return {
        "id": share.id,
        "space": share.space.to_dict(),
        "reader": [share.reader.kind.value, share.reader.id],
        "granted_by": actor_to_dict(share.granted_by),
        "granted_at": share.granted_at_us,
    }


def share_from_dict(data: Mapping[str, Any]) -> Share:
    """The share that `share_to_dict` wrote. Raises KeyError, TypeError or ValueError on anything else."""
    kind, id = data["reader"]
    return Share(
        id=data["id"],
        space=Space.of(data["space"]),
        reader=Principal(ActorKind(kind), id),
        granted_by=actor_from_dict(data["granted_by"]),
        granted_at_us=Moment(int(data["granted_at"])),
    )


# One line of the directory by its name: ("agent", id), ("chat", id), ("group", level, id),
# ("member", level, id, kind, name) or ("share", id). Chats are groups too, and a group is one without any members.
Entry = tuple[str, ...]

# The whole directory, by line. Plain data, so that an invalid line can still be compared with the trail, and be
# reported.
DirectoryState = Mapping[Entry, Any]


class Facts(Struct, frozen=True):
    """What the directory says about one standpoint, read in the same snapshot as the memories themselves."""

    owners: Mapping[str, str]  # of the agents the standpoint names
    registered: frozenset[Coordinate]  # of the standpoint's coordinates, those the directory knows
    joined: Mapping[Coordinate, Trust]  # of those, the ones the standpoint's principal is in, and its trust there
    shared: tuple[Space, ...]  # spaces shared with the principal
    phases: int = 0  # changes whenever a phase begins in any space; sights are then resolved again
    policy: str | None = None  # digest of the policy in use, for engines that follow it
    version: int = 0  # changes with every change of the directory, since participants decide what may be shown
    joined_by_owner: frozenset[Coordinate] = frozenset()  # those of the owner of an agent without a user


NO_FACTS = Facts(owners={}, registered=frozenset(), joined={}, shared=())
