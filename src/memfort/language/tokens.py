"""The words of a text, and what it names as a whole: addresses, domains, numbers, handles, file paths, ids, codes.

An identifier is everything that stands together, without the punctuation around it: `alice@acme.io` is no part of
`alice.smith@acme.io`, and `42` none of `4.2`. The scheme of a link and a slash at its end make no difference, nor does
how the digits of a telephone number are grouped. A script without spaces ends an identifier, as in 邮箱是a@b.example吗.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from memfort.folding import is_mark, without_case_or_invisible

_SPACELESS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U000323af"
)
_MARKS = "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0963\u0966-\u0dff"  # of a word, but not `\w`
_SIGN = rf"(?:[^\W{_SPACELESS}]|[{_MARKS}])"
LETTER = rf"[^\W{_SPACELESS}]"  # what words with spaces between them are made of
_BETWEEN = r"(?:[._@+~#-]|(?<=\d)[:,'](?=\d))"
_RUN = rf"{_SIGN}++(?:{_BETWEEN}{_SIGN}++)*+"
_TOKEN = re.compile(
    rf"(?P<link>(?<!\w)[a-z][a-z0-9+.-]*+://[^\s<>\"'`{_SPACELESS}]++)"
    rf"|(?P<path>(?<![\w/\\.~])(?:[a-z]:|~|\.\.?|{_RUN})?[/\\](?:{_SIGN}|[._@+~#/\\?=&%:-])*{_SIGN})"
    rf"|(?P<word>(?<![\w@#.+])[@#.+]?{_RUN}(?:(?:\+\+|\#)(?!{_SIGN}))?|{_RUN})"
)
_TRAILING = ".,;:!?)]}*_~/"
_PHONE = re.compile(rf"(?<!{LETTER})(?<![@./:#-])[+(]?\d++(?:\)?[ ./-]?\(?\d++)++(?!{LETTER})")
_DATE = re.compile(r"\d{4}[-./]\d\d?[-./]\d\d?(?!\d)|(?<!\d)\d\d?[-./]\d\d?[-./](?:\d{4}|\d\d)(?!\d)")
_DIGITS_OF_A_PHONE = range(7, 16)
_GROUPED = re.compile(r"\d{2,4}(?:[ ./-]\d{2,4}){2,}")  # as 555 123 4567
_DIGITS_WHEN_GROUPED = 10
_HYPHENS = dict.fromkeys(map(ord, "\u2010\u2011\u2212"), "-")
_QUOTES = dict.fromkeys(map(ord, "‘’‛ʼ′"), "'")
_SPACES = re.compile(r"\s+")


class Token(Struct, frozen=True):
    """A word or an identifier, and where it stands in the readable form of a text."""

    start: int
    end: int
    text: str

    @property
    def is_identifier(self) -> bool:
        return any(not (one.isalpha() or is_mark(one) or one == "-") for one in self.text)

    @property
    def is_compound(self) -> bool:
        """Whether it is words with hyphens between them."""
        return not self.is_identifier and "-" in self.text


def readable(text: str) -> str:
    """A text as people compare it: whatever the case, the width of its letters, how spaces and hyphens are set."""
    folded = without_case_or_invisible(text)
    if not text.isascii():
        folded = folded.replace("i\u0307", "i").translate(_HYPHENS).translate(_QUOTES)
    return _SPACES.sub(lambda run: "\n" if "\n" in run.group() else " ", folded).strip()


def tokens(text: str) -> list[Token]:
    """The words and identifiers of a readable text, in order."""
    return list(_tokens(text))


def identifiers(text: str) -> frozenset[str]:
    """The identifiers of a text. A number after `#` counts with and without it."""
    given = readable(text)
    names = {one.text for one in tokens(given) if one.is_identifier}
    return frozenset(names | {name[1:] for name in names if name[0] == "#" and name[1:].isdigit()})


def _tokens(text: str) -> Iterator[Token]:
    phones = list(_phones(text))
    for match in _TOKEN.finditer(text):
        while phones and phones[0].end <= match.start():
            yield phones.pop(0)
        if not phones or match.end() <= phones[0].start:
            yield _token(match)
    yield from phones


def _token(match: re.Match[str]) -> Token:
    written = match.group()
    if match.lastgroup == "link":
        written = written.rstrip(_TRAILING)
        name = written.partition("://")[2]
        return Token(match.start(), match.start() + len(written), name or written)
    return Token(match.start(), match.end(), written.strip("_") or written)


def _phones(text: str) -> Iterator[Token]:
    """Telephone numbers, with their digits alone."""
    for match in _PHONE.finditer(text):
        written = match.group()
        digits = "".join(one for one in written.replace("(0)", "") if one.isdigit())
        if len(digits) not in _DIGITS_OF_A_PHONE or _DATE.search(written) is not None:
            continue
        is_grouped = len(digits) >= _DIGITS_WHEN_GROUPED and _GROUPED.fullmatch(written) is not None
        if written[0] in "+(0" or is_grouped:
            sign = "+" if written[0] == "+" or digits.startswith("00") else ""
            yield Token(match.start(), match.end(), sign + (digits.removeprefix("00")))
