"""Ways to write the same token so that a person or a model still reads it and a plain pattern does not."""

from __future__ import annotations

import base64
import codecs
import json
from collections.abc import Callable
from itertools import cycle

_CYRILLIC = str.maketrans("aceopxyisjABCEHKMOPTXIJS", "асеорхуіѕјАВСЕНКМОРТХІЈЅ")
_GREEK = str.maketrans("oABEHIKMNOPTXYZ", "οΑΒΕΗΙΚΜΝΟΡΤΧΥΖ")


def _between(mark: str) -> Callable[[str], str]:
    return mark.join


def _shifted(lower: int, upper: int, digit: int | None) -> Callable[[str], str]:
    """Letters moved to one of the mathematical alphabets."""

    def move(character: str) -> str:
        if "a" <= character <= "z":
            return chr(lower + ord(character) - ord("a"))
        if "A" <= character <= "Z":
            return chr(upper + ord(character) - ord("A"))
        return chr(digit + int(character)) if digit and character in "0123456789" else character

    return lambda text: "".join(map(move, text))


def _fullwidth(text: str) -> str:
    return "".join(chr(ord(character) + 0xFEE0) if "!" <= character <= "~" else character for character in text)


def _zalgo(text: str) -> str:
    change_keys = cycle("\u0301\u0336\u0323\u0308")
    return "".join(character + next(change_keys) for character in text)


def _tags(text: str) -> str:
    return "".join(chr(0xE0000 + ord(character)) if " " <= character <= "~" else character for character in text)


def _percent(text: str) -> str:
    return "".join(f"%{byte:02X}" for byte in text.encode())


def _arabic_digits(text: str) -> str:
    return text.translate({ord(str(digit)): chr(0x0660 + digit) for digit in range(10)})


def _wrapped(text: str) -> str:
    middle = len(text) * 2 // 3
    return text[:middle] + "\n" + text[middle:]


def _spaced(text: str) -> str:
    return " ".join(text.replace(" ", "\u00a0")).replace("\u00a0", "")


EVASIONS: dict[str, Callable[[str], str]] = {
    "plain": lambda text: text,
    "zero width space": _between("\u200b"),
    "zero width joiner": _between("\u200d"),
    "soft hyphen": _between("\u00ad"),
    "left-to-right mark": _between("\u200e"),
    "bidi isolate": _between("\u2068"),
    "grapheme joiner": _between("\u034f"),
    "variation selector": _between("\ufe0f"),
    "Hangul filler": _between("\u3164"),
    "tag between letters": _between("\U000e0020"),
    "written in tags": _tags,
    "byte order mark": _between("\ufeff"),
    "full width": _fullwidth,
    "mathematical bold": _shifted(0x1D41A, 0x1D400, 0x1D7CE),
    "sans-serif": _shifted(0x1D5BA, 0x1D5A0, 0x1D7E2),
    "monospace": _shifted(0x1D68A, 0x1D670, 0x1D7F6),
    "Cyrillic lookalikes": lambda text: text.translate(_CYRILLIC),
    "Greek lookalikes": lambda text: text.translate(_GREEK),
    "Arabic digits": _arabic_digits,
    "stacked change_keys": _zalgo,
    "percent": _percent,
    "percent twice": lambda text: _percent(_percent(text)),
    "HTML decimal": lambda text: "".join(f"&#{ord(character)};" for character in text),
    "HTML hexadecimal": lambda text: "".join(f"&#x{ord(character):x};" for character in text),
    "\\u escapes": lambda text: "".join(f"\\u{ord(character):04x}" for character in text),
    "\\x escapes": lambda text: "".join(f"\\x{byte:02x}" for byte in text.encode()),
    "quoted-printable": lambda text: "".join(f"={byte:02X}" for byte in text.encode()),
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64 twice": lambda text: base64.b64encode(base64.b64encode(text.encode())).decode(),
    "hexadecimal": lambda text: text.encode().hex(),
    "percent in base64": lambda text: base64.b64encode(_percent(text).encode()).decode(),
    "letters spaced": _spaced,
    "letters dotted": ".".join,
    "letters dashed": "-".join,
    "over two lines": _wrapped,
    "reversed": lambda text: text[::-1],
}


def _in_halves(mark: str) -> Callable[[str], str]:
    return lambda text: text[: len(text) // 2] + mark + text[len(text) // 2 :]


def _grouped(size: int) -> Callable[[str], str]:
    return lambda text: " ".join(text[at : at + size] for at in range(0, len(text), size))


# What happens to a token on its way, without anyone meaning to hide it.
ACCIDENTS: dict[str, Callable[[str], str]] = {
    "bold": lambda text: f"**{text}**",
    "bold inside": _in_halves("**"),
    "HTML tag": lambda text: f"<b>{text}</b>",
    "HTML tag inside": _in_halves("<b>"),
    "HTML comment": _in_halves("<!-- x -->"),
    "code quotes": lambda text: f"`{text}`",
    "quotes": lambda text: f"“{text}”",
    "JSON": lambda text: '{"value": ' + json.dumps(text) + "}",
    "escaped JSON": lambda text: json.dumps('{"value": ' + json.dumps(text) + "}"),
    "joined by a plus sign": _in_halves('" + "'),
    "soft hyphen": _in_halves("\u00ad"),
    "zero width space": _in_halves("\u200b"),
    "byte order mark": lambda text: "\ufeff" + text,
    "percent": _percent,
    "HTML codes": lambda text: "".join(f"&#{ord(character)};" for character in text),
    "groups of four": _grouped(4),
    "groups of two": _grouped(2),
    "letters spaced": _spaced,
    "over two lines": _wrapped,
    "middle dots": "\u00b7".join,
}

# What only happens on purpose. Measured, without an aim.
ON_PURPOSE: dict[str, Callable[[str], str]] = {
    "hex bytes spaced": lambda text: " ".join(f"{byte:02x}" for byte in text.encode()),
    "hex bytes with 0x": lambda text: " ".join(f"0x{byte:02x}" for byte in text.encode()),
    "decimal codes": lambda text: " ".join(str(byte) for byte in text.encode()),
    "JSON array of letters": lambda text: json.dumps(list(text)),
    "chr() +": lambda text: " + ".join(f"chr({ord(character)})" for character in text),
    "base 85": lambda text: base64.b85encode(text.encode()).decode(),
    "emoji between letters": "\U0001f600".join,
    "ROT13": lambda text: codecs.encode(text, "rot13"),
}

# A sentence loses its words in these, so they are put to tokens only. docs/explanation/secrets.md says what is missed.
TOKENS_ONLY = frozenset({"letters spaced", "letters dotted", "letters dashed", "over two lines", "reversed"})
