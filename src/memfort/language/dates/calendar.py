"""Days that the calendar names: "8 May, 2023", "May 2023", "summer", "2023", with their year or in any.

Names of months and seasons, and what `numeric.py` reads in numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import re2
from msgspec import Struct, field

from memfort.language.dates.numeric import SHAPE, YEAR, Orders, day_span, months_span, numeric
from memfort.language.dates.relative import Days
from memfort.language.language import english

_NEARBY_CHARS = 40  # characters before and behind in which stands what makes such a word a time


class CalendarDays(Struct, frozen=True):
    begin: int
    end: int
    year: int | None = None  # None: of any, or in numbers
    parts: Mapping[str, str | None] = field(default_factory=dict)
    is_doubtful: bool = False  # the word may mean something else
    orders: Orders | None = None  # what it means, if it is written in numbers

    @property
    def is_any_year(self) -> bool:
        return self.year is None and self.orders is None

    def days(self, years: Sequence[int]) -> list[Days]:
        """The days in its year; where the text names none, in each of these years."""
        if self.orders is not None:
            return [days for days in dict.fromkeys(self.orders) if days is not None]
        found = (self.in_year(year) for year in self._years(years))
        return [days for days in found if days is not None]

    def in_year(self, year: int) -> Days | None:
        """Those of that year. None: it has no such day."""
        return _in_year(self.parts, year)

    def new_years(self, years: Sequence[int]) -> list[Days]:
        """The beginning of its year, if a winter is named by it: one that ends in 2022 is as much the winter of 2022 as
        one that begins there. "Winter 2022/23" is one winter."""
        first, last = _seasons().get((self.parts.get("season") or "").lower(), (0, 0))
        if first <= last or self.parts["season_end"]:
            return []
        found = (months_span(year, 1, last) for year in self._years(years))
        return [days for days in found if days is not None]

    def _years(self, years: Sequence[int]) -> Sequence[int]:
        return years if self.year is None else (self.year,)


def find_calendar_days(text: str) -> Iterator[CalendarDays]:
    """All of them in order."""
    for found in _pattern().finditer(text):
        parts = found.groupdict()
        if numbers := parts["stamp"] or parts["numeric"]:
            orders = numeric(text, found.start(), found.start() + len(numbers))
            if orders is not None:
                yield CalendarDays(found.start(), found.end(), orders=orders)
            continue
        is_doubtful = _year(parts) is None and _is_doubtful(text, found.start(), found.end(), parts)
        yield CalendarDays(found.start(), found.end(), _year(parts), parts, is_doubtful)


def _is_doubtful(text: str, begin: int, end: int, parts: Mapping[str, str | None]) -> bool:
    """Whether a word without a year may be none of the calendar: "spring rolls", "Did it fall?", "Where does Jan live?"
    Such a query asks for no day, and a query that does ask for a day gets whatever was said on it."""
    month, season, dates = parts["month"] or "", parts["season"], english().dates
    is_word = month in dates.months_that_are_words
    if season is None and (is_word or month.lower() not in dates.months_that_are_names):
        return is_word
    before, behind = text[max(0, begin - _NEARBY_CHARS) : begin], text[end : end + _NEARBY_CHARS]
    if _which_pattern().search(before) or (
        month and (_before_month_pattern().search(before) or _to_month_pattern().match(behind))
    ):
        return False
    if _clause_end_pattern().match(behind):
        return text[:begin].strip() != "" and _preposition_pattern().search(before) is None
    return _preposition_pattern().search(before) is None or _continuation_pattern().match(behind) is None


def _year(parts: Mapping[str, str | None]) -> int | None:
    years = ("year_after", "year_before", "year", "season_year")
    return next((int(year) for name in years if (year := parts[name])), None)


def _in_year(parts: Mapping[str, str | None], year: int) -> Days | None:
    month = parts["month_after"] or parts["month_before"] or parts["month"]
    day, season = parts["day_before"] or parts["day_after"], parts["season"]
    if month is not None:
        return (
            months_span(year, _month(month), _month(month)) if day is None else day_span(year, _month(month), int(day))
        )
    return None if season is None else months_span(year, *_seasons()[season.lower()])


def _month(name: str) -> int:
    return _months()[name.lower().rstrip(".")]


@cache
def _months() -> dict[str, int]:
    groups = enumerate(english().dates.months.items(), start=1)
    return {name: number for number, (whole, short) in groups for name in (whole, *short)}


@cache
def _seasons() -> dict[str, tuple[int, int]]:
    return {name: (int(first), int(last)) for name, (first, last) in english().dates.seasons.items()}


@cache
def _month_alternatives() -> str:
    return "|".join(sorted(_months(), key=len, reverse=True))


@cache
def _pattern() -> Any:
    months, dates = _month_alternatives(), english().dates
    day = rf"[0-9]{{1,2}}){dates.ordinal_endings}?"
    return re2.compile(
        rf"(?i)\b(?P<stamp>{YEAR}-[0-9]{{1,2}}-[0-9]{{1,2}})t[0-9]"
        rf"|\b(?P<day_before>{day}(?: {dates.of})?[ -](?P<month_after>{months})\b\.?(?:,?[ -](?P<year_after>{YEAR})\b)?"
        rf"|\b(?P<month_before>{months})\b\.?[ -](?P<day_after>{day}\b(?:,?[ -](?P<year_before>{YEAR})\b)?"
        rf"|\b(?P<month>{months})\b(?:\.?,? (?P<year>{YEAR})\b)?"
        rf"|\b(?P<season>{'|'.join(_seasons())})\b(?: {dates.of})?"
        rf"(?: (?P<season_year>{YEAR})(?P<season_end>[-/–](?:{YEAR}|[0-9]{{2}}))?\b)?"
        rf"|\b(?P<numeric>{SHAPE})\b"
    )


@cache
def _which_pattern() -> Any:
    """What makes it a time whatever follows: "last summer holiday"."""
    return re2.compile(rf"(?i)\b{english().dates.which}[\s-]+$")


@cache
def _before_month_pattern() -> Any:
    """What stands before no person: "in Jan", "the June release", "Jan-Mar". It may stand before "winter tyres"."""
    dates = english().dates
    months = rf"(?:{_month_alternatives()})"
    return re2.compile(rf"(?i)\b(?:{dates.before_months}\s+|{months}\.?\s*(?:[-–/]|\b{dates.to}\b)\s*)$")


@cache
def _to_month_pattern() -> Any:
    return re2.compile(rf"(?i)\.?\s*(?:[-–/]|\b{english().dates.to}\b)\s*(?:{_month_alternatives()})\b")


@cache
def _preposition_pattern() -> Any:
    dates = english().dates
    return re2.compile(
        rf"(?i)\b(?:{dates.prepositions}\s+(?:{dates.after_prepositions}\s+)?|{dates.all}\s+"
        rf"|(?:{'|'.join(_seasons())}),?\s+{dates.and_or}\s+(?:{dates.the}\s+)?)$"
    )


@cache
def _clause_end_pattern() -> Any:
    return re2.compile(r"\s*(?:$|[?.,;!:)\]]|[-–]\s)")


@cache
def _continuation_pattern() -> Any:
    """How a sentence goes on after a time; a content word belongs to it instead: "before summer camp"."""
    return re2.compile(rf"(?i)\s+(?:{'|'.join(sorted(english().dates.continuations))})\b")
