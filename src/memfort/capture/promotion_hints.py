"""Hints in a text that it is meant for a wider space."""

from __future__ import annotations

from functools import cache
from typing import Any

import re2
from msgspec import Struct

from memfort.language.language import english
from memfort.language.normalise import Reading, any_of, is_negation, read, wording
from memfort.model.space import Level


class Hint(Struct, frozen=True):
    """A wish to have something remembered beyond the session. Policy decides whether it is granted."""

    level: Level
    reason: str  # stable: `hint:remember_for_project`


class HintedText(Struct, frozen=True):
    """A text, and the hint in it if there is one."""

    text: str  # without the hint, if it was in front with a colon
    hint: Hint | None


def read_hint(text: str) -> HintedText:
    """Find the hint. One in front with a colon counts first; then the one for the fewest people."""
    reading = read(text)
    if _any_phrase().search(reading.text) is None:  # as in most texts
        return HintedText(text, None)
    for phrase in _phrases():
        if (address := phrase.address.match(reading.text)) and (rest := _text_after(text, reading, address.end())):
            return HintedText(rest, phrase.hint)
    return HintedText(text, next((phrase.hint for phrase in _phrases() if _is_request(phrase, reading.text)), None))


class _Phrase(Struct, frozen=True):
    hint: Hint
    address: Any  # the phrase in front of a colon
    inside: Any  # the phrase anywhere; group 1 is the word before


def _text_after(text: str, reading: Reading, end: int) -> str:
    return text[reading.places[end - 1] + 1 :].strip()


def _is_request(phrase: _Phrase, seen: str) -> bool:
    """Whether the phrase is a request; "do not remember this for everyone" and "I remember this for the project" are
    not."""
    return any(
        not is_negation(word) and word not in english().hints.stating_subjects
        for match in phrase.inside.finditer(seen)
        for word in [match.group(1) or ""]
    )


# Where a hint puts what is remembered, by its name in `hints.txt`; the hint for the fewest people first.
_LEVELS = {
    "remember_for_me": Level.USER,
    "remember_about_me": Level.USER,
    "save_for_me": Level.USER,
    "remember_for_project": Level.PROJECT,
    "project_memory": Level.PROJECT,
    "remember_for_everyone": Level.SYSTEM,
    "remember_for_system": Level.SYSTEM,
    "system_memory": Level.SYSTEM,
}


@cache
def _phrases() -> tuple[_Phrase, ...]:
    return tuple(_phrase(name, level) for name, level in _LEVELS.items())


@cache
def _any_phrase() -> Any:
    return re2.compile("|".join(pattern for one in _phrases() for pattern in (one.address.pattern, one.inside.pattern)))


def _phrase(name: str, level: Level) -> _Phrase:
    file = english().hints
    inside = [form for rule in file.hint if rule.name == name for form in rule.forms]
    address = [*inside, *(form for rule in file.address if rule.name == name for form in rule.forms)]
    return _Phrase(
        Hint(level, f"hint:{name}"),
        wording(rf"\s*(?:{file.please} )?{any_of(*address)}(?:,?\s*{file.please})?\s*:"),
        wording(rf"(?:\b([a-z0-9_']+) )?\b{any_of(*inside)}\b"),
    )
