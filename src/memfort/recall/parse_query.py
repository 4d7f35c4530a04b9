"""Parses a query: its content words, the people and days that it names, and what kind of thing would answer it.

A query has no syntax: no word of it is an operator, and none can do anything but find. No memory is looked at here.
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
from memfort.language.dates.event_references import SIDES, EventReference, find_event_reference
from memfort.language.dates.parse import Days, day_phrases, find_days
from memfort.language.normalise import any_of, compile_set, plain
from memfort.language.words import (
    ASSISTANTS,
    TermGroup,
    identifier_words,
    is_content_word,
    query_languages,
    query_terms,
    split_words,
    stem_word,
)
from memfort.recall.question_phrases import strip_question_phrase

_Person = TypeVar("_Person")


class ParsedQuery(Struct, frozen=True, dict=True):
    words: tuple[str, ...]  # folded, in order; any of them may be a name
    is_about_asker: bool  # it says I, my, we
    is_about_assistant: bool  # it asks what the assistant has said: "What did you suggest?"
    wanted_traits: Trait  # the kinds of thing that would answer it
    is_request: bool  # for help or advice, rather than for what was said
    text: str
    languages: tuple[str, ...] | None  # that it may be in; `None`: it does not show
    asks_current_value: bool = False  # for a value that holds now, not for the past or the course of things

    def terms(self, names: frozenset[str], languages: Sequence[str]) -> list[TermGroup]:
        """Its distinct words in a fixed order, without these names unless there is nothing else, in these languages."""
        return query_terms(self._subject, languages, () if self._content_words <= names else names)

    def lacks_content(self, names: frozenset[str]) -> bool:
        """Whether it says nothing but names and days, or asks for whatever was said by them or on them."""
        known = names | {word for found in self._day_phrases for word in split_words(found)}
        return self._content_words <= known or (bool(known) and self._content_words - _ANYTHING_SAID <= known)

    def embedding_text(self, names: frozenset[str], series: Iterable[str] = (), *, as_sentence: bool = False) -> str:
        """The text that its meaning is taken from: without these names, and without stop words unless it is to be read
        as a sentence. Empty if it names only a number, an error code, an address or the like, since what resembles one
        is another one. So is what has only a word of a `series` of codes, which every code of the series has."""
        identifiers = identifier_words(self.text) + Counter(series)
        remaining, words = identifiers.copy(), split_words(self._subject)  # each word of an identifier is removed once
        kept = [word for word in words if not _take(remaining, word)] if identifiers else words
        content = [word for word in kept if word in self._content_words]
        content = content or ([] if len(kept) < len(words) else kept)
        chosen = [word for word in content if word not in names] or content
        if all(map(_has_digit, chosen)):
            return ""
        if not as_sentence:
            return " ".join(chosen)
        return self._sentence(names if self._content_words - names else frozenset(), identifiers)

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
        """The text without the phrase that only asks to be told, if that leaves any content word."""
        rest = strip_question_phrase(self.text)
        has_content = rest is self.text or any(is_content_word(one, self.languages) for one in split_words(rest))
        return rest if has_content else self.text

    @cached_property
    def _content_words(self) -> frozenset[str]:
        return frozenset(word for word in self.words if is_content_word(word, self.languages))

    @property
    def head_stems(self) -> frozenset[str]:
        """The stems of what a value is asked of: the content words that come first after the question word. In "What is
        my monthly budget for books?" they are "monthly" and "budget"."""
        found: list[str] = []
        start = next((place for place, word in enumerate(self.words) if word in _QUESTION_WORDS), len(self.words))
        for word in self.words[start + 1 :]:
            if word in _WORDS_AFTER_HOW or word == _POSSESSIVE:
                continue
            if is_content_word(word):
                found.append(word)
            elif found:
                break
        return frozenset(map(stem_word, found))

    @cached_property
    def _day_phrases(self) -> list[str]:
        return day_phrases(self.text)

    @property
    def names_days(self) -> bool:
        return bool(self._day_phrases)

    def days(self, years: Iterable[int], today: date | None = None) -> list[Days]:
        """The days that it names: those without a year in each of these, those relative to today only if it is
        given."""
        return find_days(self.text, years, today)

    @property
    def event_reference(self) -> EventReference | None:
        """The event that it tells time by, if it names no day: "before the move"."""
        return None if self.names_days or SIDES.isdisjoint(self.words) else find_event_reference(self.text)

    def asks_for_everything_then(self, names: frozenset[str]) -> bool:
        """Whether it tells time by an event and asks for nothing in particular: "What did I do before the move?". Such
        a stretch is long, so a query that asks for something else is not given all of it."""
        if (event := self.event_reference) is None:
            return False
        return self._content_words <= {*split_words(event.words), *names, *SIDES, *_ANYTHING_SAID, *_ANYTHING_DONE}

    def asker_names(self, known: Sequence[str]) -> tuple[str, ...]:
        """Names under which the asker may have spoken, if it is about the asker."""
        return (*sorted(SELF_ROLES), *known) if self.is_about_asker else ()

    @property
    def assistant_names(self) -> tuple[str, ...]:
        """Names under which the assistant may have spoken, if it asks what the assistant has said."""
        return tuple(sorted(ASSISTANTS)) if self.is_about_assistant else ()

    def first_named(self, known: Mapping[str, _Person]) -> _Person | None:
        """Of the persons whom words stand for, the one named first: what Anna told Ben was said by Anna. `None` if the
        first two are named together, as in "Anna and Ben"."""
        named = [(place, known[word]) for place, word in enumerate(self.words) if word in known]
        if not named:
            return None
        first, person = named[0]
        second = next((place for place, other in named if other != person), len(self.words))
        between = [word for word in self.words[first + 1 : second] if word != _POSSESSIVE and word not in known]
        is_joined = second < len(self.words) and not any(is_content_word(word, self.languages) for word in between)
        return None if is_joined and len(between) <= 1 else person


