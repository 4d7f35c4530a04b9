"""Profile facts that a speaker states about themselves: "my name is Ada" is `name`, `Ada`.

First person only, and only what is stated: not what is asked, denied, supposed or said by somebody else. A fact that is
missed can be said again; one that was never meant would be believed. Nothing here decides whether a fact may be kept.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import Any

import re2
from msgspec import Struct

from memfort.language.normalise import Reading, is_negation, plain, read, wording

FACT_KEYS = ("name", "timezone", "language", "project", "editor", "units")
MAX_VALUE_CHARS = 60


class Fact(Struct, frozen=True):
    key: str
    value: str
    start: int  # the value is `text[start:end]`
    end: int


def find_facts(text: str, keys: Collection[str] = FACT_KEYS) -> tuple[Fact, ...]:
    """The facts that `text` states under these keys, one for each key, in the order of the text.

    Of two values for one key the later counts: people correct themselves by going on.
    """
    forms = _forms(tuple(keys))
    if not forms.may_be_in(plain(text)):
        return ()
    found: dict[str, Fact] = {}
    for clause in _clauses(read(text)):
        for key, form in forms.worth_trying(clause.text):
            if fact := _match_form(key, form, clause, text):
                found[key] = fact
    return tuple(sorted(found.values(), key=lambda fact: (fact.start, fact.key)))


def _clauses(reading: Reading) -> Iterator[Reading]:
    """The pieces that may state something about the speaker. One that ends in a question mark states nothing."""
    seen, start = reading.text, 0
    for found in _BREAK.finditer(seen):
        stop, after = found.span(found.lastindex)
        if "?" not in seen[stop:after]:
            yield Reading(seen[start:stop], reading.places[start:stop])
        start = after
    yield Reading(seen[start:], reading.places[start:])


_BREAK = wording(
    r"([.!?,;\n()]+|\s-+\s)"
    # Not every "and" begins something new: "I speak English and German".
    r"|(\s(?:and|but|so|because|while|since)\s)\s*"
    r"(?:i|i'm|my|we|we're|our|you|it|please|call|use|can|could|would|will|what|how|where|when|why|do|is|are)\b"
)


class _Form(Struct, frozen=True):
    """One way to state a fact."""

    pattern: Any  # group 1 is the word before, group 2 the value
    is_proper: bool = False  # common words fit here as well ("call me later"), so only a capital tells a value


def _match_form(key: str, form: _Form, clause: Reading, text: str) -> Fact | None:
    match = form.pattern.search(clause.text)
    if _is_not_stated(match.group(1) or ""):
        return None
    fact = _fact(key, clause, text, match.start(2), match.group(2))
    return None if fact and form.is_proper and fact.value[0].islower() else fact


def _is_not_stated(word: str) -> bool:
    """Whether the word before makes it a denial, a supposition or somebody else's words."""
    return is_negation(word) or word in _NOT_STATED


_NOT_STATED = frozenset({"if", "unless", "whether", "said", "says", "suppose", "assume", "imagine", "pretend"})


def _fact(key: str, clause: Reading, text: str, at: int, seen: str) -> Fact | None:
    """The fact, if what stands where its value should be is one: some word, no e-mail address, no turn of phrase."""
    start, end = _VALUE.match(seen).span(1)
    words = _WORD.findall(seen[start:end])
    if not words or words[0] in _NO_VALUE or "@" in seen:
        return None
    first, last = clause.places[at + start], clause.places[at + end - 1]
    value = text[first : last + 1][:MAX_VALUE_CHARS].rstrip()
    return Fact(key, value, first, first + len(value))


_EDGE = r"[\s\"'`*:=]*"
_VALUE = wording(
    rf"{_EDGE}(?:(?:actually|now|still|currently|really|just|called|named) )*(?:not .*\bbut (?:rather )?)?{_EDGE}"
    rf"(.*?)(?: (?:please|thanks|now|too))*{_EDGE}$"
)
_WORD = wording(r"[a-z0-9_]+")
_NO_VALUE = frozenset(
    (
        "a",
        "an",
        "the",
        "not",
        "in",
        "on",
        "at",
        "of",
        "for",
        "to",
        "from",
        "with",
        "about",
        "as",
        "by",
        "too",
        "very",
        "so",
        "that",
        "this",
        "what",
        "which",
        "where",
        "when",
        "who",
        "why",
        "how",
        "if",
        "none",
        "unknown",
        "done",
        "late",
        "later",
        "broken",
        "over",
        "back",
        "again",
        "today",
        "tonight",
        "tomorrow",
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
    )
)


