"""Make text safe to show. Stored text may contain terminal escapes; a terminal must never obey them."""

from __future__ import annotations

import re

# Control characters, lone surrogates, and the invisible ones that turn a line around or break it.
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_NAMES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def escape(text: object) -> str:
    """The text on one line, with everything a terminal could act on written out, like `\\x1b`."""
    return _UNSAFE.sub(_escape_character, str(text))


def shorten(text: str, length: int = 120) -> str:
    """The text cut to fit beside others, marked where it was cut."""
    return text if len(text) <= length else text[: length - 1] + "…"


def escape_json(document: str) -> str:
    """JSON with the same characters as `\\u…`: the document means the same and is safe on a terminal."""
    return _UNSAFE.sub(lambda found: found[0] if found[0] == "\n" else f"\\u{ord(found[0]):04x}", document)


def _escape_character(found: re.Match[str]) -> str:
    character = found[0]
    if character in _NAMES:
        return _NAMES[character]
    return f"\\x{ord(character):02x}" if ord(character) < 0x100 else f"\\u{ord(character):04x}"
