"""What holds now: of the best memories, what says anew what a better and earlier one said comes right before that one.

The older of two tellings is often worded more like the question, so that words and meaning put it first. Which of them
holds shows in the tellings: the later one is by the same speaker and about the same, by its meaning and by words of the
query that both have; and it says that a value is another one now ("has been moved to Friday"), or it is the next best
and tells another value of what the query asks for. Most people say it in the second way: "so we keep 3 hens".

It is bounded: only where a query asks for what is, among the best of a layer, the news of one memory of each rack, and
it rises to just above that one and no further. So who is among the best stays among them, and nothing is set back. Two
racks have nothing to do with each other here: which of their memories was written first is nobody's business.

Those are few, so they are gone through one by one: with so few, a step over whole columns costs more than all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from memfort.capture.turns import Trait
from memfort.recall.features import ONE, Column, Having, Query
from memfort.recall.values import TOLD_VALUES, TOLD_WORDS
from memfort.store.columns import Columns, Numbers, products

AMONG = 10  # the best so many of a layer are looked at, with whoever ties with the last
TIED = 32  # more are not: then those who tie are left out
ALIKE = 0.5  # of 1: how near their meanings are at least
SAME = 0.8  # of 1: so near are those that say the same with another value
SHARED = 1 / 3  # of what anything here has of the query, by weight: what both have of it at least
ALIKE_NEXT, SHARED_NEXT = 0.4, 0.3  # the same of the next best, if it says that it is news
ALIKE_OF_SAME = 0.3  # of the next best, if both tell a value of what the query asks for
LONGEST = 250  # words: one that is longer mentions everything
ABOVE = 1e-6  # points: the smallest step that is told
_CHANGE, _OTHERS, _VALUE = int(Trait.CHANGE), int(Trait.OTHERS), int(Trait.TIME | Trait.NUMBER)


class Held(NamedTuple):
    """The memories of one rack that are in a layer, in its order."""

    columns: Columns
    having: Having
    rows: Numbers


class Raised(NamedTuple):
    place: int  # in the layer
    share: float  # in points


class _Who(NamedTuple):
    speaker: int
    in_talk: bool


class _Telling(NamedTuple):
    """One of the best memories that tells a value, or that says that one is no more."""

    score: float
    when: tuple[int, int]  # its day, and its handle
    who: _Who
    place: int
    row: int
    traits: int

    @property
    def says_so(self) -> bool:
        """That a value is another one now."""
        return self.traits & _CHANGE > 0


def raised(query: Query, scores: Column, racks: Sequence[Held], most: float, among: int = AMONG) -> list[Raised]:
    """The memories that tell what holds now, each with what brings it above the one that told it before, if that is no
    more than `most`."""
    if not query.asks_what_is or most <= 0 or len(scores) < 2 or among < 2:
        return []
    best, found, start = _best(scores, among), [], 0
    for rack in racks:
        places = best[(best >= start) & (best < start + len(rack.rows))] if len(racks) > 1 else best
        found += _of_rack(query, rack, _tellings(query, scores, rack, places, start), most)
        start += len(rack.rows)
    return found


def _best(scores: Column, among: int) -> Numbers:
    """Where the best are. Whoever ties with the last of them is one of them, or none is, if those are too many."""
    if len(scores) <= among:
        return np.arange(len(scores))
    last = float(np.partition(scores, -among)[-among])
    best = np.flatnonzero(scores > last - ABOVE / 2)
    return best if len(best) <= TIED else np.flatnonzero(scores > last + ABOVE / 2)


def _tellings(query: Query, scores: Column, rack: Held, places: Numbers, start: int) -> list[_Telling]:
    """Those of a rack that tell a value, the best first; none if none of them can be news of another."""
    rows, columns = rack.rows[places - start].tolist(), rack.columns
    traits = list(map(columns.traits.item, rows))
    asked = 0
    for bit in query.bits:
        asked |= bit
    if not any(trait & _CHANGE for trait in traits) and sum(trait & asked > 0 for trait in traits) < 2:
        return []
    score, day, handle = scores.item, columns.days.item, columns.handles.item
    speaker, in_talk = columns.speakers.item, columns.in_talk.item
    found = [
        _Telling(score(place), (day(row), handle(row)), _Who(speaker(row), in_talk(row)), place, row, trait)
        for place, row, trait in zip(places.tolist(), rows, traits, strict=True)
        if trait & (_VALUE | _CHANGE)
    ]
    return sorted(found, reverse=True)


def _of_rack(query: Query, rack: Held, tellings: Sequence[_Telling], most: float) -> list[Raised]:
    """The news of the best memory of a rack that there is any of."""
    pairs = _Pairs(query, rack, tellings)
    for place, old in enumerate(tellings):
        later = [one for one in tellings[place + 1 :] if old.score - one.score <= most and pairs.may_be_news(one, old)]
        if later and (news := pairs.news(later, old)):
            told = pairs.in_order(news)
            return [
                Raised(one.place, old.score - one.score + step * ABOVE)
                for step, one in enumerate(reversed(told), start=1)
            ]
    return []


class _News(NamedTuple):
    telling: _Telling
    alike: float  # to the older one in meaning, of 1
    shared: float  # of the query, of 1


class _Pairs:
    """The tellings of a rack, compared two by two."""

    def __init__(self, query: Query, rack: Held, tellings: Sequence[_Telling]) -> None:
        self._query, self._rack, self._tellings = query, rack, tellings
        self._next: dict[int, int] = {}
        last: dict[_Who, int] = {}
        for one in tellings:
            if one.traits & (_CHANGE | TOLD_WORDS):
                self._next[last.get(one.who, -1)] = last[one.who] = one.row

    def _is_next(self, one: _Telling, old: _Telling) -> bool:
        """Whether it is the next best that the same has told."""
        return self._next.get(old.row) == one.row

    @cached_property
    def _words(self) -> _Words:
        return _Words(self._query, self._rack, self._tellings)

    def may_be_news(self, one: _Telling, old: _Telling) -> bool:
        """Whether one is later and by the same, and says that it is news, or tells a value of what the older does."""
        if one.when <= old.when or one.who != old.who or not old.traits & _VALUE:
            return False
        if self._query.is_of_speakers and one.traits & _OTHERS:
            return False
        return one.says_so or (self._is_next(one, old) and _tell_others(one, old))

    def news(self, later: Sequence[_Telling], old: _Telling) -> list[_News]:
        """Those that are about the same as an older one, each with how near it is to it."""
        about = [(one, shared, least) for one in later for shared, least in self._about(one, old)]
        if not about:
            return []
        vectors = self._rack.columns.vectors
        near = products(vectors[[one.row for one, _, _ in about]], vectors[old.row]).tolist()
        return [
            _News(one, product / ONE, shared)
            for (one, shared, least), product in zip(about, near, strict=True)
            if product >= least * ONE
        ]

    def _about(self, one: _Telling, old: _Telling) -> Iterator[tuple[float, float]]:
        """What both have of the query, of 1, and how near they have to be to each other for one to be news; nothing if
        it is none. A statement by itself names whom it is about, so it has to have every word of the query that the
        older one has."""
        if not old.who.in_talk and not self._words.has_all(one, old):
            return
        shared, is_next = self._words.shared(one, old), self._is_next(one, old)
        known = [ALIKE] if one.says_so and shared >= SHARED else []
        if one.says_so and is_next and shared >= SHARED_NEXT:
            known.append(ALIKE_NEXT)
        if is_next and shared >= SHARED and _tell_others(one, old):
            known += self._alike_of_same(one, old)
        if known:
            yield shared, min(known)

    def _alike_of_same(self, one: _Telling, old: _Telling) -> list[float]:
        """How near two are at least that tell a value of the same: of what the query asks for, if the older does, else
        of any word of it; then they have to be nearer."""
        lengths = self._rack.columns.lengths
        if max(lengths.item(one.row), lengths.item(old.row)) > LONGEST:
            return []
        before, now = self._told(old), self._told(one)
        if heads := before & self._query.heads:
            return [ALIKE_OF_SAME] if heads & now else []
        return [ALIKE_NEXT] if before & now else []

    def _told(self, one: _Telling) -> frozenset[int]:
        """The words of the query that it has beside a value."""
        bits = self._query.bits
        return frozenset(word for word in self._words.of(one) if one.traits & bits[word])

    def in_order(self, news: Sequence[_News]) -> list[_Telling]:
        """The likeliest first. But of those that say the same with another value the last one holds, however likely."""
        likely = [one.telling for one in sorted(news, key=lambda one: -(one.alike + one.shared + one.telling.score))]
        later = [one for one in likely[1:] if self.may_be_news(one, likely[0])]
        same = [one.telling for one in self.news(later, likely[0]) if one.alike >= SAME] if later else []
        return list(dict.fromkeys([*sorted(same, key=lambda one: one.when, reverse=True), *likely]))


def _tell_others(one: _Telling, old: _Telling) -> bool:
    """Whether two tell other values of some word that may be the same. What repeats a value is no news of it."""
    both = one.traits & old.traits
    return both & TOLD_WORDS > 0 and not both & TOLD_VALUES


class _Words:
    """What the tellings have of the query."""

    def __init__(self, query: Query, rack: Held, tellings: Sequence[_Telling]) -> None:
        self._weights, self._of = query.weights, {one.row: set[int]() for one in tellings}
        rows, words = rack.having.rows, rack.having.words
        is_one = np.zeros(len(rack.columns.handles), np.bool_)
        is_one[list(self._of)] = True
        at = np.flatnonzero(is_one[rows])
        for row, word in zip(rows[at].tolist(), words[at].tolist(), strict=True):
            self._of[row].add(word)
        # A word that nothing here has tells nothing apart: "current" in "my current rent".
        self._whole = self._weight(np.flatnonzero(np.bincount(words)).tolist()) or 1.0

    def of(self, one: _Telling) -> set[int]:
        return self._of[one.row]

    def shared(self, one: _Telling, other: _Telling) -> float:
        """What both have, of 1."""
        return self._weight(sorted(self._of[one.row] & self._of[other.row])) / self._whole

    def has_all(self, one: _Telling, other: _Telling) -> bool:
        """Whether one has every word that the other has."""
        return self._of[other.row] <= self._of[one.row]

    def _weight(self, words: Iterable[int]) -> float:
        return sum(self._weights[word] for word in words)
