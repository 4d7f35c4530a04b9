"""Scores and ranks: exact BM25 over what the caller can see, layer by layer.

The statistics are those of the memories in sight and of nothing else, so no memory the caller may not see can
move a score or an order.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memfort.store.columns import Columns, Numbers
from memfort.store.port import Position

K1 = 1.2
B = 0.75
SCORE_DIGITS = 6

Scores = NDArray[np.float64]


class Layer(NamedTuple):
    """The memories of one layer that match, and their scores."""

    handles: Numbers
    scores: Scores


Totals = dict[int, Layer]


@dataclass(frozen=True, slots=True)
class Scored:
    handle: int
    layer: int
    score: float


def score(columns: Sequence[Columns], terms: Sequence[int]) -> Totals:
    """The score of every memory that has at least one of the terms, layer by layer.

    Summed in the order of the terms, so that the last digit is the same on every machine.
    """
    count, length = sum(one.count for one in columns), sum(one.length for one in columns)
    if not length:
        return {}
    average = length / count
    damped = [K1 * (1 - B + B * one.lengths / average) for one in columns]
    totals = [np.zeros(len(one.handles)) for one in columns]
    for term in terms:
        found = [_having(one, term) for one in columns]
        weight = (K1 + 1) * _rarity(count, sum(len(rows) for rows, _ in found))
        for (rows, often), damping, total in zip(found, damped, totals, strict=True):
            total[rows] += weight * often / (often + damping[rows])
    layers: dict[int, list[Layer]] = {}
    for one, total in zip(columns, totals, strict=True):
        at = np.flatnonzero(total)
        layers.setdefault(one.layer, []).append(Layer(one.handles[at], total[at]))
    return {layer: Layer(*map(np.concatenate, zip(*parts, strict=True))) for layer, parts in sorted(layers.items())}


def contenders(totals: Totals, limit: int) -> list[Scored]:
    """Those that can be among the first `limit`: layer by layer the best of each, with whoever ties at the end."""
    found: list[Scored] = []
    for layer, (handles, scores) in sorted(totals.items()):
        room = limit - len(found)
        if room <= 0:
            break
        best = _best(scores, room)
        pairs = zip(handles[best].tolist(), scores[best].tolist(), strict=True)
        found += [Scored(handle, layer, round(total, SCORE_DIGITS)) for handle, total in pairs]
    return found


def settle(contending: Sequence[Scored], stamps: Mapping[int, Position], limit: int) -> list[Scored]:
    """The first `limit`, ties broken by the newer one and then by id, which nothing outside can influence."""
    known = [one for one in contending if one.handle in stamps]

    def order(one: Scored) -> tuple[int, float, int, str, bytes]:
        stamp = stamps[one.handle]
        return one.layer, -one.score, -stamp.created_at, stamp.id, stamp.space

    return sorted(known, key=order)[:limit]


def _having(columns: Columns, term: int) -> tuple[Numbers, Numbers]:
    rows, often = columns.postings.of(term)
    shown = columns.shown[rows]
    return rows[shown], often[shown]


def _best(scores: Scores, room: int) -> Numbers:
    """Where the best `room` of one layer are, and whoever ties with the last of them, to the digits that are shown."""
    if len(scores) <= room:
        return np.arange(len(scores))
    last = float(np.partition(scores, len(scores) - room)[len(scores) - room])
    return np.flatnonzero(scores > round(last, SCORE_DIGITS) - 10**-SCORE_DIGITS)


def _rarity(count: int, frequency: int) -> float:
    return math.log(1 + (count - frequency + 0.5) / (frequency + 0.5))
