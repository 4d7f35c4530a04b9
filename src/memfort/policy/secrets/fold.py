"""Fold each character to the ASCII character that it looks like.

Folding is only for decisions: the original text is stored and shown. Every character is folded separately, so a
position in the folded text can be traced back to the original; one NFKC call on the whole text could not do that.
"""

from __future__ import annotations

import unicodedata

# Characters that a reader cannot see, beyond those whose Unicode category (Cc, Cf, Cs, Mn, Me) already says so.
_INVISIBLE_LETTERS = frozenset("\u115f\u1160\u3164\uffa0\u17b4\u17b5\u2065\ufffc")
_INVISIBLE_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Mn", "Me"})
_KEPT_CONTROLS = frozenset("\t\n\r")

# Letters of other alphabets by the ASCII letter they resemble. No letter is folded to a digit: a Russian word must not
# gain one, since "has a digit" distinguishes a password from a word.
_LOOKALIKES = {
    "A": "ΑАᎪᗅꓮ",
    "a": "аɑαᴀ⍺",
    "B": "ΒВᏴꓐ",
    "b": "ЬьƅʙᏏ",
    "C": "СϹꓚᏟ",
    "c": "сϲᴄⲥ",
    "D": "Ꭰꓓᗞ",
    "d": "ԁᴅᏧɗ",
    "E": "ΕЕᎬꓰ",
    "e": "еҽᴇε",
    "F": "Ϝꓝᖴ",
    "f": "ƒꞙẝ",
    "G": "ԌᏀꓖ",
    "g": "ɡցᶃɢ",
    "H": "ΗНᎻꓧ",
    "h": "һհᏂʜ",
    "I": "ΙІӀꓲ",
    "i": "іιıɩɪ",
    "J": "ЈᎫꓙͿ",
    "j": "јϳᴊ",
    "K": "ΚКᏦꓗ",
    "k": "κкᴋ",
    "L": "Ꮮꓡ",
    "l": "ӏʟǀ",
    "M": "ΜМᎷꓟϺ",
    "m": "мᴍ",
    "N": "Νꓠ",
    "n": "ոɴη",
    "O": "ΟОՕꓳ",
    "o": "οоօᴏσჿ",
    "P": "ΡРᏢꓑ",
    "p": "ρрᴘ",
    "Q": "Ԛ",
    "q": "ԛգ",
    "R": "Ꮢꓣᖇ",
    "r": "гᴦʀ",
    "S": "ЅՏᏚꓢ",
    "s": "ѕꜱ",
    "T": "ΤТᎢꓔ",
    "t": "тᴛτ",
    "U": "Սꓴ",
    "u": "υսᴜʋ",
    "V": "ᏙꓦѴ",
    "v": "νѵᴠ",
    "W": "ԜᎳꓪ",
    "w": "ԝѡᴡա",
    "X": "ΧХꓫ",
    "x": "хχ",
    "Y": "ΥҮꓬᎩ",
    "y": "уүγʏ",
    "Z": "ΖᏃꓜ",
    "z": "ᴢ",
    "-": "⁃−➖",
    "'": "‘’‛′ʼ",
    '"': "“”„‟″«»",
    "/": "⁄∕",
    ":": "ː꞉∶",
    ".": "․。",
    "=": "゠",
    "_": "ˍ",
    "%": "٪",
    "&": "﹠",
}
_ASCII_OF = {ord(other): letter for letter, others in _LOOKALIKES.items() for other in others}
# White letters on black discs and squares, and flags: they carry no decomposition, unlike the other enclosed letters.
for _first in (0x1F150, 0x1F170, 0x1F1E6):
    _ASCII_OF.update({_first + place: chr(ord("A") + place) for place in range(26)})
_BY_CATEGORY = {"Zs": " ", "Zl": "\n", "Zp": "\n", "Pd": "-", "Pc": "_", "So": " "}

_REMEMBERED_CHARACTERS = 20_000  # far above normal use; a flood of rare characters must not fill the memory


def fold(text: str) -> str:
    """`text` without invisible characters, in compatibility form, lookalike letters as ASCII, combining marks
    dropped."""
    return text if text.isascii() and text.isprintable() else text.translate(_FOLD)


def fold_with_origin(text: str) -> tuple[str, list[int]]:
    """The folded text, and for each of its characters the position in `text` it came from."""
    pieces = [fold(character) for character in text]
    origin = [place for place, piece in enumerate(pieces) for _ in piece]
    return "".join(pieces), origin


def decode_tags(text: str) -> str:
    """`text` with its tag characters made visible: models read them, but people do not see them."""
    return text.translate(_TAGS)


_TAGS = {0xE0000 + code: chr(code) for code in range(0x20, 0x7F)}


def _fold_character(character: str) -> str:
    if "가" <= character <= "힣":
        return character  # decomposing Hangul would turn each syllable into separate letters
    decomposed = unicodedata.normalize("NFKD", character)
    return "".join(_fold_decomposed(part) for part in decomposed)


def _fold_decomposed(character: str) -> str:
    if character in _KEPT_CONTROLS:
        return character
    category = unicodedata.category(character)
    if category in _INVISIBLE_CATEGORIES or character in _INVISIBLE_LETTERS:
        return ""
    if character.isascii():
        return character
    if ord(character) in _ASCII_OF:
        return _ASCII_OF[ord(character)]
    digit = unicodedata.decimal(character, None)
    return str(digit) if digit is not None else _BY_CATEGORY.get(category, character)


class _Folding(dict[int, str]):
    """A translation table that is filled as characters occur."""

    def __missing__(self, code: int) -> str:
        folded = _fold_character(chr(code))
        if len(self) < _REMEMBERED_CHARACTERS:
            self[code] = folded
        return folded


_FOLD = _Folding()
