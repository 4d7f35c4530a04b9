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
    RELEASED = "released"  # private, and released from there: promoted, or put into a wider space on purpose
    SEVERAL = "several"  # several chats that do not belong together, one of them private: no chat heard all of it


class Learned(Struct, frozen=True):
    """The origin of a memory."""

    chat: str | None = OUTSIDE  # `None`: unknown, or several chats
    kind: LearnedKind | None = None  # `None`: outside any chat, or the chat was not registered
    listeners: tuple[str, ...] = ()  # who listened there, by their person ids

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
    def is_unregistered(self) -> bool:
        """Whether it was learned in a chat that the directory did not know."""
        return bool(self.chat) and self.kind is None

    @property
    def is_confidential(self) -> bool:
        """Whether it stays in the chat where it was learned: that chat is private, or its kind is not known."""
        return self.is_unregistered or self.kind in {LearnedKind.PRIVATE, LearnedKind.SEVERAL}

    @property
    def released(self) -> Learned:
        """The origin after a person put the memory into a wider space on purpose. Who heard it stays known."""
        return Learned(self.chat, LearnedKind.RELEASED, self.listeners) if self.is_confidential else self


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
    if one.is_unknown or other.is_unknown or one.is_unregistered or other.is_unregistered:
        return SEVERAL  # a policy may open what has no origin, so this must not count as such
    heard_both = tuple(sorted(set(one.listeners) & set(other.listeners)))
    private = [each for each in (one, other) if each.is_confidential]
    if private:
        is_one_chat = len({each.chat for each in private}) == 1 and SEVERAL not in private
        return Learned(private[0].chat, LearnedKind.PRIVATE, heard_both) if is_one_chat else SEVERAL
    if one.is_outside or other.is_outside:
        return OUTSIDE_ANY_CHAT
    kind = LearnedKind.GROUP if one.is_group and other.is_group else LearnedKind.RELEASED
    return Learned(one.chat if one.chat == other.chat else None, kind, heard_both)
