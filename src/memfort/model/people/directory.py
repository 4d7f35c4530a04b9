"""The directory: owners of agents, members of chats and groups, and shares of spaces."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from enum import StrEnum
from typing import Any

from msgspec import Struct

from memfort.model.moment import Instant, Microseconds, Moment
from memfort.model.people.actor import Actor, ActorKind, Standpoint
from memfort.model.serialize.record import actor_from_dict, actor_to_dict
from memfort.model.space import GROUP_LEVELS, Coordinate, Level, Space
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


def owner_of(actor: Actor, owners: Mapping[str, str]) -> Principal | None:
    """The owner of an agent that acts for no user; `owners` are the owners in the directory."""
    owner = None if actor.agent is None or actor.acting_for is not None else owners.get(actor.agent)
    return None if owner is None else Principal(ActorKind.USER, owner)


def is_author(actor: Actor, author: Actor) -> bool:
    """Whether a memory of this author is the actor's own: an agent acts with the rights of the user it acts for."""
    return principal_of(author) == principal_of(actor)


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
    """A named reader, or the members of a group, may read a named space, until it is revoked."""

    id: str
    space: Space
    reader: Principal | None  # `None`: the members of `group`
    granted_by: Actor
    granted_at_us: Microseconds
    group: Coordinate | None = None  # whoever is a member when they read
    may_pass_on: bool = False  # its holders may share the space and copy memories out of it
    via: str | None = None  # the share by which the giver reads the space; it ends with that one

    granted_at = Instant()

    @property
    def holder(self) -> Principal | Coordinate:
        """Whom it is for."""
        holder = self.reader or self.group
        assert holder is not None
        return holder

    @property
    def holder_names(self) -> tuple[str, str]:
        """Whom it is for, as a store looks it up: a kind of actor or a level, and a name. No level of groups is called
        like a kind."""
        holder = self.holder
        return (holder.kind.value if isinstance(holder, Principal) else holder.level.value), holder.id


class Withdrawal(Value, frozen=True):
    """A memory that was forgotten, rejected, erased or moved away in a shared space."""

    share: str
    id: str  # of the memory
    at_us: Microseconds

    at = Instant()


MembersOf = Callable[[Coordinate], Collection[Principal] | None]  # `None`: the directory does not have the group


def is_held_by(share: Share, principal: Principal, members_of: MembersOf) -> bool:
    """Whether a share is for this principal. In a group that the directory does not have, the host's word counts."""
    if share.group is None:
        return share.reader == principal
    members = members_of(share.group)
    return members is None or principal in members


TrustIn = Callable[[Coordinate, Principal], Trust | None]  # `None`: the principal is not in the group


def is_in_force(share: Share, members_of: MembersOf, trust_in: TrustIn, find: Callable[[str], Share | None]) -> bool:
    """Whether a share counts: whoever gave it may still write in every registered group of the space, or still holds
    the share by which it reads the space itself, which still allows passing it on."""
    seen = {share.id}
    while share.via is not None:
        given_by, upstream = principal_of(share.granted_by), find(share.via)
        if upstream is None or upstream.id in seen or not upstream.may_pass_on or upstream.space != share.space:
            return False
        if not is_held_by(upstream, given_by, members_of):
            return False
        seen.add(upstream.id)
        share = upstream
    giver, groups = principal_of(share.granted_by), GROUP_LEVELS | {Level.CHAT}
    inside = (one for one in share.space.coordinates if one.level in groups and members_of(one) is not None)
    return all(_may_write_in(one, trust_in(one, giver)) for one in inside)


def _may_write_in(group: Coordinate, trust: Trust | None) -> bool:
    """Participants of a chat are equals, whatever their trust."""
    return trust is not None and (group.level is Level.CHAT or trust is not Trust.VIEWER)


def share_to_dict(share: Share) -> dict[str, Any]:
    return {
        "id": share.id,
        "space": share.space.to_dict(),
        "reader": list(share.holder_names),
        "granted_by": actor_to_dict(share.granted_by),
        "granted_at": share.granted_at_us,
        "may_pass_on": share.may_pass_on,
        "via": share.via,
    }


def share_from_dict(data: Mapping[str, Any]) -> Share:
    """The share that `share_to_dict` wrote. Raises KeyError, TypeError or ValueError on anything else."""
    kind, id = data["reader"]
    is_group = kind in GROUP_LEVELS
    return Share(
        id=data["id"],
        space=Space.of(data["space"]),
        reader=None if is_group else Principal(ActorKind(kind), id),
        group=Coordinate(Level(kind), id) if is_group else None,
        granted_by=actor_from_dict(data["granted_by"]),
        granted_at_us=Moment(int(data["granted_at"])),
        may_pass_on=bool(data["may_pass_on"]),
        via=data["via"],
    )


# One line of the directory by its name: ("agent", id), ("chat", id), ("group", level, id),
# ("member", level, id, kind, name), ("share", id) or ("key", id). Chats are groups too, and a group is one
# without any members.
Entry = tuple[str, ...]

# The whole directory, by line. Plain data, so that an invalid line can still be compared with the trail, and be
# reported.
DirectoryState = Mapping[Entry, Any]


class Facts(Struct, frozen=True):
    """What the directory says about one standpoint, read in the same snapshot as the memories themselves."""

    owners: Mapping[str, str]  # of the agents the standpoint names
    registered: frozenset[Coordinate]  # of the standpoint's coordinates, those the directory knows
    joined: Mapping[Coordinate, Trust]  # of those, the ones the standpoint's principal is in, and its trust there
    shares: tuple[Share, ...]  # those that the principal holds
    phases: int = 0  # changes whenever a phase begins in any space; sights are then resolved again
    policy: str | None = None  # digest of the policy in use, for engines that follow it
    version: int = 0  # changes with every change of the directory, since participants decide what may be shown

    @property
    def shared(self) -> tuple[Space, ...]:
        """The spaces that are shared with the principal."""
        return tuple(share.space for share in self.shares)

    def is_by_word(self, share: Share, standpoint: Standpoint) -> bool:
        """Whether only the host's word makes the principal a holder of this share: the directory has no such group."""
        return share.group in standpoint.coordinates and share.group not in self.registered


NO_FACTS = Facts(owners={}, registered=frozenset(), joined={}, shares=())
