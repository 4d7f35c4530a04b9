"""Scores and ranks: weighs the features of every memory that the caller may see, layer by layer.

All statistics are over the memories in sight, so no memory that the caller may not see can move a score or an order.
Nothing here reads a store or knows who asks.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from msgspec import Struct

from memfort.capture.turns import Trait
from memfort.model.results import Feature
from memfort.recall.bind_query import BoundQuery, Matches
from memfort.recall.features import (
    VisibleRows,
    compute_features,
    estimate_meaning,
    has_every_word,
    is_large,
    score_about,
    score_known_dates,
    score_meaning,
    score_words,
    score_words_of_passages,
    was_said_next_day,
)
from memfort.recall.newer_values import LayerRows, find_newer_values
from memfort.recall.packed_weight import SAYS_NOTHING
from memfort.recall.replaced import lift_newer
from memfort.recall.units import ASSISTANT, STANDS_FOR, Column, Shares, Show, own_match, score_units, with_whole_units
from memfort.store.port import Position
from memfort.store.port.values.columns import NONE, Columns, Flags, Numbers

SCORE_DIGITS = 6
_SCALE = 10.0**SCORE_DIGITS
_TINY, _HUGE = 1 / _SCALE, 1000.0  # between these, scaling a number is off by less than a millionth
_WEIGH_ALL = 4096  # up to this many memories, every one is weighed in full; of more, this many are compared exactly
_WEIGH_BEST = 512  # beyond that, only this many of the likeliest are weighed in full, with their neighbours
_NEIGHBOURS = 3
LEAST_OF_ASKER = 0.75  # of the least evidence of the best memory, for a statement if the asker asks about themselves
_ANSWERS = 1.0  # what the words and the meaning of a memory give that answers by itself
_PIECES_SHARE = 1 / 3  # in scripts without spaces a word is cut into about three pieces, of which few match

Weights = Mapping[Feature, float]


class Layer(NamedTuple):
    """The memories of one layer that match, their scores, and the share that each feature has in them."""

    handles: Numbers
    scores: Column
    shares: Shares  # in the order of the weights; a feature that is missing has no share
    evidence: Column  # the part of each score that is evidence of relevance
    turns: Numbers  # the turn that each is or was taken from; 0: none
    left_out: Numbers  # the handles of those that match, and of which another of the same unit comes


WEAK_SHARE = 0.65  # of the floor that a weak hit needs


class Floor(Struct, frozen=True):
    """The least that a memory needs to be returned: a share of the query's words, or a likeness of meaning; and of what
    words and meaning could give at most, a share for each memory and for the best of them. All are parts of 1."""

    words: float
    meaning: float
    evidence: float = 0.0
    best: float = 0.0

    @property
    def lowered(self) -> Floor:
        """What a weak hit needs."""
        return Floor(*(WEAK_SHARE * one for one in (self.words, self.meaning, self.evidence, self.best)))

    def least_evidence(self, query: BoundQuery, weights: Weights) -> tuple[float, float]:
        """The least evidence of each memory and of the best one, in points. A question without content needs none."""
        most = 0.0 if query.lacks_content else _most_evidence(query, weights)
        return self.evidence * most, self.best * most


def _most_evidence(query: BoundQuery, weights: Weights) -> float:
    """What words and meaning could give at most, in points."""
    about = (Feature.WORDS,) if query.vector is None else (Feature.WORDS, Feature.MEANING, Feature.NEARBY_MEANING)
    return max(0.0, sum(weights[feature] for feature in about)) * (1 - query.share_in_pieces * (1 - _PIECES_SHARE))


# The features that are evidence of relevance. The others only choose among relevant memories.
EVIDENCE = frozenset(
    (
        Feature.WORDS,
        Feature.NEARBY_WORDS,
        Feature.MEANING,
        Feature.NEARBY_MEANING,
        Feature.FOLLOWS_QUESTION,
        Feature.DATE,
    )
)
_UNDATED_EVIDENCE = EVIDENCE - {Feature.DATE}


class ScoredMemory(Struct, frozen=True, gc=False):
    """A memory that was found, by the store's own handle."""

    handle: int
    layer: int
    score: float
    shares: Mapping[str, float] = MappingProxyType({})  # by feature; a feature that is missing has no share
    turn: int = 0  # the turn that it is or was taken from; 0: none
    weak: bool = False  # it passes only the lowered floor


