"""How long actions take, and how two of them compare. Nothing here knows what is measured."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import median

Action = Callable[[], object]
LEAST = 3  # at least so many are measured, however long they take


@dataclass(frozen=True, slots=True)
class Percentiles:
    """Times of one action in milliseconds. Of few, the high percentiles are simply the longest."""

    p50: float
    p95: float
    p99: float
    times: int


def percentiles(taken: Iterable[float]) -> Percentiles:
    """Each percentile is a time that occurred: the least that so large a part of all does not exceed."""
    ordered = sorted(taken)
    p50, p95, p99 = (round(ordered[math.ceil(len(ordered) * part / 100) - 1], 4) for part in (50, 95, 99))
    return Percentiles(p50, p95, p99, len(ordered))


def timed(actions: Iterable[Action], seconds: float = math.inf) -> list[float]:
    """Time each action by itself, until there are no more or they have taken `seconds` together.

    What an iterator does between two actions, such as copying a store, is not timed.
    """
    taken: list[float] = []
    spent = 0.0
    for action in actions:
        taken.append(_milliseconds(action))
        spent += taken[-1] / 1000
        if spent >= seconds and len(taken) >= LEAST:
            break
    return taken


def in_turns(pairs: Iterable[tuple[Action, Action]]) -> list[tuple[float, float]]:
    """Time two actions side by side, the first one first every other time, so that a busy moment slows both."""
    taken = []
    for number, (one, other) in enumerate(pairs):
        if number % 2 == 0:
            first, second = _milliseconds(one), _milliseconds(other)
        else:
            second, first = _milliseconds(other), _milliseconds(one)
        taken.append((first, second))
    return taken


def median_ratio(pairs: Sequence[tuple[float, float]]) -> float:
    """The median ratio of the second to the first of each pair."""
    return round(median(other / one for one, other in pairs), 3)


def _milliseconds(action: Action) -> float:
    start = time.perf_counter()
    action()
    return (time.perf_counter() - start) * 1000
