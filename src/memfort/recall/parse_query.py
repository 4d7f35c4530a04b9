"""Parses a query: its content words, the people and days that it names, and what kind of thing would answer it.

A query has no syntax: no word of it is an operator. No memory is read here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from functools import cached_property, lru_cache
from itertools import combinations
from typing import Any, TypeVar

from msgspec import Struct

from memfort.capture.turns import SELF_ROLES, Trait
from memfort.language.attributes import attribute_term, name_attribute, nouns
from memfort.language.concepts import concepts_by_word
from memfort.language.dates.asked_days import AskedDays
from memfort.language.dates.event_references import EventReference, find_event_reference, side_words
from memfort.language.dates.relative import Days
from memfort.language.language import english
from memfort.language.normalise import compile_set, plain
from memfort.language.words import (
    ASSISTANTS,
    TermGroup,
    content_words,
    identifier_words,
    is_content_word,
    query_languages,
    query_terms,
    split_words,
    stem_word,
    word_groups,
)
from memfort.recall.question_phrases import strip_question_phrase

LONGEST_READ = 4_000  # characters: what is read of a query takes a few milliseconds, however long it is

_Person = TypeVar("_Person")


class ParsedQuery(Struct, frozen=True, dict=True):
    words: tuple[str, ...]  # folded, in order; any of them may be a name
    is_about_asker: bool  # it says I, my, we
    is_about_assistant: bool  # it asks what the assistant has said: "What did you suggest?"
    wanted_traits: Trait  # the kinds of thing that would answer it
    is_request: bool  # for help or advice, rather than for what was said
    text: str
    languages: tuple[str, ...] | None  # that it may be in; `None`: it does not show
    asks_current_value: bool = False  # for a present value, not for the past or the course of events

    def terms(self, names: frozenset[str], languages: Sequence[str]) -> list[TermGroup]:
        """Its distinct words in a fixed order, without these names unless there is nothing else, in these languages;
        then those that stand for a concept once more, with the terms of the concept."""
        without = () if self.content_words <= names else names
        groups = query_terms(self._subject, languages, without, self.content_words)
        named = [(*group, *self._attribute_terms.get(group[0], ())) for group in groups]
        return [*named, *((*group, *self._concepts[group[0]]) for group in named if group[0] in self._concepts)]

    @cached_property
    def _concepts(self) -> dict[str, TermGroup]:
        """The terms of its words that stand for a concept, each with the terms of its concepts: a statement that is
        about the same has these, in whatever words."""
        found: dict[str, TermGroup] = {}
        for word, terms in concepts_by_word(self.text).items():
            for (term, *_), _ in word_groups(word):
                found[term] = tuple(dict.fromkeys((*found.get(term, ()), *terms)))
        return found

    @cached_property
    def _attribute_terms(self) -> dict[str, TermGroup]:
        """The stems of the nouns for attributes in it, each with the term of a statement of that attribute. A question
        of the asker's own is answered by what people say of themselves."""
        found = {word: nouns()[word] for word in self.words if word in nouns()}
        return {stem_word(word): (attribute_term(name, is_own=self.is_about_asker),) for word, name in found.items()}

    def lacks_content(self, names: frozenset[str]) -> bool:
        """Whether it has only names and days, or asks for everything said by them or on them."""
        known = names | {word for found in self._asked_days.phrases for word in split_words(found)}
        return self.content_words <= known or (
            bool(known) and self.content_words - english().query.anything_said <= known
        )

    def embedding_text(self, names: frozenset[str], series: Iterable[str] = (), *, as_sentence: bool = False) -> str:
        """The text that its meaning is taken from: without these names, and without stop words unless it is to be read
        as a sentence. Empty if it names only a number, an error code, an address or the like, since what resembles one
        is another one. So is what has only a word of a `series` of codes, which every code of the series has."""
        identifiers = identifier_words(self.text) + Counter(series)
        remaining, words = identifiers.copy(), split_words(self._subject)  # each word of an identifier is removed once
        kept = [word for word in words if not _take(remaining, word)] if identifiers else words
        content = [word for word in kept if word in self.content_words]
        content = content or ([] if len(kept) < len(words) else kept)
        chosen = [word for word in content if word not in names] or content
        if all(map(_has_digit, chosen)):
            return ""
        if not as_sentence:
            return " ".join(chosen)
        return self._sentence(names if self.content_words - names else frozenset(), identifiers)

    def _sentence(self, names: frozenset[str], identifiers: Counter[str]) -> str:
        """It as it is written, without these names and without the words of identifiers."""

        def keep(match: re.Match[str]) -> str:
            words = split_words(match.group(1))
            is_removed = bool(words) and all(word in names or _take(identifiers, word) for word in words)
            return "" if is_removed else match.group(0)

        text = _WRITTEN_WORD.sub(keep, self._subject) if names or identifiers else self._subject
        return " ".join(text.split())

    @cached_property
    def _subject(self) -> str:
        """The text without an introductory phrase such as "Tell me about", if that leaves any content word."""
        rest = strip_question_phrase(self.text)
        has_content = rest is self.text or not self.content_words.isdisjoint(split_words(rest))
        return rest if has_content else self.text

    @cached_property
    def content_words(self) -> frozenset[str]:
        return content_words(self.text)

    @property
    def head_stems(self) -> frozenset[str]:
        """The stems of what a value is asked of: the content words that come first after the question word. In "What is
        my monthly budget for books?" they are "monthly" and "budget"."""
        found: list[str] = []
        query = english().query
        start = next((place for place, word in enumerate(self.words) if word in query.question_words), len(self.words))
        for word in self.words[start + 1 :]:
            if word in query.after_how or word == _POSSESSIVE:
                continue
            if is_content_word(word):
                found.append(word)
            elif found:
                break
        return frozenset(map(stem_word, found))

    @cached_property
    def _asked_days(self) -> AskedDays:
        return AskedDays(self.text)

    @property
    def names_days(self) -> bool:
        return bool(self._asked_days.phrases)

    def days(self, years: Iterable[int], today: date | None = None) -> list[Days]:
        """The days that it names: those without a year in each of these, those relative to today only if it is
        given."""
        return self._asked_days.days(years, today)

    @property
    def event_reference(self) -> EventReference | None:
        """The event that it tells time by, if it names no day: "before the move"."""
        return (
            None if self.names_days or side_words().keys().isdisjoint(self.words) else find_event_reference(self.text)
        )

    def asks_for_everything_then(self, names: frozenset[str]) -> bool:
        """Whether it tells time by an event and asks for nothing in particular: "What did I do before the move?". Such
        a stretch is long, so a query that asks for something else is not given all of it."""
        if (event := self.event_reference) is None:
            return False
        query = english().query
        known = {*split_words(event.words), *names, *side_words()}
        return self.content_words <= known | query.anything_said | query.anything_done

    def asker_names(self, known: Sequence[str]) -> tuple[str, ...]:
        """Names under which the asker may have spoken, if it is about the asker."""
        return (*sorted(SELF_ROLES), *known) if self.is_about_asker else ()

    @property
    def assistant_names(self) -> tuple[str, ...]:
        """Names under which the assistant may have spoken, if it asks what the assistant has said."""
        return tuple(sorted(ASSISTANTS)) if self.is_about_assistant else ()

    def first_named(self, known: Mapping[str, _Person]) -> _Person | None:
        """Of the persons that words stand for, the one named first: "What Anna told Ben" was said by Anna. `None` if
        the first two are named together, as in "Anna and Ben"."""
        named = [(place, known[word]) for place, word in enumerate(self.words) if word in known]
        if not named:
            return None
        first, person = named[0]
        second = next((place for place, other in named if other != person), len(self.words))
        between = [word for word in self.words[first + 1 : second] if word != _POSSESSIVE and word not in known]
        is_joined = second < len(self.words) and self.content_words.isdisjoint(between)
        return None if is_joined and len(between) <= 1 else person