def score_memories(
    columns: Sequence[Columns], query: BoundQuery, weights: Weights, floor: Floor, show: Show = Show.ALL
) -> RankedLayers:
    """The score of every memory that passes the floor, layer by layer; of none if the best of them does not.

    Shares are summed in the order of the weights, so that the last digit is the same on every machine.
    """
    partitions: dict[int, list[_Partition]] = {}
    for one, matches in zip(columns, query.matches, strict=True):
        partitions.setdefault(one.layer, []).append(_Partition(one, matches))
    return RankedLayers(query, weights, floor, dict(sorted(partitions.items()))).answer().showing(show)


class _Partition(NamedTuple):
    """The columns of one partition group, and which of its memories match the query."""

    columns: Columns
    matches: Matches


class _Weighed(NamedTuple):
    """The memories of one partition group with their scores."""

    rows: VisibleRows
    scores: Column
    shares: Shares
    evidence: Column
    passes: Flags
    answer_styles: Flags | None  # instructions about the form of answers: returned whatever their subject
    left_out: Flags | None  # those in whose place another of the same unit comes
    has_answering_statement: bool

    def found(self, show: Show) -> tuple[Layer, Numbers]:
        """The memories that are returned, and their rows in the index."""
        passes = self.passes if self.answer_styles is None else self.passes | self.answer_styles
        columns, left_out = self.rows.columns, NONE
        hidden = {Show.ONE: self.left_out, Show.STATEMENTS: self.rows.is_observed_turn, Show.ALL: None}[show]
        if hidden is not None:
            left_out = columns.handles[self.rows.at[passes & hidden]]
            passes = passes & ~hidden
        kept = passes.nonzero()[0]
        at = self.rows.at[kept]
        shares = {feature: share[kept] for feature, share in self.shares.items()}
        found = (columns.handles[at], self.scores[kept], shares, self.evidence[kept], columns.turns[at], left_out)
        return Layer(*found), at


