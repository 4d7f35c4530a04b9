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
    PARTLY = "partly"  # private, and another place: it stays there, but nobody heard all of it
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
        return self.is_unregistered or self.kind in _CONFIDENTIAL

    @property
    def released(self) -> Learned:
        """The origin after a person put the memory into a wider space on purpose: what stayed in a chat, or came from
        nobody knows where, does so no longer. Who heard it stays known."""
        if self.kind is LearnedKind.PARTLY:
            return RELEASED
        is_closed = self.is_confidential or self.is_unknown
        return Learned(self.chat, LearnedKind.RELEASED, self.listeners) if is_closed else self


_CONFIDENTIAL = frozenset({LearnedKind.PRIVATE, LearnedKind.PARTLY, LearnedKind.SEVERAL})
OUTSIDE_ANY_CHAT = Learned()
UNKNOWN = Learned(chat=None)
SEVERAL = Learned(chat=None, kind=LearnedKind.SEVERAL)
RELEASED = Learned(chat=None, kind=LearnedKind.RELEASED)


def strictest(origins: Iterable[Learned]) -> Learned:
    """The origin of a memory that comes from all of these: a correction, a summary, a copy. It opens no more than any
    of them does."""
    return reduce(_stricter, origins)


def _stricter(one: Learned, other: Learned) -> Learned:
    if one == other:
        return one
    if one.is_unknown or other.is_unknown or one.is_unregistered or other.is_unregistered:
        return SEVERAL  # a policy may open what has no origin, so this must not count as such
    private = [each for each in (one, other) if each.is_confidential]
    if private:
        return _confidential(private)
    heard_both = tuple(sorted(set(one.listeners) & set(other.listeners)))
    if one.is_group and other.is_group:
        return Learned(one.chat if one.chat == other.chat else None, LearnedKind.GROUP, heard_both)
    if LearnedKind.RELEASED not in {one.kind, other.kind}:
        return OUTSIDE_ANY_CHAT  # one of them is, and the other a group
    return Learned(one.chat, one.kind, heard_both) if (one.chat, one.kind) == (other.chat, other.kind) else RELEASED


def _confidential(private: list[Learned]) -> Learned:
    """The origin of what was learned in one or two of these, and else in a place that is open."""
    if len({each.chat for each in private}) > 1 or SEVERAL in private:
        return SEVERAL
    is_heard = len(private) == 2 and all(each.kind is LearnedKind.PRIVATE for each in private)
    heard = set(private[0].listeners).intersection(*(each.listeners for each in private))
    return Learned(private[0].chat, LearnedKind.PRIVATE if is_heard else LearnedKind.PARTLY, tuple(sorted(heard)))
