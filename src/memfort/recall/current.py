"""What holds now: of the best memories, what says anew what a better and earlier one said comes right before that one.

The older of two tellings is often worded more like the question, so that words and meaning put it first. Which of them
holds shows in the tellings: the later one is by the same speaker, says that a value is another one now ("has been moved
to Friday"), and is about the same, by its meaning and by words of the query that both have.

It is bounded: only where a query asks for what is, among the best of a layer, the news of one memory of each rack, and
it rises to just above that one and no further. So who is among the best stays among them, and nothing is set back. Two
racks have nothing to do with each other here: which of their memories was written first is nobody's business.

Those are few, so they are gone through one by one: with so few, a step over whole columns costs more than all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from memfort.capture.turns import Trait
from memfort.recall.features import ONE, Column, Having, Query
from memfort.store.columns import Columns, Numbers, products

AMONG = 10  # the best so many of a layer are looked at, with whoever ties with the last
TIED = 32  # more are not: then those who tie are left out
ALIKE = 0.5  # of 1: how near their meanings are at least
SAME = 0.8  # of 1: so near are those that say the same with another value
SHARED = 1 / 3  # of what anything here has of the query, by weight: what both have of it at least
ABOVE = 1e-6  # points: the smallest step that is told
_CHANGE, _VALUE = int(Trait.CHANGE), int(Trait.TIME | Trait.NUMBER)


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
    """One of the best memories that tells a value."""

    score: float
    when: tuple[int, int]  # its day, and its handle
    who: _Who
    says_so: bool  # that the value is another one now
    place: int
    row: int


def raised(query: Query, scores: Column, racks: Sequence[Held], most: float, among: int = AMONG) -> list[Raised]:
    """The memories that tell what holds now, each with what brings it above the one that told it before, if that is no
    more than `most`."""
    if not query.asks_what_is or most <= 0 or len(scores) < 2 or among < 2:
        return []
    best, found, start = _best(scores, among), [], 0
    for rack in racks:
        places = best[(best >= start) & (best < start + len(rack.rows))] if len(racks) > 1 else best
        found += _of_rack(query, rack, _tellings(scores, rack, places, start), most)
        start += len(rack.rows)
    return found


def _best(scores: Column, among: int) -> Numbers:
    """Where the best are. Whoever ties with the last of them is one of them, or none is, if those are too many."""
    if len(scores) <= among:
        return np.arange(len(scores))
    last = float(np.partition(scores, -among)[-among])
    best = np.flatnonzero(scores > last - ABOVE / 2)
    return best if len(best) <= TIED else np.flatnonzero(scores > last + ABOVE / 2)


def _tellings(scores: Column, rack: Held, places: Numbers, start: int) -> list[_Telling]:
    """Those of a rack that tell a value, the best first; none if none of them says that it is another one now."""
    rows, columns = rack.rows[places - start].tolist(), rack.columns
    traits = list(map(columns.traits.item, rows))
    if not any(trait & _CHANGE for trait in traits):
        return []
    score, day, handle = scores.item, columns.days.item, columns.handles.item
    speaker, in_talk = columns.speakers.item, columns.in_talk.item
    found = [
        _Telling(
            score(place), (day(row), handle(row)), _Who(speaker(row), in_talk(row)), trait & _CHANGE > 0, place, row
        )
        for place, row, trait in zip(places.tolist(), rows, traits, strict=True)
        if trait & _VALUE
    ]
    return sorted(found, reverse=True)


def _of_rack(query: Query, rack: Held, tellings: Sequence[_Telling], most: float) -> list[Raised]:
    """The news of the best memory of a rack that there is any of."""
    words = None
    for place, old in enumerate(tellings):
        later = [one for one in tellings[place + 1 :] if _may_be_news(one, old) and old.score - one.score <= most]
        if later:
            words = words or _Words(query, rack, tellings)
            if news := _news(rack, words, later, old):
                told = _in_order(rack, words, news)
                return [
                    Raised(one.place, old.score - one.score + step * ABOVE)
                    for step, one in enumerate(reversed(told), start=1)
                ]
    return []


def _may_be_news(one: _Telling, old: _Telling) -> bool:
    return one.says_so and one.when > old.when and one.who == old.who


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

    def shared(self, one: _Telling, other: _Telling) -> float:
        """What both have, of 1."""
        return self._weight(sorted(self._of[one.row] & self._of[other.row])) / self._whole

    def has_all(self, one: _Telling, other: _Telling) -> bool:
        """Whether one has every word that the other has."""
        return self._of[other.row] <= self._of[one.row]

    def _weight(self, words: Iterable[int]) -> float:
        return sum(self._weights[word] for word in words)


class _News(NamedTuple):
    telling: _Telling
    alike: float  # to the older one in meaning, of 1
    shared: float  # of the query, of 1


def _news(rack: Held, words: _Words, later: Sequence[_Telling], old: _Telling) -> list[_News]:
    """Those that are about the same as an older one. A statement by itself names whom it is about, so it has to have
    every word of the query that the older one has."""
    about = [(one, shared) for one in later if (shared := words.shared(one, old)) >= SHARED]
    if not old.who.in_talk:
        about = [(one, shared) for one, shared in about if words.has_all(one, old)]
    if not about:
        return []
    vectors = rack.columns.vectors
    near = products(vectors[[one.row for one, _ in about]], vectors[old.row]).tolist()
    found = [_News(one, product / ONE, shared) for (one, shared), product in zip(about, near, strict=True)]
    return [one for one in found if one.alike >= ALIKE]


def _in_order(rack: Held, words: _Words, news: Sequence[_News]) -> list[_Telling]:
    """The likeliest first. But of those that say the same with another value the last one holds, however likely."""
    likely = [one.telling for one in sorted(news, key=lambda one: -(one.alike + one.shared + one.telling.score))]
    later = [one for one in likely[1:] if _may_be_news(one, likely[0])]
    same = [one.telling for one in _news(rack, words, later, likely[0]) if one.alike >= SAME] if later else []
    return list(dict.fromkeys([*sorted(same, key=lambda one: one.when, reverse=True), *likely]))
