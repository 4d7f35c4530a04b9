"""Finds the last day on which a statement holds, where its words say one: "closed until Friday", "today only".

A memory ends by it, so what is doubtful is no end: neither what is over ("I lived there until May"), nor what only
begins then ("not until Friday"), nor what is so again and again ("open until Friday every week").
"""

from __future__ import annotations

import calendar
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from functools import cache
from typing import Any

import re2
from msgspec import Struct

from memfort.language.dates.parse import find_days
from memfort.language.files import EndsFile
from memfort.language.language import english, languages
from memfort.language.normalise import LazyPattern

_MAX_CHARS = 500  # a longer text holds more than one statement
_DATE_CHARS = 24
_SUNDAY = 6


def find_end(text: str, today: date) -> date | None:
    """The last day on which the statement holds, as of the day it is made; `None` if its words say none."""
    if len(text) > _MAX_CHARS:
        return None
    seen = text.lower()
    if not _any_hint().is_in(seen):
        return None
    found = [day for one in _rules() for day in one.ends(seen, today)]
    return max(found, default=None)


class _Rules(Struct, frozen=True):
    """The words of one language, as patterns."""

    end: Any
    not_an_end: Any
    present: Any
    days: Mapping[str, str]  # what each phrase for a day means
    weekdays: tuple[str, ...]

    def ends(self, seen: str, today: date) -> Iterator[date]:
        for match in self.end.finditer(seen):
            found = match.groupdict()
            if (day := self._day(found, today)) is not None and day >= today and not self._is_past(seen):
                yield day

    def _is_past(self, seen: str) -> bool:
        return self.not_an_end.search(self.present.sub(" ", seen)) is not None

    def _day(self, found: Mapping[str, str | None], today: date) -> date | None:
        for name in ("day", "before", "after"):
            if (phrase := found[name]) is not None:
                return _last_day_of(self.days[" ".join(phrase.split())], today)
        if (weekday := found["weekday"]) is not None:
            return today + timedelta((self.weekdays.index(weekday) - today.weekday()) % 7)
        return _next_date(found["date"] or "", today)


def _last_day_of(name: str, today: date) -> date:
    sunday = today + timedelta(_SUNDAY - today.weekday())
    month_end = _month_end(today)
    return {
        "today": today,
        "tomorrow": today + timedelta(1),
        "week": sunday,
        "weekend": sunday,
        "next_week": sunday + timedelta(7),
        "month": month_end,
        "next_month": _month_end(month_end + timedelta(1)),
        "year": date(today.year, 12, 31),
    }[name]


def _month_end(day: date) -> date:
    return day.replace(day=calendar.monthrange(day.year, day.month)[1])


def _next_date(words: str, today: date) -> date | None:
    """The first date of the calendar that the words begin with and that is still to come."""
    lasts = [last for _, last in find_days(words, (today.year, today.year + 1)) if last >= today.toordinal()]
    return date.fromordinal(min(lasts)) if lasts and min(lasts) <= date.max.toordinal() - 2 else None


@cache
def _rules() -> tuple[_Rules, ...]:
    """English first; then every other language that says how."""
    files = (one.ends for one in (english(), *(one for one in languages() if one is not english())))
    return tuple(_rules_of(one) for one in files if one.days)


def _rules_of(file: EndsFile) -> _Rules:
    days = {phrase: name for name, phrases in file.days.items() for phrase in phrases}
    day = "|".join(sorted(days, key=lambda one: (-len(one), one)))
    weekday = "|".join(file.weekdays)
    follows = rf"(?:(?:{file.next}|the|el|le|zum)\s+)?"
    is_spaced = all(phrase.isascii() or phrase[0].isascii() or " " in phrase for phrase in list(days)[:1])
    gap, low, high = (r"\s+", _START, _END) if is_spaced else (r"\s*", "", "")
    follows = follows if is_spaced else rf"(?:{file.next})*"
    when = rf"(?P<day>{day}){high}|{follows}(?P<weekday>{weekday}){high}|(?P<date>.{{3,{_DATE_CHARS}}})"
    until = rf"{low}{file.until}{gap}(?:{when})"
    only = rf"{low}{file.only_before}{gap}(?P<before>{day}){high}|{low}(?P<after>{day})\s*{file.only_after}{high}"
    return _Rules(
        end=re2.compile(f"{until}|{only}"),
        not_an_end=re2.compile(rf"{low}(?:{file.not_an_end}){high}"),
        present=re2.compile(file.present),
        days=days,
        weekdays=tuple(file.weekdays),
    )


@cache
def _any_hint() -> LazyPattern:
    files = [one.ends for one in languages() if one.ends.days]
    return LazyPattern("|".join(part for one in files for part in (one.until, one.only_before, one.only_after)))


_START, _END = r"(?:^|[^\pL\pN])", r"(?:$|[^\pL\pN])"
