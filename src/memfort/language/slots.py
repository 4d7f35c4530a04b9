"""Attributes that have one value at a time, read out of a plain statement: where somebody lives, what they are called.

A statement fills a slot only when it says that and nothing else. "Works at Acme and sings" is about two things, "wants
to live in Rome" about none that holds; what one may have several of, such as likings, pets and languages, has no slot.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any

import re2
from msgspec import Struct

from memfort.language import detect
from memfort.language.language import ENGLISH, english
from memfort.language.normal_form import normal_text


class Slot(Struct, frozen=True):
    attribute: str  # `lives_in`, `favorite:color`
    value: str  # in normal form
    subject: tuple[str, ...] = ()  # the words that name whose it is; empty for a pronoun or nobody named


def find_slot(text: str, normal: str | None = None) -> Slot | None:
    """The attribute and value that `text` states, if it states one that has a single value, and nothing else. Who has
    its normal form already gives it."""
    if len(text) > _MAX_CHARS:
        return None
    seen = normal_text(text) if normal is None else normal
    if english().slots.words_of_forms.isdisjoint(seen.split()) or _GOES_ON.search(text):
        return None
    together, forms = _forms_together()
    for place in sorted(together.Match(seen) or ()):
        attribute, form = forms[place]
        if slot := _slot(attribute, form.fullmatch(seen), text):
            return slot
    return None


_MAX_CHARS = 200  # longer ones say more than one thing
_GOES_ON = re2.compile(r"[!?;\n]\s*[^\s]|[^\s.]{3,}\.\s+[^\s]|,\s*[^A-Z\s]")  # after a full word: not "Dr. Jones"


def may_be_same(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether two ways to name a subject can mean the same: "I", "Bob", "Bob Miller" and "my boss Bob" can; "my sister"
    and "I", "my sister in law" or "Bob's sister" cannot."""
    if not one or not other:
        return not _is_described(one or other)
    if "s" in (*one, *other):
        return one == other
    short, long = sorted((_bare(one), _bare(other)), key=len)
    if _is_described(one) and _is_described(other):
        return short == long
    return bool(short) and short in (long[: len(short)], long[-len(short) :])


def _bare(subject: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(word for word in subject if word not in english().slots.determiners)


def _is_described(subject: tuple[str, ...]) -> bool:
    return "s" in subject or not english().slots.determiners.isdisjoint(subject)


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The form of a word, and of those that mean the same, that two statements are compared by."""
    plain = _same_meaning().get(word, word)
    return detect.stem(plain, ENGLISH) if plain.isascii() and plain.isalpha() else plain


def _slot(attribute: str, found: Any, text: str) -> Slot | None:
    parts = found.groupdict()
    if attribute in ("role", "name") and not _has_capital(text, (parts.get("value") or "").split()):
        return None  # "my boss is tired", "call me tomorrow"
    subject = _subject(parts.get("subject") or "")
    value = _value(parts.get("value") or "", attribute)
    if subject is None or not value:
        return None
    if (of := parts.get("of")) is not None:
        kind = [stem(word) for word in of.split() if word not in english().slots.determiners]
        if not kind or not english().slots.not_in_a_value.isdisjoint(of.split()):
            return None
        attribute = f"{attribute}:{' '.join(kind)}"
    if (against := parts.get("against")) is not None:
        pair = sorted((value, _value(against, attribute)))
        attribute = f"{attribute}:{'|'.join(pair)}"
    return Slot(attribute, value, subject)


def _has_capital(text: str, words: list[str]) -> bool:
    return any(
        (shown[0].isupper() or shown[0] == "@") and normal_text(shown).split()[:1] == words[:1]
        for shown in text.split()
    )


def _subject(words: str) -> tuple[str, ...] | None:
    """Whose it is, as it is named; None when it is not a plain statement about one."""
    named = words.removesuffix(" s").split()
    if len(named) == 1 and named[0] in english().slots.pronouns:
        return ()
    if not english().slots.not_in_a_subject.isdisjoint(named):
        return None
    return tuple(_same_meaning().get(word, word) for word in named)


def _value(words: str, attribute: str) -> str:
    """The value in one form; empty when what stands there is none, or says more than the value."""
    slots = english().slots
    if words.split(" ", 1)[0] in slots.not_before.get(attribute, ()) and " " in words:
        return ""  # a house, and not a place
    said = [word for word in words.split() if word not in slots.determiners]
    said = [_numbers().get(_ordinal().sub(r"\1", word), _ordinal().sub(r"\1", word)) for word in said]
    saying_more = slots.not_in_a_value.difference(slots.allowed.get(attribute, ()))
    if not said or not saying_more.isdisjoint(said) or not set(said).isdisjoint(slots.no_values.get(attribute, ())):
        return ""
    if attribute in ("birthday", "date"):  # "March", "Mar"
        return " ".join(sorted(word[:3] if word.isalpha() else word for word in said if word not in slots.in_days))
    return " ".join(said)


@cache
def _numbers() -> dict[str, str]:
    return _by_word(english().slots.numbers)


@cache
def _same_meaning() -> dict[str, str]:
    return {**_by_word(english().slots.same_meaning), **_numbers()}


def _by_word(groups: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    return {word: kept for kept, words in groups.items() for word in words}


@cache
def _ordinal() -> Any:
    return re2.compile(rf"^([0-9]{{1,2}}){english().slots.ordinal_endings}$")


@cache
def _forms_together() -> tuple[Any, list[tuple[str, Any]]]:
    """All forms, searched for at once: most statements have none, and each search costs."""
    forms = [(rule.name, re2.compile(form)) for rule in english().slots.slot for form in rule.forms]
    together = re2.Set.FullMatchSet()
    for _, form in forms:
        together.Add(form.pattern)
    together.Compile()
    return together, forms
