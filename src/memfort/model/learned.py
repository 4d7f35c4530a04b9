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
    HEARD_AGAIN = "heard_again"  # private, and groups where all who listened there heard it again
    RELEASED_AGAIN = "released_again"  # released, and said in groups: only who was everywhere heard all of it
    LATE = "late"  # a chat before it was registered, and another place that is open
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
    def is_late(self) -> bool:
        """Whether some of it was said in a chat before that was registered: who was there is not known."""
        return self.is_unregistered or self.kind is LearnedKind.LATE

    @property
    def only_chat(self) -> str | None:
        """The chat where all of it was said, if it is one chat."""
        return None if self.kind in _ELSEWHERE_TOO else self.chat or None

    @property
    def is_confidential(self) -> bool:
        """Whether it stays in the chat where it was learned: that chat is private, or its kind is not known."""
        return self.is_unregistered or self.kind in _CONFIDENTIAL

    @property
    def released(self) -> Learned:
        """The origin after a person put the memory into a wider space on purpose: what stayed in a chat, or came from
        nobody knows where, does so no longer. Who heard it stays known."""
        if self.kind in {LearnedKind.PARTLY, LearnedKind.LATE}:
            return RELEASED
        if self.kind is LearnedKind.HEARD_AGAIN:
            return Learned(self.chat, LearnedKind.RELEASED_AGAIN, self.listeners)
        is_closed = self.is_confidential or self.is_unknown
        return Learned(self.chat, LearnedKind.RELEASED, self.listeners) if is_closed else self


_HEARD = frozenset({LearnedKind.PRIVATE, LearnedKind.HEARD_AGAIN})
_RELEASED = frozenset({LearnedKind.RELEASED, LearnedKind.RELEASED_AGAIN})
_CONFIDENTIAL = frozenset({*_HEARD, LearnedKind.PARTLY, LearnedKind.LATE, LearnedKind.SEVERAL})
_ELSEWHERE_TOO = frozenset(
    {LearnedKind.PARTLY, LearnedKind.HEARD_AGAIN, LearnedKind.RELEASED_AGAIN, LearnedKind.LATE, LearnedKind.SEVERAL}
)
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
    if one.is_unknown or other.is_unknown:
        return SEVERAL  # a policy may open what has no origin, so this must not count as such
    if one.is_late or other.is_late:
        return _late(one, other)
    if one.is_confidential and other.is_confidential:
        return _confidential(one, other)
    if one.is_confidential or other.is_confidential:
        return _partly(*((one, other) if one.is_confidential else (other, one)))
    return _open(one, other)


def _late(one: Learned, other: Learned) -> Learned:
    """The origin of what was said in a chat before it was registered, and somewhere else."""
    closed = [each for each in (one, other) if each.is_confidential]
    is_one_chat = all(each.is_late and each.chat == closed[0].chat for each in closed)
    return Learned(closed[0].chat, LearnedKind.LATE) if is_one_chat else SEVERAL


def _confidential(one: Learned, other: Learned) -> Learned:
    """The origin of what was said in two private chats, or in one of them twice."""
    if one.chat != other.chat or SEVERAL in {one, other}:
        return SEVERAL
    kinds = {one.kind, other.kind}
    kind = LearnedKind.PARTLY if kinds - _HEARD else LearnedKind.HEARD_AGAIN
    kind = LearnedKind.PRIVATE if kinds == {LearnedKind.PRIVATE} else kind
    return Learned(one.chat, kind, _heard_both(one, other))


def _partly(private: Learned, other: Learned) -> Learned:
    """The origin of what was said in a private chat, and in a place that is open. Nobody new hears it in that chat; and
    it is heard there again if all who were there heard it in the other place as well."""
    if private == SEVERAL:
        return SEVERAL
    is_heard = private.kind in _HEARD and set(private.listeners) <= set(other.listeners)
    if is_heard and other.kind is LearnedKind.RELEASED and other.chat == private.chat:
        return private
    is_again = other.is_group or (other.kind is LearnedKind.RELEASED_AGAIN and other.chat == private.chat)
    kind = LearnedKind.HEARD_AGAIN if is_heard and is_again else LearnedKind.PARTLY
    return Learned(private.chat, kind, private.listeners)


def _open(one: Learned, other: Learned) -> Learned:
    """The origin of what was said in two places that are open."""
    if one.is_group and other.is_group:
        return Learned(one.chat if one.chat == other.chat else None, LearnedKind.GROUP, _heard_both(one, other))
    released = [each for each in (one, other) if each.kind in _RELEASED]
    if not released:
        return OUTSIDE_ANY_CHAT  # one of them is, and the other a group
    chat, kinds = released[0].chat, {one.kind, other.kind}
    is_one_chat = chat is not None and all(each.chat == chat for each in released)
    if not is_one_chat or kinds - {*_RELEASED, LearnedKind.GROUP}:
        return RELEASED
    kind = LearnedKind.RELEASED if kinds == {LearnedKind.RELEASED} else LearnedKind.RELEASED_AGAIN
    return Learned(chat, kind, _heard_both(one, other))


def _heard_both(one: Learned, other: Learned) -> tuple[str, ...]:
    return tuple(sorted(set(one.listeners) & set(other.listeners)))
