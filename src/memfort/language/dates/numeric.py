"""Days that are written in numbers alone: "2024-05-03", "12.09.2026", "09/12/2024", "05/2024", "2023/24", "2024".

With dots the day comes first, and with the year in front the month is in the middle, everywhere. With strokes, which
comes first is a matter of where one lives: both orders are kept, and the caller takes those that exist. Numbers
of other things look the same, versions above all: what is part of a longer one is no date.
"""

from __future__ import annotations

import calendar
from datetime import date
from functools import cache
from typing import Any

import re2

from memfort.language.dates.relative import Days
from memfort.language.language import english

Orders = tuple[Days | None, Days | None]  # with the day before the month, and behind it; None: there is no such day

YEAR = "(?:19|20|21)[0-9][0-9]"
SHAPE = "|".join(
    (
        rf"{YEAR}[-/][0-9]{{1,2}}[-/][0-9]{{1,2}}",
        rf"{YEAR}\.[0-9]{{2}}\.[0-9]{{2}}",  # 2024.5.1 is a version
        rf"[0-9]{{1,2}}[-/][0-9]{{1,2}}[-/]{YEAR}",
        r"[0-9]{1,2}/[0-9]{1,2}/[0-9]{2}",
        rf"[0-9]{{1,2}}\. ?[0-9]{{1,2}}\. ?{YEAR}",
        r"[0-9]{2}\.[0-9]{2}\.[0-9]{2}",  # 3.10.12 is a version
        rf"{YEAR}[-/–](?:{YEAR}|[0-9]{{2}})",
        rf"[0-9]{{1,2}}/{YEAR}",
        YEAR,
    )
)
_WHOLE = 3  # day, month and year
_EARLIEST, _LATEST = 1900, 2199
_NEARBY_CHARS = 24  # characters before and behind a year in which stands what makes it a number of something


def numeric(text: str, begin: int, end: int) -> Orders | None:
    """What a part of the text of that shape means. None: no days."""
    parts = "".join(sign if sign.isdecimal() else " " for sign in text[begin:end]).split()
    if _is_part(text, begin, end) or (len(parts) < _WHOLE and _is_counted(text, begin, end)):
        return None
    is_year_first, first, last = len(parts[0]) == len("2024"), int(parts[0]), int(parts[-1])
    if len(parts) == 1:
        orders = _unambiguous(months_span(first, 1, 12))
    elif len(parts) < _WHOLE:
        orders = _unambiguous(_years_or_month(first, parts[1]) if is_year_first else months_span(last, first, first))
    elif is_year_first:
        orders = _unambiguous(day_span(first, int(parts[1]), last))
    else:
        year, second = last if len(parts[2]) == len("2024") else 2000 + last, int(parts[1])
        orders = day_span(year, second, first), None if "." in text[begin:end] else day_span(year, first, second)
    return None if orders == (None, None) else orders


def _unambiguous(days: Days | None) -> Orders:
    return days, days


def _years_or_month(year: int, part: str) -> Days | None:
    """2024-05 is May, 2023/24 and 2019-2023 are years, and 2024/17 is neither."""
    number = int(part)
    if number <= 12:
        return months_span(year, number, number)
    last = number if len(part) == len("2024") else year + 1
    return months_span(year, 1, 12, last) if last > year and last % 100 == number % 100 else None


def day_span(year: int, month: int, day: int) -> Days | None:
    if _EARLIEST <= year <= _LATEST and 1 <= month <= 12 and 1 <= day <= calendar.monthrange(year, month)[1]:
        return (at := date(year, month, day).toordinal()), at
    return None


def months_span(year: int, first: int, last: int, until: int | None = None) -> Days | None:
    """From one month to another, of the same year, of the next one if it comes earlier there, or of that one."""
    end = until or year + (last < first)
    if not (date.min.year <= year <= end <= date.max.year and 1 <= first <= 12):
        return None
    return date(year, first, 1).toordinal(), date(end, last, calendar.monthrange(end, last)[1]).toordinal()


def _is_part(text: str, begin: int, end: int) -> bool:
    """Whether more of the same number stands before or behind: "2024.1", "10.12.20.24", "2024:30". In
    "01.03.2024-05.03.2024" and "2024-05-03/2024-05-07" another begins."""
    written, other = text[begin:end], {"-", "/"}
    signs = {".", ":"} | (other if written.isdecimal() else other & set(written))
    return any(
        len(two) == 2 and two[0] in signs and two[1].isdecimal()
        for two in (text[max(begin - 2, 0) : begin][::-1], text[end : end + 2])
    )


def _is_counted(text: str, begin: int, end: int) -> bool:
    """Whether it is the number of something, or how many there are: "room 2024", "2024 euros"; but "in 2024 people"."""
    said = text[max(begin - _NEARBY_CHARS, 0) : begin].lower().split()
    before = said[-1].strip("(-:") if said else ""
    if before in english().dates.before_years:
        return False
    is_number = before in english().dates.numbered or before.endswith(("#", "€", "$", "£", "¥"))
    return is_number or _unit().match(text[end : end + _NEARBY_CHARS]) is not None


@cache
def _unit() -> Any:
    return re2.compile(rf"(?i)[\s-]?(?:[€$£¥%×]|{english().dates.counted}\b)")
