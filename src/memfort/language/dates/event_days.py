"""Which days a phrase means, said on a certain day, in a plan or in a report."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple

from memfort.language.dates.event_phrases import Forms, Phrase
from memfort.language.dates.movable import holiday_days
from memfort.model.occurred import Precision

_OFFSETS = {"before_last": -2, "last": -1, "this": 0, "coming": 1, "next": 1, "after_next": 2, "week_later": 1}
_YEARS = 9  # to look through for a day that not every year has
_DAYS_OF = {"day": 1, "week": 7, "fortnight": 14}
_MONTHS_OF = {"month": 1, "quarter": 3, "year": 12}


class Times(NamedTuple):
    """From the start, inclusive, to the end, exclusive."""

    start: datetime
    end: datetime
    precision: Precision


class DayResolver:
    """Finds the days of phrases that are said at one moment. `weekday` is the one that a day of the month has to be."""

    def __init__(
        self, forms: Forms, said_at: datetime, is_plan: bool, weekday: int | None = None, *, is_guessed: bool = False
    ) -> None:
        self._forms, self._said_at, self._is_plan, self._due_weekday = forms, said_at, is_plan, weekday
        self._today, self._is_guessed = said_at.date(), is_guessed

    def resolve(self, phrase: Phrase) -> Times | None:
        """The days that a phrase means. None: none that can be told. Raises ValueError where there is no such day."""
        if phrase.kind in {"ago", "ahead"}:
            return self._counted(phrase.parts, -1 if phrase.kind == "ago" else 1)
        if phrase.kind == "past":
            return self._until_today(phrase.parts)
        if phrase.kind == "span":
            return self._written_span(phrase.parts)
        return self._named(phrase.parts)

    def span(self, first: Phrase, last: Phrase) -> Times | None:
        """From one to the other. The end whose words say more is found first, and the other end beside it."""
        if "year" in last.parts and "year" not in first.parts:
            end = self.resolve(last)
            start = None if end is None else self._beside(end.start, is_plan=False).resolve(first)
        elif self._is_plan or "year" in first.parts:
            start = self.resolve(first)
            end = None if start is None else self._beside(start.start, is_plan=True, of=last).resolve(last)
        else:
            end = self.resolve(last)
            start = None if end is None else self._beside(end.start, is_plan=False, of=first).resolve(first)
        if start is None or end is None:
            return start or end
        if end.start < start.start:
            return start
        return Times(start.start, end.end, Precision.SPAN)

    def _beside(self, at: datetime, *, is_plan: bool, of: Phrase | None = None) -> DayResolver:
        is_from_today = of is not None and bool(of.parts.keys() & {"which", "week_of", "year_of", "away", "count"})
        return self if is_from_today else DayResolver(self._forms, at, is_plan)

    # -- counted from today --------------------------------------------------------------------------------------------

    def _counted(self, parts: Mapping[str, str], sign: int) -> Times | None:
        unit, count = self._meaning(parts, "unit"), sign * self._number(parts, "count")
        if unit in {"hour", "minute"}:
            start = self._said_at.replace(second=0, microsecond=0) + timedelta(**{f"{unit}s": count})
            return Times(start, start + timedelta(minutes=1), Precision.MINUTE)
        if unit == "month":
            return _month(*_shift(self._today, count))
        if unit == "year":
            return _year(self._today.year + count)
        if unit == "weekend":
            return self._weekend(count)
        if unit not in _DAYS_OF:
            return None
        day = self._base(parts) + timedelta(days=count * _DAYS_OF[unit])
        if "weekday" in parts:
            day = _monday(day) + timedelta(days=self._weekday(parts))
        return _day(day)

    def _until_today(self, parts: Mapping[str, str]) -> Times | None:
        """From so many units back until today: "in the last three days"."""
        unit, count = self._meaning(parts, "unit"), self._number(parts, "count")
        if unit in _DAYS_OF:
            return _span(self._today - timedelta(days=count * _DAYS_OF[unit]), self._today + timedelta(days=1))
        if unit not in _MONTHS_OF:
            return None
        year, month = _shift(self._today, -count * _MONTHS_OF[unit])
        first = date(year, month, min(self._today.day, monthrange(year, month)[1]))
        return _span(first, self._today + timedelta(days=1))

    def _base(self, parts: Mapping[str, str]) -> date:
        if "from_weekday" in parts:
            return self._next_weekday(int(self._meaning(parts, "from_weekday")))
        if "away" in parts:
            return self._today + timedelta(days=int(self._meaning(parts, "away")))
        return self._today

    # -- named ---------------------------------------------------------------------------------------------------------

    def _named(self, parts: Mapping[str, str]) -> Times | None:
        if "away" in parts:
            return _day(self._base(parts))
        if "holiday" in parts:
            return self._holiday(self._meaning(parts, "holiday"), parts)
        if parts.keys() & {"weekday", "weekday_short"}:
            is_dated = not parts.keys().isdisjoint(_DAY_PARTS)
            return self._due_on(self._weekday(parts), parts) if is_dated else _day(self._day_of_week(parts))
        return self._ambiguous(parts) if "first" in parts else self._of_calendar(parts)

    def _holiday(self, meaning: str, parts: Mapping[str, str]) -> Times | None:
        def in_year(year: int) -> Times | None:
            days = holiday_days(meaning, year)
            if days is None or days[0] == days[1]:
                return None if days is None else _day(days[0])
            return _span(days[0], days[1] + timedelta(days=1))

        return self._in_some_year(in_year, parts)

    def _due_on(self, weekday: int, parts: Mapping[str, str]) -> Times | None:
        """A weekday with its date: "Saturday the 28th". Without a month, the nearest one on which both fall."""
        if self._month_number(parts) is not None:
            return DayResolver(self._forms, self._said_at, self._is_plan, weekday)._of_calendar(parts)
        number = next(self._number(parts, name) for name in _DAY_PARTS if name in parts)
        months = (_shift(self._today, count) for count in range(-12, 13))
        days = [date(*month, number) for month in months if number <= monthrange(*month)[1]]
        fitting = [day for day in days if day.weekday() == weekday] or [day for day in days if self._is_ahead(day)]
        return _day(min(fitting, key=lambda day: abs(day - self._today)))

    def _of_calendar(self, parts: Mapping[str, str]) -> Times | None:
        day = next((self._number(parts, name) for name in _DAY_PARTS if name in parts), None)
        month = self._month_number(parts)
        if day is not None:
            return self._day_of_month(day, parts) if month is None else self._yearly(month, day, parts)
        if month is not None and "nth_week" in parts:
            first = 7 * self._number(parts, "nth_week") - 6
            return self._in_some_year(
                lambda year: _span(date(year, month, first), date(year, month, first) + timedelta(days=7)), parts
            )
        if month is not None:
            months = self._in_some_year(lambda year: _month(year, month), parts)
            return months._replace(precision=Precision.SPAN) if months is not None and "whole" in parts else months
        if "season" in parts:
            first, last = map(int, self._meaning(parts, "season").split())
            return self._in_some_year(lambda year: _months(year, first, last), parts)
        return self._unit(parts)

    def _ambiguous(self, parts: Mapping[str, str]) -> Times | None:
        """Two numbers: the month comes first where that is the custom, unless there is no such month."""
        first, second = int(parts["first"]), int(parts["second"])
        is_month_first = "month_first" in self._forms.dates.customs
        month, day = (first, second) if is_month_first else (second, first)
        if month > 12:
            month, day = day, month
        return self._yearly(month, day, parts)

    def _day_of_week(self, parts: Mapping[str, str]) -> date:
        weekday = self._weekday(parts)
        if "week_of" in parts:
            week = _monday(self._today) + timedelta(weeks=_OFFSETS[self._meaning(parts, "week_of")])
            return week + timedelta(days=weekday)
        which = self._meaning(parts, "which") if "which" in parts else None
        if which in {"after_next", "before_last"}:
            return _monday(self._today) + timedelta(weeks=_OFFSETS[which], days=weekday)
        if which == "week_later":  # "Saturday week"
            return self._next_weekday(weekday) + timedelta(weeks=1)
        if which == "next":
            return _monday(self._today) + timedelta(days=7 + weekday)
        if which == "coming" or (which != "last" and self._is_plan):
            is_today = which == "this" and self._today.weekday() == weekday
            return self._today if is_today else self._next_weekday(weekday)
        return self._today - timedelta(days=(self._today.weekday() - weekday) % 7 or 7)

    def _next_weekday(self, weekday: int) -> date:
        return self._today + timedelta(days=(weekday - self._today.weekday()) % 7 or 7)

    def _day_of_month(self, day: int, parts: Mapping[str, str]) -> Times | None:
        if "which" in parts:
            if self._meaning(parts, "unit") != "month":
                return None
            year, month = _shift(self._today, _OFFSETS[self._meaning(parts, "which")])
            return _day(date(year, month, day))
        step = 1 if self._is_plan else -1
        months = (_shift(self._today, step * count) for count in range(14))
        days = [date(*month, day) for month in months if day <= monthrange(*month)[1]]
        ahead = [one for one in days if self._is_ahead(one)]
        fitting = [one for one in ahead if self._due_weekday in {None, one.weekday()}]
        return _day((fitting or ahead)[0])

    def _is_ahead(self, day: date) -> bool:
        """Whether it lies in the direction that is spoken of. Today does in both."""
        return day >= self._today if self._is_plan else day <= self._today

    def _yearly(self, month: int, day: int, parts: Mapping[str, str]) -> Times | None:
        def in_year(year: int) -> Times | None:
            return _day(date(year, month, day)) if day <= monthrange(year, month)[1] else None

        return self._in_some_year(in_year, parts)

    def _in_some_year(self, in_year: InYear, parts: Mapping[str, str]) -> Times | None:
        """The days of the year that is named; otherwise of the next year that has them, or of the last one."""
        if "year" in parts or "short_year" in parts:
            return in_year(int(parts["year"]) if "year" in parts else 2000 + int(parts["short_year"]))
        if "year_of" in parts:
            return in_year(self._today.year + _OFFSETS[self._meaning(parts, "year_of")])
        which = self._meaning(parts, "which") if "which" in parts else None
        if which == "this":
            return in_year(self._today.year)
        is_plan = self._is_plan if which is None else which in {"next", "coming", "after_next"}
        if self._is_guessed and which is None and (last := self._just_over(in_year)) is not None:
            return last
        years = [self._today.year + (step if is_plan else -step) for step in range(-1, _YEARS)]
        found = [times for times in map(in_year, years) if times is not None]
        if which is None:
            fits = (
                one for one in found if (one.end.date() > self._today if is_plan else one.start.date() <= self._today)
            )
        else:
            fits = (
                one for one in found if (one.start.date() > self._today if is_plan else one.end.date() <= self._today)
            )
        return next(fits, None)

    def _just_over(self, in_year: InYear) -> Times | None:
        """The days of this year if they have just been: where no word says whether they lie ahead, "1 October" on the
        19th is more likely of this year than of the next."""
        times = in_year(self._today.year)
        is_over = times is not None and 0 < (self._today - times.end.date()).days < _JUST_OVER_DAYS
        return times if is_over else None

    def _unit(self, parts: Mapping[str, str]) -> Times | None:
        unit = next((self._meaning(parts, name) for name in ("unit", "unit_alone") if name in parts), None)
        if unit is not None:
            name = next((name for name in ("which", "which_unit") if name in parts), None)
            which = "this" if name is None else self._meaning(parts, name)
            return self._whole_unit(unit, which)
        if "decade" in parts:
            century = int(parts.get("century") or (19 if int(parts["decade"]) >= 30 else 20))
            first = century * 100 + int(parts["decade"])
            return Times(at(date(first, 1, 1)), at(date(first + 10, 1, 1)), Precision.SPAN)
        return _year(int(parts["year"])) if "year" in parts else None

    def _whole_unit(self, unit: str, which: str) -> Times | None:
        offset = _OFFSETS[which]
        if unit == "week":
            monday = _monday(self._today) + timedelta(weeks=offset)
            return _span(monday, monday + timedelta(days=7))
        if unit == "weekend":
            is_over = self._today.weekday() >= _SATURDAY
            if which == "coming":
                return self._weekend(1 if is_over else 0)
            return self._weekend(-1 if which == "this" and not self._is_plan and not is_over else offset)
        if unit == "month":
            return _month(*_shift(self._today, offset))
        if unit == "quarter":
            quarter = (self._today.month - 1) // 3 + offset
            return _months(self._today.year + quarter // 4, quarter % 4 * 3 + 1, quarter % 4 * 3 + 3)
        return _year(self._today.year + offset) if unit == "year" else None

    def _weekend(self, weeks: int) -> Times:
        saturday = _monday(self._today) + timedelta(weeks=weeks, days=_SATURDAY)
        return _span(saturday, saturday + timedelta(days=2))

    def _written_span(self, parts: Mapping[str, str]) -> Times | None:
        """Two days of one month: "the 3rd to 5th of May"."""
        if "to_first" in parts:
            ends = ({"first": parts["first"], "second": parts["second"]},
                    {"first": parts["to_first"], "second": parts["to_second"]})  # fmt: skip
            return self.span(*(Phrase(0, 0, "date", one) for one in ends))
        if "to_year" in parts:
            first = date(*(int(parts[name]) for name in ("year", "month_number", "day")))
            last = date(*(int(parts[f"to_{name}"]) for name in ("year", "month_number", "day")))
            return _span(first, last + timedelta(days=1)) if first <= last else None
        last_day, month = self._number(parts, "to_day"), self._month_number(parts)
        named = {name: words for name, words in parts.items() if name in {"year", "which", "unit", "year_of"}}
        last_of = self._day_of_month(last_day, named) if month is None else self._yearly(month, last_day, named)
        if last_of is None:
            return None
        start = last_of.start.replace(day=self._number(parts, "day"))
        return Times(start, last_of.end, Precision.SPAN) if start < last_of.end else None

    # -- the words of parts --------------------------------------------------------------------------------------------

    def _month_number(self, parts: Mapping[str, str]) -> int | None:
        if "month" in parts:
            return int(self._meaning(parts, "month"))
        return self._number(parts, "month_number") if "month_number" in parts else None

    def _weekday(self, parts: Mapping[str, str]) -> int:
        return int(self._meaning(parts, "weekday" if "weekday" in parts else "weekday_short"))

    def _meaning(self, parts: Mapping[str, str], name: str) -> str:
        return self._forms.meaning(name, parts[name])

    def _number(self, parts: Mapping[str, str], name: str) -> int:
        return self._forms.number(name, parts[name])


InYear = Callable[[int], Times | None]
_DAY_PARTS = ("day", "ordinal", "day_alone", "ordinal_alone")
_SATURDAY = 5
_JUST_OVER_DAYS = 60


def at(day: date, hour: int = 0, minute: int = 0) -> datetime:
    return datetime.combine(day, time(hour, minute), UTC)


def _day(day: date) -> Times:
    return Times(at(day), at(day + timedelta(days=1)), Precision.DAY)


def _span(first: date, end: date) -> Times:
    return Times(at(first), at(end), Precision.SPAN)


def _month(year: int, month: int) -> Times:
    return _months(year, month, month)._replace(precision=Precision.MONTH)


def _months(year: int, first: int, last: int) -> Times:
    """From one month to another, of the next year if it comes earlier there."""
    end_year, end_month = divmod((year + (last < first)) * 12 + last, 12)
    return _span(date(year, first, 1), date(end_year, end_month + 1, 1))


def _year(year: int) -> Times:
    return _months(year, 1, 12)._replace(precision=Precision.YEAR)


def unit_around(day: date, unit: str) -> Times:
    """The day, the week or the month in which a day lies."""
    if unit == "week":
        return _span(_monday(day), _monday(day) + timedelta(days=7))
    return _month(day.year, day.month) if unit == "month" else _day(day)


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())


def _shift(day: date, months: int) -> tuple[int, int]:
    """The year and the month so many months away."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return year, month + 1
