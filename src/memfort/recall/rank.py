"""Scores and ranks: the features of every memory that the caller can see, weighed, layer by layer.

The statistics are those of the memories in sight and of nothing else, so no memory the caller may not see can
move a score or an order.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from msgspec import Struct

from memfort.capture.turns import Trait
from memfort.model.feature import Feature
from memfort.recall.current import AMONG, Held, raised
from memfort.recall.features import (
    MEANING_NEAR,
    Column,
    Having,
    Query,
    Seen,
    are_many,
    concerns,
    dated,
    has_all,
    meant,
    meant_roughly,
    said,
    signs,
)
from memfort.recall.hops import KEPT, Reached, Weighed, reached
from memfort.recall.repeats import AMONG as REPEATS_AMONG
from memfort.recall.repeats import repeats
from memfort.store.columns import Columns, Flags, Numbers, Vectors
from memfort.store.port import Position

SCORE_DIGITS = 6
_SCALE = 10.0**SCORE_DIGITS
_TINY, _HUGE = 1 / _SCALE, 1000.0  # below that, what is scaled is off by less than a millionth
_ALL = 4096  # memories up to which every one of them is weighed in full, and of very many looked at closely
_BEST = 512  # beyond that: how many are, by what speaks for each by itself, with their neighbours
_NEIGHBOURS = 3

Shares = dict[Feature, Column]


class Layer(NamedTuple):
    """The memories of one layer that match, their scores, and the share that each feature has in them."""

    handles: Numbers
    scores: Column
    shares: Shares  # in the order of the features; those that are not here have none
    evidence: Column  # how much of each score says that the memory is about what was asked
    sources: Numbers  # the first hits from which a second step led here; -1: none


class Totals(Mapping[int, Layer]):
    """What is found, layer by layer, the nearest first."""

    def best(self, layer: int, room: int) -> Layer:  # noqa: ARG002  # all of it, if that is no more work
        """As much of a layer as the best `room` of it are sure to be in."""
        return self[layer]


class Found(Totals):
    """Layers that are known."""

    def __init__(self, layers: Mapping[int, Layer]) -> None:
        self._layers = layers

    def __iter__(self) -> Iterator[int]:
        return iter(self._layers)

    def __len__(self) -> int:
        return len(self._layers)

    def __getitem__(self, layer: int) -> Layer:
        return self._layers[layer]


Rack = tuple[Columns, Having]


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

_UNDATED = EVIDENCE - {Feature.DATE}


class Scored(Struct, frozen=True, gc=False):
    """A memory that is found, by the store's own name for it."""

    handle: int
    layer: int
    score: float
    shares: Mapping[str, float] = MappingProxyType({})  # what speaks for it, by name; what is not here does not
    source: int = -1  # the handle of the first hit from which a second step led to it; -1: none did


def score(
    columns: Sequence[Columns], query: Query, weights: Mapping[Feature, float], floor: Floor, first: Floor | None = None
) -> Totals:
    """The score of every memory that passes the floor, layer by layer; of none if the best of all of them does not. A
    second step goes out from hits that pass `first`, if that is another floor.

    Summed in the order of the features, so that the last digit is the same on every machine.
    """
    racks: dict[int, list[Rack]] = {}
    for one, having in zip(columns, query.having, strict=True):
        racks.setdefault(one.layer, []).append((one, having))
    layers = _Layers(query, weights, (floor, first or floor), dict(sorted(racks.items())))
    return layers if layers.are_enough() else layers.of_wishes()


class _Step(NamedTuple):
    """The memories of a rack after the first step."""

    weighed: Weighed  # of which those pass that a second step goes out from
    passes: Flags
    shares: Shares
    evidence: Column
    wishes: Flags | None = None  # how to answer a request: those come, whatever they are about; `None`: it is none

    def wished(self) -> _Step:
        """The same, in which nothing passes but those; and they lead nowhere."""
        none = np.zeros(len(self.passes), np.bool_)
        return self._replace(weighed=self.weighed._replace(passes=none), passes=none)


