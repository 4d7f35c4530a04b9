"""Computes the features of memories for a query, each a column over the memories that may be seen.

A feature is 0 where its signal is absent and about 1 at most, and has one weight, so that a score is a sum of shares
that can be explained. Only memories that are shown count: a neighbour in a conversation is the next one that may be
seen. (`newer_value` alone is found later, among the best memories of a layer: `recall/newer_values.py`.)
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from memfort.capture.turns import Trait
from memfort.model.results import Feature
from memfort.recall.bind_query import BoundQuery, Matches, day_span, has_word_count
from memfort.recall.packed_weight import unpack_importance, unpack_lifetimes, unpack_use
from memfort.recall.replaced import Links, find_links
from memfort.recall.units import Column, Units, find_units
from memfort.store.port.values.columns import ROUGH_FROM, Columns, Flags, Numbers, distinct, products

K1, B = 0.9, 0.9
LENGTH = 60.0  # words: the scale of length, whatever else is in the store
LONGEST = 400  # words: a longer text has many subjects, and a word says no less of it than of one so long
PASSAGE = 120  # words
WORDS_DECAY_BEFORE = (0.8, 0.65, 0.5)  # the weight of words one, two, three turns earlier
WORDS_DECAY_AFTER = (0.6, 0.5, 0.35)  # and one, two, three turns later
MEANING_DECAY = (0.8, 0.65)  # the same for meaning, in both directions
SHORT_QUESTION = 20.0  # words: a shorter question has little content, one shorter than half of it none
DAYS_SCALE = 10.0  # people report events some days later
UNIT = 127.0 * 127.0  # the product of a vector with itself


def score_words(query: BoundQuery, columns: Columns, matches: Matches) -> Column:
    """The share of the query's words in each memory, from 0 to 1, weighted by rarity. In a long text a word counts
    less."""
    return _score_words(query, columns, matches, columns.once("damping", _damping))


def score_words_of_passages(query: BoundQuery, columns: Columns, matches: Matches) -> Column | None:
    """The same of very long texts as if each were a passage; 0 for the others. `None`: there are none. A word counts
    less in a long text because it says less of the whole, but one passage of it may be all that was asked for."""
    is_long = columns.once("very long", _very_long)
    if is_long is None:
        return None
    passage = np.full(len(columns.handles), K1 * (1 - B + B * PASSAGE / LENGTH))
    return _score_words(query, columns, matches, passage) * is_long


def _score_words(query: BoundQuery, columns: Columns, matches: Matches, damping: Column) -> Column:
    weight = sum(query.weights)
    if not weight:
        return np.zeros(len(columns.handles))
    damping = damping[matches.rows]
    worth = np.array(query.weights)[matches.words] * matches.counts / (matches.counts + damping)
    total: Column = np.asarray(np.bincount(matches.rows, worth, len(columns.handles)), np.float64)
    return total / weight


def _damping(columns: Columns) -> Column:
    return K1 * (1 - B + B * np.minimum(columns.lengths, LONGEST).astype(np.float64) / LENGTH)


def _very_long(columns: Columns) -> Flags | None:
    is_long: Flags = columns.lengths > LONGEST
    return is_long if is_long.any() else None


def has_every_word(query: BoundQuery, columns: Columns, matches: Matches) -> Flags:
    """Which memories have every word of the query, however long they are."""
    return has_word_count(columns, matches, len(query.terms))


def score_meaning(query: BoundQuery, columns: Columns, at: Numbers | None = None) -> Column:
    """The similarity of each memory's vector to the query's, up to 1; or only of the rows `at`. The products are of
    whole numbers, so they are exact."""
    if query.vector is None or columns.vectors.shape[1] != len(query.vector):
        return np.zeros(len(columns.handles if at is None else at))
    found = products(columns.vectors if at is None else columns.vectors[at], query.vector)
    np.maximum(found, 0, out=found)
    found /= UNIT
    return found


def is_large(columns: Columns) -> bool:
    """Whether so many memories are shown that their meaning is estimated first. Hidden ones do not count."""
    return columns.rough is not None and columns.count >= ROUGH_FROM


def estimate_meaning(query: BoundQuery, columns: Columns) -> Column:
    """The same by the first numbers of each vector, as if the rest were like them: to choose which to compare
    exactly."""
    rough, vector = columns.rough, query.vector
    if rough is None or vector is None or columns.vectors.shape[1] != len(vector):
        return score_meaning(query, columns)
    first = vector[: rough.shape[1]]
    share = float(products(first[None], first)[0]) / float(products(vector[None], vector)[0])
    near: Column = np.maximum(products(rough, first), 0) / (UNIT * share or 1.0)
    return near


class VisibleRows:
    """The memories of one partition group that are weighed, in the order in which they were written: all that may be
    seen, or of many the likeliest with their neighbours. Only that choice depends on a query, and no column is ever
    changed."""

    def __init__(self, columns: Columns, at: Numbers) -> None:
        self.columns, self.at = columns, at
        self._same: dict[int, Flags] = {}

    @cached_property
    def _is_all(self) -> bool:
        """Whether these are all rows of the partition group, in their order."""
        return len(self.at) == len(self.columns.handles) and bool((self.at[1:] > self.at[:-1]).all())

    def select(self, column: Column) -> Column:
        """These rows of a column over the partition group. Not to be changed: most often it is the column itself."""
        return column if self._is_all else column[self.at]

    @cached_property
    def traits(self) -> Numbers:
        return self.columns.traits[self.at]

    @cached_property
    def conversations(self) -> Numbers:
        """The number of the conversation in which each is said; -1: in none."""
        numbers = np.full(len(self.at), -1)
        numbers[self._turns] = _number_conversations(self.columns.days[self.at][self._turns])
        return numbers

    @cached_property
    def _turns(self) -> Numbers:
        """The places of turns among these rows. A note between two turns does not part them."""
        return np.flatnonzero(self.columns.in_talk[self.at])

    @cached_property
    def _turn_places(self) -> Numbers:
        """The place of each turn among all turns that are shown."""
        return self.columns.once("turn places", _turn_places)[self.at][self._turns]

    @cached_property
    def has_conversations(self) -> bool:
        return self.columns.once("has conversations", lambda one: bool(one.in_talk[one.shown].any())) and bool(
            (self.conversations >= 0).any()
        )

    @cached_property
    def lengths(self) -> Column:
        return self.columns.lengths[self.at].astype(np.float64)

    @cached_property
    def is_standalone(self) -> Column | float:
        """1 for those that are said in no conversation."""
        return (self.conversations < 0).astype(np.float64) if self.has_conversations else 1.0

    @cached_property
    def is_question(self) -> Column | None:
        """1 for questions; `None` where there are none."""
        if not self.columns.once("questions", lambda one: bool((one.traits[one.shown] & int(Trait.QUESTION)).any())):
            return None
        questions = self.has_trait(Trait.QUESTION)
        return questions.astype(np.float64) if questions.any() else None

    @cached_property
    def short_questions(self) -> Column | None:
        """1 for short questions, less for longer ones; `None`: there are no questions."""
        if self.is_question is None:
            return None
        return self.is_question * np.clip(2 * (1 - self.lengths / SHORT_QUESTION), 0, 1)

    @cached_property
    def importance(self) -> Column:
        importance: Column = self.columns.once("importance", lambda one: unpack_importance(one.traits))[self.at]
        return importance

    @cached_property
    def use(self) -> Column | None:
        """How useful each was; `None` where none was used."""
        use = self.columns.once("use", lambda one: _none_if_zero(unpack_use(one.traits) * one.shown))
        return None if use is None else use[self.at]

    @cached_property
    def lifetimes(self) -> Column | None:
        """After how many days each has faded, 0 for never; `None` where none fades."""
        lifetimes = self.columns.once("lifetimes", lambda one: _none_if_zero(unpack_lifetimes(one.traits) * one.shown))
        return None if lifetimes is None else lifetimes[self.at]

    @cached_property
    def units(self) -> Units | None:
        """The turns among these rows with the statements taken from them; `None` where there are none."""
        return find_units(self.columns, self.at)

    @cached_property
    def links(self) -> Links | None:
        """The statements among these rows that may replace another of them; `None` where there are none."""
        return find_links(self.columns, self.at)

    @cached_property
    def is_observed_turn(self) -> Flags:
        """Which are turns of an observed conversation, and not texts that are written like one."""
        turns: Flags = self.columns.in_talk[self.at] & (self.columns.turns[self.at] != 0)
        return turns

    def turns_by(self, speakers: frozenset[int]) -> Numbers:
        """The places of the observed turns of these speakers."""
        return np.flatnonzero(self.is_observed_turn & np.isin(self.columns.speakers[self.at], sorted(speakers)))

    @cached_property
    def shortness(self) -> Column:
        return LENGTH / (LENGTH + self.lengths)

    def has_trait(self, trait: Trait) -> Flags:
        return (self.traits & int(trait)) > 0

    def has_wanted_trait(self, wanted: Trait) -> Flags:
        """Which memories have a kind of thing that is asked for. A statement outside any conversation names its
        subject, so a name in it does not indicate an answer."""
        if Trait.NAME not in wanted:
            return self.has_trait(wanted)
        others = self.has_trait(wanted & ~Trait.NAME)
        return others | (self.has_trait(Trait.NAME) & (self.conversations >= 0)) if self.has_conversations else others

    def neighbour_values(self, values: Column, steps: int) -> Column:
        """The value of the turn so many steps before each (or after, below 0) in the same conversation; else 0."""
        out, size, turns = np.zeros(len(values)), abs(steps), self._turns
        if not self.has_conversations or size >= len(turns):
            return out
        same, spoken = self._is_same_conversation(size), values[turns]
        if steps > 0:
            out[turns[size:]] = spoken[:-size] * same
        else:
            out[turns[:-size]] = spoken[size:] * same
        return out

    def _is_same_conversation(self, size: int) -> Flags:
        """Which of those that many steps apart are in the same conversation."""
        if size not in self._same:
            numbers, places = self.conversations[self._turns], self._turn_places
            self._same[size] = (numbers[size:] == numbers[:-size]) & (places[size:] - places[:-size] == size)
        return self._same[size]

    def best_neighbour(self, values: Column, before: Sequence[float], after: Sequence[float]) -> Column:
        """The best of the neighbours' values, each counting less the farther away it is."""
        out = np.zeros(len(values))
        if not self.has_conversations:
            return out
        for step, decay in enumerate(before, start=1):
            np.maximum(out, decay * self.neighbour_values(values, step), out=out)
        for step, decay in enumerate(after, start=1):
            np.maximum(out, decay * self.neighbour_values(values, -step), out=out)
        return out


