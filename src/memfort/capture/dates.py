"""Days that the calendar names: "8 May, 2023", "May 2023", "summer", "2023", with their year or in any.

English names of months and seasons, and what `numeric.py` reads in numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import re2

from memfort.capture.ago import Days
from memfort.capture.numeric import SHAPE, YEAR, Orders, numeric, one_day, stretch

_MONTH_NAMES = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
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
_REACH = 40  # characters before and behind in which stands what makes such a word a time


@dataclass(frozen=True, slots=True)
class Named:
    begin: int
    end: int
    year: int | None = None  # None: of any, or in numbers
    said: Mapping[str, str | None] = field(default_factory=dict)
    is_doubtful: bool = False  # the word may mean something else
    orders: Orders | None = None  # what it means, if it is told in numbers

    @property
    def is_any_year(self) -> bool:
        return self.year is None and self.orders is None

    def days(self, years: Sequence[int]) -> list[Days]:
        """Those of its year; where none is said, of each of these."""
        if self.orders is not None:
            return [days for days in dict.fromkeys(self.orders) if days is not None]
        found = (self.in_year(year) for year in self._years(years))
        return [days for days in found if days is not None]

    def in_year(self, year: int) -> Days | None:
        """Those of that year. None: it has no such day."""
        return _in_year(self.said, year)

    def new_years(self, years: Sequence[int]) -> list[Days]:
        """The beginning of its year, if a winter is named by it: one that ends in 2022 is as much the winter of 2022 as
        one that begins there. "Winter 2022/23" is one winter."""
        if (self.said.get("season") or "").lower() != "winter" or self.said["season_end"]:
            return []
        found = (stretch(year, 1, 2) for year in self._years(years))
        return [days for days in found if days is not None]

    def _years(self, years: Sequence[int]) -> Sequence[int]:
        return years if self.year is None else (self.year,)


def named_in(text: str) -> Iterator[Named]:
    """All of them in order."""
    for found in _pattern().finditer(text):
        said = found.groupdict()
        if numbers := said["stamp"] or said["numeric"]:
            orders = numeric(text, found.start(), found.start() + len(numbers))
            if orders is not None:
                yield Named(found.start(), found.end(), orders=orders)
            continue
        is_doubtful = _year(said) is None and _is_doubtful(text, found.start(), found.end(), said)
        yield Named(found.start(), found.end(), _year(said), said, is_doubtful)


def _is_doubtful(text: str, begin: int, end: int, said: Mapping[str, str | None]) -> bool:
    """Whether a word without a year may be none of the calendar: "spring rolls", "Did it fall?", "Where does Jan live?"
    Whoever asks that asks for no day, and what was said on a day that is asked for comes whatever its words."""
    month, season = said["month"] or "", said["season"]
    if season is None and (month in _ALSO_WORDS or month.lower() not in _ALSO_NAMES):
        return month in _ALSO_WORDS
    before, behind = text[max(0, begin - _REACH) : begin], text[end : end + _REACH]
    if _which().search(before) or (month and (_month_of().search(before) or _to_month().match(behind))):
        return False
    if _ends().match(behind):
        return text[:begin].strip() != "" and _at().search(before) is None
    return _at().search(before) is None or _goes_on().match(behind) is None


def _year(said: Mapping[str, str | None]) -> int | None:
    years = ("year_after", "year_before", "year", "season_year")
    return next((int(year) for name in years if (year := said[name])), None)


def _in_year(said: Mapping[str, str | None], year: int) -> Days | None:
    month = said["month_after"] or said["month_before"] or said["month"]
    day, season = said["day_before"] or said["day_after"], said["season"]
    if month is not None:
        return stretch(year, _month(month), _month(month)) if day is None else one_day(year, _month(month), int(day))
    return None if season is None else stretch(year, *_SEASONS[season.lower()])


def _month(name: str) -> int:
    return _MONTHS[name.lower().rstrip(".")]


def _any_month() -> str:
    return "|".join(sorted(_MONTHS, key=len, reverse=True))


@lru_cache(maxsize=1)
def _pattern() -> Any:
    months = _any_month()
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
def _which() -> Any:
    """What makes it a time whatever follows: "last summer holiday"."""
    return re2.compile(r"(?i)\b(?:last|past|previous|this|next|every|each|early|mid|late|year['’]s)[\s-]+$")


@lru_cache(maxsize=1)
def _month_of() -> Any:
    """What stands before no person: "in Jan", "the June release", "Jan-Mar". It may stand before "winter tyres"."""
    words = "in|during|throughout|the|my|our|your|his|her|their"
    return re2.compile(rf"(?i)\b(?:(?:{words})\s+|(?:{_any_month()})\.?\s*(?:[-–/]|\bto\b)\s*)$")


@lru_cache(maxsize=1)
def _to_month() -> Any:
    return re2.compile(rf"(?i)\.?\s*(?:[-–/]|\bto\b)\s*(?:{_any_month()})\b")


@lru_cache(maxsize=1)
def _at() -> Any:
    by = "in|during|throughout|over|since|before|after|until|till|from|between|by|for|of|around|through"
    return re2.compile(
        rf"(?i)\b(?:(?:{by})\s+(?:(?:the|that|all|whole)\s+)?|(?:all|that)\s+"
        rf"|(?:{'|'.join(_SEASONS)}),?\s+(?:and|or)\s+(?:the\s+)?)$"
    )


@lru_cache(maxsize=1)
def _ends() -> Any:
    return re2.compile(r"\s*(?:$|[?.,;!:)\]]|[-–]\s)")


@lru_cache(maxsize=1)
def _goes_on() -> Any:
    """How a sentence goes on behind a time; a word that tells something belongs to it: "before summer camp"."""
    little = (
        "a|about|after|again|an|and|are|as|at|because|before|but|by|did|do|does|for|from|had|has|have|he|her|his|i|if|in|is"
        "|it|last|my|not|of|on|or|our|she|since|so|than|that|the|their|then|they|this|till|to|together|until|was|we|were"
        "|when|where|which|while|who|will|with|without|would|you|your"
    )
    return re2.compile(rf"(?i)\s+(?:{little})\b")