class _Layers(Totals):
    """The layers of recall. Each is weighed when it is first looked at: where the nearer ones fill an answer, the
    others are not. So a second step leads within a layer, and from a nearer layer into a farther one; and where nothing
    is said in conversation it is taken only if the first one leaves places, since it changes none of the best then."""

    def __init__(
        self, query: Query, weights: Mapping[Feature, float], floors: tuple[Floor, Floor],
        racks: Mapping[int, Sequence[Rack]],
    ) -> None:  # fmt: skip
        self._query, self._weights, self._racks = query, weights, racks
        self._floor, self._first_floor = floors
        self._least, self._best_least = self._floor.of(query, weights)
        self._steps: dict[int, list[_Step]] = {}
        self._after_first: dict[int, Layer] = {}
        self._after_second: dict[int, Layer] = {}

    def __iter__(self) -> Iterator[int]:
        return iter(self._racks)

    def __len__(self) -> int:
        return len(self._racks)

    def __getitem__(self, layer: int) -> Layer:
        if layer not in self._after_second:
            self._after_second[layer] = self._second_step(layer)
        return self._after_second[layer]

    def best(self, layer: int, room: int) -> Layer:
        if self._is_talk(layer) or self._first_floor is not self._floor or room > self._places(layer):
            return self[layer]
        found = self._first_found(layer)
        return found if room <= len(found.scores) else self[layer]

    def _is_talk(self, layer: int) -> bool:
        return any(one.weighed.seen.is_talk for one in self._first_step(layer))

    def are_enough(self) -> bool:
        """Whether the best of all layers passes its floor, by the first step."""
        return self._best_least <= 0 or any(self._best(layer) >= self._best_least for layer in self)

    def of_wishes(self) -> Totals:
        """How to answer, where nothing is an answer."""
        steps = {layer: self._first_step(layer) for layer in self}
        if all(one.wishes is None for layer in steps.values() for one in layer):
            return Found({})
        self._steps = {layer: [one.wished() for one in found] for layer, found in steps.items()}
        return self

    def _best(self, layer: int) -> float:
        return max(float(one.evidence[one.passes].max(initial=0)) for one in self._first_step(layer))

    def _first_step(self, layer: int) -> list[_Step]:
        if layer not in self._steps:
            self._steps[layer] = [self._of_rack(*rack) for rack in self._racks[layer]]
        return self._steps[layer]

    def _first_found(self, layer: int) -> Layer:
        """What is found in a layer by the first step: its best, of which those that keep their places are all that is
        ever looked at. Of those that come before them, repeats are set back at most."""
        if layer not in self._after_first:
            own = [one._replace(passes=_or(one.weighed.passes, one.wishes)) for one in self._first_step(layer)]
            found, held = self._found(layer, own, [None] * len(own), KEPT + REPEATS_AMONG)
            # In a conversation, what the first step finds is only ever looked at to take the second.
            self._after_first[layer] = found if self._is_talk(layer) else self._with_news(found, held, layer)
        return self._after_first[layer]

    def _places(self, layer: int) -> int:
        """How many of a layer are among the best of the first step, which keep their places."""
        return KEPT - sum(len(self._first_found(near).scores) for near in self if near < layer)

    def _second_step(self, layer: int) -> Layer:
        """What is found in a layer: what passes by itself, and what is reached from there or from a nearer layer."""
        own, weight = self._first_step(layer), self._weights[Feature.HOP]
        nearer = [one.weighed for near in self if near < layer for one in self._first_step(near)] if weight > 0 else []
        hops = reached(self._query, [*nearer, *(one.weighed for one in own)], weight, self._last_kept(layer))
        return self._with_news(*self._found(layer, own, hops[len(nearer) :]), layer)

    def _last_kept(self, layer: int) -> float:
        """The score of the last in a layer that keeps its place; if there is none: more than any."""
        found = self._first_found(layer)
        scores = found.scores - found.shares.get(Feature.CURRENT, 0.0)  # as it was before any rose
        places = min(self._places(layer), len(scores))
        return float(np.partition(scores, -places)[-places]) if places > 0 else math.inf

    def _found(
        self, layer: int, own: Sequence[_Step], hops: Sequence[Reached | None], most: int | None = None
    ) -> tuple[Layer, list[Held]]:
        found = [self._kept(one, hop, most) for one, hop in zip(own, hops, strict=True)]
        layers = [kept for kept, _ in found]
        whole = layers[0] if len(layers) == 1 else _joined(layers, self._weights)
        meanings = [(one.weighed.seen.columns.vectors, at) for one, (_, at) in zip(own, found, strict=True)]
        held = [Held(*rack, at) for rack, (_, at) in zip(self._racks[layer], found, strict=True)]
        return _varied(whole, meanings, self._weights), held

    def _with_news(self, found: Layer, held: Sequence[Held], layer: int) -> Layer:
        """The same, with what holds now right before what held."""
        if not self._query.asks_what_is:
            return found
        # Without a conversation these are the same after either step, and the second is not always taken.
        among = AMONG if self._is_talk(layer) else self._places(layer)
        news = raised(self._query, found.scores, held, self._weights[Feature.CURRENT], among)
        share = np.zeros(len(found.scores))
        for place, points in news:
            share[place] = points
        return _with(found, Feature.CURRENT, share) if news else found

    def _of_rack(self, columns: Columns, having: Having) -> _Step:
        query, weights = self._query, self._weights
        roughly = are_many(columns)
        words, meaning = said(query, columns, having), (meant_roughly if roughly else meant)(query, columns)
        seen = _seen(query, columns, words, meaning, weights)
        words, meaning = seen.of(words), meant(query, columns, seen.at) if roughly else seen.of(meaning)
        found = signs(query, seen, words, meaning)
        shares = {feature: weight * found[feature] for feature, weight in weights.items() if feature in found}
        total, evidence = np.zeros(len(words)), np.zeros(len(words))
        evident = EVIDENCE if query.names_days else _UNDATED
        for feature, share in shares.items():
            total += share
            if feature in evident:
                evidence += share
        # One that stands alone has no neighbours to bear it out, so its own meaning counts in their place.
        evidence += seen.alone * weights[Feature.MEANING_AROUND] * MEANING_NEAR[0] * meaning
        # And one that has every word is about it, however long it is.
        if (whole := has_all(query, columns, having)).any():
            np.maximum(evidence, self._best_least, out=evidence, where=whole[seen.at])
        passes = begins = _passes(query, found, self._floor) & (total > 0) & (evidence >= self._least)
        if self._first_floor is not self._floor:
            least, _ = self._first_floor.of(query, weights)
            begins = _passes(query, found, self._first_floor) & (total > 0) & (evidence >= least)
        wishes = _wishes(query, seen.traits, weights)
        return _Step(Weighed(seen, total, begins), passes, shares, evidence, wishes)

    def _kept(self, step: _Step, hop: Reached | None, most: int | None) -> tuple[Layer, Numbers]:
        """The memories of a rack that come, after one step or two, and their rows in it; or the best so many, with
        whoever ties with the last of them."""
        (seen, total, _), passes, shares, evidence, wishes = step
        if hop is not None:
            total, evidence, shares = total + hop.shares, evidence + hop.shares, {**shares, Feature.HOP: hop.shares}
            passes = passes | (hop.comes & (total > 0) & (evidence >= self._least))
        kept = _or(passes, wishes).nonzero()[0]
        if most is not None:
            kept = kept[_best(total[kept], most)]
        shares = {feature: share[kept] for feature, share in shares.items()}
        at, sources = seen.at[kept], np.full(len(kept), -1) if hop is None else hop.sources[kept]
        return Layer(seen.columns.handles[at], total[kept], shares, evidence[kept], sources), at


