"""Find the words of a text that could be a secret by their form: figures, words with digits in them, keys.

Each has points for how much it looks like one; `evidence` adds those of the words around it.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from functools import lru_cache
from itertools import pairwise, takewhile

import re2
from msgspec import Struct

from memfort.policy.secrets.reading import Reading, lexicon
from memfort.policy.secrets.shapes import Shape, is_generated, is_measure, is_ticket, shape_of


class Kind(Enum):
    CODE = "code"
    PASSWORD = "password"  # noqa: S105 - the name of a kind
    KEY = "key"


class Value(Struct, frozen=True):
    """What may be a secret: one word, or several that belong together."""

    start: int
    end: int
    text: str
    looks: int  # what its form is worth
    kind: Kind


_AROUND = "\"'`()[]{}<>.,;:!?|=-–—~*_/、"
_DIGITS = frozenset("0123456789")
_SIGNS = frozenset("!@$%&?#")
_TELLING = _DIGITS | _SIGNS
_PLAIN_CODE = re2.compile(r"[#*]?(?:[A-Z]{1,2}-)?[0-9](?:-?[0-9]){2,9}[#*]?")
_RANGE_OR_PHONE = re2.compile("[0-9]{1,2}-[0-9]{1,4}|[0-9]{3}-[0-9]{3}-[0-9]{4}|[0-9]{3}-[0-9]{4}|[0-9]{4}-[0-9]{2}")
_KEYPAD = re2.compile(r"[A-Z0-9]{5,8}|[A-Z0-9]{3,4}-[A-Z0-9]{3,4}")


def values_in(reading: Reading) -> Iterator[Value]:
    after = 0
    names = _digit_names()
    for place in [
        at for at, raw in enumerate(reading.raws) if not _TELLING.isdisjoint(raw) or reading.keys[at] in names
    ]:
        value = _value_at(reading, place) if place >= after else None
        if value is not None:
            after = value.end
            yield value


@lru_cache(maxsize=1)
def _digit_names() -> frozenset[str]:
    return frozenset(word for word, roles in lexicon().roles.items() if "digits" in roles)


def _value_at(reading: Reading, place: int) -> Value | None:
    raw = reading.raws[place]
    if _DIGITS.isdisjoint(raw):
        return _spoken(reading, place) if reading.keys[place] in _digit_names() else _word_value(raw, place)
    return _figures(reading, place) or _word_value(raw, place)


def _spoken(reading: Reading, place: int) -> Value | None:
    """ "four seven one two" """
    end = place
    while end < len(reading.keys) and reading.keys[end] in _digit_names():
        end += 1
    if not 3 <= end - place <= 9:
        return None
    return Value(place, end, "0" * (end - place), 1 if end - place == 3 else 2, Kind.CODE)


def _figures(reading: Reading, place: int) -> Value | None:
    """A code: `4821`, `482 113`, `4 8 2 1`, `12-44-07`, `58A21#`, `left 23 right 7 left 61`."""
    raw = reading.raws[place]
    text = raw.strip(_AROUND)
    if raw[:1] in "$€£¥+" or "%" in raw:
        return None
    if len(text) <= 4 and text.isdigit():
        joined = _groups(reading, place)
        if joined is not None:
            return joined
    if _PLAIN_CODE.fullmatch(text) and not _RANGE_OR_PHONE.fullmatch(text):
        return Value(place, place + 1, text, _look_of_figures(text, raw), Kind.CODE)
    if _KEYPAD.fullmatch(text) and sum(map(str.isdigit, text)) >= 2 and not text.isdigit() and not is_measure(text):
        return Value(place, place + 1, text, -2 if is_ticket(text) else 2, Kind.CODE)
    return None


_POWERS_OF_TWO = frozenset(str(2**power) for power in range(8, 33))


def _look_of_figures(text: str, raw: str) -> int:
    digits = "".join(filter(str.isdigit, text))
    count = len(digits)
    looks = {3: -1, 4: 0, 5: 1, 6: 1}.get(count, 0 if count < 9 else -1)
    if count >= 4 and digits.endswith("00"):
        looks -= 2
    if digits in _POWERS_OF_TWO:
        looks -= 2
    if "-" in text:
        looks += -3 if _is_date(text) else 1
    if digits[0] == "0":
        looks += 1
    if text[0].isalpha() or "#" in raw:
        looks += 2
    return looks


def _is_date(text: str) -> bool:
    """`2024-05-01`, `31-12-24`, `1999-2004`."""
    parts = [int(part) for part in text.strip("#*").split("-") if part.isdigit()]
    if len(parts) == 2:
        return parts[0] > 1800 and (parts[1] <= 12 or parts[1] > 1800)
    if len(parts) != 3 or max(parts) >= 2100:
        return False
    low, middle, _ = sorted(parts)
    return low <= 12 and middle <= 31 and min(parts[:2]) <= 12 and parts[1] <= 31


def _groups(reading: Reading, place: int) -> Value | None:
    """Figures in groups of the same length, or one at a time, or with the turns of a dial between them."""
    window = [raw.strip(_AROUND) for raw in reading.raws[place : place + 12]]
    turned = [
        *takewhile(lambda at: window[at].isdigit() or reading.keys[place + at] in _turn_words(), range(len(window)))
    ]
    groups = [window[at] for at in turned if window[at].isdigit()]
    if len(turned) - len(groups) >= 2 and len(groups) >= 2 and all(len(group) <= 2 for group in groups):
        return Value(place, place + len(turned), "".join(groups), 3, Kind.CODE)
    size = len(window[0])
    count = next((at for at in turned if len(window[at]) != size or not window[at].isdigit()), len(turned))
    closed = next((at + 1 for at in range(count) if reading.raws[place + at][-1] in ".,;:!?"), count)
    if closed < 2 or closed * size > 10 or (size == 1 and closed < 4):
        return None
    return Value(place, place + closed, "".join(window[:closed]), 2 if size == 1 else 1, Kind.CODE)


@lru_cache(maxsize=1)
def _turn_words() -> frozenset[str]:
    return frozenset(word for word, roles in lexicon().roles.items() if "turns" in roles)


def _word_value(raw: str, place: int) -> Value | None:
    """A password or a key: letters with digits or signs among them."""
    text = raw.strip(_AROUND)
    if (
        text.isalpha()
        or not 5 <= len(text) <= 80
        or not text.isascii()
        or raw[:1] in "@#<$"
        or raw.endswith(("(", "()"))
    ):
        return None
    if is_generated(text) or _is_key_like(text) or _PRIVATE_KEY.fullmatch(text):
        return Value(place, place + 1, text, 4 if len(text) >= 16 else 3, Kind.KEY)
    if shape_of(text) is not Shape.MIXED or text.upper() == text or _IDENTIFIER.search(text) or _is_known_name(text):
        return None
    return Value(place, place + 1, text, _look_of_word(text), Kind.PASSWORD)


_PRIVATE_KEY = re2.compile("0x[0-9a-f]{64}")


def _is_key_like(text: str) -> bool:
    """A key of twelve to fifteen signs: capitals, small letters and digits in turn."""
    plain = text.replace("-", "").replace("_", "")
    if not 12 <= len(plain) < 16 or not plain.isalnum() or plain.islower() or plain.isupper():
        return False
    return sum(one.isdigit() != other.isdigit() for one, other in pairwise(plain)) >= 4


def _is_known_name(text: str) -> bool:
    """`Flask-Argon2`, `pbkdf2:sha256`, `secure_password123`."""
    low = text.lower()
    parts = _PARTS.split(low)
    return "password" in low or any("not_values" in lexicon().roles.get(part, ()) for part in (low, *parts) if part)


_PARTS = re2.compile("[-:_/.]")
_IDENTIFIER = re2.compile(r"^AAAA|_ids?[0-9]*$|[0-9]_[a-z]+$|/|^[a-z]+\\.[a-z]+\\.[a-z.]+")
_WORDS_AND_NUMBER = re2.compile("(?:[A-Za-z]{3,}-){2,}[0-9]{1,4}")
_WORD_IN_IT = re2.compile("(?i)[a-z]{4,}")


def _look_of_word(text: str) -> int:
    has_digit = not _DIGITS.isdisjoint(text)
    if not _SIGNS.isdisjoint(text[1:-1]) or (has_digit and text[-1] in _SIGNS):
        return 3 if has_digit else 1
    if _WORDS_AND_NUMBER.fullmatch(text):
        return 3
    return 2 if _WORD_IN_IT.search(text) and text[0].isalpha() else 1
