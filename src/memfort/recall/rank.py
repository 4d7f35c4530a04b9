"""Scores and ranks: exact BM25 over what the caller can see, layer by layer.

The statistics are those of the shelves in sight and of nothing else, so no memory the caller may not see can
move a score or an order.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memfort.store.port import Position, Shelf

K1 = 1.2
B = 0.75
SCORE_DIGITS = 6

Totals = dict[int, dict[int, float]]  # layer, then handle, to score


@dataclass(frozen=True, slots=True)
class Scored:
    handle: int
    layer: int
    score: float


def score(shelves: Sequence[Shelf], terms: Sequence[str]) -> Totals:
    """The score of every memory that has at least one of the terms.

    Summed in the order of the terms, so that the last digit is the same on every machine.
    """
    count = sum(shelf.count for shelf in shelves)
    found: Totals = {}
    if not count:
        return found
    damping = _Damping(sum(shelf.length for shelf in shelves) / count)
    for term in terms:
        weight = (K1 + 1) * _rarity(count, sum(len(shelf.postings.get(term, ())) for shelf in shelves))
        for shelf in shelves:
            totals = found.setdefault(shelf.layer, {})
            for handle, frequency, length in shelf.postings.get(term, ()):
                part = weight * frequency / (frequency + damping[length])
                totals[handle] = totals.get(handle, 0.0) + part
    return found


def contenders(totals: Totals, limit: int) -> list[Scored]:
    """Those that can be among the first `limit`: layer by layer the best of each, with whoever ties at the end."""
    found: list[Scored] = []
    for layer in sorted(totals):
        room = limit - len(found)
        if room <= 0:
            break
        rounded = {handle: round(total, SCORE_DIGITS) for handle, total in _best(totals[layer], room)}
        found += [Scored(handle, layer, total) for handle, total in rounded.items()]
    return found


def settle(contending: Sequence[Scored], stamps: Mapping[int, Position], limit: int) -> list[Scored]:
    """The first `limit`, ties broken by the newer one and then by id, which nothing outside can influence."""
    known = [one for one in contending if one.handle in stamps]

    def order(one: Scored) -> tuple[int, float, int, str, bytes]:
        stamp = stamps[one.handle]
        return one.layer, -one.score, -stamp.created_at, stamp.id, stamp.space

    return sorted(known, key=order)[:limit]


def _best(totals: Mapping[int, float], room: int) -> list[tuple[int, float]]:
    """The best `room` of one layer and whoever ties with the last of them, to the digits that are shown."""
    if len(totals) <= room:
        return list(totals.items())
    least = round(heapq.nlargest(room, totals.values())[-1], SCORE_DIGITS) - 10**-SCORE_DIGITS
    return [(handle, total) for handle, total in totals.items() if total > least]


class _Damping(dict[int, float]):
    """How much a text's length counts against it; worked out once for each length."""

    def __init__(self, average: float) -> None:
        super().__init__()
        self._average = average

    def __missing__(self, length: int) -> float:
        self[length] = damped = K1 * (1 - B + B * length / self._average)
        return damped


def _rarity(count: int, frequency: int) -> float:
    return math.log(1 + (count - frequency + 0.5) / (frequency + 0.5))
