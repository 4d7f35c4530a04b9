"""Checksums that distinguish a real number from one that only looks like it.

A card number that fails its checksum is an order number; a Bitcoin key that fails its own is a random word.
"""

from __future__ import annotations

import hashlib

_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

# (first, last, lengths): the leading digits a network was given, both ends included. Lengths that product codes (12 and
# 13 digits) and message ids (17 to 19) share are left out: one of those in ten passes the checksum by chance, so such a
# number is a card only if the text mentions one.
_ISSUERS: tuple[tuple[str, str, frozenset[int]], ...] = (
    ("4", "4", frozenset({16})),  # Visa
    ("51", "55", frozenset({16})),  # Mastercard
    ("2221", "2720", frozenset({16})),
    ("34", "34", frozenset({15})),  # American Express
    ("37", "37", frozenset({15})),
    ("6011", "6011", frozenset({16})),  # Discover
    ("644", "649", frozenset({16})),
    ("65", "65", frozenset({16})),
    ("62", "62", frozenset({16, 19})),  # UnionPay
    ("300", "305", frozenset({14, 16})),  # Diners Club
    ("3095", "3095", frozenset({14, 16})),
    ("36", "36", frozenset({14, 16})),
    ("38", "39", frozenset({14, 16})),
    ("3528", "3589", frozenset({16})),  # JCB
    ("1800", "1800", frozenset({15})),
    ("2131", "2131", frozenset({15})),
    ("5018", "5018", frozenset({16})),  # Maestro
    ("5020", "5020", frozenset({16})),
    ("5038", "5038", frozenset({16})),
    ("5893", "5893", frozenset({16})),
    ("6304", "6304", frozenset({16})),
    ("6759", "6759", frozenset({16})),
    ("6761", "6763", frozenset({16})),
    ("2200", "2204", frozenset({16})),  # Mir
    ("60", "60", frozenset({16})),  # RuPay
    ("81", "82", frozenset({16})),
    ("508", "508", frozenset({16})),
)
CARD_LENGTHS = range(12, 20)


def luhn(digits: str) -> bool:
    """The check digit of payment cards (ISO/IEC 7812)."""
    return (sum(map(int, digits[::-2])) + sum(_DOUBLED[digit] for digit in digits[-2::-2])) % 10 == 0


_DOUBLED = dict(zip("0123456789", (0, 2, 4, 6, 8, 1, 3, 5, 7, 9), strict=True))  # twice the digit, its digits added


def is_card(digits: str, *, named: bool = False) -> bool:
    """Whether `digits` is a card number; `named` if the text around it mentions a card, so any issuer is accepted."""
    if len(digits) not in CARD_LENGTHS or len(set(digits)) < 2:
        return False
    return (named or _has_issuer(digits)) and luhn(digits)


def _has_issuer(digits: str) -> bool:
    return any(len(digits) in lengths and first <= digits[: len(first)] <= last for first, last, lengths in _ISSUERS)


def is_iban(compact: str) -> bool:
    """The country's length and the two check digits (ISO 13616), on upper-case text without spaces."""
    if IBAN_LENGTHS.get(compact[:2]) != len(compact):
        return False
    moved = compact[4:] + compact[:4]
    return int("".join(str(int(character, 36)) for character in moved)) % 97 == 1


def is_base58check(text: str) -> bool:
    """Whether the last four bytes are the double SHA-256 of the rest, as in a Bitcoin private key."""
    number = 0
    for character in text:
        number = number * 58 + _BASE58.index(character)
    raw = number.to_bytes((number.bit_length() + 7) // 8, "big")
    return hashlib.sha256(hashlib.sha256(raw[:-4]).digest()).digest()[:4] == raw[-4:]


IBAN_LENGTHS = {
    **dict.fromkeys(("NO",), 15),
    **dict.fromkeys(("BE",), 16),
    **dict.fromkeys(("DK", "FI", "FK", "FO", "GL", "NL", "SD"), 18),
    **dict.fromkeys(("MK", "SI"), 19),
    **dict.fromkeys(("AT", "BA", "EE", "KZ", "LT", "LU", "MN", "XK"), 20),
    **dict.fromkeys(("CH", "HR", "LI", "LV"), 21),
    **dict.fromkeys(("BG", "BH", "CR", "DE", "GB", "GE", "IE", "ME", "RS", "VA"), 22),
    **dict.fromkeys(("AE", "GI", "IL", "IQ", "OM", "SO", "TL"), 23),
    **dict.fromkeys(("AD", "CZ", "ES", "MD", "PK", "RO", "SA", "SE", "SK", "TN", "VG"), 24),
    **dict.fromkeys(("LY", "PT", "ST"), 25),
    **dict.fromkeys(("IS", "TR"), 26),
    **dict.fromkeys(("BI", "DJ", "FR", "GR", "IT", "MC", "MR", "SM"), 27),
    **dict.fromkeys(("AL", "AZ", "BY", "CY", "DO", "GT", "HU", "LB", "NI", "PL", "SV"), 28),
    **dict.fromkeys(("BR", "EG", "PS", "QA", "UA"), 29),
    **dict.fromkeys(("JO", "KW", "MU", "YE"), 30),
    **dict.fromkeys(("MT", "SC"), 31),
    **dict.fromkeys(("LC",), 32),
    **dict.fromkeys(("RU",), 33),
}
