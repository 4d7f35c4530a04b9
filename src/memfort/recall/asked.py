"""What a query asks for: its telling words, whom it names, which days, and what kind of thing would answer it.

A query is words and never a language: nothing in it is an operator, and no words of it can do anything but find.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property, lru_cache
from itertools import combinations
from typing import Any, TypeVar

from memfort.capture.days import Days, days_in, days_in_words
from memfort.capture.happenings import SIDES, Happening, happening_in
from memfort.capture.turns import SELF_ROLES, Trait
from memfort.capture.wording import all_at_once, any_of, plain
from memfort.model.event_type import EventType
from memfort.recall.words import (
    ASSISTANTS,
    Group,
    identifier_words,
    is_telling,
    query_terms,
    stem_of,
    tongues_of,
    words_of,
)
from memfort.recall.wrapping import unwrapped

_Whom = TypeVar("_Whom")


@dataclass(frozen=True)
class Asked:
    words: tuple[str, ...]  # folded, in order: any of them may be a name
    is_about_asker: bool  # it says I, my, we
    is_about_assistant: bool  # it asks what the one who is asked has said: "What did you suggest?"
    wants: Trait  # the kinds of thing that would answer it
    wants_type: EventType | None  # the kind of statement that it asks for by name
    is_request: bool  # for help or advice, rather than for what was said
    text: str
    tongues: tuple[str, ...] | None  # the languages that it may be in; None: it does not show
    asks_what_is: bool = False  # for a value that holds now, and not for what was or how it went

    def terms(self, names: frozenset[str], tongues: Sequence[str]) -> list[Group]:
        """Its distinct words in a fixed order, without these names unless there is nothing else, in these languages."""
        return query_terms(self._subject, tongues, () if self._telling <= names else names)

    def is_bare(self, names: frozenset[str]) -> bool:
        """Whether it says nothing but names and days, or asks for whatever was said by them or on them."""
        known = names | {word for found in self._dated for word in words_of(found)}
        return self._telling <= known or (bool(known) and self._telling - _WHATEVER <= known)

    def meaning(self, names: frozenset[str], series: Iterable[str] = (), *, as_sentence: bool = False) -> str:
        """What its meaning is taken from: the same without names, and without words that tell nothing apart, unless it
        is to be read as a sentence. Nothing, if it names only a number, an error code, an address or the like: one that
        resembles it is another. So is one of a `series` of codes, whose word is no more than the name of the series."""
        whole = identifier_words(self.text) + Counter(series)
        inside, asked = whole.copy(), words_of(self._subject)  # each is taken out once
        words = [word for word in asked if not _taken(inside, word)] if whole else asked
        telling = [word for word in words if word in self._telling] or ([] if len(words) < len(asked) else words)
        said = [word for word in telling if word not in names] or telling
        if all(map(_has_digit, said)):
            return ""
        if not as_sentence:
            return " ".join(said)
        return self._sentence(names if self._telling - names else frozenset(), whole)

    def _sentence(self, names: frozenset[str], inside: Counter[str]) -> str:
        """It as it is written, without these names and without what it names as a whole."""

        def kept(match: re.Match[str]) -> str:
            words = words_of(match.group(1))
            is_out = bool(words) and all(word in names or _taken(inside, word) for word in words)
            return "" if is_out else match.group(0)

        text = _WRITTEN.sub(kept, self._subject) if names or inside else self._subject
        return " ".join(text.split())

    @cached_property
    def _subject(self) -> str:
        """The text without what only asks to be told, if that leaves anything that tells."""
        rest = unwrapped(self.text)
        return rest if rest is self.text or any(is_telling(one, self.tongues) for one in words_of(rest)) else self.text

    @cached_property
    def _telling(self) -> frozenset[str]:
        return frozenset(word for word in self.words if is_telling(word, self.tongues))

    @property
    def heads(self) -> frozenset[str]:
        """What a value is asked of, as stems: the telling words that come first after the one that asks. In "What is my
        monthly budget for books?" they are "monthly" and "budget"."""
        found: list[str] = []
        start = next((place for place, word in enumerate(self.words) if word in _ASKING), len(self.words))
        for word in self.words[start + 1 :]:
            if word in _OF_HOW or word == _OWNED:
                continue
            if is_telling(word):
                found.append(word)
            elif found:
                break
        return frozenset(map(stem_of, found))

    @cached_property
    def _dated(self) -> list[str]:
        return days_in_words(self.text)

    @property
    def names_days(self) -> bool:
        return bool(self._dated)

    def days(self, years: Iterable[int], today: date | None = None) -> list[Days]:
        """The days that it names: those without a year in each of these, those told from today only if it is known."""
        return days_in(self.text, years, today)

    @property
    def happening(self) -> Happening | None:
        """What it tells time by, if it names no day."""
        return None if self.names_days or SIDES.isdisjoint(self.words) else happening_in(self.text)

    def asks_for_whatever_then(self, names: frozenset[str]) -> bool:
        """Whether it tells time by something that happened and asks for nothing in particular: "What did I do before
        the move?". Such a stretch is long, so whoever asks for something else is not given all of it."""
        if (told := self.happening) is None:
            return False
        return self._telling <= {*words_of(told.words), *names, *SIDES, *_WHATEVER, *_WHAT_WAS}

    def selves(self, asker: Sequence[str]) -> tuple[str, ...]:
        """Names under which the asker may have spoken, if it is about the asker."""
        return (*sorted(SELF_ROLES), *asker) if self.is_about_asker else ()

    @property
    def assistants(self) -> tuple[str, ...]:
        """Names under which the one who is asked may have spoken, if it asks what that one has said."""
        return tuple(sorted(ASSISTANTS)) if self.is_about_assistant else ()

    def first_named(self, known: Mapping[str, _Whom]) -> _Whom | None:
        """Of those whom words stand for, the one whom it names first: what Anna told Ben was said by Anna. `None` if
        the first two are named together, as in "Anna and Ben"."""
        named = [(place, known[word]) for place, word in enumerate(self.words) if word in known]
        if not named:
            return None
        first, called = named[0]
        second = next((place for place, other in named if other != called), len(self.words))
        between = [word for word in self.words[first + 1 : second] if word != _OWNED and word not in known]
        is_together = second < len(self.words) and not any(is_telling(word, self.tongues) for word in between)
        return None if is_together and len(between) <= 1 else called


