"""The days that a question asks for, in the languages in which statements say when something happens.

The same forms find them (`event_phrases.py`), and the tense of a question decides between last Monday and the next.
What names no year is of any, and what is counted from today is known only with today. What an English question says of
the past is read by `parse.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import cache, cached_property
from typing import Any, NamedTuple

import re2
from msgspec.structs import replace

from memfort.errors import InvalidInput
from memfort.language.data import NEVER
from memfort.language.dates.event import NamedTime, TimeReader, is_in_chinese
from memfort.language.dates.event_days import DayResolver, Times, at, unit_around
from memfort.language.dates.event_phrases import DATED_LANGUAGES, Forms, fold, fold_signs, forms_of, may_name_a_time
from memfort.language.dates.parse import day_phrases, find_days
from memfort.language.dates.relative import Days
from memfort.language.language import ENGLISH, languages
from memfort.language.vote import language_of

_MAX_CHARS = 500  # a longer text is no question about a day
_MAX_SPANS = 64
_RANGE_CHARS = 24  # before and behind a day in which stands what makes it the end of a range
_EVER = date.max.toordinal()


class AskedDays:
    """The days that one question names."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def phrases(self) -> list[str]:
        """The words that name them."""
        return [one.words for one in self._named] or day_phrases(self._text)

    def days(self, years: Iterable[int] = (), today: date | None = None) -> list[Days]:
        """The first and the last day of each: those without a year in each of `years`, those counted from today only
        where it is given."""
        if not self._named:
            return find_days(self._text, years, today)
        known = sorted(set(years))[-_MAX_SPANS:]
        found = dict.fromkeys(days for one in self._named for days in one.days(known, today))
        return list(found)[:_MAX_SPANS]

    @cached_property
    def _named(self) -> list[_AskedDay]:
        code = None if len(self._text) > _MAX_CHARS else _code_of(self._text)
        if code is None:
            return []
        found = _read(self._text, forms_of(code))
        if code != _ENGLISH_CODE:
            return found
        has_weekday = bool(day_phrases(self._text))  # a weekday that says which one: "on Monday", and not "Monday's"
        return [one for one in found if one.is_ahead or (has_weekday and one.is_weekday_ahead)]


def _code_of(text: str) -> str | None:
    """The language to read it in, if it may name a day and statements have days in that language."""
    if is_in_chinese(text):
        return "zh"
    if not may_name_a_time(fold(text)):
        return None
    name = language_of(text) or ENGLISH
    return next((one.code for one in languages() if one.name == name and one.code in DATED_LANGUAGES), None)


def _read(text: str, forms: Forms) -> list[_AskedDay]:
    folded = fold(text)
    reader, sides = TimeReader(folded, fold_signs(text), forms), _sides(forms.code)
    return [
        _AskedDay(forms, one, folded[one.begin : one.end], reader.direction(one), sides.around(folded, one))
        for one in reader.named()
        if one.days is not None and not _names_what_comes_back(one.days.parts, forms)
    ]


def _names_what_comes_back(parts: Mapping[str, str], forms: Forms) -> bool:
    """Whether it is a holiday or, where no preposition says more, a season, and nothing says of which year: "the film
    they watch at Christmas" was talked of on any day."""
    names = {"holiday", "season"} if "no_spaces" in forms.dates.customs else {"holiday"}
    return not names.isdisjoint(parts) and parts.keys().isdisjoint(_YEARS | _COUNTED)


