"""Profile facts that a speaker states about themselves: "my name is Ada" is `name`, `Ada`.

First person only, and only what is stated: not what is asked, denied, supposed or said by somebody else. A fact that is
missed can be said again; one that was never meant would be believed. Nothing here decides whether a fact may be kept.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cache, lru_cache
from typing import Any

import re2
from msgspec import Struct

from memfort.language.data import Rule
from memfort.language.language import english
from memfort.language.normalise import Reading, group_start, is_negation, plain, read, wording

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
    for found in _clause_break().finditer(seen):
        stop, after = found.span(found.lastindex)
        if "?" not in seen[stop:after]:
            yield Reading(seen[start:stop], reading.places[start:stop])
        start = after
    yield Reading(seen[start:], reading.places[start:])


@cache
def _clause_break() -> Any:
    file = english().profile
    return wording(rf"([.!?,;\n()]+|\s-+\s)|(\s{file.clause_links}\s)\s*{file.clause_beginnings}\b")


class _Form(Struct, frozen=True):
    """One way to state a fact."""

    pattern: Any  # with the groups `before`, the word before, and `value`
    needs_capital: bool = False  # common words fit here as well ("call me later")


def _match_form(key: str, form: _Form, clause: Reading, text: str) -> Fact | None:
    match = form.pattern.search(clause.text)
    if _is_not_stated(match.group("before") or ""):
        return None
    fact = _fact(key, clause, text, group_start(match, "value"), match.group("value"))
    return None if fact and form.needs_capital and fact.value[0].islower() else fact


def _is_not_stated(word: str) -> bool:
    """Whether the word before makes it a denial, a supposition or somebody else's words."""
    return is_negation(word) or word in english().profile.not_stated


def _fact(key: str, clause: Reading, text: str, at: int, seen: str) -> Fact | None:
    """The fact, if what stands where its value should be is one: some word, no e-mail address, no turn of phrase."""
    start, end = _value_pattern().match(seen).span(1)
    words = _WORD.findall(seen[start:end])
    if not words or words[0] in english().profile.no_values or "@" in seen:
        return None
    first, last = clause.places[at + start], clause.places[at + end - 1]
    value = text[first : last + 1][:MAX_VALUE_CHARS].rstrip()
    return Fact(key, value, first, first + len(value))


_EDGE = r"[\s\"'`*:=]*"
_WORD = wording(r"[a-z0-9_]+")


@cache
def _value_pattern() -> Any:
    file = english().profile
    return wording(rf"{_EDGE}(?:{file.before_values} )*{file.contrast}?{_EDGE}(.*?)(?: {file.after_values})*{_EDGE}$")


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
    signs_of = english().profile.signs
    forms = tuple((key, form) for key in keys for form in _forms_of(key))
    signs = tuple(dict.fromkeys(sign for key in keys for sign in signs_of.get(key) or _words(key)[:1]))
    together = re2.Set.SearchSet()
    for _, form in forms:
        together.Add(form.pattern.pattern)
    together.Compile()
    return _Forms(forms, signs, together)


def _forms_of(key: str) -> Iterator[_Form]:
    file = english().profile
    for noun in _named(file.noun, key) or _noun(key):
        yield _form(rf"{noun}{file.linking}(?P<value>.+)$")
    for form in _named(file.fact, key):
        yield _form(form)
    for form in _named(file.fact_with_capital, key):
        yield _form(form, needs_capital=True)
    for form in _named(file.whole_fact, key):
        yield _Form(wording(form))


def _named(rules: tuple[Rule, ...], key: str) -> list[str]:
    return [form for rule in rules if rule.name == key for form in rule.forms]


def _noun(key: str) -> list[str]:
    """A key of the policy's own is stated as "my shoe size is 43". A reading keeps only ASCII letters."""
    words = _words(key)
    return [rf"{english().profile.my} {' '.join(map(re2.escape, words))}"] if words and key.isascii() else []


def _words(key: str) -> list[str]:
    return key.lower().replace("_", " ").replace("-", " ").split()


def _form(pattern: str, *, needs_capital: bool = False) -> _Form:
    return _Form(wording(rf"(?:\b(?P<before>[a-z0-9_']+) )?\b{pattern}"), needs_capital)
