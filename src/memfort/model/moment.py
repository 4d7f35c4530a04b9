"""Moments: whole microseconds since 1970 in UTC. Integers compare exactly; floats and local times do not."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Annotated, NewType, Self, overload

from msgspec import Meta

from memfort.errors import InvalidInput, a

Moment = NewType("Moment", int)

# The type of a field that keeps a moment and is shown as a `datetime`: see `Instant`.
Microseconds = Annotated[Moment, Meta(extra_json_schema={"format": "date-time"})]

MICROSECONDS_PER_SECOND = 1_000_000
MICROSECONDS_PER_DAY = 86_400 * MICROSECONDS_PER_SECOND
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EPOCH_OF_UTC = _EPOCH.replace(tzinfo=None)
_FIRST = (datetime(1, 1, 2, tzinfo=UTC) - _EPOCH) // timedelta(microseconds=1)
_LAST = (datetime(9999, 12, 30, tzinfo=UTC) - _EPOCH) // timedelta(microseconds=1)


def to_moment(value: datetime | str | int, field: str) -> Moment:
    """Read a moment from an aware datetime, an ISO 8601 text with an offset, or microseconds."""
    if isinstance(value, bool):
        raise InvalidInput(field, "a boolean is not a time", "give an aware datetime or ISO 8601 text")
    if isinstance(value, int):
        return _within_calendar(value, field)
    if isinstance(value, str):
        value = _parse(value, field)
    if not isinstance(value, datetime):
        raise InvalidInput(field, f"{a(type(value).__name__)} is not a time", "give an aware datetime or ISO 8601 text")
    if value.tzinfo is None:
        raise InvalidInput(field, "the time has no zone", "add one, for example `2026-01-01T00:00:00Z`")
    return _within_calendar((value - _EPOCH) // timedelta(microseconds=1), field)


def day_of(moment: Moment) -> date:
    """The day on which a moment lies, in UTC."""
    return to_datetime(moment).date()


def start_of_day(day: date) -> Moment:
    """The first moment of a day, in UTC."""
    return Moment((day - _EPOCH.date()).days * MICROSECONDS_PER_DAY)


def to_datetime(moment: Moment) -> datetime:
    """The moment as Python's own type, in UTC."""
    return _EPOCH + timedelta(microseconds=moment)


def to_text(moment: Moment) -> str:
    """Render a moment as ISO 8601 in UTC, always with microseconds, so that equal moments are equal texts."""
    return (_EPOCH_OF_UTC + timedelta(microseconds=moment)).isoformat(timespec="microseconds") + "Z"


def iso_text(time: datetime) -> str:
    return time.astimezone(UTC).isoformat(timespec="microseconds")[: -len("+00:00")] + "Z"


class Instant:
    """A time of a result as a `datetime` in UTC. The field beside it, whose name ends in `_us`, keeps the moment: whole
    microseconds, which the engine compares and the store keeps under the name without the ending."""

    def __set_name__(self, _: type, name: str) -> None:
        self._field = f"{name}_us"

    @overload
    def __get__(self, value: None, kind: type) -> Self: ...
    @overload
    def __get__(self, value: object, kind: type) -> datetime: ...
    def __get__(self, value: object | None, kind: type) -> datetime | Self:
        return self if value is None else to_datetime(getattr(value, self._field))


class OptionalInstant:
    """The same of a time that need not be there."""

    def __set_name__(self, _: type, name: str) -> None:
        self._field = f"{name}_us"

    @overload
    def __get__(self, value: None, kind: type) -> Self: ...
    @overload
    def __get__(self, value: object, kind: type) -> datetime | None: ...
    def __get__(self, value: object | None, kind: type) -> datetime | Self | None:
        if value is None:
            return self
        moment = getattr(value, self._field)
        return None if moment is None else to_datetime(moment)


def _within_calendar(microseconds: int, field: str) -> Moment:
    """Refuse what no calendar can show and no store can hold."""
    if not _FIRST <= microseconds <= _LAST:
        raise InvalidInput(field, "the time lies outside the calendar", "give one between the years 1 and 9999")
    return Moment(int(microseconds))  # a plain one: records hold no subclass


def _parse(text: str, field: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise InvalidInput(field, "the time cannot be read", "write it like `2026-01-01T00:00:00Z`") from None
