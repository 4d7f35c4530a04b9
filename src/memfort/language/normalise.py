"""How the rules of capture read a text: lower case, plain signs, nothing invisible, and ASCII only.

A letter that is not ASCII reads as `_`. The rules know English words, so which letter it was does not matter to them;
that it is a letter does, and RE2's `\\b` knows only ASCII ones. What is kept is always the original text: a reading
serves to decide and to find places, and says for each of its characters where that came from.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import re2
from msgspec import Struct

from memfort.language.language import english


class Reading(Struct, frozen=True):
    text: str
    places: Sequence[int]  # for each character of `text`, its place in the original


def read(text: str) -> Reading:
    """`text` as the rules see it, with the way back to the original."""
    if text.isascii():
        return Reading(plain(text), range(len(text)))
    pieces = [_READ[ord(character)] for character in text]
    places = [place for place, piece in enumerate(pieces) for _ in piece]
    return Reading("".join(pieces), places)


def plain(text: str) -> str:
    """The text of a reading, for rules that need no places."""
    return text.lower() if text.isascii() and text.isprintable() else text.translate(_READ)


def wording(pattern: str) -> Any:
    """A pattern to search a reading with; a space in it stands for any run of spaces and line breaks."""
    return re2.compile(_with_any_spaces(pattern))


def _with_any_spaces(pattern: str) -> str:
    return pattern.replace(" ", r"\s+")


class LazyPattern:
    """A large pattern that is made when it is first searched with: who has no use for it does not wait for it."""

    def __init__(self, pattern: str) -> None:
        self.pattern = _with_any_spaces(pattern)

    def is_in(self, seen: str) -> bool:
        """Whether it fits anywhere. A set answers that in a third of the time that finding the place takes."""
        found = self._alone.Match(seen) or ()
        if 0 not in found:  # the empty pattern fits every text; without it RE2 gave up
            return self._made.search(seen) is not None
        return 1 in found

    def sub(self, instead: str, seen: str) -> str:
        return str(self._made.sub(instead, seen)) if self.is_in(seen) else seen

    @cached_property
    def _made(self) -> Any:
        return re2.compile(self.pattern)

    @cached_property
    def _alone(self) -> Any:
        return compile_set(["", self.pattern])


def compile_set(patterns: Iterable[str]) -> Any:
    """Patterns to search a reading with together, `Match` saying which are in it: one search costs as much as many."""
    together = re2.Set.SearchSet()
    for pattern in patterns:
        together.Add(pattern)
    together.Compile()
    return together


def any_of(*forms: str) -> str:
    """A piece of a pattern that any of these pieces fits."""
    return "(?:" + "|".join(forms) + ")"


def group_start(match: Any, name: str) -> int:
    """Where a named group of a match begins."""
    return int(match.start(match.re.groupindex[name]))


def is_negation(word: str) -> bool:
    """Whether a word turns what follows into its opposite: "not", "never", "don't"."""
    statements = english().statements
    return word.endswith(statements.negation_endings) or word in statements.negations


_SIGNS = {"‘": "'", "’": "'", "‛": "'", "ʼ": "'", "′": "'", "。": ".", "、": ",", "“": '"', "”": '"', "„": '"'}
_LINE_BREAKS = frozenset("\n\r\x0b\x0c\x85\u2028\u2029")
_DRAWN_AS = frozenset(map(chr, range(0xFE00, 0xFE10)))  # chooses how a sign is drawn, and is in most emoji
_REMEMBERED_CHARACTERS = 20_000  # far above what people write; a flood of rare ones must not fill the memory


def _read_character(character: str) -> str:
    if character in _LINE_BREAKS:
        return "\n"
    return "".join(map(_read_folded, unicodedata.normalize("NFKC", character).lower()))


def _read_folded(character: str) -> str:
    if character.isascii():
        return character if character.isprintable() else " "
    if character in _SIGNS:
        return _SIGNS[character]
    category = unicodedata.category(character)
    if category in ("Cf", "Cs") or character in _DRAWN_AS:
        return ""
    if category[0] in "LNM":
        return "_"
    return "-" if category == "Pd" else " "


class _Readings(dict[int, str]):
    """A translation table that fills itself as characters are met."""

    def __missing__(self, code: int) -> str:
        read_as = _read_character(chr(code))
        if len(self) < _REMEMBERED_CHARACTERS:
            self[code] = read_as
        return read_as


_READ = _Readings()
