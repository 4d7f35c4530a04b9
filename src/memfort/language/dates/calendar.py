"""Days that the calendar names: "8 May, 2023", "May 2023", "summer", "2023", with their year or in any.

English names of months and seasons, and what `numeric.py` reads in numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import re2
from msgspec import Struct, field

from memfort.language.dates.numeric import SHAPE, YEAR, Orders, day_span, months_span, numeric
from memfort.language.dates.relative import Days

_MONTH_NAMES = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_MONTHS = {
    **{name: number for number, name in enumerate(_MONTH_NAMES, start=1)},
    **{name[:3]: number for number, name in enumerate(_MONTH_NAMES, start=1)},
    "sept": 9,
}
_SEASONS = {"spring": (3, 5), "summer": (6, 8), "autumn": (9, 11), "fall": (9, 11), "winter": (12, 2)}
# In lower case these are ordinary words: only a day or a year beside them makes them months.
_ALSO_WORDS = {"may", "march", "mar"}
# People are called so, or short for it. "May I?" begins as a month does.
_ALSO_NAMES = {"april", "may", "june", "august", "sept", *(name[:3] for name in _MONTH_NAMES)}
_NEARBY_CHARS = 40  # characters before and behind in which stands what makes such a word a time


class CalendarDays(Struct, frozen=True):
    begin: int
    end: int
    year: int | None = None  # None: of any, or in numbers
    parts: Mapping[str, str | None] = field(default_factory=dict)
    is_doubtful: bool = False  # the word may mean something else
    orders: Orders | None = None  # what it means, if it is told in numbers

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
        if (self.parts.get("season") or "").lower() != "winter" or self.parts["season_end"]:
            return []
        found = (months_span(year, 1, 2) for year in self._years(years))
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
    month, season = parts["month"] or "", parts["season"]
    if season is None and (month in _ALSO_WORDS or month.lower() not in _ALSO_NAMES):
        return month in _ALSO_WORDS
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
    return None if season is None else months_span(year, *_SEASONS[season.lower()])


def _month(name: str) -> int:
    return _MONTHS[name.lower().rstrip(".")]


def _month_alternatives() -> str:
    return "|".join(sorted(_MONTHS, key=len, reverse=True))


@lru_cache(maxsize=1)
def _pattern() -> Any:
    months = _month_alternatives()
    day = "[0-9]{1,2})(?:st|nd|rd|th)?"
    return re2.compile(
        rf"(?i)\b(?P<stamp>{YEAR}-[0-9]{{1,2}}-[0-9]{{1,2}})t[0-9]"
        rf"|\b(?P<day_before>{day}(?: of)?[ -](?P<month_after>{months})\b\.?(?:,?[ -](?P<year_after>{YEAR})\b)?"
        rf"|\b(?P<month_before>{months})\b\.?[ -](?P<day_after>{day}\b(?:,?[ -](?P<year_before>{YEAR})\b)?"
        rf"|\b(?P<month>{months})\b(?:\.?,? (?P<year>{YEAR})\b)?"
        r"|\b(?P<season>spring|summer|autumn|fall|winter)\b(?: of)?"
        rf"(?: (?P<season_year>{YEAR})(?P<season_end>[-/–](?:{YEAR}|[0-9]{{2}}))?\b)?"
        rf"|\b(?P<numeric>{SHAPE})\b"
    )


@lru_cache(maxsize=1)
def _which_pattern() -> Any:
    """What makes it a time whatever follows: "last summer holiday"."""
    return re2.compile(r"(?i)\b(?:last|past|previous|this|next|every|each|early|mid|late|year['’]s)[\s-]+$")


@lru_cache(maxsize=1)
def _before_month_pattern() -> Any:
    """What stands before no person: "in Jan", "the June release", "Jan-Mar". It may stand before "winter tyres"."""
    words = "in|during|throughout|the|my|our|your|his|her|their"
    return re2.compile(rf"(?i)\b(?:(?:{words})\s+|(?:{_month_alternatives()})\.?\s*(?:[-–/]|\bto\b)\s*)$")


@lru_cache(maxsize=1)
def _to_month_pattern() -> Any:
    return re2.compile(rf"(?i)\.?\s*(?:[-–/]|\bto\b)\s*(?:{_month_alternatives()})\b")


@lru_cache(maxsize=1)
def _preposition_pattern() -> Any:
    by = "in|during|throughout|over|since|before|after|until|till|from|between|by|for|of|around|through"
    return re2.compile(
        rf"(?i)\b(?:(?:{by})\s+(?:(?:the|that|all|whole)\s+)?|(?:all|that)\s+"
        rf"|(?:{'|'.join(_SEASONS)}),?\s+(?:and|or)\s+(?:the\s+)?)$"
    )


@lru_cache(maxsize=1)
def _clause_end_pattern() -> Any:
    return re2.compile(r"\s*(?:$|[?.,;!:)\]]|[-–]\s)")


@lru_cache(maxsize=1)
def _continuation_pattern() -> Any:
    """How a sentence goes on behind a time; a word that tells something belongs to it: "before summer camp"."""
    little = (
        "a|about|after|again|an|and|are|as|at|because|before|but|by|did|do|does|for|from|had|has|have|he|her|his|i|if|in|is"
        "|it|last|my|not|of|on|or|our|she|since|so|than|that|the|their|then|they|this|till|to|together|until|was|we|were"
        "|when|where|which|while|who|will|with|without|would|you|your"
    )
    return re2.compile(rf"(?i)\s+(?:{little})\b")
