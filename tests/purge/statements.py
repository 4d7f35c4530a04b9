"""What is known beforehand about a memory that a step makes, and about a share."""

from __future__ import annotations

import msgspec
from tests.purge.directory import Space
from tests.purge.steps import Standpoint

PUBLIC, PERSONAL, SENSITIVE = 0, 1, 2
LEVEL = {"public": PUBLIC, "personal": PERSONAL, "sensitive": SENSITIVE}


class Origin(msgspec.Struct, frozen=True):
    """Where a statement was made: the chat, its kind then, and the users who may have been present."""

    chat: str | None
    kind: str | None  # None: outside any chat, "unknown": a chat that is not registered, or an import
    present: frozenset[str]


class Statement(msgspec.Struct, frozen=True):
    """What is known beforehand about the memory that a step makes."""

    step: int
    user: str | None  # whose rights the author had
    author: Standpoint
    space: Space
    level: int  # at least: words and judgement only raise it
    subjects: tuple[frozenset[str], ...]  # each reading of whom it is about
    names: bool  # whether a person who is no user is meant
    said_by: str | None
    origins: tuple[Origin, ...]
    declassified: bool
    portable: bool | None
    users: frozenset[str] | None  # the reader list
    agents: frozenset[str] | None
    words: frozenset[str]  # in whatever order: a new order of the same words is a new wording of the same
    key: str | None  # of a profile fact
    is_turn: bool = False


class Share(msgspec.Struct, frozen=True):
    step: int
    space: Space
    reader: tuple[str, str]
    ended: int | None


def is_same_person(one: Standpoint | None, other: Standpoint | None) -> bool:
    return one is not None and other is not None and one.actor.person == other.actor.person