def first_part(query: str) -> str:
    """The part of a query that is read: its first `LONGEST_READ` characters, without a word that goes on after them."""
    if len(query) <= LONGEST_READ:
        return query
    part = query[:LONGEST_READ]
    if part[-1].isspace() or query[LONGEST_READ].isspace():
        return part
    whole_words, *cut = part.rsplit(maxsplit=1)
    return whole_words if cut else part  # some scripts have no spaces


def parse_query(query: str) -> ParsedQuery:
    query = name_attribute(first_part(query))
    found = frozenset(_forms().Match(plain(query)) or ())
    wanted_traits = _TRAITS_WANTED[found & _TRAIT_FORMS]
    asks_value = int(wanted_traits) & _VALUE_TRAITS > 0 or _WHAT in found
    return ParsedQuery(
        words=tuple(split_words(query)),
        is_about_asker=_ASKER in found,
        is_about_assistant=_ASSISTANT in found,
        wanted_traits=wanted_traits,
        is_request=_REQUEST in found and _REMINDER not in found,
        text=query,
        languages=query_languages(query),
        asks_current_value=(_NOW in found or (_PRESENT in found and asks_value)) and _PAST not in found,
    )


def _has_digit(word: str) -> bool:
    return not word.isalpha() and any(letter.isdigit() for letter in word)


def _take(remaining: Counter[str], word: str) -> bool:
    """Take one of these words out; whether it was still there."""
    remaining[word] -= 1
    return remaining[word] >= 0


def _join_traits(forms: Iterable[int]) -> Trait:
    """The kinds of thing that answer such questions together."""
    traits = Trait(0)
    for form in forms:
        traits |= (Trait.TIME, Trait.NUMBER, Trait.NAME)[form]
    return traits


_VALUE_TRAITS = int(Trait.TIME | Trait.NUMBER)  # as a number, since flags are slow to join
_POSSESSIVE = "s"  # "Anna's flight" is read as three words
# The places of the forms in `_forms`.
_TRAIT_FORMS = frozenset((0, 1, 2))
_ASKER, _REQUEST, _REMINDER, _NOW, _PRESENT, _WHAT, _PAST, _ASSISTANT = range(3, 11)
_TRAITS_WANTED = {
    frozenset(some): _join_traits(some) for count in range(4) for some in combinations(sorted(_TRAIT_FORMS), count)
}
PERSONS = {word: person for person, words in english().query.persons.items() for word in words}
_WRITTEN_WORD = re.compile(r"(\w+)(?:['’]s\b)?")


@lru_cache(maxsize=1)
def _forms() -> Any:
    query = english().query
    forms = (
        query.time_questions,
        query.number_questions,
        query.name_questions,
        query.asker,
        query.requests,
        query.reminders,
        query.now,
        query.present,
        query.present_values,
        query.past,
        query.of_the_assistant,
    )
    return compile_set(rf"\b{form}\b" for form in forms)
