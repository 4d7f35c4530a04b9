"""Whether reading takes time in proportion to the length of a text. Work is counted as lines and calls of Python, so
that the answer does not depend on the machine; the long mode also compares processor time, which shows what patterns
cost."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

from msgspec import Struct
from tests.language.fuzz.readers import READERS

SMALL = 4_000  # characters
TIMES = 4  # how much longer the second text is
LARGE = 60_000  # characters, for processor time: what a pattern costs has to be more than what a call costs
MOST_STEPS = 2.0 * TIMES  # a quadratic reader takes 16 times as many
MOST_SECONDS = 2.2 * TIMES
FEW_STEPS = 5_000
FEW_SECONDS = 0.1


class Growth(Struct, frozen=True):
    """What reading a text costs, and one that is four times as long."""

    reader: str
    unit: str
    small: float
    large: float

    def __str__(self) -> str:
        ratio = f"{self.large / max(self.small, 1e-9):.1f}"
        return f"{self.reader} of {self.unit!r}: {self.small:.5g}, {TIMES} times as long {self.large:.5g} (x {ratio})"


def growing_steps(unit: str) -> Iterator[Growth]:
    """The readers that take many more steps for a longer text than its length explains."""
    for name, read in READERS.items():
        read(_repeat(unit, SMALL * TIMES + 1))  # what is loaded and compiled when it is first used is no part of it
        large = steps_of(read, _repeat(unit, SMALL * TIMES))
        if large > FEW_STEPS and large > MOST_STEPS * (small := max(1, steps_of(read, _repeat(unit, SMALL)))):
            yield Growth(name, unit, small, large)


def growing_seconds(unit: str) -> Iterator[Growth]:
    """The same by processor time. A single measurement says little: the least of three counts."""
    for name, read in READERS.items():
        large = seconds_of(read, _repeat(unit, LARGE), 1)
        if large > FEW_SECONDS:
            small = seconds_of(read, _repeat(unit, LARGE // TIMES), 3)
            if (
                large > MOST_SECONDS * small
                and (least := seconds_of(read, _repeat(unit, LARGE), 3)) > MOST_SECONDS * small
            ):
                yield Growth(name, unit, small, least)


def steps_of(read: Callable[[str], Any], text: str) -> int:
    """How many lines of Python are executed, each round of a loop or a comprehension anew, and how many functions of C
    are called."""
    steps = 0

    def on_line(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal steps
        steps += 1
        return on_line

    def on_call(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal steps
        steps += event == "c_call"

    tracing, profiling = sys.gettrace(), sys.getprofile()
    sys.setprofile(on_call)
    sys.settrace(on_line)
    try:
        read(text)
    finally:
        sys.settrace(tracing)
        sys.setprofile(profiling)
    return steps


def seconds_of(read: Callable[[str], Any], text: str, times: int) -> float:
    """The processor time of one reading, the least of several. Each text is new to every cache."""
    taken = []
    for number in range(times):
        fresh = f"{text}{'.' * number}"
        began = time.process_time()
        read(fresh)
        taken.append(time.process_time() - began)
    return min(taken)


def _repeat(unit: str, size: int) -> str:
    return (unit * (size // len(unit) + 1))[:size]