class RankedLayers(Mapping[int, Layer]):
    """The layers of a recall. Each is weighed when it is first read: where the nearer layers fill an answer, the
    farther ones cost nothing."""

    def __init__(
        self,
        query: BoundQuery,
        weights: Weights,
        floor: Floor,
        partitions: Mapping[int, Sequence[_Partition]],
    ) -> None:
        self._query, self._weights, self._floor = query, weights, floor
        self._partitions = self._partitions_of_all = partitions
        self.show = Show.ALL
        self._least, self._least_best = floor.least_evidence(query, weights)
        self._weighed: dict[int, list[_Weighed]] = {}
        self._layers: dict[int, Layer] = {}

    def __iter__(self) -> Iterator[int]:
        return iter(self._partitions)

    def __len__(self) -> int:
        return len(self._partitions)

    def __getitem__(self, layer: int) -> Layer:
        if layer not in self._layers:
            self._layers[layer] = self._rank(layer)
        return self._layers[layer]

    @property
    def has_answering_statement(self) -> bool:
        """Whether a statement, or a memory of no conversation, answers by its own words and meaning."""
        return any(one.has_answering_statement for layer in self for one in self._weigh(layer))

    def showing(self, show: Show) -> RankedLayers:
        """The same memories, of each unit those that are to be shown."""
        layers = copy(self)
        layers.show, layers._layers = show, {}
        return layers

    def answer(self) -> RankedLayers:
        """All that pass the floor; if the best of them has not enough evidence, none but answer styles."""
        return self if self.has_answer() else self.only_answer_styles()

    @property
    def needs_no_more(self) -> bool:
        """Whether weak hits would add nothing: a statement answers, or only a day or a name is asked for."""
        return self._query.lacks_content or self._query.names_days or self.has_answering_statement

    def weak(self) -> RankedLayers:
        """The same memories with the lowered floor."""
        halved = RankedLayers(self._query, self._weights, self._floor.lowered, self._partitions_of_all)
        return halved.answer().showing(self.show)

    def has_answer(self) -> bool:
        """Whether the best memory of all layers has enough evidence."""
        return self._least_best <= 0 or any(self._best_evidence(layer) >= self._least_best for layer in self)

    def only_answer_styles(self) -> RankedLayers:
        """If nothing answers the query: only instructions about the form of answers."""
        weighed = {layer: self._weigh(layer) for layer in self}
        layers = copy(self)
        layers._weighed = {
            layer: [one._replace(passes=np.zeros(len(one.passes), np.bool_)) for one in found]
            for layer, found in weighed.items()
        }
        layers._partitions = {
            layer: self._partitions[layer]
            for layer, found in weighed.items()
            if any(one.answer_styles is not None for one in found)
        }
        return layers

    def _best_evidence(self, layer: int) -> float:
        """The evidence of the best memory of a layer. What people ask about themselves is mostly known, so there a
        statement outside any conversation needs less."""
        return max(self._best_of(one) for one in self._weigh(layer))

    def _best_of(self, one: _Weighed) -> float:
        evidence = one.evidence
        if self._query.is_about_asker:
            evidence = evidence * (1 + one.rows.is_standalone * (1 / LEAST_OF_ASKER - 1))
        return float(evidence[one.passes].max(initial=0))

    def _weigh(self, layer: int) -> list[_Weighed]:
        if layer not in self._weighed:
            self._weighed[layer] = [self._weigh_partition(*one) for one in self._partitions[layer]]
        return self._weighed[layer]

    def _rank(self, layer: int) -> Layer:
        """The hits of a layer, with newer values right above those they replace."""
        found = [one.found(self.show) for one in self._weigh(layer)]
        whole = found[0][0] if len(found) == 1 else _join([one for one, _ in found], self._weights)
        if not self._query.asks_current_value:
            return whole
        rows = [LayerRows(*partition, at) for partition, (_, at) in zip(self._partitions[layer], found, strict=True)]
        boosts = find_newer_values(self._query, whole.scores, rows, self._weights[Feature.NEWER_VALUE])
        if not boosts:
            return whole
        share = np.zeros(len(whole.scores))
        for place, points in boosts:
            share[place] = points
        before = whole.shares.get(Feature.NEWER_VALUE, 0.0)
        shares = {**whole.shares, Feature.NEWER_VALUE: before + share}
        return whole._replace(scores=whole.scores + share, shares=shares)

    def _weigh_partition(self, columns: Columns, matches: Matches) -> _Weighed:
        query, weights = self._query, self._weights
        estimates = is_large(columns)
        words = score_words(query, columns, matches)
        meaning = (estimate_meaning if estimates else score_meaning)(query, columns)
        rows = _rows_to_weigh(query, columns, words, meaning, weights)
        words = rows.select(words)
        meaning = score_meaning(query, columns, rows.at) if estimates else rows.select(meaning)
        found = compute_features(query, rows, words, meaning)
        shares: Shares = {feature: weight * found[feature] for feature, weight in weights.items() if feature in found}
        evident = EVIDENCE if query.names_days else _UNDATED_EVIDENCE
        evidence = sum((share for feature, share in shares.items() if feature in evident), np.zeros(len(words)))
        if (passages := score_words_of_passages(query, columns, matches)) is not None:
            evidence += weights[Feature.WORDS] * np.maximum(rows.select(passages) - words, 0)
        # A memory that has every word of the query is about it, however long it is.
        if (whole := has_every_word(query, columns, matches)).any():
            np.maximum(evidence, self._least_best, out=evidence, where=whole[rows.at])
        passes = _passes_floor(query, rows, found, self._floor) & (evidence >= self._least)
        answers = passes & ~rows.is_observed_turn & (own_match(shares, len(words)) >= _ANSWERS)
        left_out = self._join_units(rows, shares, evidence, passes)
        total = sum(shares.values(), np.zeros(len(words)))
        passes &= total > 0
        if (empty := columns.once("says nothing", _says_nothing)) is not None:
            passes &= ~empty[rows.at]
        styles = _answer_styles(query, rows.traits, weights)
        return _Weighed(rows, total, shares, evidence, passes, styles, left_out, bool(answers.any()))

    def _join_units(self, rows: VisibleRows, shares: Shares, evidence: Column, passes: Flags) -> Flags | None:
        """Score each turn with the statements taken from it, which changes the columns where they are; gives the rows
        that do not come because another of their unit does."""
        units, left_out = rows.units, None
        if units is not None:
            evidence[units.turns] = np.maximum(evidence[units.turns], units.best(evidence))
            passes[units.turns] = units.any_of(passes)
            passes[units.statements] = passes[units.turns][units.owners]
            left_out = units.left_out(score_units(units, shares, rows.lengths))
        if self._query.lowered and len(lowered := rows.turns_by(self._query.lowered)):
            for share in shares.values():
                share[lowered] *= ASSISTANT
        if rows.links is not None and self._weights[Feature.NEWER_VALUE] > 0:
            lift_newer(rows.links, units, shares, passes)
        return left_out


def _says_nothing(columns: Columns) -> Flags | None:
    """Which rows are turns that say nothing: greetings, and questions alone. `None`: there are none."""
    empty: Flags = (columns.traits & SAYS_NOTHING) > 0
    return empty if empty.any() else None