def asked(query: str) -> Asked:
    seen = plain(query)
    found = frozenset(_together().Match(seen) or ())
    wants = _KINDS[found & _ASKS_KIND]
    wants_type = next((kind for place, kind in _TYPES.items() if place in found), None)
    is_request = _REQUEST in found and _REMINDER not in found
    is_value = int(wants) & _VALUE > 0 or _WHAT in found
    asks_what_is = (_NOW in found or (_IS in found and is_value)) and _WAS not in found
    return Asked(
        tuple(words_of(query)), _SELF in found, _YOU in found, wants, wants_type, is_request, query, tongues_of(query),
        asks_what_is,
    )  # fmt: skip


# "What did Carol say?", "Tell me everything about Carol": the name is all that is asked for.
_WHATEVER = frozenset((
    "about", "all", "anything", "everything", "mention", "mentioned", "said", "say", "says", "talk", "talked", "tell",
    "telling", "tells", "told",
))  # fmt: skip


# "What happened before the move?", "What was life like since then?"
_WHAT_WAS = frozenset(("done", "from", "going", "happen", "happened", "happening", "happens", "life", "like", "things"))


def _has_digit(word: str) -> bool:
    return not word.isalpha() and any(letter.isdigit() for letter in word)


def _taken(inside: Counter[str], word: str) -> bool:
    """Whether it is one of those words, each of which is there so many times."""
    inside[word] -= 1
    return inside[word] >= 0


def _kinds(asked: Iterable[int]) -> Trait:
    """The kinds of thing that answer such questions together."""
    kinds = Trait(0)
    for place in asked:
        kinds |= (Trait.TIME, Trait.NUMBER, Trait.NAME)[place]
    return kinds


_VALUE = int(Trait.TIME | Trait.NUMBER)  # as a number, since flags are slow to join
_ASKING = frozenset(("what", "which", "when", "where", "how", "who"))
_OF_HOW = frozenset(("many", "much", "long", "often", "far", "old"))
_OWNED = "s"  # "Anna's flight" is read as three words
_ASKS_KIND = frozenset((0, 1, 2))
_KINDS = {frozenset(some): _kinds(some) for count in range(4) for some in combinations(sorted(_ASKS_KIND), count)}
_SELF, _REQUEST, _REMINDER = 3, 4, 5
_TYPES = {6: EventType.CORRECTION, 7: EventType.DECISION, 8: EventType.PREFERENCE}
_NOW, _IS, _WHAT, _WAS, _YOU = 9, 10, 11, 12, 13
PERSONS = {"i": "i", "we": "i", "my": "i", "our": "i", "you": "you", "your": "you"}
_WRITTEN = re.compile(r"(\w+)(?:['’]s\b)?")


