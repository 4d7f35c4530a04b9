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
    """1 for each that means the same as one that comes before it; else 0. Of those that tie the newer one comes first,
    if they are of one rack: of two racks, which was written first is nobody's business. The `meanings` are the vectors
    of each rack and which of its rows are here, in the order of the scores."""
    found, shown = np.zeros(len(scores)), scores.round(6)
    filled = [(vectors, rows) for vectors, rows in meanings if len(rows)]
    widths = {vectors.shape[1] for vectors, _ in filled}
    if len(scores) < 2 or len(widths) != 1 or widths == {0}:
        return found
    if len(filled) == 1:
        [(vectors, rows)] = filled
        order = _first(shown, handles)
        own, before = vectors[rows[order]].astype(np.float32), _BEFORE[: len(order), : len(order)]
    else:
        order, racks, places = _first_of_all(shown, handles, [len(rows) for _, rows in filled])
        own = np.empty((len(order), *widths), np.float32)
        for rack, (vectors, rows) in enumerate(filled):
            own[racks == rack] = vectors[rows[places[racks == rack]]]
        tied = (shown[order] == shown[order][:, None]) & (racks != racks[:, None])
        before = _BEFORE[: len(order), : len(order)] & ~tied
    found[order] = ((own @ own.T >= ALIKE * ONE) & before).any(axis=1)
    return found


def _first(shown: Column, handles: Numbers) -> Numbers:
    """Where the best of one rack are, the best first."""
    if len(shown) <= 2 * AMONG:  # to sort so few takes less than to choose among them first
        return np.lexsort((-handles, -shown))[:AMONG]
    best = (shown >= np.partition(shown, -AMONG)[-AMONG]).nonzero()[0]
    order: Numbers = best[np.lexsort((-handles[best], -shown[best]))][:AMONG]
    return order


def _first_of_all(shown: Column, handles: Numbers, sizes: Sequence[int]) -> tuple[Numbers, Numbers, Numbers]:
    """Where the best of several racks are, the best first, their racks, and their places in these. Of those that tie
    for the last place there is none."""
    ends = np.cumsum(sizes)
    spans = [slice(end - size, end) for size, end in zip(sizes, ends.tolist(), strict=True)]
    best = np.concatenate([span.start + _first(shown[span], handles[span]) for span in spans])
    if len(best) > AMONG:
        best = best[shown[best] > np.partition(shown[best], -AMONG - 1)[-AMONG - 1]]
    order = best[np.argsort(-shown[best], kind="stable")]
    racks = ends.searchsorted(order, "right")
    return order, racks, order - (ends - np.array(sizes))[racks]
