"""Other readings of a text: decoded, joined, reversed.

Each function takes a folded text and returns it unchanged if there is nothing to decode. None of them raises on any
input: undecodable parts stay as they are.
"""

from __future__ import annotations

import binascii
from collections.abc import Callable
from functools import cache
from typing import Any

import re2

_HEX_DIGITS = "0123456789abcdefABCDEF"
_ESCAPE_LENGTHS = {"u": 4, "U": 8, "x": 2}
_BASE64 = r"[A-Za-z0-9+/_-]{16,}"
_HEX = r"[0-9A-Fa-f]{16,}"
_SEPARATORS = ".-_*|/,+~:;"
_SPACED = r"(?:^|\s)((?:[!-~]\s{1,3}){7,}(?:[!-~]$)?)"
_SEPARATED = "|".join(rf"(?:[ -~]{re2.escape(mark)}){{7,}}[ -~]" for mark in _SEPARATORS)
_ENCLOSED_LETTER = r"[\[({\"'`]{1,2}([!-~])[\])}\"'`]{1,2}[ ,;]{0,2}"
_ENCLOSED = rf"(?:{_ENCLOSED_LETTER}){{7,}}"
_CODE = r"0x[2-7][0-9a-fA-F]|3[2-9]|[4-9][0-9]|1[01][0-9]|12[0-6]"
_CODES = rf"(?:\b(?:{_CODE})[ ,;]{{1,2}}){{7,}}(?:{_CODE})\b"
# Where letters may stand apart: in a text without this there are none to join.
APART = (
    r"(?:^|\s)(?:[!-~]\s{1,3}){4}|(?:[!-~][.\-_*|/,+~:;]){4}"
    r"|(?:[\[({\"'`][!-~][\])}\"'`][ ,;]{0,2}){4}|(?:(?:[0-9]{2,3}|0x[2-7][0-9a-fA-F])[ ,;]{1,2}){7}"
)
_WHITE = str.maketrans("\t\n\r\f\v", "     ")


@cache  # few texts need decoding, so each table is made on first use
def _compiled(pattern: str) -> Any:
    return re2.compile(pattern)


def percent(text: str) -> str:
    from urllib.parse import unquote

    return unquote(text)


# These decoders split and join because a callback for every escape costs fifteen times as much.


def html(text: str) -> str:
    head, *pieces = text.split("&")
    return head + "".join(map(_entity, pieces))


def _entity(piece: str) -> str:
    """The text after an ampersand, with the entity at its beginning decoded; the semicolon may be missing."""
    if piece.startswith("#"):
        is_hexadecimal = piece[1:2] in ("x", "X")
        return _numbered(piece[2:], 16) if is_hexadecimal else _numbered(piece[1:], 10)
    from html.entities import html5

    name = piece[:33].partition(";")[0] + ";"
    return html5[name] + piece[len(name) :] if name in html5 else "&" + piece


def _numbered(text: str, base: int) -> str:
    body = text.lstrip("0")
    digits = _leading(body[:7], _HEX_DIGITS if base == 16 else _HEX_DIGITS[:10])
    return _character(int(digits, base)) + body[len(digits) :].removeprefix(";") if digits else text


def _leading(text: str, alphabet: str) -> str:
    return text[: len(text) - len(text.lstrip(alphabet))]


def escape(text: str) -> str:
    """Backslash escapes of programming languages, JSON, Markdown and the shell."""
    head, *pieces = text.replace("%u", "\\u").split("\\")
    decoded = head + "".join(map(_escaped, pieces))
    try:
        return decoded.encode("latin-1").decode()  # a letter beyond ASCII written as the bytes of its UTF-8
    except UnicodeError:
        # JavaScript and JSON write characters above U+FFFF as two escapes.
        return decoded.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _escaped(piece: str) -> str:
    """The text after a backslash, with the escape at its beginning decoded."""
    kind = piece[:1]
    if kind in ("u", "U", "x") and piece[1:2] == "{":
        digits, _, rest = piece[2:].partition("}")
        return _character(int(digits, 16)) + rest if _is_code(digits) else piece
    length = _ESCAPE_LENGTHS.get(kind, 0)
    if length and len(piece) > length and _is_code(piece[1 : length + 1]):
        return _character(int(piece[1 : length + 1], 16)) + piece[length + 1 :]
    if kind in ("0", "1") and _leading(piece[:3], "01234567") == piece[:3]:
        return chr(int(piece[:3], 8)) + piece[3:]
    return ("\n" + piece[1:]) if kind == "n" else piece


