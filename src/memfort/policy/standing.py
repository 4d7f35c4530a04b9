"""The standing of an actor at a coordinate: one pure function, each answer with a reason code."""

from __future__ import annotations

from enum import IntEnum, StrEnum

from memfort.model.people.actor import Actor, ActorKind
from memfort.model.people.directory import Facts, Principal, Trust, owner_of
from memfort.model.reason import Reason
from memfort.model.space import GROUP_LEVELS, OWNED_LEVELS, Coordinate, Level, Space, Visibility
from memfort.model.value import Value


class Memberships(StrEnum):
    """Which memberships of chats and groups count."""

    TRUSTED = "trusted"  # those that the host program names, unless the directory has the chat or group
    REGISTERED = "registered"  # only those in the directory


class Reach(IntEnum):
    """The access of an actor at a coordinate."""

    NONE = 0
    PUBLIC = 1  # may read public memories there
    SHARED = 2  # may read, write and delete what is shared there
    READ = 3
    WRITE = 4  # also write, and end one's own memories
    REVIEW = 5  # also review, and end what others wrote
    FULL = 6  # also decide who else may read


# What a member of a workspace, project, role, team or org may do, by trust.
_REACH_OF = {
    Trust.VIEWER: Reach.READ,
    Trust.CONTRIBUTOR: Reach.WRITE,
    Trust.APPROVER: Reach.REVIEW,
    Trust.OWNER: Reach.FULL,
}


class Standing(Value, frozen=True):
    """What an actor may do at one coordinate, and why."""

    coordinate: Coordinate
    reach: Reach
    reason: Reason


def standing(actor: Actor, coordinate: Coordinate, facts: Facts, memberships: Memberships) -> Standing:
    """The standing of `actor` at `coordinate`. Every level is handled; there is no default that allows."""
    match coordinate.level:
        case Level.USER:
            reach, reason = _at_user(actor, coordinate.id, facts)
        case Level.AGENT:
            reach, reason = _at_agent(actor, coordinate.id, facts)
        case Level.SYSTEM:
            reach, reason = _at_system(actor)
        case level if level in OWNED_LEVELS:
            reach, reason = _at_owned_place(actor)
        case level if level is Level.CHAT or level in GROUP_LEVELS:
            reach, reason = _at_group(actor, coordinate, facts, memberships)
        case _:
            reach, reason = Reach.NONE, Reason.NOT_WHERE_YOU_STAND
    return Standing(coordinate, reach, reason)


def may_read(space: Space, standings: dict[Coordinate, Standing]) -> bool:
    """Whether the actor has at least read access at every coordinate of the space."""
    return reaches(space, standings, Reach.READ)


def may_write(space: Space, standings: dict[Coordinate, Standing]) -> bool:
    return reaches(space, standings, Reach.WRITE)


def reaches(space: Space, standings: dict[Coordinate, Standing], needed: Reach) -> bool:
    """Whether the actor has this access at every coordinate of the space. The space of an agent is its owner's: a group
    only says how far what is public there can be read."""
    places = _standing_coordinates(space)
    if Level.AGENT not in space.levels:
        return all(_reaches(space, place, standings, needed) for place in places)
    bounds = {place for place in places if place.level in GROUP_LEVELS}
    return all(_reaches(space, one, standings, min(needed, Reach.READ) if one in bounds else needed) for one in places)


def _reaches(space: Space, coordinate: Coordinate, standings: dict[Coordinate, Standing], needed: Reach) -> bool:
    held = standings.get(coordinate)
    if held is None:
        return False
    if held.reach is Reach.PUBLIC and needed is Reach.READ:
        return space.get(Level.VISIBILITY) == Visibility.PUBLIC
    if held.reach is Reach.SHARED:
        return space.get(Level.VISIBILITY) == Visibility.SHARED and needed is not Reach.FULL
    return held.reach >= needed


def _standing_coordinates(space: Space) -> list[Coordinate]:
    """The coordinates that are places; visibility says who may read an agent's or user's space, and is not a place."""
    return [coordinate for coordinate in space.coordinates if coordinate.level is not Level.VISIBILITY]


def _at_user(actor: Actor, user: str, facts: Facts) -> tuple[Reach, Reason]:
    if owner_of(actor, facts.owners) == Principal(ActorKind.USER, user):
        return Reach.SHARED, Reason.SHARED_BY_OWNER
    if actor.user != user:
        return Reach.NONE, Reason.NOT_YOUR_IDENTITY
    return Reach.FULL, Reason.OWN_IDENTITY if actor.kind is ActorKind.USER else Reason.ACTING_FOR


def _at_agent(actor: Actor, agent: str, facts: Facts) -> tuple[Reach, Reason]:
    """An agent that nobody has registered is like one of somebody else's: who asks cannot tell which agents there are.
    Nothing is public there, since nobody can write there."""
    owner = facts.owners.get(agent)
    if actor.kind is ActorKind.USER and actor.id == owner:
        return Reach.FULL, Reason.OWNER_OF_AGENT
    if owner is not None and actor.agent == agent and actor.acting_for in {None, owner}:
        return Reach.FULL, Reason.AGENT_ITSELF
    return Reach.PUBLIC, Reason.PUBLIC_READ_ONLY


def _at_system(actor: Actor) -> tuple[Reach, Reason]:
    if actor.kind is ActorKind.SYSTEM:
        return Reach.FULL, Reason.SYSTEM_ACTOR
    return Reach.READ, Reason.SYSTEM_READABLE


def _at_owned_place(actor: Actor) -> tuple[Reach, Reason]:
    """A session, paper or track lies inside its owner's space, so access to the owner gives access to it."""
    if actor.kind is ActorKind.SYSTEM:
        return Reach.NONE, Reason.NO_OWNER_HERE
    return Reach.FULL, Reason.OWN_PLACE


def _at_group(actor: Actor, coordinate: Coordinate, facts: Facts, memberships: Memberships) -> tuple[Reach, Reason]:
    is_chat = coordinate.level is Level.CHAT
    if (trust := facts.joined.get(coordinate)) is not None:  # participants of a chat are equals, whatever their trust
        return (Reach.FULL, Reason.PARTICIPANT) if is_chat else (_REACH_OF[trust], Reason.MEMBER)
    if actor.kind is ActorKind.SYSTEM or coordinate in facts.registered or memberships is Memberships.REGISTERED:
        return Reach.NONE, Reason.NOT_A_PARTICIPANT if is_chat else Reason.NOT_A_MEMBER
    return Reach.FULL, Reason.HOST_VOUCHED