def _varied(layer: Layer, meanings: Sequence[tuple[Vectors, Numbers]], weights: Mapping[Feature, float]) -> Layer:
    """The same, with what repeats a better one set back."""
    share = weights[Feature.REPEATS] * repeats(layer.scores, layer.handles, meanings)
    return _with(layer, Feature.REPEATS, share)


def _with(layer: Layer, feature: Feature, share: Column) -> Layer:
    return layer._replace(scores=layer.scores + share, shares={**layer.shares, feature: share})


def _joined(layers: Sequence[Layer], features: Iterable[Feature]) -> Layer:
    """The memories of several racks as one layer."""
    shares = {
        feature: np.concatenate([one.shares.get(feature, np.zeros(len(one.scores))) for one in layers])
        for feature in features
        if any(feature in one.shares for one in layers)
    }
    return Layer(
        handles=np.concatenate([one.handles for one in layers]),
        scores=np.concatenate([one.scores for one in layers]),
        shares=shares,
        evidence=np.concatenate([one.evidence for one in layers]),
        sources=np.concatenate([one.sources for one in layers]),
    )


def _seen(query: Query, columns: Columns, words: Column, meaning: Column, weights: Mapping[Feature, float]) -> Seen:
    """The memories that are weighed in full: all that are shown, or the likeliest and those beside them."""
    if columns.count <= _ALL:
        return columns.once("seen", lambda one: Seen(one, one.at, np.arange(one.count)))
    at = columns.at
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
    if query.about:
        found += weights[Feature.ABOUT] * concerns(query, columns.handles)
    if query.days:
        found += weights[Feature.DATE] * dated(query, columns.days)
    if (wishes := _wishes(query, columns.traits, weights)) is not None:
        found += weights[Feature.STANDING] * wishes
    return found


