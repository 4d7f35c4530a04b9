"""The clock is passed in, so that every rule about time can be tested at an exact instant.

A moment is a whole number of microseconds since 1970 in UTC (see `memfort.model.moment`).
"""

from __future__ import annotations

import time
from typing import Protocol

from memfort.model.moment import Moment


class Clock(Protocol):
    """A clock has one method, so that a test's clock is one line."""

    def now(self) -> Moment: ...


class SystemClock:
    """The machine's own clock."""

    def now(self) -> Moment:
        return Moment(time.time_ns() // 1_000)


class FixedClock:
    """A clock that moves only when it is set, forwards or backwards."""

    def __init__(self, moment: Moment) -> None:
        self._moment = moment

    def now(self) -> Moment:
        return self._moment

    def set(self, moment: Moment) -> None:
        self._moment = moment

    def advance(self, seconds: float) -> None:
        self._moment = Moment(self._moment + round(seconds * 1_000_000))
