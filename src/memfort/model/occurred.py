"""When the event happened that a statement tells of, as far as its words say, and the words that say it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import Any

from msgspec.structs import replace

from memfort.errors import InvalidInput
from memfort.model.moment import MICROSECONDS_PER_SECOND, Instant, Microseconds, Moment, to_moment
from memfort.model.value import Value


class Precision(StrEnum):
    """How exactly the time of an event is known."""

    MINUTE = "minute"
    DAY = "day"
    MONTH = "month"
    YEAR = "year"
    SPAN = "span"  # from one day to another: a week, a season, "the 3rd to the 5th"


class Occurred(Value, frozen=True):
    """The time of an event: from its start, inclusive, to its end, exclusive."""

    start_us: Microseconds
    end_us: Microseconds
    precision: Precision = Precision.DAY

    start = Instant()
    end = Instant()


class ComposedBy(StrEnum):
    """How a statement was put together from two turns."""

    CORRECTION = "correction"  # a value, in the statement that it corrects: "no wait, Thursday"
    YES = "yes"  # a yes to a question: "So you live in Lyon?"
    ANSWER = "answer"  # a few words, behind the question that they answer


class Composed(Value, frozen=True):
    """The other turn of a statement that nobody said in one piece."""

    way: ComposedBy
    turn: str  # the id of the turn
    words: str  # of it, which the statement also rests on


class Evidence(Value, frozen=True):
    """Where a statement comes from: the turn, and the words of the turn that say it."""

    turn: str  # the id of the turn, which may live in another space than the statement
    words: str
    composed: Composed | None = None  # the words of the turn alone do not say it

    @property
    def turns(self) -> tuple[str, ...]:
        """The ids of the turns that it rests on."""
        return (self.turn,) if self.composed is None else (self.turn, self.composed.turn)

    def with_turns(self, ids: Mapping[str, str]) -> Evidence:
        """The same with other ids for its turns, where they have others."""
        composed = self.composed
        if composed is not None:
            composed = replace(composed, turn=ids.get(composed.turn, composed.turn))
        return replace(self, turn=ids.get(self.turn, self.turn), composed=composed)

    @property
    def all_words(self) -> tuple[str, ...]:
        return (self.words,) if self.composed is None else (self.words, self.composed.words)


def to_occurred(value: Any, field: str = "occurred") -> Occurred:
    """Read the time of an event: `2026`, `2026-11`, `2026-11-20`, an instant with a zone, two of them as `from/to`
    (both included), or a mapping with `start`, `end` and `precision`."""
    if isinstance(value, Occurred):
        return _checked(value, field)
    if isinstance(value, Mapping):
        return _from_mapping(value, field)
    if isinstance(value, str):
        first, is_span, last = value.partition("/")
        start = _from_text(first.strip(), field)
        if not is_span:
            return start
        return _checked(Occurred(start.start_us, _from_text(last.strip(), field).end_us, Precision.SPAN), field)
    if isinstance(value, date) and not isinstance(value, datetime):
        return _day(value, field)
    return _minute(to_moment(value, field))


_DATE = re.compile(r"(?P<year>\d{4})(?:-(?P<month>\d{2})(?:-(?P<day>\d{2}))?)?")
_MINUTE_US = 60 * MICROSECONDS_PER_SECOND


def _from_text(text: str, field: str) -> Occurred:
    found = _DATE.fullmatch(text)
    if found is None:
        return _minute(to_moment(text, field))
    year, month, day = int(found["year"]), found["month"], found["day"]
    try:
        first = date(year, int(month or 1), int(day or 1))
    except ValueError:
        raise InvalidInput(field, "there is no such day", "write it like `2026-11-20`") from None
    if day is not None:
        return _day(first, field)
    try:
        following = date(year + 1, 1, 1) if month is None else (first + timedelta(days=31)).replace(day=1)
    except (ValueError, OverflowError):
        raise _end_of_calendar(field) from None
    return _span(first, following, Precision.YEAR if month is None else Precision.MONTH, field)


def _day(day: date, field: str) -> Occurred:
    try:
        following = day + timedelta(days=1)
    except OverflowError:
        raise _end_of_calendar(field) from None
    return _span(day, following, Precision.DAY, field)


def _end_of_calendar(field: str) -> InvalidInput:
    return InvalidInput(field, "the calendar ends there", "leave it out, or give a time that ends before")


def _span(first: date, following: date, precision: Precision, field: str) -> Occurred:
    start, end = (to_moment(datetime(one.year, one.month, one.day, tzinfo=UTC), field) for one in (first, following))
    return Occurred(start, end, precision)


def _minute(moment: Moment) -> Occurred:
    start = Moment(moment - moment % _MINUTE_US)
    return Occurred(start, Moment(start + _MINUTE_US), Precision.MINUTE)


def _from_mapping(value: Mapping[str, Any], field: str) -> Occurred:
    if unknown := sorted(str(name) for name in value if name not in {"start", "end", "precision"}):
        raise InvalidInput(f"{field}.{unknown[0]}", "there is no such field", "use start, end and precision")
    if value.get("start") is None:
        raise InvalidInput(f"{field}.start", "it is missing", "say when it began")
    start = to_occurred(value["start"], f"{field}.start")
    end = start if value.get("end") is None else None
    end_us = start.end_us if end is not None else to_moment(value["end"], f"{field}.end")
    precision = value.get("precision")
    if precision is None:
        return _checked(Occurred(start.start_us, end_us, start.precision if end is not None else Precision.SPAN), field)
    try:
        return _checked(Occurred(start.start_us, end_us, Precision(precision)), field)
    except ValueError:
        known = ", ".join(one.value for one in Precision)
        raise InvalidInput(f"{field}.precision", "it is not possible here", f"use one of {known}") from None


def _checked(occurred: Occurred, field: str) -> Occurred:
    if occurred.end_us <= occurred.start_us:
        raise InvalidInput(field, "it ends before it begins", "give the start first, and an end after it")
    return occurred
