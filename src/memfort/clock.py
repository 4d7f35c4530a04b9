"""The clock is passed in, so that every rule about time can be tested at an exact instant.

A moment is a whole number of microseconds since 1970 in UTC (see `memfort.model.moment`).
"""

from __future__ import annotations

import time
from datetime import datetime
from typing import Protocol

from memfort.model.moment import Moment, to_moment


class Clock(Protocol):
    """A clock has one method, so that a test's clock is one line."""

    def now(self) -> Moment: ...


class SystemClock:
    """The machine's own clock."""

    def now(self) -> Moment:
        return Moment(time.time_ns() // 1_000)


class FixedClock:
    """A clock that moves only when it is set, forwards or backwards."""

    def __init__(self, moment: datetime | str | Moment) -> None:
        """`moment` is an aware datetime, ISO 8601 text with an offset, or microseconds since 1970 in UTC."""
        self._moment = to_moment(moment, "moment")

    def now(self) -> Moment:
        return self._moment

    def set(self, moment: datetime | str | Moment) -> None:
        self._moment = to_moment(moment, "moment")

    def advance(self, seconds: float) -> None:
        self._moment = Moment(self._moment + round(seconds * 1_000_000))
