"""Holidays that fall on another day each year: by Easter, by the weekday of a month, by the Chinese calendar.

`dates.txt` names them by where they fall: `easter+1`, `nth-11-4-3` (the fourth Thursday of November; Monday is 0),
`lunar-spring`. A span has two ends: `easter-7..easter`.
"""

from __future__ import annotations

from datetime import date, timedelta
from types import MappingProxyType

_LUNAR = MappingProxyType(
    {  # of each year from 2020 on: month and day
        "spring": "1-25 2-12 2-1 1-22 2-10 1-29 2-17 2-6 1-26 2-13 2-3 1-23 2-11 1-31 2-19 2-8",
        "dragon": "6-25 6-14 6-3 6-22 6-10 5-31 6-19 6-9 5-28 6-16 6-5 6-24 6-12 6-1 6-20 6-10",
        "autumn": "10-1 9-21 9-10 9-29 9-17 10-6 9-25 9-15 10-3 9-22 9-12 10-1 9-19 9-8 9-27 9-16",
    }
)
_FIRST_LUNAR = 2020


def holiday_days(meaning: str, year: int) -> tuple[date, date] | None:
    """The first and the last day of a holiday in a year; None if they are not known."""
    first, _, last = meaning.partition("..")
    begin, end = _day(first, year), _day(last or first, year)
    return None if begin is None or end is None else (begin, end)


def _day(meaning: str, year: int) -> date | None:
    if meaning.startswith("easter"):
        return _easter(year) + timedelta(days=int(meaning.removeprefix("easter") or 0))
    kind, _, rest = meaning.partition("-")
    if kind == "nth":
        month, count, weekday = map(int, rest.split("-"))
        first = date(year, month, 1)
        return first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (count - 1))
    if kind == "lunar":
        days = _LUNAR[rest].split()
        place = year - _FIRST_LUNAR
        kind, _, rest = days[place].partition("-") if 0 <= place < len(days) else ("", "", "")
    return date(year, int(kind), int(rest)) if kind else None


def _easter(year: int) -> date:
    """Easter Sunday of the Gregorian calendar, by the anonymous algorithm of 1876."""
    century, of_century = divmod(year, 100)
    leaps, rest = divmod(century, 4)
    moon = (19 * (year % 19) + century - leaps - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    leaps_of_century, rest_of_century = divmod(of_century, 4)
    weekday = (32 + 2 * rest + 2 * leaps_of_century - moon - rest_of_century) % 7
    correction = (year % 19 + 11 * moon + 22 * weekday) // 451
    month, day = divmod(moon + weekday - 7 * correction + 114, 31)
    return date(year, month, day + 1)
