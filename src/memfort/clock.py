"""Time comes in from outside, so that every rule about it can be tested at the very instant.

A moment is a whole number of microseconds since 1970 in UTC (see `memfort.model.moment`).
"""

from __future__ import annotations

import time
from typing import Protocol

from memfort.model.moment import Moment


class Clock(Protocol):
    """Says what time it is. One method, so that a test's clock is one line."""

    def now(self) -> Moment: ...


class SystemClock:
    """The machine's own clock."""

    def now(self) -> Moment:
        return Moment(time.time_ns() // 1_000)


class FixedClock:
    """A clock that stands still until it is told to move, forwards or backwards."""

    def __init__(self, moment: Moment) -> None:
        self._moment = moment

    def now(self) -> Moment:
        return self._moment

    def set(self, moment: Moment) -> None:
        self._moment = moment

    def advance(self, seconds: float) -> None:
        self._moment = Moment(self._moment + round(seconds * 1_000_000))
