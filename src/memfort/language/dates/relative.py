"""Days that a text names relative to the day on which it is said: "yesterday", "three weeks ago", "last Friday".

English. A week begins on Monday. The caller has to say what day it is.
"""

from __future__ import annotations

import calendar
from collections.abc import Iterator
from datetime import date
from functools import lru_cache
from typing import Any

import re2
from msgspec import Struct

Days = tuple[int, int]  # the first and the last

_NUMBERS = (
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)
_COUNTS = {name: number for number, name in enumerate(_NUMBERS, start=1)} | {
    "a": 1,
    "an": 1,
    "couple": 2,
    "few": 3,
    "several": 3,
}
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_YESTERDAY = ("yesterday", "last")  # the other words for one day mean today


class RelativeDays(Struct, frozen=True):
    """So many units back from today: that unit as the calendar has it, or all from there until today."""

    begin: int
    end: int
    unit: str  # day, week, weekend, month, year or a weekday
    count: int
    is_until_today: bool = False
    is_complete: bool = True  # False: a weekday that nothing says to be a certain one

    def days(self, today: date) -> Days | None:
        """The days meant. None: they are before all that can be counted."""
        if self.is_until_today:
            first = _same_day(self.unit, self.count, today)
            return None if first is None else (first, today.toordinal())
        found = _unit(self.unit, self.count, today)
        return found if found is not None and found[0] > 0 else None


def find_relative_days(text: str) -> Iterator[RelativeDays]:
    """All of them in order. "The last week of May" is none: it is relative to May, not to today."""
    for found in _pattern().finditer(text):
        parts = {name: words.lower() for name, words in found.groupdict().items() if words}
        if not ({"one_day", "unit_ago"} & parts.keys()) and _of_pattern().match(text[found.end() : found.end() + 9]):
            continue
        yield _parse_match(found.start(), found.end(), parts)


def _parse_match(begin: int, end: int, parts: dict[str, str]) -> RelativeDays:
    unit = next((words for name, words in parts.items() if name.startswith("unit")), parts.get("weekday", "day"))
    is_until_today = bool({"unit_counted", "unit_past", "units_past"} & parts.keys())
    return RelativeDays(
        begin, end, unit, _units_back(parts), is_until_today, is_complete="weekday" not in parts or "on" in parts
    )


def _units_back(parts: dict[str, str]) -> int:
    if count := parts.get("count_ago") or parts.get("count"):
        return _count(count)
    if "units_past" in parts:
        return _COUNTS["few"]
    if "yesterday" in parts or "unit_before_last" in parts:
        return 2
    if day := parts.get("one_day"):
        return int(day.startswith(_YESTERDAY))
    return int(parts.get("which") not in {"this", "current"})


def _count(words: str) -> int:
    known = [int(word) if word.isdecimal() else _COUNTS.get(word, 0) for word in words.split()]
    return max(known)  # "a couple of": the largest is the one that counts


def _unit(unit: str, count: int, today: date) -> Days | None:
    """The day, week, month or year so many back."""
    now, monday = today.toordinal(), today.toordinal() - today.weekday() - 7 * count
    if unit == "day":
        return now - count, now - count
    if unit == "week":
        return monday, monday + 6
    if unit == "weekend":
        return monday + 5, monday + 6
    if unit == "month":
        return _month(today, count)
    if unit == "year":
        year = today.year - count
        return (date(year, 1, 1).toordinal(), date(year, 12, 31).toordinal()) if year >= 1 else None
    back = (today.weekday() - WEEKDAYS.index(unit)) % 7 or 7
    return now - back, now - back


def _month(today: date, count: int) -> Days | None:
    year, before = divmod(today.year * 12 + today.month - 1 - count, 12)
    if year < 1:
        return None
    first = date(year, before + 1, 1).toordinal()
    return first, first + calendar.monthrange(year, before + 1)[1] - 1


def _same_day(unit: str, count: int, today: date) -> int | None:
    """The same day so many units ago; in a month that has no such day, its last."""
    if unit in {"day", "week"}:
        first = today.toordinal() - count * (7 if unit == "week" else 1)
        return first if first > 0 else None
    month = _month(today, count * (12 if unit == "year" else 1))
    return None if month is None else min(month[0] + today.day - 1, month[1])


@lru_cache(maxsize=1)
def _of_pattern() -> Any:
    return re2.compile(r"(?i)\s+of\b")


@lru_cache(maxsize=1)
def _pattern() -> Any:
    count = rf"[0-9]{{1,4}}|{'|'.join(_NUMBERS)}|(?:a )?couple(?: of)?|(?:a )?few|several|an?"
    unit = "day|week|month|year"
    forms = (
        r"(?:the )?day before (?P<yesterday>yesterday)\b",
        r"(?:the )?(?P<unit_before_last>week|weekend|month|year) before last\b",
        r"(?P<one_day>today|yesterday|tonight|last night|this (?:morning|afternoon|evening))\b",
        rf"(?P<count_ago>{count}) (?P<unit_ago>{unit})s? ago\b",
        # "will it last two weeks" tells of no days: there has to be more than that beside it
        rf"(?:(?:the|these|in|over|during|within|for) (?:last|past|previous)|past) (?P<count>{count})"
        rf" (?P<unit_counted>{unit})s?\b",
        r"(?:the (?:last|past)|past) (?P<unit_past>week|month|year)\b",
        rf"(?:the (?:last|past)|past) (?P<units_past>{unit})s\b",
        r"(?P<which>last|previous|this|current) (?P<unit>week|weekend|month|year)\b",
        rf"(?:(?P<on>on|last|past) )?(?P<weekday>{'|'.join(WEEKDAYS)})\b",
    )
    return re2.compile(rf"(?i)\b(?:{'|'.join(forms)})".replace(" ", r"\s+"))
