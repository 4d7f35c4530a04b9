"""Finds newer values: of the best memories, one that states another value of the same thing later is ranked right above
the one it replaces.

The older of two statements is often worded more like the question, so words and meaning put it first. Which one is
newer shows in the statements: the later one is by the same speaker and about the same thing, by its meaning and by
words of the query that both have; and it says that the value has changed ("has been moved to Friday"), or it is the
next best and states another value of what the query asks for. Most people say it in the second way: "so we keep 3
hens".

The effect is bounded: only where a query asks for a current value, among the best of a layer, for one older memory of
each partition group, and the newer one rises to just above it and no further. So the best memories stay the best, and
nothing is ranked lower. Memories of two partition groups are never compared, since which was written first must not
show.

There are few such memories, so they are compared one by one: numpy would cost more than all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from memfort.capture.turns import Trait
from memfort.recall.bind_query import BoundQuery, Matches
from memfort.recall.features import UNIT
from memfort.recall.units import Column
from memfort.recall.values import VALUES_MASK, WORDS_MASK
from memfort.store.port.values.columns import Columns, Numbers, products

BEST = 10  # this many of the best memories of a layer are compared, with all that tie with the last
MAX_TIED = 32  # if more tie, none of those is compared
LIKENESS = 0.5  # the least likeness of meaning, of 1
SAME_LIKENESS = 0.8  # of two that say the same with another value
SHARED = 1 / 3  # the least share of the query's words that both have, by weight, of what any memory here has
NEXT_LIKENESS, NEXT_SHARED = 0.4, 0.3  # the same for the next best, if it says that a value changed
SAME_WORD_LIKENESS = 0.3  # for the next best, if both state a value of what the query asks for
MAX_WORDS = 250  # a longer text mentions everything
STEP = 1e-6  # points: the smallest step that is shown
_CHANGE, _OTHERS, _VALUE = int(Trait.CHANGE), int(Trait.OTHERS), int(Trait.TIME | Trait.NUMBER)


class LayerRows(NamedTuple):
    """The memories of one partition group that are in a layer, in the order of the layer."""

    columns: Columns
    matches: Matches
    rows: Numbers


class Boost(NamedTuple):
    place: int  # in the layer
    points: float


class _Source(NamedTuple):
    speaker: int
    in_talk: bool


class _Statement(NamedTuple):
    """One of the best memories that states a value, or says that one has changed."""

    score: float
    when: tuple[int, int]  # its day and its handle
    source: _Source
    place: int
    row: int
    traits: int

    @property
    def says_changed(self) -> bool:
        """Whether it says that a value has changed."""
        return self.traits & _CHANGE > 0


def find_newer_values(query: BoundQuery, scores: Column, groups: Sequence[LayerRows], max_boost: float) -> list[Boost]:
    """The memories that state a newer value, each with the points that bring it above the one it replaces, if those are
    no more than `max_boost`."""
    if not query.asks_current_value or max_boost <= 0 or len(scores) < 2:
        return []
    best, found, start = _best_places(scores), list[Boost](), 0
    for group in groups:
        end = start + len(group.rows)
        places = best[(best >= start) & (best < end)] if len(groups) > 1 else best
        statements = _statements(query, scores, group, places, start)
        found += _boost_newer(_Comparison(query, group, statements), statements, max_boost)
        start = end
    return found


def _best_places(scores: Column) -> Numbers:
    """The places of the best memories, with all that tie with the last of them, or without these if they are too
    many."""
    if len(scores) <= BEST:
        return np.arange(len(scores))
    last = float(np.partition(scores, -BEST)[-BEST])
    best = np.flatnonzero(scores > last - STEP / 2)
    return best if len(best) <= MAX_TIED else np.flatnonzero(scores > last + STEP / 2)


def _statements(query: BoundQuery, scores: Column, group: LayerRows, places: Numbers, start: int) -> list[_Statement]:
    """The memories of a partition group that state a value, the best first; none if none can be newer than another."""
    rows, columns = group.rows[places - start].tolist(), group.columns
    traits = list(map(columns.traits.item, rows))
    asked = 0
    for bit in query.word_bits:
        asked |= bit
    if not any(trait & _CHANGE for trait in traits) and sum(trait & asked > 0 for trait in traits) < 2:
        return []
    score, day, handle = scores.item, columns.days.item, columns.handles.item
    speaker, in_talk = columns.speakers.item, columns.in_talk.item
    found = [
        _Statement(score(place), (day(row), handle(row)), _Source(speaker(row), in_talk(row)), place, row, trait)
        for place, row, trait in zip(places.tolist(), rows, traits, strict=True)
        if trait & (_VALUE | _CHANGE)
    ]
    return sorted(found, reverse=True)


def _boost_newer(comparison: _Comparison, statements: Sequence[_Statement], max_boost: float) -> list[Boost]:
    """The boosts of the statements that are newer than the best statement that has any newer ones."""
    for place, old in enumerate(statements):
        near = (one for one in statements[place + 1 :] if old.score - one.score <= max_boost)
        later = [one for one in near if comparison.may_be_newer(one, old)]
        if later and (newer := comparison.newer(later, old)):
            ordered = comparison.order(newer)
            return [
                Boost(one.place, old.score - one.score + step * STEP)
                for step, one in enumerate(reversed(ordered), start=1)
            ]
    return []


class _NewerStatement(NamedTuple):
    statement: _Statement
    likeness: float  # to the older one in meaning, of 1
    shared: float  # of the query, of 1


class _Comparison:
    """Compares the statements of a partition group two by two."""

    def __init__(self, query: BoundQuery, group: LayerRows, statements: Sequence[_Statement]) -> None:
        self._query, self._group, self._statements = query, group, statements
        self._next: dict[int, int] = {}
        last: dict[_Source, int] = {}
        for one in statements:
            if one.traits & (_CHANGE | WORDS_MASK):
                self._next[last.get(one.source, -1)] = last[one.source] = one.row

    def _is_next(self, one: _Statement, old: _Statement) -> bool:
        """Whether it is the next best statement by the same speaker."""
        return self._next.get(old.row) == one.row

    @cached_property
    def _words(self) -> _SharedWords:
        return _SharedWords(self._query, self._group, self._statements)

    def may_be_newer(self, one: _Statement, old: _Statement) -> bool:
        """Whether one is later and by the same speaker, and says that a value changed or states another value."""
        if one.when <= old.when or one.source != old.source or not old.traits & _VALUE:
            return False
        if self._query.is_about_speakers and one.traits & _OTHERS:
            return False
        return one.says_changed or (self._is_next(one, old) and _have_other_values(one, old))

    def newer(self, later: Sequence[_Statement], old: _Statement) -> list[_NewerStatement]:
        """Those that are about the same thing as an older statement."""
        about = [(one, shared, least) for one in later for shared, least in self._compare(one, old)]
        if not about:
            return []
        vectors = self._group.columns.vectors
        near = products(vectors[[one.row for one, _, _ in about]], vectors[old.row]).tolist()
        return [
            _NewerStatement(one, product / UNIT, shared)
            for (one, shared, least), product in zip(about, near, strict=True)
            if product >= least * UNIT
        ]

    def _compare(self, one: _Statement, old: _Statement) -> Iterator[tuple[float, float]]:
        """The share of the query that both have, and the likeness that they need; nothing if one cannot be newer. A
        statement outside any conversation names its subject, so it needs every word of the query that the older
        one has."""
        if not old.source.in_talk and not self._words.has_all(one, old):
            return
        shared, is_next = self._words.shared(one, old), self._is_next(one, old)
        needed = [LIKENESS] if one.says_changed and shared >= SHARED else []
        if one.says_changed and is_next and shared >= NEXT_SHARED:
            needed.append(NEXT_LIKENESS)
        if is_next and shared >= SHARED and _have_other_values(one, old):
            needed += self._likeness_of_same_word(one, old)
        if needed:
            yield shared, min(needed)

    def _likeness_of_same_word(self, one: _Statement, old: _Statement) -> list[float]:
        """The likeness that two need that state a value of the same word: of what the query asks for, if the older one
        does; else of any word of the query, and then they have to be more alike."""
        lengths = self._group.columns.lengths
        if max(lengths.item(one.row), lengths.item(old.row)) > MAX_WORDS:
            return []
        before, now = self._words_with_values(old), self._words_with_values(one)
        if heads := before & self._query.head_words:
            return [SAME_WORD_LIKENESS] if heads & now else []
        return [NEXT_LIKENESS] if before & now else []

    def _words_with_values(self, one: _Statement) -> frozenset[int]:
        """The words of the query that it has beside a value."""
        bits = self._query.word_bits
        return frozenset(word for word in self._words.words(one) if one.traits & bits[word])

    def order(self, newer: Sequence[_NewerStatement]) -> list[_Statement]:
        """The likeliest first; but of those that say the same as it with another value, the latest first."""
        ranked = sorted(newer, key=lambda one: -(one.likeness + one.shared + one.statement.score))
        likely = [one.statement for one in ranked]
        later = [one for one in likely[1:] if self.may_be_newer(one, likely[0])]
        same = self.newer(later, likely[0]) if later else []
        latest = [one.statement for one in same if one.likeness >= SAME_LIKENESS]
        return list(dict.fromkeys([*sorted(latest, key=lambda one: one.when, reverse=True), *likely]))


def _have_other_values(one: _Statement, old: _Statement) -> bool:
    """Whether two state different values of some word that may be the same. A repeated value is not newer."""
    both = one.traits & old.traits
    return both & WORDS_MASK > 0 and not both & VALUES_MASK


class _SharedWords:
    """Which words of the query the statements have."""

    def __init__(self, query: BoundQuery, group: LayerRows, statements: Sequence[_Statement]) -> None:
        self._weights, self._words = query.weights, {one.row: set[int]() for one in statements}
        rows, words = group.matches.rows, group.matches.words
        is_one = np.zeros(len(group.columns.handles), np.bool_)
        is_one[list(self._words)] = True
        at = np.flatnonzero(is_one[rows])
        for row, word in zip(rows[at].tolist(), words[at].tolist(), strict=True):
            self._words[row].add(word)
        # A word that no memory here has tells nothing apart: "current" in "my current rent".
        self._total = self._weight(np.flatnonzero(np.bincount(words)).tolist()) or 1.0

    def words(self, one: _Statement) -> set[int]:
        return self._words[one.row]

    def shared(self, one: _Statement, other: _Statement) -> float:
        """The share of the query that both have, by weight."""
        return self._weight(sorted(self._words[one.row] & self._words[other.row])) / self._total

    def has_all(self, one: _Statement, other: _Statement) -> bool:
        """Whether one has every word that the other has."""
        return self._words[other.row] <= self._words[one.row]

    def _weight(self, words: Iterable[int]) -> float:
        return sum(self._weights[word] for word in words)
