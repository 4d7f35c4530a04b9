"""What speaks for a memory as an answer: twelve named features, each a column over the memories that may be
seen. (Two more are known when all are weighed: that a second step leads to it, `recall/hops.py`, and that it repeats
another, `recall/repeats.py`.)

A feature is 0 where its signal is absent and about 1 at most, and each has one weight, so that a score is a sum of
shares that can be told. Nothing looks at a memory that is not shown: the rarity of a word is its rarity among those
that are, and a neighbour in a conversation is the next that may be seen.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from memfort.capture.turns import Trait
from memfort.model.event_type import EventType
from memfort.model.feature import Feature
from memfort.recall.asked import Asked
from memfort.recall.weight import importance_in, is_type_in
from memfort.recall.words import FOREIGN, is_latin, is_piece, tongues_among
from memfort.store.columns import ROUGH_FROM, Columns, Flags, Numbers, products

K1, B = 0.9, 0.9
LENGTH = 60.0  # words: the scale of length, whatever else is in the store
BEFORE, AFTER = (0.8, 0.65, 0.5), (0.6, 0.5, 0.35)  # what the words one, two, three turns earlier and later count here
MEANING_NEAR = (0.8, 0.65)  # the same for meaning, both ways
DAYS_NEAR = 10.0  # people tell of things some days after they happened
BARE = 20.0  # words: a question shorter than that tells little, shorter than half of it nothing
FEWEST = 10  # memories: among fewer, a word that all of them have would be no sign of anything
ONE = 127.0 * 127.0  # the product of a vector with itself

Column = NDArray[np.float64]
Vector = NDArray[np.float32]
Having = tuple[Numbers, Numbers]  # the rows that have a term, and how often


@dataclass(frozen=True, slots=True)
class Query:
    """A query against what may be seen: in numbers."""

    terms: tuple[tuple[int, ...], ...]  # for each word, those by which it is found
    weights: tuple[float, ...]  # the rarity of each word
    having: tuple[tuple[Having, ...], ...]  # for each of the columns: who of those shown has each word
    speakers: frozenset[int]
    days: tuple[tuple[int, int], ...]
    vector: Vector | None
    wants: Trait
    wants_type: EventType | None
    is_request: bool
    in_pieces: float  # the part of it, by weight, that is in a script which is cut into pieces
    is_bare: bool  # nothing but names and days: whoever said it, or when, is all there is to go by
    foreign: int | None = (
        None  # what texts in other languages than English have; `None`: the query is in another script
    )


def against(
    asked: Asked, columns: Sequence[Columns], number: Callable[[str], int], asker: Sequence[str],
    embed: Callable[[str], Vector | None],
) -> Query:  # fmt: skip
    """The query as these memories can answer it: the speakers among its words are whom it asks about."""
    spoken = [one.speakers[one.shown] for one in columns]
    named = {word: number(word) for word in dict.fromkeys(asked.words)}
    names = {word: no for word, no in named.items() if any(bool((by == no).any()) for by in spoken)}
    about = {*names.values(), *(number(name) for name in asked.selves(asker))}
    if about and all(bool(np.isin(by, [0, *about]).all()) for by in spoken):
        about = set()  # everybody who speaks here: that tells nothing apart
    tongues = asked.tongues if asked.tongues is not None else _tongues(columns, number)
    groups = asked.terms(frozenset(names), tongues)
    terms = tuple(tuple(map(number, group)) for group in groups)
    having = tuple(tuple(_having(one, group) for group in terms) for one in columns)
    count, frequencies = (
        max(FEWEST, sum(one.count for one in columns)),
        [sum(len(rows) for rows, _ in one) for one in zip(*having, strict=True)],
    )
    weights = tuple(math.log1p((count - often + 0.5) / (often + 0.5)) for often in frequencies)
    pieces = sum(weight for weight, group in zip(weights, groups, strict=True) if is_piece(group[0]))
    return Query(
        terms=terms,
        weights=weights,
        having=having,
        speakers=frozenset(about),
        days=tuple(asked.days(_years(columns))) if asked.names_days else (),
        vector=embed(asked.meaning(frozenset(names))),
        wants=asked.wants,
        wants_type=asked.wants_type,
        is_request=asked.is_request,
        in_pieces=pieces / (sum(weights) or 1),
        is_bare=asked.is_bare(frozenset(names)),
        foreign=number(FOREIGN) if is_latin(asked.words) else None,
    )


def _years(columns: Sequence[Columns]) -> list[int]:
    days = np.concatenate([one.days[one.shown] for one in columns] or [np.empty(0, np.int64)])
    known = days[days > 0]
    if not len(known):
        return []
    first, last = (date.fromordinal(int(day)).year for day in (known.min(), known.max()))
    return list(range(first, last + 1))


def _tongues(columns: Sequence[Columns], number: Callable[[str], int]) -> tuple[str, ...]:
    return tongues_among(lambda term: any(len(_having(one, (number(term),))[0]) for one in columns))


def _having(columns: Columns, group: Sequence[int]) -> Having:
    """Who of those shown has any of these terms, and how often the one it has most often."""
    found = [columns.postings.of(term) for term in group]
    rows, often = found[0]
    if len(found) > 1:
        every, counts = (np.concatenate(one) for one in zip(*found, strict=True))
        rows, place = np.unique(every, return_inverse=True)
        often = np.zeros(len(rows), np.int64)
        np.maximum.at(often, place, counts)
    shown = columns.shown[rows]
    return rows[shown], often[shown]


def said(query: Query, columns: Columns, having: Sequence[Having]) -> Column:
    """How much of the query each memory says, of 1. A long text says everything a little."""
    total, weight = np.zeros(len(columns.handles)), sum(query.weights)
    if not weight:
        return total
    for (rows, often), rarity in zip(having, query.weights, strict=True):
        damping = K1 * (1 - B + B * columns.lengths[rows] / LENGTH)
        total[rows] += rarity * often / (often + damping)
    return total / weight


def has_all(query: Query, columns: Columns, having: Sequence[Having]) -> Flags:
    """Which memories have every word of the query, however long they are."""
    count = np.zeros(len(columns.handles), np.int64)
    for rows, _ in having:
        count[rows] += 1
    all_of_them: Flags = count == max(len(query.terms), 1)
    return all_of_them


def meant(query: Query, columns: Columns, at: Numbers | None = None) -> Column:
    """How near the meaning of each is to the query's, of 1; or of those `at` some rows. The products are whole numbers,
    so they are exact."""
    if query.vector is None or columns.vectors.shape[1] != len(query.vector):
        return np.zeros(len(columns.handles if at is None else at))
    found = products(columns.vectors if at is None else columns.vectors[at], query.vector)
    near: Column = np.maximum(found, 0).astype(np.float64) / ONE
    return near


def are_many(columns: Columns) -> bool:
    """Whether so many are shown that their meaning is first looked at roughly. What is not shown does not count."""
    return columns.rough is not None and columns.count >= ROUGH_FROM


def meant_roughly(query: Query, columns: Columns) -> Column:
    """The same by the first numbers alone, as if the rest were like them: to choose whom to look at closely."""
    rough, vector = columns.rough, query.vector
    if rough is None or vector is None or columns.vectors.shape[1] != len(vector):
        return meant(query, columns)
    first = vector[: rough.shape[1]]
    share = float(first @ first) / float(vector @ vector)
    near: Column = np.maximum(products(rough, first), 0).astype(np.float64) / (ONE * share or 1.0)
    return near


class Seen:
    """The memories of one rack that may be seen, in the order in which they were written, or those of them that matter
    with their neighbours: what the features are worked out over."""

    def __init__(self, columns: Columns, at: Numbers, place: Numbers) -> None:
        self.columns, self.at, self.place = columns, at, place
        self.lengths = columns.lengths[at].astype(np.float64)
        self.traits = columns.traits[at]
        self.talk = _talks(columns.days[at], columns.in_talk[at])
        self.is_talk = bool((self.talk >= 0).any())
        self._same: dict[int, Flags] = {}

    def has(self, trait: Trait) -> Flags:
        return (self.traits & int(trait)) > 0

    def beside(self, values: Column, steps: int) -> Column:
        """The values of those that many steps before (or, below 0, after) each in the same conversation; else 0."""
        out, size = np.zeros(len(values)), abs(steps)
        if size >= len(values) or not self.is_talk:
            return out
        same = self._together(size)
        if steps > 0:
            out[size:] = values[:-size] * same
        else:
            out[:-size] = values[size:] * same
        return out

    def _together(self, size: int) -> Flags:
        """Which of those that many steps apart are in the same conversation."""
        if size not in self._same:
            same = (self.talk[size:] == self.talk[:-size]) & (self.talk[size:] >= 0)
            self._same[size] = same & (self.place[size:] - self.place[:-size] == size)
        return self._same[size]

    def best_beside(self, values: Column, before: Sequence[float], after: Sequence[float]) -> Column:
        """The best of the neighbours' values, each counting less the further away it is."""
        out = np.zeros(len(values))
        if not self.is_talk:
            return out
        for step, worth in enumerate(before, start=1):
            np.maximum(out, worth * self.beside(values, step), out=out)
        for step, worth in enumerate(after, start=1):
            np.maximum(out, worth * self.beside(values, -step), out=out)
        return out


