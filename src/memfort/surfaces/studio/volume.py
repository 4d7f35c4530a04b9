"""How much was decided when: bars for what was allowed, and below the axis one mark for each refusal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from msgspec import Struct

_WIDTH = 466.0
_HEIGHT = 62.0
_HOUR, _DAY = timedelta(hours=1), timedelta(days=1)
_MOST_MARKS = 9
DAYS = 14


class Bar(Struct, frozen=True):
    """One hour or day of the chart, with its place in it."""

    x: float
    y: float
    width: float
    height: float
    marks: tuple[tuple[float, float], ...]  # of the refusals, one each


class Volume(Struct, frozen=True):
    """The chart, and what it says in words."""

    bars: tuple[Bar, ...]
    allowed: int
    refused: int
    begins: str
    ends: str

    @property
    def words(self) -> str:
        return f"From {self.begins} until {self.ends}: {self.allowed:,} allowed, {self.refused:,} refused"


def of_days(events: Sequence[Mapping[str, Any]], now: datetime) -> Volume:
    """The last two weeks, a bar for each day."""
    return _volume(events, _floor(now, _DAY), _DAY, DAYS, ("two weeks ago", "today"))


def of_events(events: Sequence[Mapping[str, Any]]) -> Volume:
    """The time that these events cover, the latest first: in hours if that is two days at most, otherwise in days."""
    latest, first = _moment(events[0]), _moment(events[-1])
    step = _HOUR if latest - first <= 2 * _DAY else _DAY
    last = _floor(latest, step)
    count = min(max(int((last - _floor(first, step)) / step) + 1, 12), 60)
    form = "%H:%M" if step == _HOUR else "%b"
    names = tuple(
        f"{at.day} {at:%b} {at:%H:%M}" if step == _HOUR else f"{at.day} {at.strftime(form)}"
        for at in (last - (count - 1) * step, last)
    )
    return _volume(events, last, step, count, (names[0], names[1]))


def _volume(
    events: Sequence[Mapping[str, Any]], last: datetime, step: timedelta, count: int, names: tuple[str, str]
) -> Volume:
    starts = [last - back * step for back in reversed(range(count))]
    counts = {start: Counter[bool]() for start in starts}
    for one in events:
        if (start := _floor(_moment(one), step)) in counts:
            counts[start][one["decision"] == "denied"] += 1
    most = max((one[False] for one in counts.values()), default=0) or 1
    bars = tuple(_bar(place, counts[start], most, _WIDTH / count) for place, start in enumerate(starts))
    sums = [sum(one[kind] for one in counts.values()) for kind in (False, True)]
    return Volume(bars, sums[0], sums[1], *names)


def _bar(place: int, count: Counter[bool], most: int, room: float) -> Bar:
    height = _HEIGHT * count[False] / most
    if count[False]:
        height = max(height, 2.0)  # whatever is there at all can be seen
    marks = tuple((place * room + 8 * (n % 3), 67.0 + 7 * (n // 3)) for n in range(min(_MOST_MARKS, count[True])))
    return Bar(place * room, 64.0 - height, 0.72 * room, height, marks)


def _moment(event: Mapping[str, Any]) -> datetime:
    return datetime.fromisoformat(str(event["at"])).astimezone(UTC)


def _floor(moment: datetime, step: timedelta) -> datetime:
    hour = moment.replace(minute=0, second=0, microsecond=0)
    return hour if step == _HOUR else hour.replace(hour=0)
