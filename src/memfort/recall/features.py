"""What speaks for a memory as an answer: fourteen named features, each a column over the memories that may be
seen. (Three more are known when all are weighed: that a second step leads to it, `recall/hops.py`, that it repeats
another, `recall/repeats.py`, and that it is the news of another, `recall/current.py`.)

A feature is 0 where its signal is absent and about 1 at most, and each has one weight, so that a score is a sum of
shares that can be told. Nothing looks at a memory that is not shown: the rarity of a word is its rarity among those
that are, and a neighbour in a conversation is the next that may be seen.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memfort.capture.turns import Trait
from memfort.model.event_type import EventType
from memfort.model.feature import Feature
from memfort.recall.asked import PERSONS, Asked
from memfort.recall.languages import LATIN
from memfort.recall.values import bit_of
from memfort.recall.weight import importance_in, is_type_in, use_in
from memfort.recall.words import (
    FOREIGN,
    Coded,
    Group,
    coded_words,
    idle_terms,
    inside_a_code,
    is_latin,
    is_piece,
    language_term,
    telling_terms,
)
from memfort.store.columns import NONE, ROUGH_FROM, Columns, Flags, Numbers, Vectors, products

K1, B = 0.9, 0.9
LENGTH = 60.0  # words: the scale of length, whatever else is in the store
BEFORE, AFTER = (0.8, 0.65, 0.5), (0.6, 0.5, 0.35)  # what the words one, two, three turns earlier and later count here
MEANING_NEAR = (0.8, 0.65)  # the same for meaning, both ways
DAYS_NEAR = 10.0  # people tell of things some days after they happened
BARE = 20.0  # words: a question shorter than that tells little, shorter than half of it nothing
FEWEST = 10  # memories: among fewer, a word that all of them have would be no sign of anything
ONE = 127.0 * 127.0  # the product of a vector with itself
WHEN_WEIGHED = (Feature.REPEATS, Feature.CURRENT)  # what is known of a memory only beside others that are weighed

Column = NDArray[np.float64]
Terms = tuple[int, ...]  # the numbers of those by which one word is found


class Apart(NamedTuple):
    """A code, as it may be written with spaces; or the word of one by itself."""

    place: int  # of the code among the words of the query
    terms: Terms  # all of which it takes
    inside: int  # what a text has as often as another code begins so: the first of them is there more often


class Looked(NamedTuple):
    """The words of a query in numbers."""

    terms: tuple[Terms, ...]  # for each word, those by any of which it is found
    apart: tuple[Apart, ...]

    @property
    def all_terms(self) -> tuple[Terms, ...]:
        if not self.apart:
            return self.terms
        parts: dict[int, Terms] = {}
        for one in self.apart:
            parts[one.place] = (*parts.get(one.place, ()), *one.terms, one.inside)
        return tuple((*group, *parts.get(place, ())) for place, group in enumerate(self.terms))


class Having(NamedTuple):
    """Who of those shown has which word of a query, word after word and row after row."""

    rows: Numbers
    often: Numbers
    words: Numbers  # by their places in the query


class About(NamedTuple):
    """Those whom a query names, if they are known by name: which memories are about them, and by which words."""

    handles: frozenset[int]
    words: frozenset[str]
    speakers: tuple[tuple[str, frozenset[str]], ...] = ()  # as whom they speak, and the words that name them


NOBODY = About(frozenset(), frozenset())


@dataclass(slots=True)
class Query:
    """A query against what may be seen: in numbers. Nobody changes one. It is not frozen, because to make one that is
    takes seven times as long, as each of two dozen fields goes past the guard."""

    terms: tuple[Terms, ...]  # for each word, those by which it is found
    weights: tuple[float, ...]  # the rarity of each word
    having: tuple[Having, ...]  # for each of the columns
    speakers: frozenset[int]
    about: frozenset[int]  # the handles of memories about whom it names
    days: tuple[tuple[int, int], ...]  # that it names, or those before or after something that happened
    vector: Vectors | None
    wants: Trait
    wants_type: EventType | None
    is_request: bool
    in_pieces: float  # the part of it, by weight, that is in a script which is cut into pieces
    is_bare: bool  # nothing but names and days: whoever said it, or when, is all there is to go by
    foreign: int | None = (
        None  # what texts in other languages than English have; `None`: the query is in another script
    )
    idle: Callable[[], Numbers] = lambda: NONE  # the words by which no two memories belong together, sorted
    asks_what_is: bool = False  # for a value that holds now, and not for what was or how it went
    names_days: bool = False  # what was said on such a day answers, whatever its words
    bits: tuple[int, ...] = ()  # of each word, if it asks for what is: the one by which it is known beside a value
    heads: frozenset[int] = frozenset()  # the words that a value is asked of, by their places
    is_of_speakers: bool = False  # about those who speak here, or who ask


def against(
    asked: Asked, columns: Sequence[Columns], number: Callable[[str], int], asker: Sequence[str],
    embed: Callable[[str], Vectors | None], today: date | None = None, whom: About = NOBODY,
    *, as_sentence: bool = False,
) -> Query:  # fmt: skip
    """The query as these memories can answer it: the speakers among its words are whom it asks about, and what "last
    week" was is told from `today`. With `as_sentence`, what embeds it reads more than words."""
    voices = frozenset().union(*(one.once("voices", _voices) for one in columns)) - {0}
    named = _named(asked, whom, voices, number)
    names = frozenset(named)
    selves = {"i": asked.selves(asker), "you": asked.assistants}
    persons = {one: voices.intersection(map(number, called)) for one, called in selves.items()}
    about = frozenset[int]().union(*named.values(), *persons.values())
    is_bare = asked.is_bare(names | whom.words)
    if voices <= about and not is_bare:
        about = _first_named(asked, named, persons)  # everybody who speaks here: that tells nothing apart
    tongues = asked.tongues if asked.tongues is not None else _tongues(columns, number)
    groups, terms, having = _looked_up(asked, names, tongues, columns, number)
    count = max(FEWEST, sum(one.count for one in columns))
    frequencies = sum((np.bincount(one.words, minlength=len(terms)) for one in having), np.zeros(len(terms), np.int64))
    weights = tuple(math.log1p((count - often + 0.5) / (often + 0.5)) for often in frequencies.tolist())
    heads = asked.heads if asked.asks_what_is else frozenset[str]()
    days = _days(asked, names, tongues, columns, number, today)
    meaning = asked.meaning(names, _series(asked, columns, number), as_sentence=as_sentence)
    pieces = sum(weight for weight, group in zip(weights, groups, strict=True) if is_piece(group[0]))
    return Query(
        terms=terms,
        weights=weights,
        having=having,
        speakers=about,
        about=whom.handles,
        days=days,
        vector=embed(meaning) if meaning else None,
        wants=asked.wants,
        wants_type=asked.wants_type,
        is_request=asked.is_request,
        in_pieces=pieces / (sum(weights) or 1),
        is_bare=is_bare,
        foreign=number(FOREIGN) if is_latin(asked.words) else None,
        idle=lambda: columns[0].once("idle", lambda _: np.array(sorted(map(number, idle_terms())), np.int64)),
        asks_what_is=asked.asks_what_is,
        names_days=asked.names_days or (bool(days) and asked.asks_for_whatever_then(names)),
        bits=tuple(bit_of(group[0]) for group in groups) if asked.asks_what_is else (),
        heads=frozenset(place for place, group in enumerate(groups) if group[0] in heads),
        is_of_speakers=asked.is_about_asker or bool(names),
    )


