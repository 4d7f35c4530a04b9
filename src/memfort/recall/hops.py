"""The second step: from the first hits to what shares their rare words, names above all. Anna's manager is Priya, says
a first hit; where Priya lives is said by another memory, which may have no word of the question.

It is bounded: out from a few first hits, one step, and what is reached stays below what it was reached from; what is
said in no conversation also below the ten best of the first step, because statements by themselves are much alike in
their words, and nobody who asks for no more than ten of them has to wait for it. All that it goes by is in sight: hits
that passed the floor, the words by which they may be found (of what is told, those of the told form alone), and how
rare these are among what is shown. Where hits tie, nothing is decided by handles or by the order of rows, and words are
weighed in whole numbers, so that their sums are the same in any order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from memfort.recall.features import Column, Query, Seen
from memfort.store.columns import NONE, Columns, Flags, Numbers

CROWD = 50  # memories in sight: among fewer, no word is known to be rare
FIRST = 8  # hits that it goes out from, at most
KEPT = 10  # of what the first step finds keep their places, layer by layer, before what is reached in no conversation
SHARED = 2  # of those: a word that more of them have tells nothing new
LONGEST = 250  # words: a hit that is longer mentions everything
COMMON = 0.15  # of the memories: a word that more of them have leads nowhere
MANY = 16  # memories: nor does one that more than so many have
BY_ANOTHER = 0.5  # what it counts if it is not known to be said by the same person
SHORT = 2.0  # words: a longer query says more by itself, and the step counts less
BELOW = 0.999  # of the score of the hit that it was reached from: the most that the step can bring it to
ENOUGH = 0.1  # of 1: what has so much of it comes, even if nothing else speaks for it
_SHORTEST = 10.0  # words: no memory counts as shorter
_WHOLE = 4096  # steps of rarity
_SIEVE = 4096  # holes by which most words that are not meant are passed over


class Weighed(NamedTuple):
    """The memories of one rack after the first step."""

    seen: Seen
    scores: Column
    passes: Flags


class Reached(NamedTuple):
    """How much the second step speaks for each memory of one rack, in points, and from which hit it was reached."""

    shares: Column
    sources: Numbers  # handles; -1: it was not reached
    comes: Flags  # whether that is enough to come, if nothing else speaks for it


class _First(NamedTuple):
    """One of the first hits."""

    score: float
    handle: int
    rack: int
    place: int  # among those seen of its rack


def reached(query: Query, racks: Sequence[Weighed], weight: float, kept: float) -> list[Reached]:
    """What the second step brings to the memories of each rack; in no conversation, to stay below a score of `kept`."""
    found = [_nothing(len(one.scores)) for one in racks]
    count = sum(one.seen.columns.count for one in racks)
    if weight <= 0 or count < CROWD or query.is_bare or query.foreign is None:
        return found
    first = _first(racks)
    words, hits = _words(query, racks, first)
    if not len(words):
        return found
    most = min(MANY, int(COMMON * count))
    holding = _holding([one.seen.columns for one in racks], words, most)
    often = np.bincount(np.concatenate([which for _, which in holding]), minlength=len(words))
    worth = _worth(often, count, most)
    # Of many words, a few in common are no wonder; and a longer query says more by itself.
    sizes = np.sqrt(np.maximum(np.bincount(hits, worth, len(first)), 1) * _WHOLE)
    scores = np.array([one.score for one in first])
    weights = weight * min(1.0, SHORT / len(query.terms)) * scores / scores[0] / sizes
    for rack, (rows, which) in enumerate(holding):
        tells = np.flatnonzero(worth[which])
        if len(tells):
            telling = which[tells]
            at, shared = _shared(racks[rack].seen, rows[tells], hits[telling], worth[telling], len(first))
            alone = np.where(racks[rack].seen.talk[at] < 0, kept, math.inf)
            highest = BELOW * np.minimum(scores, alone[:, None])
            _add(found[rack], racks, rack, first, at, shared * weights, highest, ENOUGH * weight)
    return found


def _nothing(count: int) -> Reached:
    return Reached(np.zeros(count), np.full(count, -1), np.zeros(count, np.bool_))


def _first(racks: Sequence[Weighed]) -> list[_First]:
    """The best that passed the floor, best first. Of those that tie for the last place none is gone out from: which of
    them it were would be chance."""
    best: list[_First] = []
    for rack, one in enumerate(racks):
        at = np.flatnonzero(one.passes)
        if len(at) > FIRST + 1:
            at = at[np.argpartition(-one.scores[at], FIRST)[: FIRST + 1]]
        scores, handles = np.round(one.scores[at], 6).tolist(), one.seen.columns.handles[one.seen.at[at]].tolist()
        best += map(_First, scores, handles, [rack] * len(at), at.tolist())
    best.sort(key=lambda one: (-one.score, -one.handle))
    last = best[FIRST].score if len(best) > FIRST else -math.inf
    return [one for one in best[:FIRST] if one.score > last]


def _words(query: Query, racks: Sequence[Weighed], first: Sequence[_First]) -> tuple[Numbers, Numbers]:
    """The words of the first hits that are not the query's, sorted, and the hit that has each. A word that two hits
    have is there for each of them; one that more of them have is of the subject itself, or of the language. Idle words
    lead nowhere, and in a text of another language than most its own would pass for rare ones."""
    own, by = [NONE], [NONE]
    for rack in sorted({hit.rack for hit in first}):
        seen, rows = racks[rack].seen, racks[rack].seen.columns.postings.rows
        here = np.array([(no, hit.place) for no, hit in enumerate(first) if hit.rack == rack], np.int64).T
        at = seen.at[here[1]]
        begin, end = rows.searchsorted(at), rows.searchsorted(at, "right")
        place, which = _spread(begin, np.where(seen.lengths[here[1]] > LONGEST, begin, end))
        own.append(seen.columns.postings.terms[place])
        by.append(here[0, which])
    words, hits = np.concatenate(own), np.concatenate(by)
    asked = np.array([term for group in query.terms for term in group], np.int64)
    new = ~(words[:, None] == asked).any(axis=1) & ~_is_among(query.idle(), words)
    if len(foreign := hits[words == query.foreign]):
        new &= ~np.isin(hits, foreign)
    words, hits = words[new], hits[new]
    order = words.argsort(kind="stable")
    words, hits = words[order], hits[order]
    few = words.searchsorted(words, "right") - words.searchsorted(words) <= SHARED
    return words[few], hits[few]


def _is_among(ordered: Numbers, words: Numbers) -> Flags:
    """Which words are among sorted ones."""
    found: Flags = ordered.searchsorted(words, "right") > ordered.searchsorted(words)
    return found


def _holding(columns: Sequence[Columns], words: Numbers, most: int) -> list[tuple[Numbers, Numbers]]:
    """Of each rack, the rows shown that have any of these words, and the places of these. A word that surely more
    than `most` have is passed over. How many are hidden only tells how sure that is, and changes no answer."""
    least = np.zeros(len(words), np.int64)
    spans = []
    for one in columns:
        begin, end = one.postings.ordered.searchsorted(words), one.postings.ordered.searchsorted(words, "right")
        rest = _among(one.postings.terms[len(one.postings.order) :], words)
        often = end - begin + np.bincount(rest[1], minlength=len(words))
        least += np.maximum(often - (len(one.shown) - one.count), 0)
        spans.append((begin, end, rest))
    rare = least <= most
    return [_shown(one, *span, rare) for one, span in zip(columns, spans, strict=True)]


def _shown(
    columns: Columns, begin: Numbers, end: Numbers, rest: tuple[Numbers, Numbers], rare: Flags
) -> tuple[Numbers, Numbers]:
    postings = columns.postings
    at, which = _spread(begin, np.where(rare, end, begin))
    at = postings.order[at]
    if len(rest[0]):
        kept = rare[rest[1]]
        at, which = np.concatenate((at, rest[0][kept] + len(postings.order))), np.concatenate((which, rest[1][kept]))
    rows = postings.rows[at]
    shown = columns.shown[rows]
    return rows[shown], which[shown]


def _spread(begin: Numbers, end: Numbers) -> tuple[Numbers, Numbers]:
    """All numbers in some spans, and which span each is of."""
    sizes = end - begin
    which = np.repeat(np.arange(len(sizes)), sizes)
    return np.arange(len(which)) + (begin - np.cumsum(sizes) + sizes)[which], which


def _among(terms: Numbers, words: Numbers) -> tuple[Numbers, Numbers]:
    """Where any of these words is among terms that are not sorted, and the places of these."""
    if not len(terms) or not len(words):
        return NONE, NONE
    sieve = np.zeros(_SIEVE, np.bool_)
    sieve[words & (_SIEVE - 1)] = True
    maybe = np.flatnonzero(sieve[terms & (_SIEVE - 1)])
    begin = np.minimum(words.searchsorted(terms[maybe]), len(words) - 1)
    is_one = words[begin] == terms[maybe]
    maybe, begin = maybe[is_one], begin[is_one]
    place, which = _spread(begin, words.searchsorted(words, "right")[begin])
    return maybe[which], place


def _worth(often: Numbers, count: int, most: int) -> Numbers:
    """How much a word says that two memories belong together: the rarer, the more; nothing if many have it."""
    rarity = np.log((count + 1) / (often + 0.5)) / math.log(count + 1)
    worth: Numbers = (np.rint(rarity * rarity * _WHOLE) * ((often > 1) & (often <= most))).astype(np.int64)
    return worth


def _shared(seen: Seen, rows: Numbers, hits: Numbers, worth: Numbers, count: int) -> tuple[Numbers, Column]:
    """Those seen that have anything in common with the first hits, and how much with each, by weight."""
    has = np.zeros(len(seen.columns.handles), np.bool_)
    has[rows] = True
    at = np.flatnonzero(has[seen.at])
    place = np.full(len(has), -1)
    place[seen.at[at]] = np.arange(len(at))
    here = place[rows]
    is_here = here >= 0
    found = np.zeros(len(at) * count)
    found += np.bincount((here * count + hits)[is_here], worth[is_here], len(at) * count)
    return at, found.reshape(len(at), count)


def _add(
    found: Reached, racks: Sequence[Weighed], rack: int, first: Sequence[_First], at: Numbers, shared: Column,
    highest: Column, enough: float,
) -> None:  # fmt: skip
    """The most that any first hit brings to each, and which hit that is. Of equals, the better hit."""
    seen, scores, _ = racks[rack]
    by = np.array([_speaker(racks, one) for one in first])
    selves = np.array([one.place if one.rack == rack else -1 for one in first])  # a hit is not led to by itself
    counts = np.where(seen.columns.speakers[seen.at[at]][:, None] == by, 1.0, BY_ANOTHER) * (at[:, None] != selves)
    shares = shared * counts / np.sqrt(np.maximum(seen.lengths[at], _SHORTEST))[:, None]
    comes: Flags = np.any(shares >= enough, axis=1)
    np.minimum(shares, highest - scores[at][:, None], out=shares)
    best = shares.argmax(axis=1)
    most = shares[np.arange(len(at)), best]
    more = np.flatnonzero(most > 0)
    found.comes[at[more]] = comes[more]
    found.shares[at[more]] = most[more]
    found.sources[at[more]] = np.array([one.handle for one in first])[best[more]]


def _speaker(racks: Sequence[Weighed], hit: _First) -> int:
    seen = racks[hit.rack].seen
    return int(seen.columns.speakers[seen.at[hit.place]])