def _talks(days: Numbers, in_talk: Flags) -> Numbers:
    """Conversations by number: those that follow each other on one day. What is not said in one stands alone, at -1."""
    begins = np.ones(len(days), np.bool_)
    begins[1:] = (days[1:] != days[:-1]) | ~in_talk[:-1]
    return np.where(in_talk, np.cumsum(begins), -1)


def features(query: Query, seen: Seen, words: Column, meaning: Column) -> dict[Feature, Column]:
    nothing = np.zeros(len(words))
    asks = seen.has(Trait.QUESTION).astype(np.float64)
    return {
        Feature.WORDS: words,
        Feature.AROUND: np.maximum(seen.best_beside(words, BEFORE, AFTER) - words, 0),
        Feature.MEANING: meaning,
        Feature.MEANING_AROUND: seen.best_beside(meaning, MEANING_NEAR, MEANING_NEAR),
        Feature.WHO: _who(query, seen) if query.speakers else nothing,
        Feature.DATE: dated(query, seen.columns.days[seen.at]) if query.days else nothing,
        Feature.ANSWERS: seen.beside(words * asks, 1),
        Feature.KIND: (seen.has(query.wants) & bool(query.wants)) * (LENGTH / (LENGTH + seen.lengths)),
        Feature.STANDING: seen.has(Trait.STANDING).astype(np.float64) if query.is_request else nothing,
        Feature.IMPORTANCE: importance_in(seen.traits),
        Feature.TYPE: is_type_in(seen.traits, query.wants_type) * 1.0 if query.wants_type else nothing,
        Feature.BARE_QUESTION: asks * np.clip(2 * (1 - seen.lengths / BARE), 0, 1),
    }


