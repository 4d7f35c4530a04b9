"""The room of a call, and the audience of a memory: the fields that decide whether the room may see it.

Memories with the same audience are visible to the same rooms. So an audience is part of a memory's partition: memories
that a room may not see affect no score, id or tick of those it may.
"""

from __future__ import annotations

import json
from enum import StrEnum
from functools import cached_property, lru_cache

from msgspec import Struct

from memfort.model.item import Item, Readers, Sensitivity
from memfort.model.serialize.encoding import canonical_json
from memfort.model.space import Coordinate

_USER = "@"  # how the id of a user's person begins
SOMEBODY = "somebody"  # stands for every person who is not a user
OUTSIDE = ""  # learned outside any chat: stated to the memory directly


class ListenersKind(StrEnum):
    ALONE = "alone"  # in no chat: only the asker sees the answer
    PRIVATE = "private"
    GROUP = "group"
    UNKNOWN = "unknown"  # a chat that the directory does not know
    CLOSED = "closed"  # a chat where the asker does not take part: nothing is shown


class Listeners(Struct, frozen=True):
    """Where the answer is shown, and who is present. People are given by their person ids."""

    kind: ListenersKind
    chat: str | None = None
    asker: str | None = None  # `None`: an agent without a user, or the system
    present: frozenset[str] = frozenset()  # the asker included
    places: tuple[Coordinate, ...] = ()  # the asker's chat

    def is_among(self, readers: Readers) -> bool:
        """Whether everyone present is one of these readers. The participants of an unregistered chat are unknown, so a
        reader list cannot be enforced there."""
        if readers.users is None:
            return True
        return self.kind is not ListenersKind.UNKNOWN and self.present <= {f"{_USER}{user}" for user in readers.users}

    @property
    def partners(self) -> frozenset[str]:
        """The partners of a private chat: the others, or the asker if alone."""
        return (self.present - {self.asker}) or self.present


class Audience(Struct, frozen=True, dict=True):
    """All fields that decide, besides its space, who may see a memory."""

    sensitivity: Sensitivity = Sensitivity.PUBLIC
    learned_in: str | None = OUTSIDE  # `None`: unknown
    subjects: tuple[str, ...] = ()
    stated_by: str | None = None
    portable: bool = True  # only if it is about others: memories portable to them and others must not affect each other

    @property
    def is_self(self) -> bool:
        """Whether it is about no person, or only about its speaker."""
        return not self.subjects or self.subjects == (self.stated_by,)

    @cached_property
    def text(self) -> str:
        """The audience as the name of a partition; empty for the plain audience."""
        if self == PLAIN:
            return ""
        fields = [self.sensitivity.value, self.learned_in, list(self.subjects), self.stated_by, self.portable]
        return canonical_json(fields).decode()


PLAIN = Audience()


def audience_of(item: Item) -> Audience:
    return audience(item.sensitivity, item.learned_in, item.subjects, item.stated_by, item.portable)


@lru_cache(maxsize=65_536)
def audience(
    sensitivity: Sensitivity, learned_in: str | None, subjects: tuple[str, ...], stated_by: str | None, portable: bool
) -> Audience:
    """The audience of a memory with these fields. Public memories about no other person share one audience, whoever
    said them."""
    # Only users can be in a room. Of other subjects only their existence counts, not their ids: those reveal how many
    # people the speaker knows, and the audience is part of an id that others may see.
    subjects = tuple(sorted({one if one.startswith(_USER) else SOMEBODY for one in subjects}))
    if sensitivity is Sensitivity.PUBLIC and (not subjects or subjects == (stated_by,)):
        return PLAIN if learned_in == OUTSIDE else Audience(learned_in=learned_in)
    return Audience(sensitivity, learned_in, subjects, stated_by, portable or not subjects)


def disclosed_part(one: Audience, person: str) -> Audience:
    """The part of an audience that decides whether a memory about `person` is disclosed from another user's space. The
    caller knows that it is about them and portable. If it is not public, its speaker and whether it is only about this
    person matter too: only then are they its subject here."""
    if one.sensitivity is Sensitivity.PUBLIC:
        return Audience(learned_in=one.learned_in)
    return Audience(one.sensitivity, one.learned_in, (person,) if one.subjects == (person,) else (), one.stated_by)


@lru_cache(maxsize=65_536)
def audience_from_text(text: str) -> Audience:
    if not text:
        return PLAIN
    sensitivity, learned_in, subjects, stated_by, portable = json.loads(text)
    return Audience(Sensitivity(sensitivity), learned_in, tuple(subjects), stated_by, portable)
