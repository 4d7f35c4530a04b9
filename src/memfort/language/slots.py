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
from msgspec.structs import replace

from memfort.language import detect
from memfort.language.data import Rules
from memfort.language.files import SlotsFile
from memfort.language.language import ENGLISH, Language, english, languages
from memfort.language.normal_form import normal_text


class Slot(Struct, frozen=True):
    attribute: str  # `lives_in`, `favorite:color`
    value: str  # in normal form
    subject: tuple[str, ...] = ()  # the words that name whose it is; empty for a pronoun or nobody named
    says_changed: bool = False  # it says that it was otherwise before
    instead_of: str | None = None  # the earlier value, if it names that

    def replaces(self, before: Slot) -> bool:
        """Whether this is another value of the same attribute of somebody who may be the same."""
        if self.attribute != before.attribute or not may_be_same(self.subject, before.subject):
            return False
        if set(self.value.split()) <= set(before.value.split()):
            return False
        if any(self.attribute in one.slots.only_if_named for one in _slot_languages()):
            return self.instead_of == before.value
        return self.says_changed or not any(self.attribute in one.slots.only_if_changed for one in _slot_languages())


class Clause(Struct, frozen=True):
    """One of the statements that a sentence makes, as it would stand alone."""

    text: str
    slot: Slot | None


def find_slot(text: str, normal: str | None = None) -> Slot | None:
    """The attribute and value that `text` states, if it states one that has a single value, and nothing else. Who has
    its normal form already gives it."""
    if len(text) > _MAX_CHARS:
        return None
    spoken = _languages_of(normal_text(text) if normal is None else normal)
    if not spoken:  # as of most texts
        return None
    said = _without_opening(text)
    if _GOES_ON.search(said):
        return None
    seen = normal_text(said) if normal is None or said != text else normal
    for language in spoken:
        together, forms = _forms_together(language)
        for place in sorted(together.Match(seen) or ()):
            attribute, form = forms[place]
            if slot := _slot(language.slots, attribute, form.fullmatch(seen), said):
                has_change = said != text or _says_changed(language, seen)
                return replace(slot, says_changed=True) if has_change else slot
    return None


def find_clauses(text: str, normal: str | None = None) -> tuple[Clause, ...]:
    """The statements of a sentence that states several, such as "I live in Rome and work at Acme", if each of them
    stands for itself and one at least has a slot; otherwise the one that it makes, if that has a slot."""
    seen = normal_text(text) if normal is None else normal
    if len(text) > _MAX_CHARS or not (spoken := _languages_of(seen)):
        return ()
    if (slot := find_slot(text, seen)) is not None:
        return (Clause(text, slot),)
    said = _without_opening(text).rstrip(" .!")
    for language in spoken:
        if _joints(language).search(said) is None:
            continue
        parts = [part.strip(" ,") for part in _joints(language).split(said)]
        if 2 <= len(parts) <= _MAX_CLAUSES and (clauses := _clauses(language, parts)):
            return clauses
    slot = _loose_slot(spoken, text, seen)
    return () if slot is None else (Clause(text, slot),)


def fills_slot(text: str) -> bool:
    """Whether a statement states where the speaker lives or works, what they eat or weigh, or who is what to them."""
    if _QUOTED.search(text):
        return False
    slots = [one.slot for one in find_clauses(text.rstrip(" .!。！")) if one.slot is not None]
    return any(not one.subject and one.attribute.partition(":")[0] in _OWN for one in slots)


_OWN = frozenset(("lives_in", "works_at", "role", "weighs", "diet", "marital_status", "uses_one"))
_QUOTED = re2.compile('["“”„«»「」:：]')


def _loose_slot(spoken: list[Language], text: str, seen: str) -> Slot | None:
    """The attribute of a statement that says more than its value, as long as the rest is no other statement."""
    if "?" in text or "？" in text:
        return None
    for language in spoken:
        together, forms = _loose_forms_together(language)
        for place in sorted(together.Match(seen) or ()):
            name, form = forms[place]
            found = form.fullmatch(seen)
            value = found.group("value")
            attribute = name.removesuffix(_NAMED)
            if attribute != name and not language.scripts and not _has_capital(text, _without_title(value)):
                continue
            behind = seen[found.end(form.groupindex["value"]) :]
            if not language.scripts and _joints(language).search(f"{behind} "):
                continue
            if slot := _slot(language.slots, attribute, found, text):
                return replace(slot, says_changed=True) if _says_changed(language, seen) else slot
    return None


