"""Finds the days that a text names: "8 May, 2023", "May 2023", "last summer", "2023-05-08", "since March 2024". Days
are ordinal numbers, which compare.

`calendar.py` and `numeric.py` find names of the calendar, `relative.py` those relative to today; here they become spans
and ranges.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import cache
from typing import Any, TypeGuard

import re2
from msgspec import Struct
from msgspec.structs import replace

from memfort.language.dates.calendar import CalendarDays, find_calendar_days
from memfort.language.dates.relative import YEAR, Days, RelativeDays, find_relative_days
from memfort.language.language import english
from memfort.language.normalise import group_start

__all__ = ["Days", "day_phrases", "find_day", "find_days"]

_MAX_CHARS = 2_000  # characters of a text in which days are looked for: a longer query is no question about a day
_MAX_SPANS = 64  # spans, and years where none is said
_EVER = date.max.toordinal()  # the end of what has none; 0, which is before all days, is the beginning
_NEARBY_CHARS = 40  # characters before a day in which stands what makes it the end of a range


def find_days(text: str, years: Iterable[int] = (), today: date | None = None) -> list[Days]:
    """Every day and stretch of days that the text names. Where it names no year, those of each of `years`; days
    that are counted from today are known only with `today`. A stretch without beginning starts at 0."""
    known, seen, found = sorted(set(years))[-_MAX_SPANS:], _searched_part(text), dict[Days, None]()
    for phrase in {seen[phrase.begin : phrase.end]: phrase for phrase in _phrases(seen)}.values():
        found.update(dict.fromkeys(phrase.days(known, today)))
        if len(found) >= _MAX_SPANS:
            break
    return list(found)[:_MAX_SPANS]


def day_phrases(text: str) -> list[str]:
    """The words with which the text names them."""
    seen = _searched_part(text)
    return [seen[phrase.begin : phrase.end] for phrase in _phrases(seen)]


def find_day(text: str) -> int | None:
    """The first day that a text names with its year, or None. "09/12/2024" may be two: that is none."""
    named = (name.days((), None) for name in _calendar_names(text))
    return next((days[0][0] for days in named if len(days) == 1 and days[0][0] == days[0][1]), None)


def _searched_part(text: str) -> str:
    """As much as is looked at, without the word in which it ends."""
    seen = text[:_MAX_CHARS]
    return seen if len(text) <= _MAX_CHARS else seen.rpartition(" ")[0] or seen


class _DayName(Struct, frozen=True):
    """Days that one name stands for: of the calendar (`named`) or relative to today (`ago`)."""

    begin: int
    end: int
    named: CalendarDays | None = None
    ago: RelativeDays | None = None
    is_last: bool = False  # those that ended last before today
    years_ago: int | None = None  # those of this year (0), of last year (1) and so on
    is_doubtful: bool = False  # the word may mean something else

    def days(self, years: Sequence[int], today: date | None) -> list[Days]:
        """The days where the name stands alone: a winter is at both ends of its year."""
        if self.is_doubtful:
            return []
        new_years = [] if self.named is None or self.is_from_today else self.named.new_years(years)
        return [*new_years, *self.all_days(years, today)]

    def all_days(self, years: Sequence[int], today: date | None) -> list[Days]:
        """As the end of a range."""
        if self.is_from_today:
            days = None if today is None else self._relative_to(today)
            return [] if days is None else [days]
        return [] if self.named is None else self.named.days(years)

    def in_year(self, year: int) -> Days | None:
        return None if self.named is None else self.named.in_year(year)

    @property
    def is_from_today(self) -> bool:
        return self.ago is not None or self.is_last or self.years_ago is not None

    @property
    def is_any_year(self) -> bool:
        return self.named is not None and self.named.is_any_year and not self.is_from_today

    def _relative_to(self, today: date) -> Days | None:
        if self.ago is not None:
            return self.ago.days(today)
        if self.years_ago is not None:
            return self._in_relative_year(today)
        found = (self.in_year(today.year - back) for back in range(9))  # 29 February may be eight years away
        return next((days for days in found if days is not None and days[1] < today.toordinal()), None)

    def _in_relative_year(self, today: date) -> Days | None:
        """Those of the year that is so many back; but in January "this winter" is the one that has not ended."""
        if self.years_ago == 0 and today.year > date.min.year:
            running = self.in_year(today.year - 1)
            if running is not None and running[1] >= today.toordinal():
                return running
        return self.in_year(today.year - (self.years_ago or 0))


class _Range(Struct, frozen=True):
    """From one to the other, or all on one side of it."""

    begin: int
    end: int
    low: _DayName | None = None
    high: _DayName | None = None
    is_after: bool = False  # what is low is not in it
    is_before: bool = False  # what is high is not in it
    is_until_today: bool = False

    def days(self, years: Sequence[int], today: date | None) -> Iterator[Days]:
        for low, high in self._ends(years, today):
            first = 0 if low is None else low[1] + 1 if self.is_after else low[0]
            last = _EVER if high is None else high[0] - 1 if self.is_before else high[1]
            if self.is_until_today and today is not None and first <= today.toordinal():
                last = today.toordinal()
            if first <= last:
                yield first, last
            elif low is not None and high is not None and not self.is_after and not self.is_before:
                yield high[0], low[1]  # the later one is said first

    def _ends(self, years: Sequence[int], today: date | None) -> Iterator[tuple[Days | None, Days | None]]:
        if self.low is None or self.high is None:
            one = self.high if self.low is None else self.low
            found = [] if one is None else one.all_days(years, today)
            if self.is_until_today and today is not None and one is not None and one.is_any_year:
                # since the last March, not since every March
                found = [days for days in found if days[0] <= today.toordinal()][-1:] or found
            yield from ((None, days) if self.low is None else (days, None) for days in found)
        elif alike := _ends_in_same_order(self.low.named, self.high.named):
            yield from alike
        elif self.low.is_any_year and not self.high.is_any_year:
            highs = self.high.all_days(years, today)
            yield from ((low, high) for high in highs for low in _nearest_days(self.low, high, -1))
        else:
            for low in self.low.all_days(years, today):
                is_any = self.high.is_any_year
                highs = _nearest_days(self.high, low, 1) if is_any else self.high.all_days(years, today)
                yield from ((low, high) for high in highs)


def _ends_in_same_order(low: CalendarDays | None, high: CalendarDays | None) -> list[tuple[Days, Days]]:
    """The ends of a range that are dates in numbers, with day and month in one order at both."""
    if low is None or high is None or low.orders is None or high.orders is None:
        return []
    pairs = zip(low.orders, high.orders, strict=True)
    return [(first, last) for first, last in pairs if first is not None and last is not None]


def _nearest_days(name: _DayName, other: Days, step: int) -> list[Days]:
    """Those days in the year of the other, or else in the next one that way, if there are such days."""
    year = date.fromordinal(min(other[0], _EVER)).year
    found = (name.in_year(year), name.in_year(year + step))
    return [days for days in found if days is not None and (days[0] - other[0]) * step >= 0][:1]


def _phrases(text: str) -> Iterator[_DayName | _Range]:
    """The days that a text names, in order, and the ranges that are made of them."""
    name, place, spoken = _find_day_names(text), 0, 0
    while place < len(name):
        one, other = name[place], name[place + 1] if place + 1 < len(name) else None
        found = _range(text, spoken, one, other)
        if found is not None:
            yield found
        elif not one.is_doubtful:
            yield one
        spoken = one.end if found is None else found.end
        place += 2 if found is not None and other is not None and found.end >= other.end else 1


def _range(text: str, spoken: int, one: _DayName, other: _DayName | None) -> _Range | None:
    """The range that begins with this one, if any, by the words that stand before, between and behind."""
    start = max(spoken, one.begin - _NEARBY_CHARS)
    opening = _opening_pattern().search(text[start : one.begin])
    if opening is None or opening["near"]:
        return None
    begin, by = start + group_start(opening, "by"), _meaning(opening["by"], "range_beginnings")
    if other is not None and other.begin - one.end <= _NEARBY_CHARS:
        joint = _joint_pattern().fullmatch(text[one.end : other.begin])
        to = "" if joint is None else _meaning(joint["by"], "range_joints")
        if by in _JOINTS.get(to, ()):
            return _Range(begin, other.end, one, other, is_after=by == "after", is_before=to == "before")
    is_word = one.named is not None and one.is_doubtful and not (_ends_clause(text, one.end) and not opening["the"])
    return None if is_word else _one_sided(text, begin, by, one)


def _one_sided(text: str, begin: int, by: str, one: _DayName) -> _Range | None:
    if by in {"before", "until"}:
        return _Range(begin, one.end, high=one, is_before=by == "before")
    if by in {"after", "since"}:
        return _Range(begin, one.end, one, is_after=by == "after", is_until_today=by == "since")
    rest = _onward_pattern().match(text[one.end : one.end + _NEARBY_CHARS])
    return _Range(begin, one.end + rest.end(), one) if by == "from" and rest is not None else None


# What may stand between the two ends of a range, and before it.
_JOINTS = {
    "and": {"between"},
    "to": {"between", "from", "since"},
    "through": {"from"},
    "dash": {"between", "from"},
    "before": {"after", "since"},
    "until": {"after", "from", "since"},
    "up_to": {"from"},
}


def _meaning(written: str, section: str) -> str:
    """What a word before or inside a range means, by the names of `dates.txt`."""
    return _meanings(section)[" ".join(written.lower().split())]


@cache
def _meanings(section: str) -> dict[str, str]:
    groups: Mapping[str, tuple[str, ...]] = getattr(english().dates, section)
    return {phrase: meaning for meaning, phrases in groups.items() for phrase in phrases}


def _calendar_names(text: str) -> Iterator[_DayName]:
    return (_DayName(one.begin, one.end, one, is_doubtful=one.is_doubtful) for one in find_calendar_days(text))


def _find_day_names(text: str) -> list[_DayName]:
    """Every name of days, in order and apart from each other. What the calendar names comes before what today does."""
    named = list(_calendar_names(text))
    taken = {place for one in named for place in range(one.begin, one.end)}
    others = [
        _DayName(ago.begin, ago.end, ago=ago, is_doubtful=not ago.is_complete)
        for ago in find_relative_days(text)
        if ago.begin not in taken and ago.end - 1 not in taken
    ]
    joined: list[_DayName] = []
    for one in sorted([*named, *others], key=lambda one: one.begin):
        before = joined[-1] if joined else None
        both = None if before is None else _merge_names(before, one, text[before.end : one.begin])
        if both is None:
            joined.append(_with_last(one, text, before.end if before else 0))
        else:
            joined[-1] = both
    return joined


def _merge_names(one: _DayName, other: _DayName, between: str) -> _DayName | None:
    """Two names that tell of one day: "Sunday, 7 May", "May last year" and "the Sunday before 7 May", which is near
    that day. None: they are two."""
    is_beside = len(between) <= _NEARBY_CHARS and _apposition_pattern().fullmatch(between) is not None
    if one.ago is not None and other.named is not None and not other.is_doubtful:
        is_counted = len(between) <= _NEARBY_CHARS and _counted_from_pattern().fullmatch(between) is not None
        if is_counted or (is_beside and isinstance(one.ago.unit, int)):
            return replace(other, begin=one.begin)
    if is_beside and _is_year(other.ago) and one.is_any_year:
        return replace(one, end=other.end, years_ago=other.ago.count, is_doubtful=False)
    if is_beside and _is_year(one.ago) and other.is_any_year and not other.is_doubtful:
        return replace(other, begin=one.begin, years_ago=one.ago.count)
    return None


def _is_year(ago: RelativeDays | None) -> TypeGuard[RelativeDays]:
    return ago is not None and ago.unit == YEAR and not ago.is_until_today


def _with_last(one: _DayName, text: str, spoken: int) -> _DayName:
    """The same, or "last summer", "this May", if that is what is said."""
    start = max(spoken, one.begin - _NEARBY_CHARS)
    found = _last_pattern().search(text[start : one.begin]) if one.is_any_year else None
    if found is None:
        return one
    is_this = found["this"] is not None
    if one.is_doubtful and (is_this or found["the"] or not _ends_clause(text, one.end)):
        return one
    begin = start + group_start(found, "which")
    return replace(one, begin=begin, is_last=not is_this, years_ago=0 if is_this else None, is_doubtful=False)


def _ends_clause(text: str, place: int) -> bool:
    """Whether a clause ends here: then "last may" was a month, and in "what came before may matter" it is not."""
    return text[place : place + 1] in {"", "?", ".", ",", ";", "!", ":", ")"}


def _any_phrase(section: str) -> str:
    """Any of the phrases of a section of `dates.txt`, the longest first."""
    phrases = sorted(_meanings(section), key=len, reverse=True)
    return "(?:" + "|".join(phrase.replace(" ", r"\s+") for phrase in phrases) + ")"


@cache
def _opening_pattern() -> Any:
    """What makes the day behind it an end. "The week before 8 May" and "shortly after" are near that day instead."""
    dates, by = english().dates, _any_phrase("range_beginnings")
    return re2.compile(
        rf"(?i)(?P<near>\b{dates.near}\s+)?\b(?P<by>{by})\s+(?:{dates.on}\s+)?(?P<the>{dates.the}\s+)?"
        rf"(?:{dates.parts}[\s-]+)?$"
    )


@cache
def _joint_pattern() -> Any:
    dates, by = english().dates, _any_phrase("range_joints")
    return re2.compile(
        rf"(?i)\s*,?\s*(?:\b{dates.joint_beginnings}\s+)?(?P<by>{by})\s+(?:{dates.the}\s+)?(?:{dates.parts}[\s-]+)?"
    )


@cache
def _onward_pattern() -> Any:
    return re2.compile(rf"(?i)\s+{english().dates.onward}\b")


@cache
def _apposition_pattern() -> Any:
    return re2.compile(rf"(?i)(?:['’]s)?,?\s+(?:{english().dates.apposition}\s+)?")


@cache
def _counted_from_pattern() -> Any:
    dates = english().dates
    return re2.compile(rf"(?i)\s+{dates.counted_from}\s+(?:{dates.the}\s+)?")


@cache
def _last_pattern() -> Any:
    dates = english().dates
    return re2.compile(rf"(?i)(?P<the>\b{dates.the}\s+)?\b(?P<which>{dates.last}|(?P<this>{dates.this}))\s+$")