def _named(
    asked: Asked, whom: About, voices: frozenset[int], number: Callable[[str], int]
) -> dict[str, frozenset[int]]:
    """The words of the query that are names, and whom of those who speak here each names: by what they are called here,
    or by what the asker calls them."""
    named: dict[str, frozenset[int]] = {}
    if not voices:
        return named
    called = ((word, number(word)) for word in asked.words)
    known = ((word, number(name)) for name, words in whom.speakers for word in words)
    for word, voice in (*called, *known):
        if voice in voices:
            named[word] = named.get(word, frozenset()) | {voice}
    return named


def _first_named(
    asked: Asked, named: Mapping[str, frozenset[int]], persons: Mapping[str, frozenset[int]]
) -> frozenset[int]:
    """Of all who speak here, the one whom the query names first, if it calls any by name. What "you" told "me" may be
    in what either said."""
    if not named:
        return frozenset()
    selves = {word: persons[one] for word, one in PERSONS.items() if persons[one]}
    return asked.first_named({**selves, **named}) or frozenset()


def _looked_up(
    asked: Asked, names: frozenset[str], tongues: Sequence[str], columns: Sequence[Columns],
    number: Callable[[str], int],
) -> tuple[list[Group], tuple[Terms, ...], tuple[Having, ...]]:  # fmt: skip
    """The words of the query, the same in numbers, and who has them. The name of somebody who speaks here says in a
    conversation who is spoken to, and is no word of the query there; a statement by itself that has it is about that
    person."""
    groups = asked.terms(names, tongues)
    looked = _in_numbers(groups, number)
    terms, having = looked.all_terms, tuple(_having(one, *looked) for one in columns)
    called = [group for group in asked.terms(frozenset(), tongues) if group not in groups] if names else []
    if not called:
        return groups, terms, having
    names_called = tuple(tuple(map(number, group)) for group in called)
    alone = [_alone(one, _having(one, names_called)) for one in columns]
    met = sorted({place for one in alone for place in one.words.tolist()})
    places = {place: len(groups) + no for no, place in enumerate(met)}
    moved = [one._replace(words=np.array([places[place] for place in one.words.tolist()], np.int64)) for one in alone]
    both = [Having(*map(np.concatenate, zip(*pair, strict=True))) for pair in zip(having, moved, strict=True)]
    return [*groups, *(called[place] for place in met)], (*terms, *(names_called[place] for place in met)), tuple(both)