def _join(layers: Sequence[Layer], features: Iterable[Feature]) -> Layer:
    """The memories of several partition groups as one layer."""
    shares = {
        feature: np.concatenate([one.shares.get(feature, np.zeros(len(one.scores))) for one in layers])
        for feature in (*features, STANDS_FOR)
        if any(feature in one.shares for one in layers)
    }
    return Layer(
        handles=np.concatenate([one.handles for one in layers]),
        scores=np.concatenate([one.scores for one in layers]),
        shares=shares,
        evidence=np.concatenate([one.evidence for one in layers]),
        turns=np.concatenate([one.turns for one in layers]),
        left_out=np.concatenate([one.left_out for one in layers]),
    )


def _rows_to_weigh(
    query: BoundQuery, columns: Columns, words: Column, meaning: Column, weights: Weights
) -> VisibleRows:
    """The memories that are weighed in full: all that are shown, or of many the likeliest and those beside them."""
    if columns.count <= _WEIGH_ALL:
        return columns.once("rows", lambda one: VisibleRows(one, one.at))
    at = columns.at
    likely = _estimate_scores(query, columns, words, meaning, weights)[at]
    if is_large(columns):
        near = _highest(likely, _WEIGH_ALL)
        closer = score_meaning(query, columns, at[near]) - meaning[at[near]]
        best = near[_highest(likely[near] + weights[Feature.MEANING] * closer, _WEIGH_BEST)]
    else:
        best = _highest(likely, _WEIGH_BEST)
    return VisibleRows(columns, at[_with_context(columns, best)])


def _with_context(columns: Columns, best: Numbers) -> Flags:
    """Which of the memories that are shown are weighed: these, the rest of their units, and the turns beside those."""
    at = columns.at
    wanted = np.zeros(len(columns.handles), np.bool_)
    wanted[at[best]] = True
    wanted = with_whole_units(columns, wanted)
    turns = at[columns.in_talk[at]]
    chosen = np.flatnonzero(wanted[turns])
    around = (chosen[:, None] + np.arange(-_NEIGHBOURS, _NEIGHBOURS + 1)).ravel()
    wanted[turns[around[(around >= 0) & (around < len(turns))]]] = True
    of_shown: Flags = wanted[at]
    return of_shown


def _highest(values: Column, count: int) -> Numbers:
    """The places of the highest `count` values."""
    return np.argpartition(-values, count)[:count]


def _estimate_scores(query: BoundQuery, columns: Columns, words: Column, meaning: Column, weights: Weights) -> Column:
    """The score of each memory by the features that are cheap to compute."""
    found = weights[Feature.WORDS] * words + weights[Feature.MEANING] * meaning
    if query.speakers:
        found += weights[Feature.SPEAKER] * np.isin(columns.speakers, sorted(query.speakers))
    if query.about:
        found += weights[Feature.ABOUT] * score_about(query, columns.handles)
    if query.days:
        found += weights[Feature.DATE] * score_known_dates(query, columns)
    if (styles := _answer_styles(query, columns.traits, weights)) is not None:
        found += weights[Feature.INSTRUCTION] * styles
    return found


def _passes_floor(query: BoundQuery, rows: VisibleRows, found: Mapping[Feature, Column], floor: Floor) -> Flags:
    words = found[Feature.WORDS]
    for feature in (Feature.NEARBY_WORDS, Feature.FOLLOWS_QUESTION):
        words = np.maximum(words, found[feature]) if feature in found else words
    passes: Flags = (words > floor.words) | (found[Feature.MEANING] >= floor.meaning)
    if Feature.DATE in found and query.names_days:  # said on a day that is asked for, whatever its words
        of_day = found[Feature.DATE] >= 1
        # What is told of a day is often said on the next; where nothing is of the day itself, that may be meant.
        passes |= of_day if of_day.any() else was_said_next_day(query, rows)
    for feature in (Feature.SPEAKER, Feature.ABOUT) if query.lacks_content else ():
        if feature in found:  # a speaker among many is weak evidence, but here it is the only one
            passes |= found[feature] > 0
    if query.lacks_content and Feature.DATE in found:
        passes |= found[Feature.DATE] >= 1
    return passes


def _answer_styles(query: BoundQuery, traits: Numbers, weights: Weights) -> Flags | None:
    """Which memories are instructions about answers, if the query asks for something to be done."""
    if not query.is_request or weights[Feature.INSTRUCTION] <= 0:
        return None
    styles: Flags = (traits & int(Trait.ANSWER_STYLE)) > 0
    return styles if styles.any() else None


