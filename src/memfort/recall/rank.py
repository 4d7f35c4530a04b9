"""Scores and ranks: exact BM25 over what the caller can see, layer by layer.

The statistics are those of the shelves in sight and of nothing else, so no memory the caller may not see can
move a score or an order.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memfort.store.port import Position, Shelf

K1 = 1.2
B = 0.75


@dataclass(frozen=True, slots=True)
class Scored:
    handle: int
    layer: int
    score: float


def score(shelves: Sequence[Shelf], terms: Sequence[str]) -> list[Scored]:
    """The score of every memory that has at least one of the terms. Summed in the order of the terms, so that the
    last digit is the same on every machine."""
    count = sum(shelf.count for shelf in shelves)
    if not count:
        return []
    average = sum(shelf.length for shelf in shelves) / count
    weights = {term: _weight(count, _frequency(shelves, term)) for term in terms}
    found: list[Scored] = []
    for shelf in shelves:
        totals: dict[int, float] = {}
        for term in terms:
            weight = weights[term]
            for handle, frequency, length in shelf.postings.get(term, ()):
                damping = frequency + K1 * (1 - B + B * length / average)
                totals[handle] = totals.get(handle, 0.0) + weight * frequency * (K1 + 1) / damping
        found.extend(Scored(handle, shelf.layer, round(total, 6)) for handle, total in totals.items())
    return found


def contenders(scored: Sequence[Scored], limit: int) -> list[Scored]:
    """Those that can be among the first `limit`: layer by layer, each ranked, with everyone who ties at the end."""
    ranked = sorted(scored, key=lambda one: (one.layer, -one.score))
    if len(ranked) <= limit:
        return ranked
    last = ranked[limit - 1]
    cut = limit
    while cut < len(ranked) and (ranked[cut].layer, ranked[cut].score) == (last.layer, last.score):
        cut += 1
    return ranked[:cut]


def settle(contending: Sequence[Scored], stamps: Mapping[int, Position], limit: int) -> list[Scored]:
    """The first `limit`, ties broken by the newer one and then by id, which nothing outside can influence."""
    known = [one for one in contending if one.handle in stamps]

    def order(one: Scored) -> tuple[int, float, int, str, bytes]:
        stamp = stamps[one.handle]
        return one.layer, -one.score, -stamp.created_at, stamp.id, stamp.space

    return sorted(known, key=order)[:limit]


def _weight(count: int, frequency: int) -> float:
    return math.log(1 + (count - frequency + 0.5) / (frequency + 0.5))


def _frequency(shelves: Sequence[Shelf], term: str) -> int:
    return sum(len(shelf.postings.get(term, ())) for shelf in shelves)