# "My first rent", "at first", "what did I have first": not "the deadline of the first sprint", which is any deadline.
_FIRST = any_of(
    "at first", r"first\W*$", "(?:is|are|am|do|does|has|have|what|which|when|who|how|i|we|you|he|she|they)(?:'s)? "
    "(?:the |my |our |your |his |her |their |its )?(?:very )?first",
)  # fmt: skip


# What is to be done, said first: "Convert the recipe". Words that are names of things too have one behind them.
_TO_DO = any_of(
    "(?:convert|translate|rewrite|rephrase|paraphrase|write|compose|generate|create|calculate|compute|proofread"
    "|refactor) [^ ]+",
    "(?:draft|design|plan|outline|format|edit|fix|prepare|explain|describe) (?:me|us|a|an|the|this|my|our|it|some)",
)  # fmt: skip


@lru_cache(maxsize=1)
def _together() -> Any:
    times = any_of(
        "when", "how long", "how many (?:days|weeks|months|years)", "(?:what|which) (?:date|day|time|year|month)"
    )
    counts = any_of("how (?:many|much|old|often|far|long)", "number of", "percentage", "average")
    names = any_of("who", "whom", "whose", "where", "which", "names?", "called")
    selves = any_of("i", "my", "me", "mine", "we", "our", "us", "myself")
    requests = any_of(
        "(?:can|could|would|will) you", "how (?:should|can|do|could|would) (?:i|we)",
        "what (?:should|can|could) (?:i|we)", "should i", "suggest", "recommend", "advise", "help me", "show me",
        "tell me how", "what (?:are|would be) (?:some|the best|good)", "please", rf"^{_TO_DO}",
    )  # fmt: skip
    reminders = any_of(
        "(?:did|have|had|was|were) (?:i|we|you)", "remind", "recall", "remember", r"summar\w*", "conversations?",
        r"mention\w*", "discussed", "talked", "brought up", "so far", "over time", "order in which",
    )  # fmt: skip
    corrections = any_of(r"correct(?:ed|ions?)", r"mistaken\w*", "got wrong")
    decisions = any_of("decid(?:e|ed|es|ing)", "decisions?", "agree(?:d|ments?)", "settled on", "conclu(?:ded|sions?)")
    preferences = any_of(
        "prefer(?:s|red|ences?)?", "favou?rites?", "likes?", "dislikes?", "loves?", "hates?", "enjoys?"
    )
    now = any_of("now", "current", "currently", "latest", "newest", "these days", "at the moment", "at present")
    present = any_of("is", "are", "am", "do", "does", "has", "have", "should", "will", "can", "(?:what|when|where)'s")
    whats = r"(?:what|which)(?:'s|(?: [a-z]+){0,6}? (?:is|are|am|do|does|has|have|should|will|can))"
    pasts = any_of(
        "did", "was", "were", "had", "used to", "before", "previous", "previously", "earlier", "former", "formerly",
        "original", "originally", "initial", "initially", _FIRST, "once", "ago", "yesterday", "back then", "past",
        "history", "over time", "so far", "order", r"chang\w*", r"evol\w*", r"differ\w*", r"compar\w*", "between",
        "after [a-z0-9]+", "since", "until",
    )  # fmt: skip
    yours = any_of(
        "(?:did|have|had) you", "you(?: have|'ve| had|'d)? (?:said|told|gave|given|wrote|written|made|showed|shown|"
        "advised|answered|described|explained|helped|listed|mentioned|offered|outlined|planned|promised|proposed|provided|"
        "recommended|shared|suggested)", "your (?:advice|answers?|explanations?|plans?|recommendations?|suggestions?)",
    )  # fmt: skip
    forms = (
        times, counts, names, selves, requests, reminders, corrections, decisions, preferences, now, present, whats,
        pasts, yours,
    )  # fmt: skip
    return all_at_once(rf"\b{form}\b" for form in forms)