def best_memories(layers: Mapping[int, Layer], limit: int, step: float = 0.0) -> list[ScoredMemory]:
    """All that can be among the first `limit`: layer by layer the best, with every one that ties with the last."""
    found: list[ScoredMemory] = []
    for layer in sorted(layers):
        room = limit - len(found)
        if room <= 0:
            break
        handles, scores, shares, _, turns, _ = layers[layer]
        best = _best_with_ties(scores, room, step)
        names, parts = list(map(str, shares)), np.array([share[best] for share in shares.values()]).T.tolist()
        found += [
            ScoredMemory(handle, layer, round_score(total), dict(zip(names, values, strict=True)), turn)
            for handle, total, values, turn in zip(
                handles[best].tolist(), scores[best].tolist(), parts, turns[best].tolist(), strict=True
            )
        ]
    return found


def round_score(number: float) -> float:
    """Exactly what `round(number, SCORE_DIGITS)` gives, in two thirds of the time, since a recall rounds forty numbers.

    `round` writes the number down and reads it again. For most numbers the nearest whole number over a power of ten is
    the nearest float that there is; only tiny, huge and negative numbers, and those that may end in a half, are
    written.
    """
    if _TINY < number < _HUGE:
        scaled = number * _SCALE
        whole = round(scaled)
        if -0.499 < scaled - whole < 0.499:
            return whole / _SCALE
    return round(number, SCORE_DIGITS)


def break_ties(
    found: Sequence[ScoredMemory], positions: Mapping[int, Position], limit: int, step: float = 0.0
) -> list[ScoredMemory]:
    """The first `limit`; of equal scores the newer one, then by id, which nothing outside the space can influence.
    Under a policy that compares scores in steps, those of one step are equal."""
    known = [one for one in found if one.handle in positions]

    def order(one: ScoredMemory) -> tuple[int, float, int, str, bytes]:
        position = positions[one.handle]
        return one.layer, -in_steps(one.score, step), -position.created_at, position.id, position.space

    return sorted(known, key=order)[:limit]


def in_steps(score: float, step: float) -> float:
    """A score as it is compared with others."""
    return math.floor(score / step + 10**-SCORE_DIGITS) if step else score


def _best_with_ties(scores: Column, room: int, step: float) -> Numbers:
    """The places of the best `room` of one layer, and of every one that ties with the last to the digits shown."""
    if len(scores) <= room:
        return np.arange(len(scores))
    last = float(np.partition(scores, len(scores) - room)[len(scores) - room])
    least = in_steps(last, step) * step if step else round(last, SCORE_DIGITS)
    best: Numbers = (scores > least - 10**-SCORE_DIGITS).nonzero()[0]
    return best


class Measurement(Struct, frozen=True):
    """One memory against a query, whether it passes the floor or not."""

    score: float
    shares: Mapping[str, float]
    reached: Mapping[str, float]  # what the floor compares, by the floor's own names


NOT_MEASURED = Measurement(0.0, {}, {"words": 0.0, "meaning": 0.0, "evidence": 0.0, "best": 0.0})
_NO_FLOOR = Floor(-1.0, 0.0)


def measure_memory(columns: Sequence[Columns], query: BoundQuery, weights: Weights, handle: int) -> Measurement:
    """The score of one memory, whether it is enough or not. `NOT_MEASURED`: it has no positive feature or a negative
    sum, or among very many it was not likely enough to be scored."""
    layers = score_memories(columns, query, weights, _NO_FLOOR)
    most = _most_evidence(query, weights) or 1.0
    best = max((float(layer.evidence.max(initial=0)) for layer in layers.values()), default=0.0)
    for layer in layers.values():
        for row in np.flatnonzero(layer.handles == handle).tolist():
            shares = {str(feature): float(share[row]) for feature, share in layer.shares.items()}
            parts = {"evidence": float(layer.evidence[row]) / most, "best": best / most}
            reached = {name: round(value, SCORE_DIGITS) for name, value in (_reached(weights, shares) | parts).items()}
            return Measurement(round(float(layer.scores[row]), SCORE_DIGITS), shares, reached)
    return NOT_MEASURED


def _reached(weights: Weights, shares: Mapping[str, float]) -> dict[str, float]:
    found = {feature: shares.get(feature.value, 0.0) / weight if weight else 0.0 for feature, weight in weights.items()}
    words = max(found[feature] for feature in (Feature.WORDS, Feature.NEARBY_WORDS, Feature.FOLLOWS_QUESTION))
    return {"words": words, "meaning": found[Feature.MEANING]}
