"""Who may learn of a person, written out apart from the product. Nothing of Memfort is imported here."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Acquaintance:
    """Somebody who was made known in a space that the asker sees, or what they are to another, as plain values."""

    room: str
    chat: str | None
    present: frozenset[str]
    home: str  # listed, chat, or elsewhere: where it was made known
    home_chat: str | None = None
    readers: frozenset[str] | None = None


# Where somebody was made known, and whether the room may hear of them there if everybody in it is a reader.
KNOWN = {
    "listed": {"alone": True, "private": True, "group": True, "unknown": True},
    "this chat": {"alone": False, "private": True, "group": True, "unknown": True},
    "elsewhere": {"alone": True, "private": False, "group": False, "unknown": False},
}


def may_know(case: Acquaintance) -> bool:
    """Whether the room is told of them: by list, by name, by id, as a relation, in an export."""
    place = "this chat" if case.home == "chat" and case.home_chat == case.chat else case.home
    return KNOWN[place][case.room] and _all_are_readers(case.room, case.present, case.readers)


def _all_are_readers(room: str, present: frozenset[str], readers: frozenset[str] | None) -> bool:
    """A list of readers holds for everybody who listens; where nobody knows who does, it cannot be kept to."""
    if readers is None:
        return True
    return room != "unknown" and all(person in readers for person in present)
