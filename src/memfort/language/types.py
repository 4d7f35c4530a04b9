"""Which type a statement is, and which type of event, by its words: how long it is worth keeping depends on it.

The first rule of `types.txt` that fits decides, so the same words always get the same answer. No model is asked and
nothing is weighed.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import Any

import re2
from msgspec import Struct

from memfort.language.detect import foreign_language
from memfort.language.fold import fold, fold_pattern
from memfort.language.language import english, language, languages
from memfort.language.normalise import any_of, compile_set, group_start, plain, read, wording
from memfort.language.profile_facts import FACT_KEYS, find_facts
from memfort.language.words import split_words
from memfort.model.item import EventType, Origin

_IDENTITY_KEYS = ("name", "timezone", "language")  # facts about a person; the other keys are about their tools


def infer_type(text: str) -> str | None:
    """The type that the words of `text` show, or None when they show none. A text in another language is read by the
    rules of that language, and by the English ones where these show nothing."""
    foreign = _language_of(text)
    shown = None if foreign is None else _type_in(foreign, text)
    return _type_in_english(text) if shown is None else shown


def _type_in_english(text: str) -> str | None:
    rules = _rules()
    found = rules.patterns.Match(plain(text)) or ()
    if not found:  # as of most texts
        return "identity" if find_facts(text, _IDENTITY_KEYS) else None
    if rules.joined in found and _has_capital(rules.joined_name, text):
        found = [*found, rules.turning_point]
    for place, name in enumerate(rules.names):
        if place in found or (name == "preference" and rules.preference in found):
            return name
        if name == "relationship" and rules.relation in found and _has_capital(rules.relation_name, text):
            return name
        if name == "identity" and find_facts(text, _IDENTITY_KEYS):
            return name
    return None


def infer_event_type(text: str, origin: Origin, keys: Collection[str] = FACT_KEYS) -> EventType:
    """The event type of what `origin` said. `keys` are the profile facts to look for."""
    if origin is Origin.TOOL:
        return EventType.EXECUTION
    if origin is Origin.AI:
        return EventType.CONTEXT
    seen = plain(text)
    for event_type, rule in _event_rules():
        if rule.search(seen):
            return event_type
    return EventType.FACT if find_facts(text, keys) else EventType.CONTEXT


def _has_capital(pattern: Any, text: str) -> bool:
    """Whether a name that the pattern finds is written as one: "my boss is Carol" says who somebody is, "my boss is
    tired" how they are."""
    reading = read(text)
    return any(text[reading.places[group_start(found, "name")]].isupper() for found in pattern.finditer(reading.text))


def _language_of(text: str) -> str | None:
    """The language of a text, if it is another one than English and has rules."""
    if not text.isascii() and _HAN.search(text):
        return "chinese"
    found = foreign_language(split_words(text), text.lower())
    return found if found in _foreign() else None


def _type_in(name: str, text: str) -> str | None:
    types, patterns = _foreign_rules(name)
    found = sorted(patterns.Match(fold(text)) or ())
    return types[found[0]] if found else None


@cache
def _foreign() -> frozenset[str]:
    return frozenset(one.name for one in languages() if one is not english() and one.conversation.keep)


@cache
def _foreign_rules(name: str) -> tuple[tuple[str, ...], Any]:
    """The types of a language's rules in the order in which they count, and their forms, searched for at once."""
    file = language(name).conversation
    kept = [(rule.name, form) for rule in file.keep for form in rule.forms if rule.name != "fact"]
    kept.sort(key=lambda one: one[0] != EventType.DECISION)  # a decision counts first, whatever it is about
    kinds = [("preference", file.standing_wishes), *kept]
    forms = [fold_pattern(rf"^(?:{form})".replace(" ?", r"\s*").replace(" ", r"\s+")) for _, form in kinds]
    return tuple(kind for kind, _ in kinds), compile_set(forms)


_HAN = re2.compile(r"\p{Han}")


class _Rules(Struct, frozen=True):
    names: tuple[str, ...]  # the type of each rule, in order
    patterns: Any  # those of the rules, searched for at once; then three more
    relation_name: Any
    joined_name: Any
    turning_point: int  # the last rule for identity

    @property
    def preference(self) -> int:
        return len(self.names)

    @property
    def relation(self) -> int:
        return len(self.names) + 1

    @property
    def joined(self) -> int:
        return len(self.names) + 2


@cache
def _rules() -> _Rules:
    file = english().types
    names = tuple(rule.name for rule in file.type)
    rules = [wording(rf"\b{any_of(*map(_bordered, rule.forms))}").pattern for rule in file.type]
    relation = wording(rf"\b{file.naming_a_relation}")
    joined = wording(rf"\b{file.naming_what_was_joined}")
    others = (wording(_preference_pattern()).pattern, relation.pattern, joined.pattern)
    turning_point = max((place for place, name in enumerate(names) if name == "identity"), default=0)
    return _Rules(names, compile_set([*rules, *others]), relation, joined, turning_point)


def _bordered(form: str) -> str:
    return rf"(?:{form})(?:\b|$)"


def _preference_pattern() -> str:
    return "|".join(form for rule in english().types.event if rule.name == EventType.PREFERENCE for form in rule.forms)


@cache
def _event_rules() -> tuple[tuple[EventType, Any], ...]:
    return tuple((EventType(rule.name), wording("|".join(rule.forms))) for rule in english().types.event)
