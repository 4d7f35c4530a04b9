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
from memfort.recall.features import (
    MEANING_NEAR,
    Column,
    Query,
    Seen,
    are_many,
    dated,
    features,
    has_all,
    meant,
    meant_roughly,
    said,
)
from memfort.recall.hops import Weighed, reached
from memfort.recall.repeats import repeats
from memfort.store.columns import Columns, Flags, Numbers, Vectors
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
    evidence: Column  # how much of each score says that the memory is about what was asked
    sources: Numbers  # the first hits from which a second step led here; -1: none


Totals = dict[int, Layer]


@dataclass(frozen=True, slots=True)
class Floor:
    """What speaks for a memory at least: of the query's words or of its meaning, each of 1; and of both together, the
    share of what they could give at most, for each memory and for the best of them."""

    words: float
    meaning: float
    evidence: float = 0.0
    best: float = 0.0

    def of(self, query: Query, weights: Mapping[Feature, float]) -> tuple[float, float]:
        """The least evidence of each and of the best, in points. Where only names or days are asked for: none."""
        most = 0.0 if query.is_bare else _most_evidence(query, weights)
        return self.evidence * most, self.best * most


def _most_evidence(query: Query, weights: Mapping[Feature, float]) -> float:
    """What words and meaning could give at most, in points."""
    about = (Feature.WORDS,) if query.vector is None else (Feature.WORDS, Feature.MEANING, Feature.MEANING_AROUND)
    return max(0.0, sum(weights[feature] for feature in about)) * (1 - query.in_pieces * (1 - _WORD_OF_PIECES))


_WORD_OF_PIECES = 1 / 3  # a word is cut into about three pieces, and most of those of a sentence are in no word


# What says that a memory is about what was asked. The others only choose among those that are.
EVIDENCE = frozenset((
    Feature.WORDS, Feature.AROUND, Feature.MEANING, Feature.MEANING_AROUND, Feature.ANSWERS, Feature.DATE,
))  # fmt: skip


# What is known when all are weighed.
_LATER = (Feature.HOP, Feature.REPEATS)


@dataclass(frozen=True, slots=True)
class Scored:
    handle: int
    layer: int
    score: float
    parts: tuple[float, ...] = ()
    source: int = -1  # the handle of the first hit from which a second step led to it; -1: none did


def score(
    columns: Sequence[Columns], query: Query, weights: Mapping[Feature, float], floor: Floor, first: Floor | None = None
) -> Totals:
    """The score of every memory that passes the floor, layer by layer; of none if the best of all of them does not. A
    second step goes out from hits that pass `first`, if that is another floor.

    Summed in the order of the features, so that the last digit is the same on every machine.
    """
    weighed: list[tuple[Weighed, Flags, list[Column], Column]] = []
    least, best_least = floor.of(query, weights)
    best = 0.0
    for one, having in zip(columns, query.having, strict=True):
        roughly = are_many(one)
        words, meaning = said(query, one, having), (meant_roughly if roughly else meant)(query, one)
        seen = _seen(query, one, words, meaning, weights)
        words, meaning = words[seen.at], meant(query, one, seen.at) if roughly else meaning[seen.at]
        found = {**features(query, seen, words, meaning), **dict.fromkeys(_LATER, np.zeros(len(words)))}
        shares = [weight * found[feature] for feature, weight in weights.items()]
        total, evidence = np.zeros(len(words)), np.zeros(len(words))
        for feature, share in zip(weights, shares, strict=True):
            total += share
            evidence += share if feature in EVIDENCE else 0
        # One that stands alone has no neighbours to bear it out, so its own meaning counts in their place.
        evidence += (seen.talk < 0) * weights[Feature.MEANING_AROUND] * MEANING_NEAR[0] * meaning
        # And one that has every word is about it, however long it is.
        np.maximum(evidence, best_least, out=evidence, where=has_all(query, one, having)[seen.at])
        passes = _passes(query, found, floor) & (total > 0) & (evidence >= least)
        best = max(best, float(evidence[passes].max(initial=0)))
        begins = passes
        if first is not None:
            begins = _passes(query, found, first) & (total > 0) & (evidence >= first.of(query, weights)[0])
        weighed.append((Weighed(seen, total, begins), passes, shares, evidence))
    if best < best_least:
        return {}
    layers: dict[int, list[Layer]] = {}
    meanings: dict[int, list[tuple[Vectors, Numbers]]] = {}
    steps = reached(query, [one for one, *_ in weighed], weights[Feature.HOP])
    for ((seen, total, _), passes, shares, evidence), hop in zip(weighed, steps, strict=True):
        shares[_place(weights, Feature.HOP)] = hop.shares
        np.add(total, hop.shares, out=total)
        np.add(evidence, hop.shares, out=evidence)
        kept = np.flatnonzero(passes | (hop.comes & (total > 0) & (evidence >= least)))
        one, at, parts = seen.columns, seen.at[kept], np.stack([share[kept] for share in shares], axis=1)
        layer = Layer(one.handles[at], total[kept], parts, evidence[kept], hop.sources[kept])
        layers.setdefault(one.layer, []).append(layer)
        meanings.setdefault(one.layer, []).append((one.vectors, at))
    whole = {no: Layer(*map(np.concatenate, zip(*found, strict=True))) for no, found in sorted(layers.items())}
    return {no: _varied(one, meanings[no], weights) for no, one in whole.items()}