def _is_code(digits: str) -> bool:
    return 0 < len(digits) <= 8 and not digits.strip(_HEX_DIGITS)


def _character(code: int) -> str:
    return chr(code) if code <= 0x10FFFF else ""


def quoted_printable(text: str) -> str:
    return binascii.a2b_qp(text.encode()).decode(errors="replace")


def base64_runs(text: str) -> str:
    return _decoded_runs(text, _BASE64, _from_base64)


def hex_runs(text: str) -> str:
    return _decoded_runs(text, _HEX, _from_hex)


def _decoded_runs(text: str, runs: str, decode: Callable[[str], bytes]) -> str:
    """Replace every run that decodes to readable text; random letters hardly ever do."""

    def readable(match: Any) -> str:
        run = str(match.group())
        try:
            decoded = decode(run).decode()
        except (binascii.Error, ValueError):
            return run
        return decoded if decoded.translate(_WHITE).isprintable() else run

    return str(_compiled(runs).sub(readable, text))


def _from_base64(run: str) -> bytes:
    standard = run.replace("-", "+").replace("_", "/")
    whole = standard[: len(standard) - 1] if len(standard) % 4 == 1 else standard
    return binascii.a2b_base64(whole + "=" * (-len(whole) % 4))


def _from_hex(run: str) -> bytes:
    return bytes.fromhex(run[: len(run) // 2 * 2])


def join_letters(text: str) -> str:
    """Join letters separated by spaces or dots, or each in brackets or quotes; a wider gap stays a space between
    words."""
    text = str(_compiled(_ENCLOSED).sub(_without_enclosing, text))
    text = str(_compiled(_CODES).sub(_from_codes, text))
    close = str(_compiled(_SPACED).sub(lambda match: f" {_close_gaps(str(match.group(1)).strip())} ", text))
    return str(_compiled(_SEPARATED).sub(lambda match: str(match.group())[::2], close))


def _without_enclosing(match: Any) -> str:
    return "".join(_compiled(_ENCLOSED_LETTER).findall(str(match.group())))


def _from_codes(match: Any) -> str:
    """Letters written as the numbers of their signs, in decimal or hexadecimal: `104 117 110`, `0x68, 0x75`."""
    codes = [int(one, 16 if "x" in one else 10) for one in _compiled(_CODE).findall(str(match.group()))]
    return "".join(map(chr, codes))


def _close_gaps(run: str) -> str:
    return "".join(part or " " for part in run.translate(_WHITE).split(" "))


def join_lines(text: str) -> str:
    """Join lines, for a token that a mail program or a terminal has split."""
    return "".join(line.lstrip(" \t>|").rstrip(" \t\\=") for line in text.splitlines())


def without_markup(text: str) -> str:
    """Join what tags, marks of emphasis, comments or the plus sign of a program stand between."""
    return str(_compiled(_MARKUP).sub("", text))


_MARKUP = r"[\"'`]\s{0,4}\+\s{0,4}[\"'`]|</?[A-Za-z][^<>\n]{0,40}>|<!--[^\n]{0,80}?-->|\*\*|__|~~|[·•‧∙]"


def join_groups(text: str) -> str:
    """Join groups of two or four signs with a space between them, as people write long numbers."""
    return str(_compiled(_GROUPS).sub(lambda match: str(match.group()).replace(" ", ""), text))


_GROUPS = "|".join(rf"(?:[!-~]{{{size}}} ){{3,}}[!-~]{{1,{size}}}" for size in (2, 4))


def reverse(text: str) -> str:
    return text[::-1]