_NAMED = "_named"


def _without_title(value: str) -> list[str]:
    """The last word of a name: the title before it may be written small."""
    return value.split()[-1:]


def _clauses(language: Language, parts: list[str]) -> tuple[Clause, ...]:
    slots = language.slots
    owner = _leading_subject(language, parts[0])
    clauses: list[Clause] = []
    for place, part in enumerate(parts):
        first = part.partition(" ")[0].casefold()
        has_subject = place == 0 or first in slots.pronouns or first in slots.determiners
        slot = find_slot(part)
        if slot is None and not (has_subject or first in slots.clause_verbs):
            return ()
        if not has_subject and slot is not None and slot.subject:
            has_subject = True  # "and Bob works at Acme"
        whole = part if has_subject or not owner else f"{owner}{'' if language.scripts else ' '}{part}"
        clauses.append(Clause(whole, slot if has_subject or not owner else find_slot(whole) or slot))
    return tuple(clauses) if any(one.slot is not None for one in clauses) else ()


def _leading_subject(language: Language, clause: str) -> str:
    """The words that name the subject, in front of the first clause: "My sister" of "My sister lives in Rome"."""
    words = clause.split(" ")
    for count, word in enumerate(words[:_MAX_SUBJECT_WORDS]):
        if word.casefold() in language.slots.words_of_forms | language.slots.clause_verbs:
            return " ".join(words[:count])
    if language.scripts:
        return next((one for one in sorted(language.slots.pronouns, key=len)[::-1] if clause.startswith(one)), "")
    return ""


_MAX_CHARS = 200  # longer ones say more than one thing
_MAX_CLAUSES = 4
_MAX_SUBJECT_WORDS = 5
_GOES_ON = re2.compile(r"[!?;\n]\s*[^\s]|[^\s.]{3,}\.\s+[^\s]|,\s*[^A-Z\s]")  # after a full word: not "Dr. Jones"


@cache
def _slot_languages() -> tuple[Language, ...]:
    """The languages whose attributes are known, English first."""
    others = (one for one in languages() if one.slots.slot and one is not english())
    return (english(), *others)


def _languages_of(seen: str) -> list[Language]:
    """The languages in which a text may have a slot: one of the words is there that every form has."""
    said, is_ascii = seen.split(), seen.isascii()
    if is_ascii and _words_of_forms().isdisjoint(said):
        return []
    return [one for one in _slot_languages() if not (one.scripts and is_ascii) and _may_have_slot(one, seen, said)]


def _may_have_slot(language: Language, seen: str, said: list[str]) -> bool:
    words = language.slots.words_of_forms
    return any(word in seen for word in words) if language.scripts else not words.isdisjoint(said)


@cache
def _words_of_forms() -> frozenset[str]:
    """Those of all languages with spaces."""
    return frozenset().union(*(one.slots.words_of_forms for one in _slot_languages() if not one.scripts))


def _says_changed(language: Language, seen: str) -> bool:
    words = language.slots.change_words
    return any(word in seen for word in words) if language.scripts else not words.isdisjoint(seen.split())


def _without_opening(text: str) -> str:
    """The text without what only introduces it: "Actually, I live in Rome"."""
    found = _opening().match(text)
    return text if found is None or found.end() == len(text) else text[found.end() :]


@cache
def _opening() -> Any:
    openings = "|".join(one.slots.openings for one in _slot_languages())
    return re2.compile(rf"(?i)^\s*(?:(?:{openings})(?:\s*[,:;.!…—–-]+\s*|\s+|，))+")


@cache
def _joints(language: Language) -> Any:
    return re2.compile(rf"(?i){language.slots.clause_joints}")


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
    return tuple(word for word in subject if word not in _determiners())


