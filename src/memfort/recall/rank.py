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
from memfort.recall.features import Column, Query, Seen, are_many, dated, features, meant, meant_roughly, said
from memfort.store.columns import Columns, Flags, Numbers
from memfort.store.port import Position

SCORE_DIGITS = 6
_ALL = 4096  # memories up to which every one of them is weighed in full, and of very many looked at closely
_BEST = 512  # beyond that: how many are, by what speaks for each by itself, with their neighbours
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
        roughly = are_many(one)
        words, meaning = said(query, one, having), (meant_roughly if roughly else meant)(query, one)
        seen = _seen(query, one, words, meaning, weights)
        words, meaning = words[seen.at], meant(query, one, seen.at) if roughly else meaning[seen.at]
        found = features(query, seen, words, meaning)
        shares = [weight * found[feature] for feature, weight in weights.items()]
        total = np.zeros(len(words))
        for share in shares:
            total += share
        kept = np.flatnonzero(_passes(query, found, floor) & (total > 0))
        parts = np.stack([share[kept] for share in shares], axis=1)
        layers.setdefault(one.layer, []).append(Layer(one.handles[seen.at[kept]], total[kept], parts))
    return {layer: Layer(*map(np.concatenate, zip(*found, strict=True))) for layer, found in sorted(layers.items())}


def _seen(query: Query, columns: Columns, words: Column, meaning: Column, weights: Mapping[Feature, float]) -> Seen:
    """The memories that are weighed in full: all that are shown, or the likeliest and those beside them."""
    at = np.flatnonzero(columns.shown)
    if np.any(np.diff(columns.handles[at]) < 0):
        at = at[np.argsort(columns.handles[at], kind="stable")]  # one that has changed since comes where it was written
    place = np.arange(len(at))
    if len(at) > _ALL:
        likely = _likely(query, columns, words, meaning, weights)[at]
        if are_many(columns):
            near = _first(likely, _ALL)
            closer = meant(query, columns, at[near]) - meaning[at[near]]
            best = near[_first(likely[near] + weights[Feature.MEANING] * closer, _BEST)]
        else:
            best = _first(likely, _BEST)
        around = (best[:, None] + np.arange(-_NEIGHBOURS, _NEIGHBOURS + 1)).ravel()
        wanted = np.zeros(len(at), np.bool_)
        wanted[around[(around >= 0) & (around < len(at))]] = True
        place = np.flatnonzero(wanted)
    return Seen(columns, at[place], place)


def _first(values: Column, count: int) -> Numbers:
    """Where the highest so many are."""
    return np.argpartition(-values, count)[:count]


def _likely(query: Query, columns: Columns, words: Column, meaning: Column, weights: Mapping[Feature, float]) -> Column:
    """What speaks for each by itself, as far as that can be seen in passing."""
    found = weights[Feature.WORDS] * words + weights[Feature.MEANING] * meaning
    if query.speakers:
        found += weights[Feature.WHO] * np.isin(columns.speakers, sorted(query.speakers))
    if query.days:
        found += weights[Feature.DATE] * dated(query, columns.days)
    return found


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
