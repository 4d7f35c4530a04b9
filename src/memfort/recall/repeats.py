"""Repeats: of the best memories of a layer, those that say the same as a better one. They give way to what says
more."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from memfort.recall.features import ONE, Column
from memfort.store.columns import Numbers, Vectors

ALIKE = 0.985  # of 1: another number, name or day, or a "not", makes less alike than that
AMONG = 32  # the best so many are looked at; of so few, the products are worked out in this thread alone
_BEFORE = np.tri(AMONG, k=-1, dtype=np.bool_)  # which of them come before each


def repeats(scores: Column, handles: Numbers, meanings: Sequence[tuple[Vectors, Numbers]]) -> Column:
    """1 for each that means the same as one that comes before it, of those that tie the newer one first; else 0. The
    `meanings` are the vectors of each rack and which of its rows are here, in the order of the scores."""
    found = np.zeros(len(scores))
    best = np.arange(len(scores))
    if len(best) > AMONG:
        best = np.flatnonzero(scores >= np.partition(scores, -AMONG)[-AMONG])
    order = best[np.lexsort((-handles[best], -np.round(scores[best], 6)))][:AMONG]
    widths = {vectors.shape[1] for vectors, rows in meanings if len(rows)}
    if len(order) < 2 or len(widths) != 1 or widths == {0}:
        return found
    own = _vectors(order, meanings, *widths)
    found[order] = ((own @ own.T >= ALIKE * ONE) & _BEFORE[: len(order), : len(order)]).any(axis=1)
    return found


def _vectors(order: Numbers, meanings: Sequence[tuple[Vectors, Numbers]], width: int) -> Vectors:
    """The vectors of those in this order."""
    if len(meanings) == 1:
        [(vectors, rows)] = meanings
        return vectors[rows[order]]
    ends = np.cumsum([len(rows) for _, rows in meanings])
    racks = np.searchsorted(ends, order, "right")
    own = np.empty((len(order), width), np.float32)
    for rack, (vectors, rows) in enumerate(meanings):
        here = np.flatnonzero(racks == rack)
        if len(here):
            own[here] = vectors[rows[order[here] - ends[rack] + len(rows)]]
    return own