def parse_query(query: str) -> ParsedQuery:
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


# "What did Carol say?", "Tell me everything about Carol": the name is all that is asked for.
_ANYTHING_SAID = frozenset(
    (
        "about",
        "all",
        "anything",
        "everything",
        "mention",
        "mentioned",
        "said",
        "say",
        "says",
        "talk",
        "talked",
        "tell",
        "telling",
        "tells",
        "told",
    )
)


# "What happened before the move?", "What was life like since then?"
_ANYTHING_DONE = frozenset(
    ("done", "from", "going", "happen", "happened", "happening", "happens", "life", "like", "things")
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
_QUESTION_WORDS = frozenset(("what", "which", "when", "where", "how", "who"))
_WORDS_AFTER_HOW = frozenset(("many", "much", "long", "often", "far", "old"))
_POSSESSIVE = "s"  # "Anna's flight" is read as three words
# The places of the forms in `_forms`.
_TRAIT_FORMS = frozenset((0, 1, 2))
_ASKER, _REQUEST, _REMINDER, _NOW, _PRESENT, _WHAT, _PAST, _ASSISTANT = range(3, 11)
_TRAITS_WANTED = {
    frozenset(some): _join_traits(some) for count in range(4) for some in combinations(sorted(_TRAIT_FORMS), count)
}
PERSONS = {"i": "i", "we": "i", "my": "i", "our": "i", "you": "you", "your": "you"}
_WRITTEN_WORD = re.compile(r"(\w+)(?:['’]s\b)?")


# "My first rent", "at first", "what did I have first": not "the deadline of the first sprint", which is any deadline.
_FIRST = any_of(
    "at first",
    r"first\W*$",
    "(?:is|are|am|do|does|has|have|what|which|when|who|how|i|we|you|he|she|they)(?:'s)? "
    "(?:the |my |our |your |his |her |their |its )?(?:very )?first",
)


# What is to be done, said first: "Convert the recipe". Words that are names of things too have one behind them.
_TO_DO = any_of(
    "(?:convert|translate|rewrite|rephrase|paraphrase|write|compose|generate|create|calculate|compute|proofread"
    "|refactor) [^ ]+",
    "(?:draft|design|plan|outline|format|edit|fix|prepare|explain|describe) (?:me|us|a|an|the|this|my|our|it|some)",
)


@lru_cache(maxsize=1)
def _forms() -> Any:
    times = any_of(
        "when", "how long", "how many (?:days|weeks|months|years)", "(?:what|which) (?:date|day|time|year|month)"
    )
    counts = any_of("how (?:many|much|old|often|far|long)", "number of", "percentage", "average")
    names = any_of("who", "whom", "whose", "where", "which", "names?", "called")
    selves = any_of("i", "my", "me", "mine", "we", "our", "us", "myself")
    requests = any_of(
        "(?:can|could|would|will) you",
        "how (?:should|can|do|could|would) (?:i|we)",
        "what (?:should|can|could) (?:i|we)",
        "should i",
        "suggest",
        "recommend",
        "advise",
        "help me",
        "show me",
        "tell me how",
        "what (?:are|would be) (?:some|the best|good)",
        "please",
        rf"^{_TO_DO}",
    )
    reminders = any_of(
        "(?:did|have|had|was|were) (?:i|we|you)",
        "remind",
        "recall",
        "remember",
        r"summar\w*",
        "conversations?",
        r"mention\w*",
        "discussed",
        "talked",
        "brought up",
        "so far",
        "over time",
        "order in which",
    )
    now = any_of("now", "current", "currently", "latest", "newest", "these days", "at the moment", "at present")
    present = any_of("is", "are", "am", "do", "does", "has", "have", "should", "will", "can", "(?:what|when|where)'s")
    whats = r"(?:what|which)(?:'s|(?: [a-z]+){0,6}? (?:is|are|am|do|does|has|have|should|will|can))"
    pasts = any_of(
        "did",
        "was",
        "were",
        "had",
        "used to",
        "before",
        "previous",
        "previously",
        "earlier",
        "former",
        "formerly",
        "original",
        "originally",
        "initial",
        "initially",
        _FIRST,
        "once",
        "ago",
        "yesterday",
        "back then",
        "past",
        "history",
        "over time",
        "so far",
        "order",
        r"chang\w*",
        r"evol\w*",
        r"differ\w*",
        r"compar\w*",
        "between",
        "after [a-z0-9]+",
        "since",
        "until",
    )
    yours = any_of(
        "(?:did|have|had) you",
        "you(?: have|'ve| had|'d)? (?:said|told|gave|given|wrote|written|made|showed|shown|"
        "advised|answered|described|explained|helped|listed|mentioned|offered|outlined|planned|promised|proposed|provided|"
        "recommended|shared|suggested)",
        "your (?:advice|answers?|explanations?|plans?|recommendations?|suggestions?)",
    )
    forms = (
        times,
        counts,
        names,
        selves,
        requests,
        reminders,
        now,
        present,
        whats,
        pasts,
        yours,
    )
    return compile_set(rf"\b{form}\b" for form in forms)
