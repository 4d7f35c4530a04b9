"""Who is in the room, and what about a memory decides whether the room may hear it.

Memories with the same audience are heard by the same people. So an audience is part of the partition a memory stands
on: what a room may not hear moves no score, no id and no tick of what it may.
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
SOMEBODY = "somebody"  # stands for every person who is no user
OUTSIDE = ""  # learned outside any chat: told to the memory itself


class ListenersKind(StrEnum):
    ALONE = "alone"  # in no chat: only the asker hears the answer
    PRIVATE = "private"
    GROUP = "group"
    UNKNOWN = "unknown"  # a chat that the directory does not know
    CLOSED = "closed"  # a chat that the asker takes no part in: nothing is said to them


class Listeners(Struct, frozen=True):
    """Where the answer will be heard, and by whom. People are named by their person ids."""

    kind: ListenersKind
    chat: str | None = None
    asker: str | None = None  # `None`: an agent for nobody, or the system
    present: frozenset[str] = frozenset()  # the asker included
    places: tuple[Coordinate, ...] = ()  # where the asker stands

    def is_among(self, readers: Readers) -> bool:
        """Whether everybody here is one of these readers. Who listens in a chat that the directory does not know is not
        known, so a list of readers cannot be kept to there."""
        if readers.users is None:
            return True
        return self.kind is not ListenersKind.UNKNOWN and self.present <= {f"{_USER}{user}" for user in readers.users}

    @property
    def partners(self) -> frozenset[str]:
        """With whom a private chat is: the others, or the asker where nobody else is there."""
        return (self.present - {self.asker}) or self.present


class Audience(Struct, frozen=True, dict=True):
    """All that decides, besides its space, who may hear a memory."""

    sensitivity: Sensitivity = Sensitivity.PUBLIC
    learned_in: str | None = OUTSIDE  # `None`: nobody knows
    subjects: tuple[str, ...] = ()
    stated_by: str | None = None
    portable: bool = True  # only where it is about others: they are told what is, and must not notice what is not

    @property
    def is_self(self) -> bool:
        """Whether it is about nobody, or only about whoever said it."""
        return not self.subjects or self.subjects == (self.stated_by,)

    @cached_property
    def text(self) -> str:
        """The audience as the name of a partition; the plain one has none."""
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
    """The audience of a memory with these fields. What is public and about nobody else is heard alike whoever said it,
    so all of that shares one."""
    # Only users come into a room. Of whom else it is about, that there is somebody decides, and not who: their ids tell
    # how many people the speaker knows, and the audience is part of an id that others may be told.
    subjects = tuple(sorted({one if one.startswith(_USER) else SOMEBODY for one in subjects}))
    if sensitivity is Sensitivity.PUBLIC and (not subjects or subjects == (stated_by,)):
        return PLAIN if learned_in == OUTSIDE else Audience(learned_in=learned_in)
    return Audience(sensitivity, learned_in, subjects, stated_by, portable or not subjects)


def disclosed_part(one: Audience, person: str) -> Audience:
    """The part of an audience that decides whether a memory about `person` is told out of somebody else's space. That
    it is about them, and portable, is known when that is asked. If it is not public, it also matters who said it and
    whether it is about this person alone: only then are they its subject here."""
    if one.sensitivity is Sensitivity.PUBLIC:
        return Audience(learned_in=one.learned_in)
    return Audience(one.sensitivity, one.learned_in, (person,) if one.subjects == (person,) else (), one.stated_by)


@lru_cache(maxsize=65_536)
def audience_from_text(text: str) -> Audience:
    if not text:
        return PLAIN
    sensitivity, learned_in, subjects, stated_by, portable = json.loads(text)
    return Audience(Sensitivity(sensitivity), learned_in, tuple(subjects), stated_by, portable)