class _Forms(Struct, frozen=True):
    """All forms of some keys, searched for at once: most clauses have none, and each search costs."""

    forms: tuple[tuple[str, _Form], ...]
    signs: tuple[str, ...]  # each form has one of them
    together: Any

    def may_be_in(self, seen: str) -> bool:
        for sign in self.signs:  # noqa: SIM110  # asked of every statement, and `any` costs twice as much
            if sign in seen:
                return True
        return False

    def worth_trying(self, seen: str) -> list[tuple[str, _Form]]:
        return [self.forms[place] for place in sorted(self.together.Match(seen) or ())]


@lru_cache(maxsize=64)
def _forms(keys: tuple[str, ...]) -> _Forms:
    forms = tuple((key, form) for key in keys for form in (*_plain_form(key), *_OTHER_FORMS.get(key, ())))
    signs = tuple(dict.fromkeys(sign for key in keys for sign in _SIGNS.get(key) or _words(key)[:1]))
    together = re2.Set.SearchSet()
    for _, form in forms:
        together.Add(form.pattern.pattern)
    together.Compile()
    return _Forms(forms, signs, together)


def _plain_form(key: str) -> Iterator[_Form]:
    if noun := _NOUNS.get(key) or _noun(key):
        yield _form(rf"{noun}(?: (?:is|are) |'s |\s*[=:]\s*)(.+)$")


def _noun(key: str) -> str | None:
    """A key of the policy's own is stated as "my shoe size is 43". A reading tells only ASCII letters apart."""
    words = _words(key)
    return "my " + " ".join(map(re2.escape, words)) if words and key.isascii() else None


def _words(key: str) -> list[str]:
    return key.lower().replace("_", " ").replace("-", " ").split()


def _form(pattern: str, *, is_proper: bool = False) -> _Form:
    return _Form(wording(rf"(?:\b([a-z0-9_']+) )?\b{pattern}"), is_proper)


_NOUNS = {
    "name": r"my(?: full| first| given| preferred| real)? name",
    "timezone": r"my(?: current| local| home)? time\s*zone",
    "language": r"my(?: native| first| main| preferred)? language",
    "project": r"(?:my|our)(?: current| main)? project(?: name)?",
    "editor": r"my(?: main| default| preferred| favou?rite)?(?: code| text)? (?:editor|ide)",
    "units": r"my(?: default| preferred)?(?: measurement)? units?",
}
_SIGNS = {
    "name": ("name", "call"),
    "timezone": ("zone",),
    "language": ("language", "speak"),
    "project": ("project",),
    "editor": ("editor", "ide"),
    "units": ("unit", "metric", "imperial", "si", "customary"),
}
_I_AM = r"(?:i'?m|i am|we're|we are)"
_I_WORK_ON = rf"(?:i work|we work|{_I_AM} working) on"
_FEW_WORDS = r"(\S+(?: \S+){0,3}?)"
_OTHER_FORMS = {
    "name": (_form(r"call me (.+)$", is_proper=True),),
    "timezone": (_form(rf"{_I_AM} (?:in|on) (?:the )?{_FEW_WORDS} time\s*zone\b"),),
    "language": (_form(r"i(?: only| mostly| also)? speak(?: fluent| native)? (.+)$", is_proper=True),),
    "project": (
        _form(rf"{_I_WORK_ON}(?: the)? project (.+)$"),
        _form(rf"{_I_WORK_ON} (?:the|my|our) {_FEW_WORDS} project\b", is_proper=True),
    ),
    "editor": (
        _form(rf"(?:i|we)(?: now| always| mostly)? use {_FEW_WORDS} as (?:my|our)(?: [a-z]+)? (?:editor|ide)\b"),
    ),
    # "They use metric units" is about them, so what stands before is part of the form.
    "units": (
        _Form(
            wording(
                r"(?:^\s*|\b(?:([a-z0-9_']+) )?(?:i|we|please|always|let's) )(?:use|prefer|want)(?: the)? "
                r"(metric|imperial|si|us customary)(?: (?:units?|system|measurements?)\b|\s*$)"
            )
        ),
    ),
}
