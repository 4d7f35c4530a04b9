"""Finds the event that a question is dated by, where it names no day: "before the move", "since we got married", "after
Anna's trip". The caller finds out when that event was.
"""

from __future__ import annotations

from datetime import date
from enum import StrEnum
from functools import cache
from typing import Any, NamedTuple

from memfort.language.dates.relative import Days
from memfort.language.language import english
from memfort.language.normalise import plain, wording

_MAX_CHARS = 2_000  # characters of a text in which it is looked for, as with days
_EVER = date.max.toordinal()


class Side(StrEnum):
    BEFORE = "before"
    UNTIL = "until"
    SINCE = "since"
    AFTER = "after"

    def span_from(self, day: int) -> Days:
        """All days on this side of one."""
        match self:
            case Side.BEFORE:
                return 0, day - 1
            case Side.UNTIL:
                return 0, day
            case Side.SINCE:
                return day, _EVER
            case Side.AFTER:
                return day + 1, _EVER


@cache
def side_words() -> dict[str, Side]:
    """The words that every text dated by an event has one of, each with its side."""
    return {word: Side(side) for side, words in english().dates.sides.items() for word in words}


class EventReference(NamedTuple):
    side: Side
    words: str  # the words for what happened


def find_event_reference(text: str) -> EventReference | None:
    """The first event that a text is dated by. "The week before the move" is near it, and on no side of it."""
    found = _pattern().search(plain(text[:_MAX_CHARS]))
    if found is None or found["near"]:
        return None
    return EventReference(side_words()[found["side"]], found["words"].strip())


@cache
def _pattern() -> Any:
    dates, side = english().dates, "|".join(sorted(side_words()))
    return wording(
        rf"(?P<near>\b{dates.near_an_event} )?\b(?P<side>{side}) (?P<words>{dates.event_beginnings}\b[^.?!;,:()]*)"
    )