def _varied(layer: Layer, meanings: Sequence[tuple[Vectors, Numbers]], weights: Mapping[Feature, float]) -> Layer:
    """The same, with what repeats a better one set back."""
    share = weights[Feature.REPEATS] * repeats(layer.scores, layer.handles, meanings)
    layer.parts[:, _place(weights, Feature.REPEATS)] = share
    return layer._replace(scores=layer.scores + share)


def _place(weights: Mapping[Feature, float], feature: Feature) -> int:
    return list(weights).index(feature)


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
    for layer, (handles, scores, parts, _, sources) in sorted(totals.items()):
        room = limit - len(found)
        if room <= 0:
            break
        best = _best(scores, room)
        rows = zip(*(one[best].tolist() for one in (handles, scores, parts, sources)), strict=True)
        found += [
            Scored(handle, layer, round(total, SCORE_DIGITS), tuple(shares), source)
            for handle, total, shares, source in rows
        ]
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


NOTHING = Measured(0.0, (), {"words": 0.0, "meaning": 0.0, "evidence": 0.0, "best": 0.0})
_NO_FLOOR = Floor(-1.0, 0.0)


def measured(
    columns: Sequence[Columns], query: Query, weights: Mapping[Feature, float], handle: int, floor: Floor | None = None
) -> Measured:
    """What speaks for one memory, whether that is enough or not. `NOTHING`: nothing does, or more speaks against it, or
    among very many it was not worth a closer look. A second step goes out from what passes the `floor`."""
    totals = score(columns, query, weights, _NO_FLOOR, floor)
    most = _most_evidence(query, weights) or 1.0
    best = max((float(layer.evidence.max(initial=0)) for layer in totals.values()), default=0.0)
    for layer in totals.values():
        for row in np.flatnonzero(layer.handles == handle).tolist():
            parts = tuple(layer.parts[row].tolist())
            reached = {**_reached(weights, parts), "evidence": float(layer.evidence[row]) / most, "best": best / most}
            rounded = {name: round(value, SCORE_DIGITS) for name, value in reached.items()}
            return Measured(round(float(layer.scores[row]), SCORE_DIGITS), parts, rounded)
    return NOTHING


def _reached(weights: Mapping[Feature, float], parts: Sequence[float]) -> dict[str, float]:
    found = {
        feature: part / weight if weight else 0.0
        for (feature, weight), part in zip(weights.items(), parts, strict=True)
    }
    words = max(found[feature] for feature in (Feature.WORDS, Feature.AROUND, Feature.ANSWERS))
    return {"words": words, "meaning": found[Feature.MEANING]}
