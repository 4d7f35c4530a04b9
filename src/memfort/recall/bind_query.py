"""Binds a parsed query to the memories that can answer it: its words as index terms, with their rarity; the people,
days and vector that it names; and which memories match which word.

Rarity is counted over the memories that are shown. Nothing here weighs or ranks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import date
from functools import cached_property
from typing import NamedTuple

import numpy as np
from msgspec import Struct

from memfort.capture.turns import Trait
from memfort.language.concepts import CONCEPT
from memfort.language.detect import latin_languages
from memfort.language.words import (
    ASSISTANTS,
    CodeWord,
    TermGroup,
    code_inner_term,
    content_terms,
    find_code_words,
    is_piece,
    language_term,
)
from memfort.recall.parse_query import PERSONS, ParsedQuery
from memfort.recall.units import turn_rows
from memfort.recall.values import word_bit
from memfort.store.port.values.columns import Columns, Flags, Numbers, Vectors, distinct

CONCEPT_SHARE = 0.55  # of the weight of a word that stands for a concept
FEWEST = 10  # memories: rarity assumes at least so many, or a word that all have would weigh nothing

Terms = tuple[int, ...]  # the index numbers of the terms that one word is found by
Days = tuple[int, int]  # the first and the last


class SplitCode(NamedTuple):
    """A code as it may be written with spaces, or the first word of a code by itself."""

    place: int  # of the code among the words of the query
    terms: Terms  # a text needs all of them
    inside: int  # the term that a text has as often as another code begins with the same word


class QueryTerms(NamedTuple):
    """The words of a query as index numbers."""

    terms: tuple[Terms, ...]  # for each word, the terms by any of which it is found
    split_codes: tuple[SplitCode, ...]

    @property
    def all_terms(self) -> tuple[Terms, ...]:
        if not self.split_codes:
            return self.terms
        parts: dict[int, Terms] = {}
        for one in self.split_codes:
            parts[one.place] = (*parts.get(one.place, ()), *one.terms, one.inside)
        return tuple((*group, *parts.get(place, ())) for place, group in enumerate(self.terms))


class Matches(NamedTuple):
    """Which of the memories shown have which word of a query, word after word and row after row."""

    rows: Numbers
    counts: Numbers
    words: Numbers  # the places of the words in the query


class NamedPeople(Struct, frozen=True):
    """The people that a query names and the asker knows: the memories about them, and the words that name them."""

    handles: frozenset[int] = frozenset()
    words: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()  # that it calls them by, as far as such a word is always a name
    speakers: tuple[
        tuple[str, frozenset[str]], ...
    ] = ()  # the names they speak under, each with the words that name it


NO_PEOPLE = NamedPeople()


class QueryContext(Struct, frozen=True):
    """What binding needs besides the query and the columns."""

    number: Callable[[str], int]  # the number of a term in the index
    embed: Callable[[str], Vectors | None]
    asker_names: Sequence[str] = ()
    today: date | None = None  # what "last week" is counted from
    people: NamedPeople = NO_PEOPLE
    embeds_sentences: bool = False  # whether the embedder reads more than single words


class BoundQuery(Struct, frozen=True, kw_only=True):
    """A query bound to the memories that may be seen."""

    terms: tuple[Terms, ...]  # for each word, the terms it is found by
    weights: tuple[float, ...]  # the rarity of each word
    matches: tuple[Matches, ...]  # for each of the columns
    speakers: frozenset[int]  # the speakers that it asks about
    about: frozenset[int]  # the handles of memories about people that it names, and of memories with their names
    days: tuple[Days, ...]  # that it names, or those before or after an event that it names
    vector: Vectors | None
    wanted_traits: Trait  # the kinds of thing that would answer it: a time, a number, a name
    is_request: bool  # it asks for something to be done
    share_in_pieces: float  # the share of it, by weight, in a script that is cut into pieces
    lacks_content: bool  # it has only names and days
    asks_current_value: bool = False  # it asks for a present value, not for the past or the course of events
    names_days: bool = False  # statements of such a day match, whatever their words
    word_bits: tuple[int, ...] = ()  # for each word, the bit that marks it beside a value, if a value is asked for
    head_words: frozenset[int] = frozenset()  # the places of the words that a value is asked of
    today: int = 0  # the day on which it is asked; 0: not known
    is_about_asker: bool = False  # it says I, my, we, and does not tell time by an event: "before the flood"
    is_about_speakers: bool = False  # it is about those who speak here, or about the asker
    lowered: frozenset[int] = frozenset()  # the speakers whose turns rank lower: assistants it does not ask about


def bind_query(parsed: ParsedQuery, columns: Sequence[Columns], context: QueryContext) -> BoundQuery:
    return _Binder(parsed, columns, context).bind()


class _Binder:
    def __init__(self, parsed: ParsedQuery, columns: Sequence[Columns], context: QueryContext) -> None:
        self._parsed, self._columns, self._context = parsed, columns, context
        self._number = context.number

    def bind(self) -> BoundQuery:
        parsed, context = self._parsed, self._context
        lacks_content = parsed.lacks_content(self._names | context.people.words)
        groups, terms, matches = self._find_matches()
        weights = _share_with_concepts(groups, self._rarities(len(terms), matches))
        heads = parsed.head_stems if parsed.asks_current_value else frozenset[str]()
        days = self._days()
        text = parsed.embedding_text(self._names, self._series_words(), as_sentence=context.embeds_sentences)
        pieces = sum(weight for weight, group in zip(weights, groups, strict=True) if is_piece(group[0]))
        speakers = self._speakers(lacks_content=lacks_content)
        return BoundQuery(
            terms=terms,
            weights=weights,
            matches=matches,
            speakers=speakers,
            about=context.people.handles | self._handles_naming(context.people.names),
            days=days,
            vector=context.embed(text) if text else None,
            wanted_traits=parsed.wanted_traits,
            is_request=parsed.is_request,
            share_in_pieces=pieces / (sum(weights) or 1),
            lacks_content=lacks_content,
            asks_current_value=parsed.asks_current_value,
            names_days=parsed.names_days or (bool(days) and parsed.asks_for_everything_then(self._names)),
            word_bits=tuple(word_bit(group[0]) for group in groups) if parsed.asks_current_value else (),
            head_words=frozenset(place for place, group in enumerate(groups) if group[0] in heads),
            today=0 if context.today is None else context.today.toordinal(),
            is_about_asker=parsed.is_about_asker and parsed.event_reference is None,
            is_about_speakers=parsed.is_about_asker or bool(self._names),
            lowered=frozenset() if parsed.is_about_assistant or parsed.is_request else self._assistants - speakers,
        )

    # -- people ----------------------------------------------------------------------------------------------------

    @cached_property
    def _voices(self) -> frozenset[int]:
        """Every speaker of the memories shown."""
        return frozenset().union(*(one.once("voices", _voices_in) for one in self._columns)) - {0}

    @cached_property
    def _assistants(self) -> frozenset[int]:
        return self._voices.intersection(map(self._number, ASSISTANTS))

    @cached_property
    def _named_speakers(self) -> dict[str, frozenset[int]]:
        """The words of the query that name speakers, with the speakers that each names: by what they are called here,
        or by what the asker calls them."""
        named: dict[str, frozenset[int]] = {}
        if not self._voices:
            return named
        by_word = ((word, self._number(word)) for word in self._parsed.words)
        by_people = ((word, self._number(name)) for name, words in self._context.people.speakers for word in words)
        for word, voice in (*by_word, *by_people):
            if voice in self._voices:
                named[word] = named.get(word, frozenset()) | {voice}
        return named

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(self._named_speakers)

    def _speakers(self, *, lacks_content: bool) -> frozenset[int]:
        """The speakers that the query asks about. If it names every speaker, the first name counts: "What Anna told
        Ben" was said by Anna. "What you told me" may be in the turns of either."""
        parsed, named = self._parsed, self._named_speakers
        roles = {"i": parsed.asker_names(self._context.asker_names), "you": parsed.assistant_names}
        persons = {role: self._voices.intersection(map(self._number, names)) for role, names in roles.items()}
        speakers = frozenset[int]().union(*named.values(), *persons.values())
        if lacks_content or not self._voices <= speakers:
            return speakers
        if not named:
            return frozenset()
        pronouns = {word: persons[role] for word, role in PERSONS.items() if persons[role]}
        return parsed.first_named({**pronouns, **named}) or frozenset()

    def _handles_naming(self, names: frozenset[str]) -> frozenset[int]:
        """The memories that name somebody so. The first ones about a person are older than the person's record and do
        not point to it, but they are no less about the person. In a conversation the name of a speaker addresses
        them."""
        found: set[int] = set()
        for name in names:
            terms = self._query_terms(content_terms(name, self._languages))
            for one in self._columns if terms.terms else ():
                has_name = has_word_count(one, find_matches(one, *terms), len(terms.terms))
                if not self._names.isdisjoint(name.split()):
                    has_name &= ~one.in_talk
                found.update(one.handles[has_name].tolist())
        return frozenset(found)

    # -- words -----------------------------------------------------------------------------------------------------

    @cached_property
    def _languages(self) -> Sequence[str]:
        """The languages that the query may be in, else those other than English of what is shown, in a fixed order."""
        if self._parsed.languages is not None:
            return self._parsed.languages
        found = [one.once("languages", self._languages_in) for one in self._columns]
        return (
            found[0]
            if len(found) == 1
            else tuple(name for name in latin_languages() if any(name in known for known in found))
        )

    def _languages_in(self, columns: Columns) -> tuple[str, ...]:
        known = latin_languages()
        matches = find_matches(columns, [(self._number(language_term(name)),) for name in known])
        return tuple(known[place] for place in distinct(matches.words).tolist())

    def _find_matches(self) -> tuple[list[TermGroup], tuple[Terms, ...], tuple[Matches, ...]]:
        """The words of the query, the same as index numbers, and which memories have them.

        In a conversation the name of a speaker addresses them, so it is not a word of the query there, nor in what was
        taken from a turn; in a statement outside any conversation it names the subject, so it is.
        """
        groups = self._parsed.terms(self._names, self._languages)
        numbered = self._query_terms(groups)
        terms = numbered.all_terms
        matches = [find_matches(one, *numbered) for one in self._columns]
        names = self._parsed.terms(frozenset(), self._languages) if self._names else []
        names = [group for group in names if group not in groups]
        if not names:
            return groups, terms, tuple(matches)
        name_terms = tuple(tuple(map(self._number, group)) for group in names)
        by_name = [_outside_conversations(one, find_matches(one, name_terms)) for one in self._columns]
        met = sorted({place for one in by_name for place in one.words.tolist()})
        places = {place: len(groups) + no for no, place in enumerate(met)}
        moved = [
            one._replace(words=np.array([places[place] for place in one.words.tolist()], np.int64)) for one in by_name
        ]
        both = [Matches(*map(np.concatenate, zip(*pair, strict=True))) for pair in zip(matches, moved, strict=True)]
        return [*groups, *(names[place] for place in met)], (*terms, *(name_terms[place] for place in met)), tuple(both)

    def _query_terms(self, groups: Sequence[TermGroup]) -> QueryTerms:
        terms = tuple([tuple([self._number(term) for term in group if " " not in term]) for group in groups])
        codes = [self._split_code(place, term) for place, group in enumerate(groups) for term in group if " " in term]
        return QueryTerms(terms, tuple(codes))

    def _split_code(self, place: int, term: str) -> SplitCode:
        *parts, last = term.split()
        if not last.endswith("-"):
            parts, last = [*parts, last], code_inner_term(parts[0])
        return SplitCode(place, tuple(map(self._number, parts)), self._number(last))

    def _rarities(self, count: int, matches: Sequence[Matches]) -> tuple[float, ...]:
        memories = max(FEWEST, sum(one.count for one in self._columns))
        frequencies = sum((np.bincount(one.words, minlength=count) for one in matches), np.zeros(count, np.int64))
        return tuple(math.log1p((memories - often + 0.5) / (often + 0.5)) for often in frequencies.tolist())

    def _series_words(self) -> list[str]:
        """The words of the query's codes by which other codes in sight are numbered too. A vector near such a word
        could be about any of them."""
        return [
            one.word
            for one in find_code_words(self._parsed.text)
            if any(self._has_other_codes(columns, one) for columns in self._columns)
        ]

    def _has_other_codes(self, columns: Columns, code: CodeWord) -> bool:
        rows, _ = columns.postings.of(self._number(code.inside))
        others = ~np.isin(rows, columns.postings.of(self._number(code.whole))[0])
        return bool((columns.shown[rows] & others).any())

    # -- days ------------------------------------------------------------------------------------------------------

    def _days(self) -> tuple[Days, ...]:
        """The days that the query names, or those before or after an event that it names."""
        parsed = self._parsed
        if parsed.names_days:
            return tuple(parsed.days(self._years(), self._context.today))
        if (event := parsed.event_reference) is None:
            return ()
        terms = self._query_terms(content_terms(event.words, self._languages, self._names, parsed.content_words))
        day = self._day_of_event(terms) if terms.terms else None
        return () if day is None else (event.side.span_from(day),)

    def _day_of_event(self, terms: QueryTerms) -> int | None:
        """When an event happened: the day of the shortest memory that has all its words and is not a question; of
        equally short ones, the first day."""
        found: list[tuple[int, int]] = []
        for one in self._columns:
            has_all = has_word_count(one, find_matches(one, *terms), len(terms.terms)) & (one.days > 0)
            rows = np.flatnonzero(has_all & ((one.traits & int(Trait.QUESTION)) == 0))
            found += zip(one.lengths[rows].tolist(), one.days[rows].tolist(), strict=True)
        return min(found)[1] if found else None

    def _years(self) -> list[int]:
        """Every year from which there may be memories in sight, and those of their events."""
        spans = [one.once("days", lambda one: day_span(one.days[one.shown])) for one in self._columns]
        known = [span for span in spans if span != (0, 0)]
        if not known:
            return []
        first, last = min(first for first, _ in known), max(last for _, last in known)
        of_events = set().union(*(one.once("event_years", _event_years) for one in self._columns))
        return sorted(of_events.union(range(date.fromordinal(first).year, date.fromordinal(last).year + 1)))