def _is_described(subject: tuple[str, ...]) -> bool:
    return "s" in subject or not _determiners().isdisjoint(subject)


@cache
def _determiners() -> frozenset[str]:
    """Those of all languages."""
    return frozenset().union(*(one.slots.determiners for one in _slot_languages()))


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The form of a word, and of those that mean the same, that two statements are compared by."""
    plain = _same_meaning().get(word, word)
    return detect.stem(plain, ENGLISH) if plain.isascii() and plain.isalpha() else plain


def _slot(slots: SlotsFile, attribute: str, found: Any, text: str) -> Slot | None:
    parts = found.groupdict()
    is_named = attribute in ("role", "name") and slots is english().slots
    if is_named and not _has_capital(text, (parts.get("value") or "").split()):
        return None  # "my boss is tired", "call me tomorrow"
    subject = _subject(slots, parts.get("subject") or "")
    value = _value(slots, parts.get("value") or "", attribute)
    if subject is None or not value:
        return None
    if (of := parts.get("of")) is not None:
        kind = [stem(word) for word in of.split() if word not in slots.determiners]
        if not kind or not slots.not_in_a_value.isdisjoint(of.split()):
            return None
        attribute = f"{attribute}:{' '.join(kind)}"
    if (against := parts.get("against")) is not None:
        pair = sorted((value, _value(slots, against, attribute)))
        attribute = f"{attribute}:{'|'.join(pair)}"
    if attribute == "name" and len(subject) == 2 and subject[0] in slots.determiners and subject[1] in slots.roles:
        attribute, subject = f"role:{stem(subject[1])}", ()
    before = parts.get("before")
    return Slot(attribute, value, subject, instead_of=None if before is None else _value(slots, before, attribute))


def _has_capital(text: str, words: list[str]) -> bool:
    return any(
        (shown[0].isupper() or shown[0] == "@") and normal_text(shown).split()[:1] == words[:1]
        for shown in text.split()
    )


def _subject(slots: SlotsFile, words: str) -> tuple[str, ...] | None:
    """Whose it is, as it is named; None when it is not a plain statement about one."""
    named = words.removesuffix(" s").split()
    if len(named) == 1 and named[0] not in slots.pronouns:
        named = _described(slots, named[0])
    if len(named) == 1 and named[0] in slots.pronouns:
        return ()
    if not slots.not_in_a_subject.isdisjoint(named):
        return None
    return tuple(_same_meaning().get(word, word) for word in named)


def _described(slots: SlotsFile, subject: str) -> list[str]:
    """The words of a subject in a language without spaces: 我哥哥 is 我的 and 哥哥."""
    owner = next((one for one in slots.determiners if one[1:] == "的" and subject.startswith(one[0])), None)
    return [subject] if owner is None else [owner, subject[1:].removeprefix("的")]


def _value(slots: SlotsFile, words: str, attribute: str) -> str:
    """The value in one form; empty when what stands there is none, or says more than the value."""
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
    """Those of all languages, the English ones before others."""
    others = [_by_word(one.slots.same_meaning) for one in _slot_languages()[::-1]]
    return {word: kept for groups in (*others, _numbers()) for word, kept in groups.items()}


def _by_word(groups: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    return {word: kept for kept, words in groups.items() for word in words}


@cache
def _ordinal() -> Any:
    return re2.compile(rf"^([0-9]{{1,2}}){english().slots.ordinal_endings}$")


@cache
def _forms_together(language: Language) -> tuple[Any, list[tuple[str, Any]]]:
    return _together(language.slots.slot)


@cache
def _loose_forms_together(language: Language) -> tuple[Any, list[tuple[str, Any]]]:
    return _together(language.slots.loose)


def _together(rules: Rules) -> tuple[Any, list[tuple[str, Any]]]:
    """All forms of a language, searched for at once: most statements have none, and each search costs."""
    forms = [(rule.name, re2.compile(form)) for rule in rules for form in rule.forms]
    together = re2.Set.FullMatchSet()
    for _, form in forms:
        together.Add(form.pattern)
    together.Compile()
    return together, forms
