"""Where a memory was learned: outside any chat, or in a chat, with the kind of that chat and who listened there.

All of it is recorded with the memory when it is learned and never looked up again. So a person who joins a chat later
was not there, and a private chat that is registered as a group opens nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from functools import reduce

from msgspec import Struct

OUTSIDE = ""  # learned outside any chat: stated to the memory directly


class LearnedKind(StrEnum):
    """The kind of the chat where a memory was learned, at that time."""

    GROUP = "group"
    PRIVATE = "private"
    SEVERAL = "several"  # it comes from several origins that do not belong together, and no chat heard all of it


class Learned(Struct, frozen=True):
    """The origin of a memory."""

    chat: str | None = OUTSIDE  # `None`: unknown, or several
    kind: LearnedKind | None = None  # `None`: outside any chat, or the chat was not registered
    listeners: tuple[str, ...] = ()  # who listened in that chat, by their person ids

    @property
    def is_outside(self) -> bool:
        return self.chat == OUTSIDE

    @property
    def is_unknown(self) -> bool:
        return self.chat is None and self.kind is None

    @property
    def is_group(self) -> bool:
        return self.kind is LearnedKind.GROUP

    @property
    def is_confidential(self) -> bool:
        """Whether it stays in the chat where it was learned: that chat is private, or its kind is not known."""
        return not (self.is_outside or self.is_unknown or self.is_group)


OUTSIDE_ANY_CHAT = Learned()
UNKNOWN = Learned(chat=None)
SEVERAL = Learned(chat=None, kind=LearnedKind.SEVERAL)


def strictest(origins: Iterable[Learned]) -> Learned:
    """The origin of a memory that comes from all of these: a correction, a summary, a copy. It opens no more than any
    of them does."""
    return reduce(_stricter, origins)


def _stricter(one: Learned, other: Learned) -> Learned:
    if one == other:
        return one
    if one.is_unknown or other.is_unknown:
        return SEVERAL  # a policy may open what has no origin, so this must not count as such
    confidential = [each for each in (one, other) if each.is_confidential]
    if len({each.chat for each in confidential}) > 1 or SEVERAL in confidential:
        return SEVERAL
    heard_both = tuple(sorted(set(one.listeners) & set(other.listeners)))
    if confidential:
        kinds = {each.kind for each in confidential}
        return Learned(confidential[0].chat, kinds.pop() if len(kinds) == 1 else None, heard_both)
    # Outside is stricter than a group: people who were in a group may be told what was said there.
    return Learned(one.chat, one.kind, heard_both) if one.chat == other.chat else OUTSIDE_ANY_CHAT