def _in_numbers(groups: Sequence[Group], number: Callable[[str], int]) -> Looked:
    terms = tuple([tuple([number(term) for term in group if " " not in term]) for group in groups])
    apart = [_apart(place, term, number) for place, group in enumerate(groups) for term in group if " " in term]
    return Looked(terms, tuple(apart))


def _apart(place: int, term: str, number: Callable[[str], int]) -> Apart:
    *parts, last = term.split()
    if not last.endswith("-"):
        parts, last = [*parts, last], inside_a_code(parts[0])
    return Apart(place, tuple(map(number, parts)), number(last))


def _series(asked: Asked, columns: Sequence[Columns], number: Callable[[str], int]) -> list[str]:
    """The words of the query's codes by which others in sight are numbered too. What is near them in meaning is about
    any of those."""
    return [one.word for one in coded_words(asked.text) if any(_numbers_others(rack, one, number) for rack in columns)]


def _numbers_others(columns: Columns, coded: Coded, number: Callable[[str], int]) -> bool:
    rows, _ = columns.postings.of(number(coded.inside))
    others = ~np.isin(rows, columns.postings.of(number(coded.whole))[0])
    return bool((columns.shown[rows] & others).any())


def _alone(columns: Columns, having: Having) -> Having:
    """Of those who have a word, the ones that are said in no conversation."""
    alone = ~columns.in_talk[having.rows]
    return Having(having.rows[alone], having.often[alone], having.words[alone])


def _voices(columns: Columns) -> frozenset[int]:
    """Who speaks in what is shown; 0 for what nobody is known to have said."""
    return frozenset(np.unique(columns.speakers[columns.shown]).tolist())


def _days(
    asked: Asked, names: frozenset[str], tongues: Sequence[str], columns: Sequence[Columns],
    number: Callable[[str], int], today: date | None,
) -> tuple[tuple[int, int], ...]:  # fmt: skip
    if asked.names_days:
        return tuple(asked.days(_years(columns), today))
    if (happening := asked.happening) is None:
        return ()
    looked = _in_numbers(telling_terms(happening.words, tongues, names), number)
    day = _day_of(looked, columns) if looked.terms else None
    return () if day is None else (happening.side.of(day),)


