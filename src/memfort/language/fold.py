"""A text as the rules of several languages read it: lower case, without accents, with plain signs, and just as long.

Each character becomes one character, so a place in the folded text is the same place in the original. Characters of
scripts without capitals stay as they are.
"""

from __future__ import annotations

import unicodedata

_SIGNS = {
    "‘": "'", "’": "'", "‛": "'", "ʼ": "'", "′": "'", "´": "'", "`": "`",
    "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "「": '"', "」": '"', "『": '"', "』": '"',
    "–": "-", "—": "-", "―": "-", "‐": "-", "‑": "-", "−": "-",
    "、": ",", "\u00a0": " ", "\u202f": " ", "\u3000": " ", "\t": " ", "\r": "\n",
    "ß": "s", "ø": "o", "æ": "e", "œ": "e", "đ": "d", "ł": "l",
}  # fmt: skip
_REMEMBERED_CHARACTERS = 20_000  # far above what people write; a flood of rare ones must not fill the memory


def fold(text: str) -> str:
    """`text` in lower case, without accents, with plain signs; as long as the original."""
    if text.isascii():
        return text.lower()
    return text.translate(_FOLDED)


def fold_pattern(pattern: str) -> str:
    """A pattern that was written with accents, for folded texts. Its ASCII part stays: there `\\S` is not `\\s`."""
    if pattern.isascii():
        return pattern
    return "".join([one if one.isascii() else _FOLDED[ord(one)] for one in pattern])


def _fold_character(character: str) -> str:
    if character in _SIGNS:
        return _SIGNS[character]
    for form in ("NFKD", "NFKC"):
        first = unicodedata.normalize(form, character).lower()[:1]
        if first.isascii() and first.isprintable() and first:
            return first
    lower = character.lower()
    return _SIGNS.get(lower, lower) if len(lower) == 1 else character


class _Folded(dict[int, str]):
    """A translation table that fills itself as characters are met."""

    def __missing__(self, code: int) -> str:
        folded = _fold_character(chr(code))
        if len(self) < _REMEMBERED_CHARACTERS:
            self[code] = folded
        return folded


_FOLDED = _Folded()