def _share_with_concepts(groups: Sequence[TermGroup], weights: Sequence[float]) -> tuple[float, ...]:
    """The weights of words. One that stands for a concept is there twice, and what is only about the same has a part of
    its weight."""
    twice = {group[0] for group in groups if group[-1].startswith(CONCEPT)}
    return tuple(
        weight * (CONCEPT_SHARE if group[-1].startswith(CONCEPT) else 1 - CONCEPT_SHARE if group[0] in twice else 1)
        for group, weight in zip(groups, weights, strict=True)
    )


def _voices_in(columns: Columns) -> frozenset[int]:
    """Who speaks in what is shown; 0 stands for an unknown speaker."""
    return frozenset(distinct(columns.speakers[columns.shown]).tolist())


def _outside_conversations(columns: Columns, matches: Matches) -> Matches:
    is_said = columns.in_talk | (columns.once("turn rows", turn_rows) >= 0)
    alone = ~is_said[matches.rows]
    return Matches(matches.rows[alone], matches.counts[alone], matches.words[alone])


def _event_years(columns: Columns) -> frozenset[int]:
    days = distinct(columns.event_days[columns.shown])
    return frozenset(date.fromordinal(day).year for day in days[days > 0].tolist())


def day_span(days: Numbers) -> Days:
    """The first and the last of the days that are known."""
    known = days[days > 0]
    return (int(known.min()), int(known.max())) if len(known) else (0, 0)