def _none_if_zero(column: Column) -> Column | None:
    return column if column.any() else None


def _number_conversations(days: Numbers) -> Numbers:
    """Turns that follow each other on one day are one conversation."""
    begins = np.ones(len(days), np.bool_)
    begins[1:] = days[1:] != days[:-1]
    return np.cumsum(begins)


def _turn_places(columns: Columns) -> Numbers:
    places = np.zeros(len(columns.handles), np.int64)
    places[columns.at] = np.cumsum(columns.in_talk[columns.at])
    return places


def compute_features(query: BoundQuery, rows: VisibleRows, words: Column, meaning: Column) -> dict[Feature, Column]:
    """The features that are not 0 for every memory; missing ones are 0."""
    found = {Feature.WORDS: words, Feature.MEANING: meaning, Feature.IMPORTANCE: rows.importance}
    if rows.use is not None:
        found[Feature.USE] = rows.use
    if rows.has_conversations:
        nearby = rows.best_neighbour(words, WORDS_DECAY_BEFORE, WORDS_DECAY_AFTER)
        found[Feature.NEARBY_WORDS] = np.maximum(nearby - words, 0)
        nearby = rows.best_neighbour(meaning, MEANING_DECAY, MEANING_DECAY)
        found[Feature.NEARBY_MEANING] = np.where(rows.is_standalone, MEANING_DECAY[0] * meaning, nearby)
    else:
        found[Feature.NEARBY_MEANING] = MEANING_DECAY[0] * meaning
    if rows.is_question is not None and rows.short_questions is not None:
        found[Feature.FOLLOWS_QUESTION] = rows.neighbour_values(words * rows.is_question, 1)
        found[Feature.SHORT_QUESTION] = rows.short_questions
    if query.speakers:
        found[Feature.SPEAKER] = _score_speakers(query, rows)
    if query.about:
        found[Feature.ABOUT] = _score_about(query, rows)
    if query.days:
        found[Feature.DATE] = score_known_dates(query, rows.columns, rows.at)
    if query.wanted_traits:
        found[Feature.ANSWER_KIND] = rows.has_wanted_trait(query.wanted_traits) * rows.shortness
    if query.today and rows.lifetimes is not None:
        fading = score_fading(rows.columns.days[rows.at], rows.lifetimes, query.today)
        found[Feature.FADE] = fading * rows.is_standalone  # a turn is a record of what was said, and keeps its rank
    if query.is_request:
        found[Feature.INSTRUCTION] = rows.has_trait(Trait.INSTRUCTION).astype(np.float64)
    return found


