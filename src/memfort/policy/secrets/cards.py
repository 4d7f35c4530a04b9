"""Find payment card numbers, grouped as on the card."""

from __future__ import annotations

from typing import Any

import re2

from memfort.policy.secrets import checksums
from memfort.policy.secrets.fold import fold
from memfort.policy.secrets.rules import Rule
from memfort.policy.secrets.words import is_referred_to

_CARD_WORDS = (
    "card",
    "visa",
    "mastercard",
    "amex",
    "american express",
    "credit",
    "debit",
    "maestro",
    "discover",
    "diners",
    "jcb",
    "tarjeta",
    "carte",
    "karte",
    "carta",
    "cartao",
    fold("карта").lower(),
    fold("卡"),
    "payment",
    "charge",
    " cc ",
    "cc:",
)


def card_spans(text: str) -> list[tuple[int, int]]:
    """The spans of card numbers in a text; used both for refusing and for redacting."""
    lower = text.lower()
    return [span for start, groups in _digit_runs(text) for span in _cards_in(lower, start, groups)]


def _digit_runs(text: str) -> list[tuple[int, list[str]]]:
    """Runs of digits with at most one separator between two of them, as (start, groups of digits)."""
    return [
        (match.start(), str(match.group()).translate(_ONE_SEPARATOR).split(" ")) for match in _DIGITS.finditer(text)
    ]


_DIGITS = re2.compile("[0-9](?:[ .-]?[0-9]){11,}")
_ONE_SEPARATOR = str.maketrans(".-", "  ")


def _cards_in(lower: str, start: int, groups: list[str]) -> list[tuple[int, int]]:
    if sum(map(len, groups)) < checksums.CARD_LENGTHS.start:
        return []
    starts = [start]
    for group in groups:
        starts.append(starts[-1] + len(group) + 1)
    named = any(word in lower[max(0, start - 80) : start] for word in _CARD_WORDS)
    if _continues_code(lower[max(0, start - 12) : start]):
        return []
    if not named and is_referred_to(lower[max(0, start - 40) : start]):  # one order number in ten has the checksum
        return []
    found: list[tuple[int, int]] = []
    first = 0
    while first < len(groups):
        last = _card_end(groups, first, named)
        if last:
            found.append((starts[first], starts[last] - 1))
        first = last or first + 1
    return found


def _continues_code(before: str) -> bool:
    """Whether the digits are the tail of an account number such as an IBAN, letters and digits in one word."""
    word = before.rsplit(maxsplit=1)[-1] if before and not before[-1].isspace() else ""
    return word[-1:].isalpha() and any(character.isdigit() for character in word)


def _card_end(groups: list[str], first: int, named: bool) -> int:
    """The group after the last one of a card that begins with group `first`, or 0."""
    digits = ""
    for last in range(first, len(groups)):
        digits += groups[last]
        if len(digits) > checksums.CARD_LENGTHS.stop:
            return 0
        whole = first == 0 and last == len(groups) - 1
        grouped = all(len(group) >= 3 for group in groups[first : last + 1])
        if (whole or grouped) and checksums.is_card(digits, named=named):
            return last + 1
    return 0


def _holds_card(match: Any) -> bool:
    return bool(card_spans(match.group().decode(errors="replace")))


CARD = Rule(
    "payment_card",
    (),
    "(?s).+",  # the whole text, because words before a number may mention a card
    _holds_card,
    sign="[0-9](?:[ .-]?[0-9]){11}",
    in_prose=True,
)