class _AskedDay(NamedTuple):
    """A day, a stretch of days or all days on one side of it."""

    forms: Forms
    named: NamedTime
    words: str
    is_plan: bool | None  # None: the words do not say
    side: str | None  # `since`, `before`, `after` or `until`

    @property
    def is_ahead(self) -> bool:
        """Whether its words say that it lies ahead of today, as "next week" does; or more than the reader of what lies
        back knows: a holiday, a day of a week."""
        parts = self._parts
        if self.kind == "ahead" or not parts.keys().isdisjoint({"holiday", "week_of"}):
            return True
        meanings = {self.forms.meaning(name, parts[name]) for name in _RELATIVE if name in parts}
        return not meanings.isdisjoint(_AHEAD) and parts.keys().isdisjoint(_CALENDAR)

    @property
    def is_weekday_ahead(self) -> bool:
        """Whether it is a weekday in a plan: "What do we do on Monday?"."""
        parts = self._parts.keys()
        return self.is_plan is True and "weekday" in parts and parts.isdisjoint({*_CALENDAR, *_RELATIVE})

    @property
    def kind(self) -> str:
        assert self.named.days is not None
        return self.named.days.kind

    @property
    def _parts(self) -> Mapping[str, str]:
        assert self.named.days is not None
        return self.named.days.parts

    def days(self, years: Sequence[int], today: date | None) -> Iterator[Days]:
        for times in self._times(years, today):
            first, last = times.start.date().toordinal(), (times.end - timedelta(microseconds=1)).date().toordinal()
            now = _EVER if today is None or first > today.toordinal() else today.toordinal()
            yield {
                "since": (first, now),
                "before": (0, first - 1),
                "after": (last + 1, _EVER),
                "until": (0, last),
            }.get(self.side or "", (first, last))

    def _times(self, years: Sequence[int], today: date | None) -> Iterator[Times]:
        """The days themselves: in each of the years where the words name none and no side of them is meant."""
        if self._is_any_year and (self.side is None or today is None):
            yield from (times for year in years if (times := self._resolve(at(date(year, 1, 1)), year)) is not None)
        elif today is not None or _YEARS & self._parts.keys():
            times = self._resolve(at(date(2000, 1, 1) if today is None else today), None)
            if times is not None:
                yield times

    @property
    def _is_any_year(self) -> bool:
        until = {} if self.named.until is None else self.named.until.parts
        parts = self._parts.keys() | until.keys()
        return not parts.isdisjoint(_CALENDAR) and parts.isdisjoint(_YEARS | _COUNTED)

    def _resolve(self, said_at: datetime, year: int | None) -> Times | None:
        days, until = self.named.days, self.named.until
        assert days is not None
        given = {} if year is None else {"year": str(year)}
        is_this = "which" in days.parts and self.forms.meaning("which", days.parts["which"]) == "this"
        is_plan = is_this if self.is_plan is None else self.is_plan
        resolver = DayResolver(self.forms, said_at, is_plan, self.named.weekday)
        try:
            days = replace(days, parts={**days.parts, **given})
            if until is not None:
                return resolver.span(days, replace(until, parts={**until.parts, **given}))
            return self._widened(resolver.resolve(days))
        except (ValueError, OverflowError, InvalidInput):  # there is no such day
            return None

    def _widened(self, times: Times | None) -> Times | None:
        """ "Two weeks ago" is that week."""
        is_counted = self.kind in {"ago", "ahead"} and "weekday" not in self._parts
        if times is None or not is_counted or self.forms.meaning("unit", self._parts["unit"]) not in _WEEKS:
            return times
        return unit_around(times.start.date(), "week")


_ENGLISH_CODE = "en"
_YEARS = frozenset({"year", "short_year", "to_year", "decade"})
_COUNTED = frozenset({"year_of", "which", "which_unit", "unit", "week_of", "away", "count"})
_CALENDAR = frozenset({"month", "month_number", "season", "holiday", "first"})
_RELATIVE = ("which", "away", "which_unit")
_AHEAD = frozenset({"next", "coming", "after_next", "week_later", *map(str, range(1, 9))})
_WEEKS = frozenset({"week", "fortnight"})


class _Sides(NamedTuple):
    """What makes a day the end of a range, in one language."""

    meanings: Mapping[str, str]
    before: Any
    first: Any
    behind: Any

    def around(self, folded: str, named: NamedTime) -> str | None:
        if named.until is not None or named.days is None or named.days.kind in {"ago", "ahead", "past"}:
            return None
        found = self.before.search(folded[max(named.begin - _RANGE_CHARS, 0) : named.begin])
        if found is None and "away" not in named.days.parts:
            found = self.first.match(folded[named.begin : named.end])
        found = found or self.behind.match(folded[named.end : named.end + _RANGE_CHARS])
        return None if found is None else self.meanings[found["by"]]


@cache
def _sides(code: str) -> _Sides:
    dates = forms_of(code).dates
    groups = (dates.range_beginnings, dates.range_endings)
    opening, closing = ({phrase: by for by, phrases in one.items() for phrase in phrases} for one in groups)
    by = rf"(?P<by>{_any_of(opening)})(?:\s+|\b)(?:{dates.the}\s*)?"
    return _Sides(
        {**opening, **closing},
        re2.compile(rf"(?:^|[^\pL\pN]){by}$"),
        re2.compile(by),
        re2.compile(rf"\s*(?P<by>{_any_of(closing)})"),
    )


def _any_of(phrases: Iterable[str]) -> str:
    return "|".join(sorted(phrases, key=len, reverse=True)) or NEVER