def _day_of(looked: Looked, columns: Sequence[Columns]) -> int | None:
    """When something happened: the day of the shortest memory that has all words for it and is no question; of several
    as short, the first day."""
    found: list[tuple[int, int]] = []
    for one in columns:
        told = _have_all(one, _having(one, *looked), len(looked.terms)) & (one.days > 0)
        rows = np.flatnonzero(told & ((one.traits & int(Trait.QUESTION)) == 0))
        found += zip(one.lengths[rows].tolist(), one.days[rows].tolist(), strict=True)
    return min(found)[1] if found else None


def _years(columns: Sequence[Columns]) -> list[int]:
    spans = [one.once("days", lambda one: _span(one.days[one.shown])) for one in columns]
    known = [span for span in spans if span != (0, 0)]
    if not known:
        return []
    first, last = min(first for first, _ in known), max(last for _, last in known)
    return list(range(date.fromordinal(first).year, date.fromordinal(last).year + 1))


def _span(days: Numbers) -> tuple[int, int]:
    """The first and the last of the days that are known."""
    known = days[days > 0]
    return (int(known.min()), int(known.max())) if len(known) else (0, 0)


def _tongues(columns: Sequence[Columns], number: Callable[[str], int]) -> tuple[str, ...]:
    """The languages other than English of what is shown, in a fixed order."""
    spoken = [one.once("tongues", lambda one: _spoken(one, number)) for one in columns]
    return spoken[0] if len(spoken) == 1 else tuple(name for name in LATIN if any(name in known for known in spoken))


def _spoken(columns: Columns, number: Callable[[str], int]) -> tuple[str, ...]:
    having = _having(columns, [(number(language_term(name)),) for name in LATIN])
    return tuple(LATIN[place] for place in np.unique(having.words).tolist())


def _having(columns: Columns, groups: Sequence[Terms], apart: Sequence[Apart] = ()) -> Having:
    """Who of those shown has any of the terms of each group, or all of those apart, and how often the one it has most
    often."""
    rows, often, sizes = columns.postings.of_all([term for group in groups for term in group])
    places = [place for place, group in enumerate(groups) for _ in group]
    words = np.array(places, np.int64).repeat(sizes)
    for one in apart:
        together = _have_together(columns, one)
        rows, often = np.concatenate((rows, together)), np.concatenate((often, np.ones(len(together), np.int64)))
        words = np.concatenate((words, np.full(len(together), one.place)))
        places, sizes = [*places, one.place], [*sizes, len(together)]
    if columns.count < len(columns.handles):
        shown = columns.shown[rows]
        rows, often, words = rows[shown], often[shown], words[shown]
    found = [place for place, size in zip(places, sizes, strict=True) if size]
    if len(found) == len(set(found)):
        return Having(rows, often, words)
    pairs = words * len(columns.handles) + rows
    order = pairs.argsort(kind="stable")
    pairs, often = pairs[order], often[order]
    is_first = np.empty(len(pairs), np.bool_)
    is_first[:1] = True
    np.not_equal(pairs[1:], pairs[:-1], out=is_first[1:])
    first = is_first.nonzero()[0]
    at = order[first]
    return Having(rows[at], np.maximum.reduceat(often, first) if len(first) else often, words[at])


def _have_together(columns: Columns, apart: Apart) -> Numbers:
    """The rows that have all parts of a code, the first of them also where it begins no code."""
    first, *others = apart.terms
    rows, often = columns.postings.of(first)
    inside, times = columns.postings.of(apart.inside)
    if len(inside):
        count = len(columns.handles)
        rows = np.flatnonzero(np.bincount(rows, often, count) > np.bincount(inside, times, count))
    for other in others:
        rows = rows[np.isin(rows, columns.postings.of(other)[0])]
    return rows


