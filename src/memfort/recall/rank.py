"""Scores and ranks: the features of every memory that the caller can see, weighed, layer by layer.

The statistics are those of the memories in sight and of nothing else, so no memory the caller may not see can
move a score or an order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memfort.model.feature import Feature
from memfort.recall.features import Column, Query, Seen, features, meant, said
from memfort.store.columns import Columns, Flags, Numbers
from memfort.store.port import Position

SCORE_DIGITS = 6
_ALL = 4096  # memories up to which every one of them is weighed in full
_BEST = 1024  # beyond that: how many are, by their own words and meaning, with their neighbours
_NEIGHBOURS = 3

Parts = NDArray[np.float64]


class Layer(NamedTuple):
    """The memories of one layer that match, their scores, and the share that each feature has in them."""

    handles: Numbers
    scores: Column
    parts: Parts


Totals = dict[int, Layer]


@dataclass(frozen=True, slots=True)
class Floor:
    """What speaks for a memory at least: of the query's words or of its meaning, each of 1."""

    words: float
    meaning: float


@dataclass(frozen=True, slots=True)
class Scored:
    handle: int
    layer: int
    score: float
    parts: tuple[float, ...] = ()


def score(columns: Sequence[Columns], query: Query, weights: Mapping[Feature, float], floor: Floor) -> Totals:
    """The score of every memory that passes the floor, layer by layer.

    Summed in the order of the features, so that the last digit is the same on every machine.
    """
    layers: dict[int, list[Layer]] = {}
    for one, having in zip(columns, query.having, strict=True):
        words, meaning = said(query, one, having), meant(query, one)
        seen = _seen(one, weights[Feature.WORDS] * words + weights[Feature.MEANING] * meaning)
        words, meaning = words[seen.at], meaning[seen.at]
        found = features(query, seen, words, meaning)
        parts = np.stack([weight * found[feature] for feature, weight in weights.items()], axis=1)
        total = np.zeros(len(parts))
        for share in parts.T:
            total += share
        kept = np.flatnonzero(_passes(query, found, floor) & (total > 0))
        layers.setdefault(one.layer, []).append(Layer(one.handles[seen.at][kept], total[kept], parts[kept]))
    return {layer: Layer(*map(np.concatenate, zip(*found, strict=True))) for layer, found in sorted(layers.items())}


def _seen(columns: Columns, likely: Column) -> Seen:
    """The memories that are weighed in full: all that are shown, or the likeliest and those beside them."""
    at = np.flatnonzero(columns.shown)
    if np.any(np.diff(columns.handles[at]) < 0):
        at = at[np.argsort(columns.handles[at], kind="stable")]  # one that has changed since comes where it was written
    place = np.arange(len(at))
    if len(at) > _ALL:
        best = np.argpartition(-likely[at], _BEST)[:_BEST]
        near = (best[:, None] + np.arange(-_NEIGHBOURS, _NEIGHBOURS + 1)).ravel()
        place = np.unique(near[(near >= 0) & (near < len(at))])
    return Seen(columns, at[place], place)


def _passes(query: Query, found: Mapping[Feature, Column], floor: Floor) -> Flags:
    words = np.maximum(found[Feature.WORDS], np.maximum(found[Feature.AROUND], found[Feature.ANSWERS]))
    passes: Flags = (words > floor.words) | (found[Feature.MEANING] >= floor.meaning)
    return passes | (found[Feature.WHO] + found[Feature.DATE] >= 1) if query.is_bare else passes


def contenders(totals: Totals, limit: int) -> list[Scored]:
    """Those that can be among the first `limit`: layer by layer the best of each, with whoever ties at the end."""
    found: list[Scored] = []
    for layer, (handles, scores, parts) in sorted(totals.items()):
        room = limit - len(found)
        if room <= 0:
            break
        best = _best(scores, room)
        rows = zip(handles[best].tolist(), scores[best].tolist(), parts[best].tolist(), strict=True)
        found += [Scored(handle, layer, round(total, SCORE_DIGITS), tuple(shares)) for handle, total, shares in rows]
    return found


def settle(contending: Sequence[Scored], stamps: Mapping[int, Position], limit: int) -> list[Scored]:
    """The first `limit`, ties broken by the newer one and then by id, which nothing outside can influence."""
    known = [one for one in contending if one.handle in stamps]

    def order(one: Scored) -> tuple[int, float, int, str, bytes]:
        stamp = stamps[one.handle]
        return one.layer, -one.score, -stamp.created_at, stamp.id, stamp.space

    return sorted(known, key=order)[:limit]


def _best(scores: Column, room: int) -> Numbers:
    """Where the best `room` of one layer are, and whoever ties with the last of them, to the digits that are shown."""
    if len(scores) <= room:
        return np.arange(len(scores))
    last = float(np.partition(scores, len(scores) - room)[len(scores) - room])
    return np.flatnonzero(scores > round(last, SCORE_DIGITS) - 10**-SCORE_DIGITS)


@dataclass(frozen=True, slots=True)
class Measured:
    """One memory against a query, whether it passes the floor or not."""

    score: float
    parts: tuple[float, ...]
    reached: Mapping[str, float]  # what the floor looks at, by the floor's own names


NOTHING = Measured(0.0, (), {"words": 0.0, "meaning": 0.0})
_NO_FLOOR = Floor(-1.0, 0.0)


def measured(columns: Sequence[Columns], query: Query, weights: Mapping[Feature, float], handle: int) -> Measured:
    """What speaks for one memory, whether that is enough or not. `NOTHING`: nothing does, or more speaks against it, or
    among very many it was not worth a closer look."""
    for layer in score(columns, query, weights, _NO_FLOOR).values():
        for row in np.flatnonzero(layer.handles == handle).tolist():
            parts = tuple(layer.parts[row].tolist())
            return Measured(round(float(layer.scores[row]), SCORE_DIGITS), parts, _reached(weights, parts))
    return NOTHING


def _reached(weights: Mapping[Feature, float], parts: Sequence[float]) -> dict[str, float]:
    found = {
        feature: part / weight if weight else 0.0
        for (feature, weight), part in zip(weights.items(), parts, strict=True)
    }
    words = max(found[feature] for feature in (Feature.WORDS, Feature.AROUND, Feature.ANSWERS))
    return {"words": round(words, SCORE_DIGITS), "meaning": round(found[Feature.MEANING], SCORE_DIGITS)}