def _who(query: Query, seen: Seen) -> Column:
    """Among many speakers it says less who spoke: in a group, people are spoken about by others."""
    by = seen.columns.speakers[seen.at]
    known = (seen.talk >= 0) & (by != 0)
    party = np.ones(len(by))
    if known.any():
        names, speaker = np.unique(by[known], return_inverse=True)
        pairs = np.unique(seen.talk[known] * len(names) + speaker)
        sizes = np.bincount(pairs // len(names), minlength=int(seen.talk.max()) + 1)
        party[seen.talk >= 0] = np.maximum(1, sizes[seen.talk[seen.talk >= 0]] - 1)
    return np.isin(by, sorted(query.speakers)) / party


def dated(query: Query, days: Numbers) -> Column:
    """How near each day is to those that the query names. Many memories share few days: each day is looked at once."""
    known = days[days > 0]
    first, last = (int(known.min()), int(known.max())) if len(known) else (0, 0)
    if last - first >= len(days):
        return _near(query, days)
    near: Column = _near(query, np.arange(first, last + 1))[np.maximum(days - first, 0)] * (days > 0)
    return near


def _near(query: Query, days: Numbers) -> Column:
    near = np.zeros(len(days))
    for first, last in query.days:
        off = np.maximum(np.maximum(first - days, days - last), 0)
        near = np.maximum(near, np.exp(-off / DAYS_NEAR) * (days > 0))
    return near
