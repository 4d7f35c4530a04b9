"""Ranks a statement right above the older one that it may replace.

Which one that is was decided when the statement was written, by what both say: words alone cannot tell it for every
question. Where the write was sure, the older one is not in force any more. Where it was not, both are, and recall puts
the newer one first if it is found too. A memory that is not shown has no part in it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from memfort.model.results import Feature
from memfort.recall.units import Shares, Units, own_match, rows_named
from memfort.store.port.values.columns import Columns, Flags, Numbers

LEAST_SHARE = 0.6  # of the older one's score that the newer one has by itself
LEAST_MATCH = 0.4  # of what the older one's own words and meaning match
_BEST = 20  # only above one of so many of the best is anything lifted
_STEP = 1e-6  # points: the smallest step that is shown


class Links(NamedTuple):
    """The statements among some rows that may replace another one of them, in the order in which they were written. Of
    a conversation that was observed late, the other one may have been said later: then that one is the newer."""

    newer: Numbers  # their places
    older: Numbers


def find_links(columns: Columns, at: Numbers) -> Links | None:
    """The links among these rows; `None` if there are none."""
    replaced = columns.once("replaced rows", _replaced_rows)
    if replaced is None:
        return None
    rows, places = replaced[at], np.full(len(columns.handles), -1)
    places[at] = np.arange(len(at))
    older = np.where(rows >= 0, places[rows], -1)
    newer = np.flatnonzero(older >= 0)
    if not len(newer):
        return None
    older, days = older[newer], columns.days[at]
    is_late = days[newer] < days[older]
    return Links(np.where(is_late, older, newer), np.where(is_late, newer, older))


def _replaced_rows(columns: Columns) -> Numbers | None:
    """For each row, the row of the memory that it may replace, if both are shown; `None` if there is none."""
    if not columns.may_replace.any():
        return None
    rows = rows_named(columns, columns.may_replace, columns.names != 0)
    return rows if (rows >= 0).any() else None


def lift_newer(links: Links, units: Units | None, shares: Shares, passes: Flags) -> None:
    """Raise each statement that may replace a better one, with its turn, to right above that. The shares are changed
    where they are."""
    total = sum(shares.values(), np.zeros(len(passes)))
    first = np.arange(len(total))  # the place that a unit is ranked by
    if units is not None:
        first[units.statements] = units.turns[units.owners]
    newer, older = first[links.newer], first[links.older]
    least = np.partition(total, -_BEST)[-_BEST] if len(total) > _BEST else -np.inf
    may = passes[newer] & passes[older] & (newer != older) & (total[older] >= least)
    may &= total[newer] >= LEAST_SHARE * total[older]
    match = own_match(shares, len(total))
    may &= match[newer] >= LEAST_MATCH * match[older]
    if not may.any():
        return
    lifted = np.zeros(len(total))
    for own, place, above in zip(links.newer[may].tolist(), newer[may].tolist(), older[may].tolist(), strict=True):
        gap = total[above] + lifted[above] - total[place] - lifted[place] + _STEP
        if gap > 0:
            lifted[place] += gap
            if own != place:
                lifted[own] = max(lifted[own], total[place] + lifted[place] - _STEP - total[own])
    shares[Feature.NEWER_VALUE] = lifted
