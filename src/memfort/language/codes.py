"""Codes with hyphens: `PROJ-1235`, `CVE-2024-3094`, `GPT-4`, a UUID. A query for a code asks for that code, and not for
others that share a part of it; `10-minute`, `mid-2024` and `vitamin-B12` are ordinary words that happen to be joined.

Shape decides, whatever the case, because no list has all trackers and all products. A shape that may be either counts
as words. Letters alone are never a code, and numbers alone are kept whole in `language/words.py`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from memfort.language.language import english

MAX_CHARS, _MAX_PARTS = 128, 8
_WORD_LETTERS = 4  # so many, with a vowel: likelier a word than an abbreviation
_TOPIC_LETTERS = 5  # a word so long says by itself what it is about
_SERIAL_DIGITS = 3  # so many that are no year: likelier given out than counted


class Code(NamedTuple):
    whole: str  # people write `GPT-4` and `GPT4`, so a hyphen between a letter and a digit is none: `cve2024-3094`
    parts: tuple[str, ...]
    hidden: tuple[str, ...]  # those that mean nothing by themselves


@lru_cache(maxsize=16_384)
def parse_code(run: str) -> Code | None:
    """The code that folded words between hyphens are, if they are one."""
    parts = tuple(run.split("-"))
    words, numbers = [part for part in parts if part.isalpha()], [part for part in parts if part.isdigit()]
    is_long = len(run) > MAX_CHARS or len(parts) > _MAX_PARTS
    if is_long or len(parts) in {len(words), len(numbers)}:
        return None
    is_code = not words or _HEXADECIMAL.fullmatch(run)
    hidden = parts if is_code else _meaningless_parts(parts, words, numbers)
    return Code(_OPTIONAL_HYPHEN.sub("", run), parts, tuple(hidden)) if hidden else None


def _meaningless_parts(parts: Sequence[str], words: Sequence[str], numbers: Sequence[str]) -> Sequence[str]:
    """Which parts are not asked for by themselves. None: it is no code."""
    if _begins_as_words(parts[0]) or any(len(word) > 1 and word in english().stop_words for word in words):
        return ()
    if not any(map(_is_word, words)) or any(map(_is_serial, parts)):
        return parts
    is_counted = len(numbers) == 1 == len(parts) - len(words) and len(numbers[0]) < _SERIAL_DIGITS
    if not is_counted:
        return ()
    return numbers if any(map(_is_topic, words)) else parts  # `covid-19`, but `week-6`


def _begins_as_words(part: str) -> bool:
    """As `10-minute`, `20th-century` and `mid-2024` do."""
    return _AMOUNT.fullmatch(part) is not None or part in _words_before_years()


@cache
def _words_before_years() -> frozenset[str]:
    dates = english().dates
    return dates.before_hyphens.union(*dates.months.values())


def _is_word(letters: str) -> bool:
    return not letters.isascii() or (len(letters) >= _WORD_LETTERS and _VOWEL.search(letters) is not None)


def _is_topic(letters: str) -> bool:
    return _is_word(letters) and (not letters.isascii() or len(letters) >= _TOPIC_LETTERS)


def _is_serial(part: str) -> bool:
    if part.isdigit():
        return len(part) >= _SERIAL_DIGITS and _YEAR.fullmatch(part) is None
    return _LIKE_A_HASH.fullmatch(part) is not None


_AMOUNT = re.compile("[0-9]+[a-z]{0,3}")
_VOWEL = re.compile("[aeiouy]")
_YEAR = re.compile("(?:19|20)[0-9]{2}")
_LIKE_A_HASH = re.compile("(?=[0-9a-z]{6})[a-z]*[0-9]+[a-z]+[0-9][0-9a-z]*")
_HEXADECIMAL = re.compile("[0-9a-f-]{16,}")
_OPTIONAL_HYPHEN = re.compile(r"(?<=[^\W\d_])-(?=\d)|(?<=\d)-(?=[^\W\d_])")
