"""Write a text as a JSON string for a prompt, so that it cannot close the fence, end its line or hide characters.

Invisible characters are escaped, unless they belong to the character beside them: scripts with joined letters need a
joiner, and emoji use joiners and selectors. Only one may belong to a character: a row of them can hide a text.
"""

from __future__ import annotations

import json
import re

from memfort.folding import category

# Brackets that look like those of the fence, controls and line ends, direction controls, the characters that Unicode
# draws as nothing, and an empty Braille cell.
_ESCAPED = re.compile(
    "[<\u02c2\u2039\u203a\u276e\u276f\u27e8\u27e9\ufe64\uff1c\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5"
    "\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_JOINERS = frozenset("\u200c\u200d")
_DRAWN_AS = frozenset("\ufe0e\ufe0f")  # a picture as text, or as an emoji
_MONGOLIAN_FORMS = frozenset("\u180b\u180c\u180d\u180f")
_KEYCAP = "\u20e3"
# Arabic to Sinhala, Tibetan and Myanmar, Khmer and Mongolian, from Balinese to Vedic, and the forms of Arabic letters.
_JOINING = re.compile(
    "[\u0600-\u0dff\u0f00-\u109f\u1780-\u18af\u1a20-\u1cff\ua840-\ua8ff\ua980-\uaaff\uabc0-\uabff\ufb50-\ufdff"
    "\ufe70-\ufefc\U00010ac0-\U00010aff\U00011000-\U00011fff\U0001e900-\U0001e95f]"
)
_ALSO_PICTURES = frozenset("\u203c\u2049\u2139\u2194\u25fb\u25fc\u25fd\u25fe\u3030\u303d")
_SKIN_TONES = frozenset(map(chr, range(0x1F3FB, 0x1F400)))


def quote_line(text: str) -> str:
    """The text on one line, with a clear end. JSON reads it back unchanged."""
    return _ESCAPED.sub(_as_escape, json.dumps(text, ensure_ascii=False))


def _as_escape(found: re.Match[str]) -> str:
    character, text, at = found[0], found.string, found.start()
    before, after = text[at - 1], text[at + 1]  # always present: a JSON string begins and ends with quotes
    if _belongs(character, before, after, text[at - 2 : at - 1]):
        return character
    code = character.encode("utf-16-be").hex()
    return "".join(f"\\u{code[at : at + 4]}" for at in range(0, len(code), 4))


def _belongs(character: str, before: str, after: str, earlier: str) -> bool:
    if character in _JOINERS:
        is_word = bool(_JOINING.match(before) or (after.isalpha() and _JOINING.match(after)))
        is_picture = _is_picture(earlier if before in _DRAWN_AS else before) and _is_picture(after)
        return {before, after}.isdisjoint(_JOINERS) and (is_word or (is_picture and character == "\u200d"))
    if character in _DRAWN_AS:
        return _is_picture(before) or after == _KEYCAP
    return character in _MONGOLIAN_FORMS and "\u1820" <= before <= "\u18aa"


def _is_picture(character: str) -> bool:
    return category(character) == "So" or character in _SKIN_TONES or character in _ALSO_PICTURES
