"""Days that a text names: "8 May, 2023", "May 2023", "last summer", "2023-05-08". As ordinal numbers, which compare.

English names of months and seasons, and the numeric forms with the year first, which mean the same everywhere.
"""

from __future__ import annotations

import calendar
from collections.abc import Iterable, Iterator
from datetime import date
from functools import lru_cache
from typing import Any

import re2

Days = tuple[int, int]  # the first and the last

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


def days_in(text: str, years: Iterable[int] = ()) -> list[Days]:
    """Every day and stretch of days that the text names. Where it names no year, those of each of `years`."""
    known = sorted(set(years))
    return [days for found in _pattern().finditer(text) for days in _meant(found, known)]


def days_in_words(text: str) -> list[str]:
    """The words with which the text names them."""
    return [found.group(0) for found in _pattern().finditer(text)]


def day_in(text: str) -> int | None:
    """The one day that a text names with its year, or None."""
    whole = [first for first, last in days_in(text) if first == last]
    return whole[0] if whole else None


def _meant(found: Any, years: list[int]) -> Iterator[Days]:
    said = found.groupdict()
    month = _month(said["month_after"] or said["month_before"] or said["month"])
    year, season = said["year_after"] or said["year_before"] or said["year"], said["season"]
    day = said["day_before"] or said["day_after"]
    if said["iso_year"]:
        yield from _one_day(int(said["iso_year"]), int(said["iso_month"]), int(said["iso_day"]))
    elif month is not None and day is not None:
        for one in [int(year)] if year else years:
            yield from _one_day(one, month, int(day))
    elif month is not None:
        if year is None and (said["month"] or "") in _ALSO_WORDS:
            return
        for one in [int(year)] if year else years:
            yield _stretch(one, month, month)
    elif season is not None:
        for one in [int(said["season_year"])] if said["season_year"] else years:
            yield _stretch(one, *_SEASONS[season.lower()])
    elif said["lone_year"]:
        yield _stretch(int(said["lone_year"]), 1, 12)


def _month(name: str | None) -> int | None:
    return None if name is None else _MONTHS[name.lower().rstrip(".")]


def _one_day(year: int, month: int, day: int) -> Iterator[Days]:
    if _EARLIEST <= year <= _LATEST and 1 <= month <= 12 and 1 <= day <= calendar.monthrange(year, month)[1]:
        yield (at := date(year, month, day).toordinal()), at


def _stretch(year: int, first: int, last: int) -> Days:
    end = year + (last < first)
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