def _passes(query: Query, found: Mapping[Feature, Column], floor: Floor) -> Flags:
    words = found[Feature.WORDS]
    for feature in (Feature.AROUND, Feature.ANSWERS):
        words = np.maximum(words, found[feature]) if feature in found else words
    passes: Flags = (words > floor.words) | (found[Feature.MEANING] >= floor.meaning)
    if Feature.DATE in found and query.names_days:  # what was said on a day that is asked for, whatever its words
        passes |= found[Feature.DATE] >= 1
    for feature in (Feature.WHO, Feature.ABOUT) if query.is_bare else ():
        if feature in found:  # among many speakers it says less, and is all there is to go by
            passes |= found[feature] > 0
    if query.is_bare and Feature.DATE in found:
        passes |= found[Feature.DATE] >= 1
    return passes


def _wishes(query: Query, traits: Numbers, weights: Mapping[Feature, float]) -> Flags | None:
    """Which say how to answer, if something is to be done. None of them makes an answer of anything else."""
    if not query.is_request or weights[Feature.STANDING] <= 0:
        return None
    wishes: Flags = (traits & int(Trait.MANNER)) > 0
    return wishes if wishes.any() else None


def _or(flags: Flags, others: Flags | None) -> Flags:
    return flags if others is None else flags | others


def contenders(totals: Totals, limit: int) -> list[Scored]:
    """Those that can be among the first `limit`: layer by layer the best of each, with whoever ties at the end."""
    found: list[Scored] = []
    for layer in sorted(totals):
        room = limit - len(found)
        if room <= 0:
            break
        handles, scores, shares, _, sources = totals.best(layer, room)
        best = _best(scores, room)
        names, parts = list(map(str, shares)), np.array([share[best] for share in shares.values()]).T.tolist()
        columns = (one[best].tolist() for one in (handles, scores, sources))
        found += [
            Scored(handle, layer, rounded(total), dict(zip(names, told, strict=True)), source)
            for handle, total, source, told in zip(*columns, parts, strict=True)
        ]
    return found


def rounded(number: float) -> float:
    """To the digits that are shown, to the bit what `round` makes of it. That writes the number down and reads it
    again, which takes half as long again, and a recall rounds forty. Of most the nearest whole number, over a power of
    ten, is the nearest number that there is; only what is tiny, huge or below 0, or may end in a half, is written."""
    if _TINY < number < _HUGE:
        scaled = number * _SCALE
        whole = round(scaled)
        if -0.499 < scaled - whole < 0.499:
            return whole / _SCALE
    return round(number, SCORE_DIGITS)


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
    best: Numbers = (scores > round(last, SCORE_DIGITS) - 10**-SCORE_DIGITS).nonzero()[0]
    return best


@dataclass(frozen=True, slots=True)
class Measured:
    """One memory against a query, whether it passes the floor or not."""

    score: float
    shares: Mapping[str, float]
    reached: Mapping[str, float]  # what the floor looks at, by the floor's own names


NOTHING = Measured(0.0, {}, {"words": 0.0, "meaning": 0.0, "evidence": 0.0, "best": 0.0})
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
            shares = {feature.value: float(share[row]) for feature, share in layer.shares.items()}
            reached = {**_reached(weights, shares), "evidence": float(layer.evidence[row]) / most, "best": best / most}
            rounded = {name: round(value, SCORE_DIGITS) for name, value in reached.items()}
            return Measured(round(float(layer.scores[row]), SCORE_DIGITS), shares, rounded)
    return NOTHING


def _reached(weights: Mapping[Feature, float], shares: Mapping[str, float]) -> dict[str, float]:
    found = {feature: shares.get(feature.value, 0.0) / weight if weight else 0.0 for feature, weight in weights.items()}
    words = max(found[feature] for feature in (Feature.WORDS, Feature.AROUND, Feature.ANSWERS))
    return {"words": words, "meaning": found[Feature.MEANING]}
