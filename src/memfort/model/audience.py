"""Who listens to an answer, and the audience of a memory: the fields that decide, besides its space and its reader
list, whether the listeners may hear it.

Memories with the same audience are shown to the same listeners. So the audience is part of a memory's partition:
memories that the listeners may not hear affect no score, id or tick of those that they may.
"""

from __future__ import annotations

import json
from enum import StrEnum
from functools import cached_property, lru_cache

from msgspec import Struct

from memfort.model.item import Candidate, Item, Readers, Sensitivity
from memfort.model.learned import OUTSIDE_ANY_CHAT, Learned, LearnedKind
from memfort.model.people.person import person_of_user
from memfort.model.serialize.encoding import canonical_json
from memfort.model.space import Level, Space

_USER = "@"  # how the id of a user's person begins
OTHER_PERSON = "other"  # stands for every person who is not a user
UNKNOWN_SPEAKER = "unknown"  # in the space of a user


class ListenersKind(StrEnum):
    ALONE = "alone"  # in no chat: only the asker sees the answer
    PRIVATE = "private"
    GROUP = "group"
    UNKNOWN = "unknown"  # a chat that the directory does not know
    CLOSED = "closed"  # a chat where the asker does not take part: nothing is shown


class Listeners(Struct, frozen=True):
    """Where the answer is shown, and who hears it. People are given by their person ids.

    An agent listens for the user it acts for, otherwise for its owner; so a listener need not be present.
    """

    kind: ListenersKind
    chat: str | None = None
    asker: str | None = None  # the person as whom it is asked: an agent for nobody asks as its owner
    present: frozenset[str] = frozenset()  # the persons who take part themselves, the asker included
    listening: frozenset[str] = frozenset()  # those present, and those whom the agents here listen for
    agents: frozenset[str | None] = frozenset()  # through which the listeners listen; `None` for a person
    user: str | None = None  # the person whose rights the asker has; `None`: an agent for nobody, or the system

    def is_among(self, readers: Readers) -> bool:
        """Whether a reader list admits every listener. Who listens in an unregistered chat is not known, so a reader
        list cannot be enforced there."""
        if readers.is_open:
            return True
        if self.kind is ListenersKind.UNKNOWN:
            return False
        if readers.agents is not None and not self.agents <= readers.agents:
            return False
        return readers.users is None or self.listening <= {person_of_user(user) for user in readers.users}

    @property
    def learned_here(self) -> Learned:
        """The origin of a statement that is made here now."""
        if self.chat is None:
            return OUTSIDE_ANY_CHAT
        kind = _LEARNED_KIND.get(self.kind)
        return Learned(self.chat, kind, () if kind is None else tuple(sorted(self.listening)))


_LEARNED_KIND = {ListenersKind.PRIVATE: LearnedKind.PRIVATE, ListenersKind.GROUP: LearnedKind.GROUP}


class Audience(Struct, frozen=True, dict=True):
    """All fields that decide, besides its space and its readers, who may hear a memory."""

    sensitivity: Sensitivity = Sensitivity.PUBLIC
    learned: Learned = OUTSIDE_ANY_CHAT
    subjects: tuple[str, ...] = ()
    stated_by: str | None = None  # `None`: the user of the space; in a space without a user, unknown
    portable: bool = True  # whether it may leave the chat where it was learned
    judged: bool = True  # whether its sensitivity was judged, and not only assumed

    @cached_property
    def text(self) -> str:
        """The audience as the name of a partition; empty for the plain audience."""
        if self == PLAIN:
            return ""
        learned = [self.learned.chat, self.learned.kind, list(self.learned.listeners)]
        return canonical_json(
            [self.sensitivity.value, learned, list(self.subjects), self.stated_by, self.portable, self.judged]
        ).decode()


PLAIN = Audience()


_DISCLOSES = frozenset({Level.USER, Level.CHAT})


def may_disclose_from(space: Space) -> bool:
    """Whether memories about people are disclosed from this space: only from those of users and of chats."""
    return space.levels <= _DISCLOSES


def learned_of(memory: Item | Candidate) -> Learned:
    return Learned(memory.learned_in, memory.learned_kind, memory.learned_with)


def is_understood(memory: Item | Candidate) -> bool:
    """Whether its sensitivity was stated or judged, and is not only assumed."""
    return memory.judgement is None or memory.judgement.is_understood


def audience_of(item: Item) -> Audience:
    return audience(
        item.space,
        item.sensitivity,
        learned_of(item),
        item.subjects,
        item.stated_by,
        item.portable,
        judged=is_understood(item),
    )


def audience(
    space: Space,
    sensitivity: Sensitivity,
    learned: Learned,
    subjects: tuple[str, ...],
    stated_by: str | None,
    portable: bool,
    *,
    judged: bool = True,
) -> Audience:
    """The audience of a memory with these fields in this space. What a user says in their own space about no one has
    the plain audience. What the policy makes public is told like any other, judged or not."""
    owner = None if (user := space.get(Level.USER)) is None else person_of_user(user)
    is_public = sensitivity is Sensitivity.PUBLIC
    if is_public and not may_disclose_from(space) and subjects == (stated_by,) == (owner,):
        subjects = ()  # only those who see the space hear it, and to them it is what the owner says about themselves
    if owner is not None:
        stated_by = None if stated_by == owner else stated_by or UNKNOWN_SPEAKER
    elif is_public and not subjects and Level.AGENT not in space.levels:
        stated_by = None  # every listener needs a reason, and no one else has one because of the speaker
    return _audience(sensitivity, learned, subjects, stated_by, portable, judged or is_public)


@lru_cache(maxsize=65_536)
def _audience(
    sensitivity: Sensitivity,
    learned: Learned,
    subjects: tuple[str, ...],
    stated_by: str | None,
    portable: bool,
    judged: bool,
) -> Audience:
    # Only users can listen. Of other subjects only their existence counts, not their ids: those reveal how many people
    # the speaker knows, and the audience is part of an id that others may see.
    subjects = tuple(sorted({one if one.startswith(_USER) else OTHER_PERSON for one in subjects}))
    return Audience(sensitivity, learned, subjects, stated_by, portable, judged)


@lru_cache(maxsize=65_536)
def audience_from_text(text: str) -> Audience:
    if not text:
        return PLAIN
    sensitivity, (chat, kind, listeners), subjects, stated_by, portable, judged = json.loads(text)
    learned = Learned(chat, None if kind is None else LearnedKind(kind), tuple(listeners))
    return Audience(Sensitivity(sensitivity), learned, tuple(subjects), stated_by, portable, judged)
