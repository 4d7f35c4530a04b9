"""What a text says about itself: that it is meant for a wider space."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from memfort.language.normalise import Reading, is_negation, read, wording
from memfort.model.space import Level


class Hint(Struct, frozen=True):
    """The wish to have something remembered beyond the session. Whether it may be is policy's to say."""

    level: Level
    reason: str  # stable: `hint:remember_for_project`


class HintedText(Struct, frozen=True):
    """A text, and the hint in it if there is one."""

    text: str  # without the hint, when that stood in front with a colon
    hint: Hint | None


def read_hint(text: str) -> HintedText:
    """Find the hint. One in front with a colon is an address and counts first; then the one for the fewest people."""
    reading = read(text)
    for phrase in _PHRASES:
        if (address := phrase.address.match(reading.text)) and (rest := _text_after(text, reading, address.end())):
            return HintedText(rest, phrase.hint)
    return HintedText(text, next((phrase.hint for phrase in _PHRASES if _is_request(phrase, reading.text)), None))


class _Phrase(Struct, frozen=True):
    hint: Hint
    address: Any  # the phrase in front of a colon
    inside: Any  # the phrase anywhere; group 1 is the word before


def _text_after(text: str, reading: Reading, end: int) -> str:
    return text[reading.places[end - 1] + 1 :].strip()


def _is_request(phrase: _Phrase, seen: str) -> bool:
    """Somebody who says "do not remember this for everyone" or "I remember this for the project" asks for nothing."""
    return any(
        not is_negation(word) and word not in _STATING_SUBJECTS
        for match in phrase.inside.finditer(seen)
        for word in [match.group(1) or ""]
    )


_STATING_SUBJECTS = frozenset({"i", "we", "they"})


def _phrase(level: Level, code: str, address: str, inside: str | None = None) -> _Phrase:
    return _Phrase(
        Hint(level, f"hint:{code}"),
        wording(rf"\s*(?:please )?(?:{address})(?:,?\s*please)?\s*:"),
        wording(rf"(?:\b([a-z0-9_']+) )?\b(?:{inside or address})\b"),
    )


def _memory_phrase(level: Level) -> _Phrase:
    """ "System memory" is also what a computer has. In passing it asks for nothing, or a remark on a machine would go
    to everybody; it does after a verb that puts something there."""
    put = rf"(?:add|save|put|store|write|keep)(?: [a-z0-9_']+){{1,3}}? (?:to|in|into)(?: the| our| my)? {level} memory"
    return _phrase(level, f"{level}_memory", rf"(?:{put}|{level} memory)", put)


_PHRASES = (
    _phrase(Level.USER, "remember_for_me", "remember this for me"),
    _phrase(Level.USER, "remember_about_me", "remember this about me"),
    _phrase(Level.USER, "save_for_me", "save this for me"),
    _phrase(Level.PROJECT, "remember_for_project", "remember this for (?:the|my|our) project"),
    _memory_phrase(Level.PROJECT),
    _phrase(Level.SYSTEM, "remember_for_everyone", "remember this for everyone"),
    _phrase(Level.SYSTEM, "remember_for_system", "remember this for the system"),
    _memory_phrase(Level.SYSTEM),
)
