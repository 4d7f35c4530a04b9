"""Days that a text names relative to the day on which it is said: "yesterday", "three weeks ago", "last Friday".

A week begins on Monday. The caller has to say what day it is.
"""

from __future__ import annotations

import calendar
from collections.abc import Iterator
from datetime import date
from functools import cache
from typing import Any

import re2
from msgspec import Struct

from memfort.language.language import english

Days = tuple[int, int]  # the first and the last

DAY, WEEK, WEEKEND, MONTH, YEAR = "day", "week", "weekend", "month", "year"
_A_FEW = 3  # in "the last days"


class RelativeDays(Struct, frozen=True):
    """So many units back from today: that unit as the calendar has it, or all from there until today."""

    begin: int
    end: int
    unit: str | int  # day, week, weekend, month or year; or a weekday, which is a number from 0, Monday
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
    written = next((words for name, words in parts.items() if name.startswith("unit")), None)
    weekday = parts.get("weekday")
    unit = _units()[written] if written else DAY if weekday is None else english().dates.weekdays.index(weekday)
    is_until_today = bool({"unit_counted", "unit_past", "units_past"} & parts.keys())
    return RelativeDays(
        begin, end, unit, _units_back(parts), is_until_today, is_complete="weekday" not in parts or "on" in parts
    )


def _units_back(parts: dict[str, str]) -> int:
    if count := parts.get("count_ago") or parts.get("count"):
        return _count(count)
    if "units_past" in parts:
        return _A_FEW
    if "yesterday" in parts or "unit_before_last" in parts:
        return 2
    if day := parts.get("one_day"):
        return int(day.startswith(english().dates.yesterday))
    return int(parts.get("which") not in english().dates.current)


def _count(words: str) -> int:
    known = [int(word) if word.isdecimal() else _counts().get(word, 0) for word in words.split()]
    return max(known)  # "a couple of": the largest is the one that counts


@cache
def _counts() -> dict[str, int]:
    dates = english().dates
    numbers = {word: number for number, word in enumerate(dates.numbers, start=1)}
    return numbers | {word: int(number) for word, (number,) in dates.counts.items()}


@cache
def _units() -> dict[str, str]:
    return {word: unit for unit, words in english().dates.units.items() for word in words}


def _unit(unit: str | int, count: int, today: date) -> Days | None:
    """The day, week, month or year so many back."""
    now, monday = today.toordinal(), today.toordinal() - today.weekday() - 7 * count
    if unit == DAY:
        return now - count, now - count
    if unit == WEEK:
        return monday, monday + 6
    if unit == WEEKEND:
        return monday + 5, monday + 6
    if unit == MONTH:
        return _month(today, count)
    if unit == YEAR:
        year = today.year - count
        return (date(year, 1, 1).toordinal(), date(year, 12, 31).toordinal()) if year >= 1 else None
    back = (today.weekday() - int(unit)) % 7 or 7
    return now - back, now - back


def _month(today: date, count: int) -> Days | None:
    year, before = divmod(today.year * 12 + today.month - 1 - count, 12)
    if year < 1:
        return None
    first = date(year, before + 1, 1).toordinal()
    return first, first + calendar.monthrange(year, before + 1)[1] - 1


def _same_day(unit: str | int, count: int, today: date) -> int | None:
    """The same day so many units ago; in a month that has no such day, its last."""
    if unit in {DAY, WEEK}:
        first = today.toordinal() - count * (7 if unit == WEEK else 1)
        return first if first > 0 else None
    month = _month(today, count * (12 if unit == YEAR else 1))
    return None if month is None else min(month[0] + today.day - 1, month[1])


@cache
def _of_pattern() -> Any:
    return re2.compile(rf"(?i)\s+{english().dates.of}\b")


@cache
def _pattern() -> Any:
    return re2.compile(rf"(?i)\b{english().dates.relative_days}".replace(" ", r"\s+"))
