"""What the rules speak of. A field is a truth, a set, an optional value or a name of an enumeration (`logic.py`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tests.proofs.logic import NOBODY, Choice, Set, Truth

BELONGING = ("session", "paper", "track")  # the coordinates that belong to one actor
GROUPS = ("workspace", "project", "role", "team", "org")
LEVELS = (*BELONGING, "chat", *GROUPS)  # where a coordinate is an id; users, agents and the system are on their own

VISIBILITIES = ("none", "private", "public", "shared")
SENSITIVITIES = ("public", "unjudged", "personal", "sensitive")  # from least to gravest
ORIGINS = ("outside", "unknown", "unregistered", "several", "group", "private", "released")
ROOMS = ("alone", "private", "group", "unregistered", "closed")


@dataclass(frozen=True)
class Space:
    """A set of coordinates: at each level an optional id."""

    levels: Mapping[str, Set]
    user: Set
    agent: Set
    system: Truth
    visibility: Choice


@dataclass(frozen=True)
class Standpoint:
    """An actor and the coordinates it stands at."""

    kind: Choice  # user, agent, system
    user: Set  # whose rights these are: the user, or the one an agent acts for
    agent: Set  # the agent that asks
    levels: Mapping[str, Set]
    at_user: Set
    at_agents: Set
    at_system: Truth


@dataclass(frozen=True)
class Directory:
    """What is on record about the coordinates of one standpoint."""

    belongs: Mapping[str, Truth]  # whether the session, paper or track is the actor's own
    member: Mapping[str, Truth]  # whether the actor takes part in the chat, the project, …
    registered: Mapping[str, Truth]  # whether anybody is on record there
    takes_word: Truth  # whether the host's word counts where nobody is on record
    owner: Callable[[Set], Set]  # of an agent


@dataclass(frozen=True)
class Chat:
    """A chat as it is registered now."""

    kind: Choice  # private, group, unregistered
    users: Set
    agents: Set


@dataclass(frozen=True)
class Room:
    """Who listens where one stands."""

    kind: Choice  # one of ROOMS
    chat: Set
    asker: Set  # the person that asks: of an agent for nobody its owner
    user: Set  # whose rights the asker has: nobody's, if an agent asks for nobody
    persons: Set  # who is present, the asker included
    listeners: Set  # the same, and those for whom an agent listens
    agents: Set  # the agents that listen
    all_by_agents: Truth  # whether everybody who listens does so through an agent


@dataclass(frozen=True)
class Memory:
    """A memory, and what its space says about it."""

    sensitivity: Choice
    subjects: Set
    about_nobody: Truth  # "we", a rule, a thing; or the caller says so: no person is its subject
    speaker: Set  # who said it; in a space without an owner, the author
    owner: Set  # the user of its space, or the owner of its agent
    may_read: Set  # who may read its space outside chats, without a share
    of_chat: Set  # the chat whose space it is in
    portable: Truth
    origin: Choice  # where it was learned: one of ORIGINS
    origin_chat: Set
    heard_by: Set  # who listened there then
    for_users: Truth  # whether it has a list of users that may read it
    users: Set
    for_agents: Truth
    agents: Set


@dataclass(frozen=True)
class Policy:
    """What a preset may loosen. As it is: the default."""

    participants: Truth = False  # in a group, what is about people who take part is shown
    open_provenance: Truth = False  # having no provenance is a reason
    told_alone: Truth = False  # what was told alone is found by others, by name
    own_public: Truth = False  # a public memory of one's own is always shown to its owner


DEFAULT = Policy()
NO_LEVELS: Mapping[str, Set] = dict.fromkeys(LEVELS, NOBODY)
