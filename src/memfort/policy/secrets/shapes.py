"""What a word looks like: a number, letters mixed with digits, or something that everyone knows the form of.

A password mixes letters and digits; so do dates, versions, sizes and ticket numbers, which are told apart here.
"""

from __future__ import annotations

from enum import Enum
from itertools import pairwise

import re2

from memfort.policy.secrets.values import is_code_like, is_template


class Shape(Enum):
    PLAIN = "plain"  # a word, or nothing that could be a secret
    DIGITS = "digits"
    MIXED = "mixed"  # letters with digits or signs among them


_DIGITS = re2.compile(r"[#*]?[0-9](?:-?[0-9]){0,11}[#*]?")
_SYMBOLS = frozenset("!@#$%^&*+~?")
_OF_CODE = frozenset("()[]{}<>=,;\"'`|\\")

# Times, dates, sizes, versions, ordinals, counts, tickets, hashes of commits, addresses, files and paths.
_KNOWN_FORMS = re2.compile(
    r"(?i)(?:[0-9]+(?:[.,:][0-9]+)*(?:st|nd|rd|th|er|eme|e|a|o|am|pm|h|hrs?|min|mins|s|sec|ms|us|ns|d|days?|w|m|km|cm|mm|kg|g|l|ml|"
    r"kb|mb|gb|tb|gib|mib|kib|px|pt|em|rem|x|k|mio|bn|%|usd|eur|fps|hz|khz|mhz|ghz|v|w|kw|kwh|bit|bits|bytes?|rpm|mbps|ppm|er)?"
    r"|v?[0-9]+(?:[._-][0-9a-z]+)+"
    r"|v[0-9]+[a-z]?"
    r"|[0-9]{1,4}[./-][0-9]{1,2}(?:[./-][0-9]{1,4})?(?:t[0-9:.]+z?)?"
    r"|[0-9]+-[a-z]+(?:-[a-z]+)?"
    r"|[a-z]{1,10}-?[0-9]{1,4}:[0-9]+"
    r"|0x[0-9a-f]+"
    r"|q[1-4]|h[1-6]|[a-z][0-9]{1,2}"
    r"|[0-9]+[x×][0-9]+(?:[x×][0-9]+)?)"
)
_TICKET = re2.compile(
    r"[A-Z]{2,10}-?[0-9]{1,6}|[A-Z]{1,3}[0-9]{2,4}[A-Z]?|[0-9]{1,3}[A-Z]{1,2}|(?:[A-Z]+[0-9]*/)+[A-Z0-9]+"
)
_PATH = re2.compile(
    r"[~.]?/.*|[A-Za-z]:\\.*|.*://.*|\S+@\S+\.\S+|[\w.-]+\.[a-z]{2,5}(?:[:/].*)?|--?[a-z].*|<.*|.*[({\[].*"
)
_HASH = re2.compile(r"[0-9a-f]{7,12}|[0-9a-f]{40}|[0-9a-f]{64}")


def shape_of(word: str) -> Shape:
    if not word or len(word) > 128 or not word.isascii():
        return Shape.PLAIN
    if _DIGITS.fullmatch(word):
        return Shape.DIGITS
    letters = any(map(str.isalpha, word))
    signs = any(map(str.isdigit, word)) or not _SYMBOLS.isdisjoint(word[:-1] if word[-1] in "!?" else word)
    if len(word) < 4 or not letters or not signs or not _OF_CODE.isdisjoint(word) or is_known_form(word):
        return Shape.PLAIN
    return Shape.MIXED


def is_known_form(word: str) -> bool:
    return (
        _KNOWN_FORMS.fullmatch(word) is not None
        or _TICKET.fullmatch(word) is not None
        or _PATH.fullmatch(word) is not None
        or _HASH.fullmatch(word) is not None
        or is_template(word)
        or is_code_like(word)
    )


def is_measure(word: str) -> bool:
    """`64MB`, `2h`, `v2`."""
    return _KNOWN_FORMS.fullmatch(word) is not None


def is_ticket(word: str) -> bool:
    """`E192`, `ABC-1042`."""
    return _TICKET.fullmatch(word) is not None


def is_generated(value: str) -> bool:
    """Whether nobody would type it: sixteen signs or more in which letters and digits change again and again."""
    plain = value.replace("-", "").replace("_", "").replace(".", "").replace("=", "").replace("+", "").replace("/", "")
    if "/" in value and ("." in value or len(value) < 32):  # a path
        return False
    if len(plain) < 16 or not plain.isascii() or not plain.isalnum() or is_template(value) or value.startswith("0x"):
        return False
    turns = sum(one.isdigit() != other.isdigit() for one, other in pairwise(plain))
    cases = sum(one.isupper() != other.isupper() for one, other in pairwise(plain) if one.isalpha() and other.isalpha())
    return (turns >= 3 and any(map(str.isalpha, plain))) or (cases >= 5 and len(set(plain)) >= 10)


def parts_of_pair(word: str) -> bool:
    """`bob:Popcorn99`: a name and a password."""
    for sign in (":", "/"):
        user, found, password = word.partition(sign)
        if found and user and not password.startswith("/") and not is_known_form(word):
            return (
                shape_of(password) is Shape.MIXED and len(password) >= 5 and user[0].isalpha() and sign not in password
            )
    return False
