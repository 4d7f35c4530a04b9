"""How the rules of sensitivity read a text in any language: lower case, Latin letters without accents, plain signs.

Chinese and Japanese stay as they are. A letter of another script reads as `_`.
"""

from __future__ import annotations

import unicodedata

_LETTERS = {"ß": "ss", "ł": "l", "ø": "o", "đ": "d", "æ": "ae", "œ": "oe", "ı": "i", "ð": "d", "þ": "th", "ħ": "h"}
_SIGNS = {"‘": "'", "’": "'", "‛": "'", "ʼ": "'", "′": "'", "。": ".", "、": ",", "“": '"', "”": '"', "„": '"'}
_REMEMBERED_CHARACTERS = 20_000  # far above what people write; a flood of rare ones must not fill the memory


def folded(text: str) -> str:
    """`text` as the rules of sensitivity read it."""
    return text.lower() if text.isascii() and text.isprintable() else text.translate(_READ)


def is_east_asian(character: str) -> bool:
    """Whether it is a Chinese character or Japanese kana."""
    return "\u3040" <= character <= "\u30ff" or "\u3400" <= character <= "\u9fff" or character == "々"


def _fold(character: str) -> str:
    return "".join(map(_fold_one, unicodedata.normalize("NFKC", character).lower()))


def _fold_one(character: str) -> str:
    if character.isascii():
        return character if character.isprintable() or character == "\n" else " "
    if is_east_asian(character):
        return character
    return _LETTERS.get(character) or _SIGNS.get(character) or _fold_rare(character)


def _fold_rare(character: str) -> str:
    category = unicodedata.category(character)
    if category in ("Cf", "Cs", "Mn"):
        return ""
    base = unicodedata.normalize("NFKD", character)[0]
    if base.isascii() and base.isalnum():
        return base
    if category[0] in "LNM":
        return "_"
    return "-" if category == "Pd" else " "


class _Readings(dict[int, str]):
    """A translation table that fills itself as characters are met."""

    def __missing__(self, code: int) -> str:
        read_as = _fold(chr(code))
        if len(self) < _REMEMBERED_CHARACTERS:
            self[code] = read_as
        return read_as


_READ = _Readings()