def _score_speakers(query: BoundQuery, rows: VisibleRows) -> Column:
    """1 for turns of the speakers that the query asks about, and less in a conversation of many speakers: in a group,
    others speak about a person too."""
    speakers, conversations = rows.columns.speakers[rows.at], rows.conversations
    known = (conversations >= 0) & (speakers != 0)
    others = np.ones(len(speakers))
    if known.any():
        names, speaker = np.unique(speakers[known], return_inverse=True)
        pairs = distinct(conversations[known] * len(names) + speaker)
        sizes = np.bincount(pairs // len(names), minlength=int(conversations.max()) + 1)
        in_one = conversations >= 0
        others[in_one] = np.maximum(1, sizes[conversations[in_one]] - 1)
    return np.isin(speakers, sorted(query.speakers)) / others


def _score_about(query: BoundQuery, rows: VisibleRows) -> Column:
    """The same for rows, and 1 for all turns of the speakers that the query asks about: not only for those of which a
    statement was kept."""
    about = score_about(query, rows.columns.handles[rows.at])
    if query.speakers:
        about[rows.turns_by(query.speakers)] = 1
    return about


def score_about(query: BoundQuery, handles: Numbers) -> Column:
    """1 for the memories about people that the query names."""
    return np.isin(handles, np.array(sorted(query.about), np.int64)).astype(np.float64)


def score_known_dates(query: BoundQuery, columns: Columns, at: Numbers | None = None) -> Column:
    """How near each memory is to the days that the query names: by the day it was said or by the day of its event,
    whichever is nearer."""
    days, event_days = (columns.days, columns.event_days) if at is None else (columns.days[at], columns.event_days[at])
    said = score_dates(query, days)
    return np.maximum(said, score_dates(query, event_days)) if event_days.any() else said


def score_fading(days: Numbers, lifetimes: Column, today: int) -> Column:
    """How far each has faded, up to 1: a half when its lifetime is over, and more and more slowly after that."""
    fading = np.zeros(len(lifetimes))
    at = np.flatnonzero(lifetimes > 0)  # few do
    days, lifetimes = days[at], lifetimes[at]
    ages = np.maximum(today - days, 0) * (days > 0)
    fading[at] = ages / np.maximum(ages + lifetimes, 1)
    return fading


def score_dates(query: BoundQuery, days: Numbers) -> Column:
    """How near each day is to those that the query names. Many memories share few days: each day is computed once."""
    first, last = day_span(days)
    if last - first >= len(days):
        return _nearness(query, days)
    near: Column = _nearness(query, np.arange(first, last + 1))[np.maximum(days - first, 0)] * (days > 0)
    return near


def was_said_next_day(query: BoundQuery, rows: VisibleRows) -> Flags:
    """Which were said on the day after those that the query names."""
    next_days = np.array([last + 1 for _, last in query.days], np.int64)
    return np.isin(rows.columns.days[rows.at], next_days)


def _nearness(query: BoundQuery, days: Numbers) -> Column:
    near = np.zeros(len(days))
    for first, last in query.days:
        off = np.maximum(np.maximum(first - days, days - last), 0)
        near = np.maximum(near, np.exp(-off / DAYS_SCALE) * (days > 0))
    return near
