"""Who may learn of a person, stated independently of the product. Nothing of Memfort is imported here."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Acquaintance:
    """A person or relation known in a space that the asker sees, as plain values."""

    room: str
    chat: str | None
    present: frozenset[str]
    home: str  # listed, chat, or elsewhere: where it was made known
    home_chat: str | None = None
    readers: frozenset[str] | None = None


# Where a person is known, and whether the chat may know them if all participants are readers.
KNOWN = {
    "listed": {"alone": True, "private": True, "group": True, "unknown": True},
    "this chat": {"alone": False, "private": True, "group": True, "unknown": True},
    "elsewhere": {"alone": True, "private": False, "group": False, "unknown": False},
}


def may_know(case: Acquaintance) -> bool:
    """Whether the chat may know them: by list, by name, by id, as a relation, in an export."""
    place = "this chat" if case.home == "chat" and case.home_chat == case.chat else case.home
    return KNOWN[place][case.room] and _all_are_readers(case.room, case.present, case.readers)


def _all_are_readers(room: str, present: frozenset[str], readers: frozenset[str] | None) -> bool:
    """A reader list must admit all participants; where they are unknown, it admits none."""
    if readers is None:
        return True
    return room != "unknown" and all(person in readers for person in present)