def has_word_count(columns: Columns, matches: Matches, count: int) -> Flags:
    """Which memories have so many words of the query, which is all of them."""
    if not count or len(matches.rows) < count:
        return np.zeros(len(columns.handles), np.bool_)
    has_all: Flags = np.bincount(matches.rows, minlength=len(columns.handles)) == count
    return has_all


def find_matches(columns: Columns, groups: Sequence[Terms], split_codes: Sequence[SplitCode] = ()) -> Matches:
    """Which of the memories shown have any of the terms of each group, or all those of a split code, and how often they
    have the term that they have most often."""
    rows, counts, sizes = columns.postings.of_all([term for group in groups for term in group])
    places = [place for place, group in enumerate(groups) for _ in group]
    words = np.array(places, np.int64).repeat(sizes)
    for one in split_codes:
        having = _rows_with_code(columns, one)
        rows, counts = np.concatenate((rows, having)), np.concatenate((counts, np.ones(len(having), np.int64)))
        words = np.concatenate((words, np.full(len(having), one.place)))
        places, sizes = [*places, one.place], [*sizes, len(having)]
    if columns.count < len(columns.handles):
        shown = columns.shown[rows]
        rows, counts, words = rows[shown], counts[shown], words[shown]
    found = [place for place, size in zip(places, sizes, strict=True) if size]
    if len(found) == len(set(found)):
        return Matches(rows, counts, words)
    pairs = words * len(columns.handles) + rows
    order = pairs.argsort(kind="stable")
    pairs, counts = pairs[order], counts[order]
    is_first = np.empty(len(pairs), np.bool_)
    is_first[:1] = True
    np.not_equal(pairs[1:], pairs[:-1], out=is_first[1:])
    first = is_first.nonzero()[0]
    at = order[first]
    return Matches(rows[at], np.maximum.reduceat(counts, first) if len(first) else counts, words[at])


def _rows_with_code(columns: Columns, code: SplitCode) -> Numbers:
    """The rows that have all parts of a code, the first of them also outside of other codes."""
    first, *others = code.terms
    rows, counts = columns.postings.of(first)
    inside, times = columns.postings.of(code.inside)
    if len(inside):
        size = len(columns.handles)
        rows = np.flatnonzero(np.bincount(rows, counts, size) > np.bincount(inside, times, size))
    for other in others:
        rows = rows[np.isin(rows, columns.postings.of(other)[0])]
    return rows
