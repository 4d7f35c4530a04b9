"""Days that the calendar names: "8 May, 2023", "May 2023", "summer", "2023-05-08", with their year or in any.

English names of months and seasons, and the numeric forms with the year first, which mean the same everywhere.
"""

from __future__ import annotations

import calendar
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Any

import re2

from memfort.capture.ago import Days

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
_EARLIEST, _LATEST = 1900, 2199


@dataclass(frozen=True, slots=True)
class Named:
    begin: int
    end: int
    year: int | None  # None: of any
    said: Mapping[str, str | None]
    is_doubtful: bool  # the word may mean something else

    def in_year(self, year: int) -> Days | None:
        """Those of that year. None: it has no such day."""
        return _in_year(self.said, year)


def named_in(text: str) -> Iterator[Named]:
    """All of them in order."""
    for found in _pattern().finditer(text):
        said = found.groupdict()
        is_doubtful = said["year"] is None and (said["month"] or "") in _ALSO_WORDS
        yield Named(found.start(), found.end(), _year(said), said, is_doubtful)


def _year(said: Mapping[str, str | None]) -> int | None:
    years = ("iso_year", "year_after", "year_before", "year", "season_year", "lone_year")
    return next((int(year) for name in years if (year := said[name])), None)


def _in_year(said: Mapping[str, str | None], year: int) -> Days | None:
    month = said["month_after"] or said["month_before"] or said["month"]
    day, season = said["day_before"] or said["day_after"], said["season"]
    if said["iso_month"]:
        return _one_day(year, int(said["iso_month"]), int(said["iso_day"] or 0))
    if month is not None and day is not None:
        return _one_day(year, _month(month), int(day))
    if month is not None:
        return _stretch(year, _month(month), _month(month))
    return _stretch(year, *(_SEASONS[season.lower()] if season is not None else (1, 12)))


def _month(name: str) -> int:
    return _MONTHS[name.lower().rstrip(".")]


def _one_day(year: int, month: int, day: int) -> Days | None:
    if _EARLIEST <= year <= _LATEST and 1 <= month <= 12 and 1 <= day <= calendar.monthrange(year, month)[1]:
        return (at := date(year, month, day).toordinal()), at
    return None


def _stretch(year: int, first: int, last: int) -> Days | None:
    end = year + (last < first)
    if not date.min.year <= year <= end <= date.max.year:
        return None
    return date(year, first, 1).toordinal(), date(end, last, calendar.monthrange(end, last)[1]).toordinal()


@lru_cache(maxsize=1)
def _pattern() -> Any:
    months = "|".join(sorted(_MONTHS, key=len, reverse=True))
    year, day = "(?:19|20|21)[0-9][0-9]", "[0-9]{1,2})(?:st|nd|rd|th)?"
    return re2.compile(
        rf"(?i)\b(?P<iso_year>{year})[-/.](?P<iso_month>[0-9]{{1,2}})[-/.](?P<iso_day>[0-9]{{1,2}})(?:\b|t[0-9])"
        rf"|\b(?P<day_before>{day}(?: of)?[ -](?P<month_after>{months})\b\.?(?:,?[ -](?P<year_after>{year})\b)?"
        rf"|\b(?P<month_before>{months})\b\.?[ -](?P<day_after>{day}\b(?:,?[ -](?P<year_before>{year})\b)?"
        rf"|\b(?P<month>{months})\b(?:\.?,? (?P<year>{year})\b)?"
        rf"|\b(?P<season>spring|summer|autumn|fall|winter)\b(?: of)?(?: (?P<season_year>{year})\b)?"
        rf"|\b(?P<lone_year>{year})\b"
    )
