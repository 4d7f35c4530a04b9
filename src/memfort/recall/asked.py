"""What a query asks for: its telling words, whom it names, which days, and what kind of thing would answer it.

A query is words and never a language: nothing in it is an operator, and no words of it can do anything but find.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property, lru_cache
from itertools import combinations
from typing import Any

from memfort.capture.days import Days, days_in, days_in_words
from memfort.capture.happenings import SIDES, Happening, happening_in
from memfort.capture.turns import SELF_ROLES, Trait
from memfort.capture.wording import all_at_once, any_of, plain
from memfort.model.event_type import EventType
from memfort.recall.words import Group, identifier_words, is_telling, query_terms, stem_of, tongues_of, words_of
from memfort.recall.wrapping import unwrapped


@dataclass(frozen=True)
class Asked:
    words: tuple[str, ...]  # folded, in order: any of them may be a name
    is_about_asker: bool  # it says I, my, we
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

    def meaning(self, names: frozenset[str]) -> str:
        """What its meaning is taken from: the same without names, and without words that tell nothing apart. Nothing,
        if it names only a number, an error code, an address or the like: one that resembles it is another."""
        inside, asked = identifier_words(self.text), words_of(self._subject)
        words = [word for word in asked if not _taken(inside, word)] if inside else asked
        telling = [word for word in words if word in self._telling] or ([] if len(words) < len(asked) else words)
        said = [word for word in telling if word not in names] or telling
        return "" if all(map(_has_digit, said)) else " ".join(said)

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

    def selves(self, asker: Sequence[str]) -> tuple[str, ...]:
        """Names under which the asker may have spoken, if it is about the asker."""
        return (*sorted(SELF_ROLES), *asker) if self.is_about_asker else ()


def asked(query: str) -> Asked:
    seen = plain(query)
    found = frozenset(_together().Match(seen) or ())
    wants = _KINDS[found & _ASKS_KIND]
    wants_type = next((kind for place, kind in _TYPES.items() if place in found), None)
    is_request = _REQUEST in found and _REMINDER not in found
    is_value = bool(wants & (Trait.TIME | Trait.NUMBER)) or _WHAT in found
    asks_what_is = (_NOW in found or (_IS in found and is_value)) and _WAS not in found
    return Asked(
        tuple(words_of(query)), _SELF in found, wants, wants_type, is_request, query, tongues_of(query), asks_what_is
    )


# "What did Carol say?", "Tell me everything about Carol": the name is all that is asked for.
_WHATEVER = frozenset((
    "about", "all", "anything", "everything", "mention", "mentioned", "said", "say", "says", "talk", "talked", "tell",
    "telling", "tells", "told",
))  # fmt: skip


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


_ASKING = frozenset(("what", "which", "when", "where", "how", "who"))
_OF_HOW = frozenset(("many", "much", "long", "often", "far", "old"))
_OWNED = "s"  # "Anna's flight" is read as three words
_ASKS_KIND = frozenset((0, 1, 2))
_KINDS = {frozenset(some): _kinds(some) for count in range(4) for some in combinations(sorted(_ASKS_KIND), count)}
_SELF, _REQUEST, _REMINDER = 3, 4, 5
_TYPES = {6: EventType.CORRECTION, 7: EventType.DECISION, 8: EventType.PREFERENCE}
_NOW, _IS, _WHAT, _WAS = 9, 10, 11, 12


# "My first rent", "at first", "what did I have first": not "the deadline of the first sprint", which is any deadline.
_FIRST = any_of(
    "at first", r"first\W*$", "(?:is|are|am|do|does|has|have|what|which|when|who|how|i|we|you|he|she|they)(?:'s)? "
    "(?:the |my |our |your |his |her |their |its )?(?:very )?first",
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
        "tell me how", "what (?:are|would be) (?:some|the best|good)", "please",
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
    forms = (
        times, counts, names, selves, requests, reminders, corrections, decisions, preferences, now, present, whats,
        pasts,
    )  # fmt: skip
    return all_at_once(rf"\b{form}\b" for form in forms)