def said(query: Query, columns: Columns, having: Having) -> Column:
    """How much of the query each memory says, of 1. A long text says everything a little."""
    weight = sum(query.weights)
    if not weight:
        return np.zeros(len(columns.handles))
    damping = columns.once("damping", _damping)[having.rows]
    worth = np.array(query.weights)[having.words] * having.often / (having.often + damping)
    total: Column = np.asarray(np.bincount(having.rows, worth, len(columns.handles)), np.float64)
    return total / weight


def _damping(columns: Columns) -> Column:
    return K1 * (1 - B + B * columns.lengths.astype(np.float64) / LENGTH)


def has_all(query: Query, columns: Columns, having: Having) -> Flags:
    """Which memories have every word of the query, however long they are."""
    return _have_all(columns, having, len(query.terms))


def _have_all(columns: Columns, having: Having, count: int) -> Flags:
    """Which memories have so many words, which is all of them."""
    if not count or len(having.rows) < count:
        return np.zeros(len(columns.handles), np.bool_)
    all_of_them: Flags = np.bincount(having.rows, minlength=len(columns.handles)) == count
    return all_of_them


def meant(query: Query, columns: Columns, at: Numbers | None = None) -> Column:
    """How near the meaning of each is to the query's, of 1; or of those `at` some rows. The products are whole numbers,
    so they are exact."""
    if query.vector is None or columns.vectors.shape[1] != len(query.vector):
        return np.zeros(len(columns.handles if at is None else at))
    found = products(columns.vectors if at is None else columns.vectors[at], query.vector)
    np.maximum(found, 0, out=found)
    found /= ONE
    return found


def are_many(columns: Columns) -> bool:
    """Whether so many are shown that their meaning is first looked at roughly. What is not shown does not count."""
    return columns.rough is not None and columns.count >= ROUGH_FROM


def meant_roughly(query: Query, columns: Columns) -> Column:
    """The same by the first numbers alone, as if the rest were like them: to choose whom to look at closely."""
    rough, vector = columns.rough, query.vector
    if rough is None or vector is None or columns.vectors.shape[1] != len(vector):
        return meant(query, columns)
    first = vector[: rough.shape[1]]
    share = float(products(first[None], first)[0]) / float(products(vector[None], vector)[0])
    near: Column = np.maximum(products(rough, first), 0) / (ONE * share or 1.0)
    return near


class Seen:
    """The memories of one rack that may be seen, in the order in which they were written, or those of them that matter
    with their neighbours: what the features are worked out over. Nothing in it depends on a query but which they are,
    and none of its columns is ever changed."""

    def __init__(self, columns: Columns, at: Numbers, place: Numbers) -> None:
        self.columns, self.at, self.place = columns, at, place
        self._same: dict[int, Flags] = {}

    @cached_property
    def _is_all(self) -> bool:
        """Whether these are all rows of the rack, in their order."""
        return len(self.at) == len(self.columns.handles) and bool((self.at[1:] > self.at[:-1]).all())

    def of(self, column: Column) -> Column:
        """What a column over the rack says of these. Not to be changed: most often it is the column itself."""
        return column if self._is_all else column[self.at]

    @cached_property
    def traits(self) -> Numbers:
        return self.columns.traits[self.at]

    @cached_property
    def talk(self) -> Numbers:
        """The conversation in which each is said, by number; -1: in none."""
        return _talks(self.columns.days[self.at], self.columns.in_talk[self.at])

    @cached_property
    def is_talk(self) -> bool:
        """Whether any is said in a conversation."""
        return self.columns.once("talk", lambda one: bool(one.in_talk[one.shown].any())) and bool(
            (self.talk >= 0).any()
        )

    @cached_property
    def lengths(self) -> Column:
        return self.columns.lengths[self.at].astype(np.float64)

    @cached_property
    def alone(self) -> Column | float:
        """1 for those that are said in no conversation."""
        return (self.talk < 0).astype(np.float64) if self.is_talk else 1.0

    @cached_property
    def asks(self) -> Column | None:
        """1 for questions; `None` where there are none."""
        if not self.columns.once("asks", lambda one: bool((one.traits[one.shown] & int(Trait.QUESTION)).any())):
            return None
        asks = self.has(Trait.QUESTION)
        return asks.astype(np.float64) if asks.any() else None

    @cached_property
    def bareness(self) -> Column | None:
        """How little a question tells. `None`: there are no questions."""
        return None if self.asks is None else self.asks * np.clip(2 * (1 - self.lengths / BARE), 0, 1)

    @cached_property
    def importance(self) -> Column:
        importance: Column = self.columns.once("importance", lambda one: importance_in(one.traits))[self.at]
        return importance

    @cached_property
    def use(self) -> Column | None:
        """How much of use each was; `None` where none was."""
        use = self.columns.once("use", lambda one: _unless_none(use_in(one.traits) * one.shown))
        return None if use is None else use[self.at]

    @cached_property
    def shortness(self) -> Column:
        return LENGTH / (LENGTH + self.lengths)

    def has(self, trait: Trait) -> Flags:
        return (self.traits & int(trait)) > 0

    def is_kind(self, wanted: Trait) -> Flags:
        """Which are of a kind that is asked for. What is said in no conversation names whom it is about, so a name in
        it is no sign of an answer."""
        if Trait.NAME not in wanted:
            return self.has(wanted)
        others = self.has(wanted & ~Trait.NAME)
        return others | (self.has(Trait.NAME) & (self.talk >= 0)) if self.is_talk else others

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


