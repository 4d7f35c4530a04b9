"""What a question tells time by, where it names no day: "before the move", "since we got married", "after Anna's trip".

When that was is for whoever knows of it to tell; here is only how it is asked.
"""

from __future__ import annotations

from datetime import date
from enum import StrEnum
from functools import lru_cache
from typing import Any, NamedTuple

from memfort.language.dates.relative import Days
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


_TILL = "till"  # another word for until
SIDES = frozenset((*Side, _TILL))  # one of these is in every text that tells time so


class EventReference(NamedTuple):
    side: Side
    words: str  # what happened, as it is told


def find_event_reference(text: str) -> EventReference | None:
    """The first that a text tells time by. "The week before the move" is near it, and on no side of it."""
    found = _pattern().search(plain(text[:_MAX_CHARS]))
    if found is None or found["near"]:
        return None
    return EventReference(Side.UNTIL if found["side"] == _TILL else Side(found["side"]), found["words"].strip())


@lru_cache(maxsize=1)
def _pattern() -> Any:
    near = r"\b(?:days?|nights?|weeks?|weekends?|months?|years?|hours?|just|right|shortly|soon|immediately) "
    whose = r"the|my|our|your|his|her|their|its|this|that|we|i|he|she|they|it|[a-z]+'s|[a-z]{2,}ing"
    return wording(rf"(?P<near>{near})?\b(?P<side>{'|'.join(sorted(SIDES))}) (?P<words>(?:{whose})\b[^.?!;,:()]*)")