def _unless_none(column: Column) -> Column | None:
    return column if column.any() else None


def _talks(days: Numbers, in_talk: Flags) -> Numbers:
    """Conversations by number: those that follow each other on one day. What is not said in one stands alone, at -1."""
    begins = np.ones(len(days), np.bool_)
    begins[1:] = (days[1:] != days[:-1]) | ~in_talk[:-1]
    return np.where(in_talk, np.cumsum(begins), -1)


def features(query: Query, seen: Seen, words: Column, meaning: Column) -> dict[Feature, Column]:
    """Every feature that is known before all are weighed."""
    nothing, found = np.zeros(len(words)), signs(query, seen, words, meaning)
    return {feature: found.get(feature, nothing) for feature in Feature if feature not in WHEN_WEIGHED}


def signs(query: Query, seen: Seen, words: Column, meaning: Column) -> dict[Feature, Column]:
    """The features that there are any signs of; the others are 0 for all, whatever the query."""
    found = {Feature.WORDS: words, Feature.MEANING: meaning, Feature.IMPORTANCE: seen.importance}
    if seen.use is not None:
        found[Feature.USE] = seen.use
    if seen.is_talk:
        found[Feature.AROUND] = np.maximum(seen.best_beside(words, BEFORE, AFTER) - words, 0)
        found[Feature.MEANING_AROUND] = seen.best_beside(meaning, MEANING_NEAR, MEANING_NEAR)
    if seen.asks is not None and seen.bareness is not None:
        found[Feature.ANSWERS] = seen.beside(words * seen.asks, 1)
        found[Feature.BARE_QUESTION] = seen.bareness
    if query.speakers:
        found[Feature.WHO] = _who(query, seen)
    if query.about:
        found[Feature.ABOUT] = concerns(query, seen.columns.handles[seen.at])
    if query.days:
        found[Feature.DATE] = dated(query, seen.columns.days[seen.at])
    if query.wants:
        found[Feature.KIND] = seen.is_kind(query.wants) * seen.shortness
    if query.is_request:
        found[Feature.STANDING] = seen.has(Trait.STANDING).astype(np.float64)
    if query.wants_type:
        found[Feature.TYPE] = is_type_in(seen.traits, query.wants_type) * 1.0
    return found


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


def concerns(query: Query, handles: Numbers) -> Column:
    """1 for those that are about whom the query names."""
    return np.isin(handles, np.array(sorted(query.about), np.int64)).astype(np.float64)


def dated(query: Query, days: Numbers) -> Column:
    """How near each day is to those that the query names. Many memories share few days: each day is looked at once."""
    first, last = _span(days)
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
