"""The words around secrets, from the `secrets.txt` of every language, folded as texts are."""

from __future__ import annotations

from functools import cache

import re2

from memfort.language.files import SecretsFile
from memfort.language.language import languages, shared
from memfort.policy.secrets.fold import fold

RUNS = re2.compile(r"[a-z0-9\x{80}-\x{1fff}]+")  # of letters and digits, in scripts with spaces between words


def normal(word: str) -> str:
    return fold(word).lower()


@cache
def files() -> dict[str, SecretsFile]:
    return {one.code: one.secrets for one in (*languages(), shared())}


def words_for(*sections: str) -> tuple[str, ...]:
    """The words of these sections in all languages."""
    found = (normal(word) for file in files().values() for section in sections for word in getattr(file, section))
    return tuple(dict.fromkeys(found))


@cache
def references() -> frozenset[str]:
    """Words that name a number or a code which is no secret: an order, a ticket, an address."""
    return frozenset(words_for("references"))


def spaced(word: str) -> str:
    """The letters and digits of a word, with a space for every other sign."""
    return " ".join(RUNS.findall(word))


def is_wide(word: str) -> bool:
    """Whether it is in a script without spaces between words."""
    return any(letter >= "\u2e80" for letter in word)


def is_referred_to(before: str) -> bool:
    """Whether the last words before a value call it an order, a ticket, an address."""
    lower = normal(before)
    named = RUNS.findall(lower)[-2:]
    return not references().isdisjoint(named) or lower.rstrip(" :").endswith(_wide_references())


@cache
def _wide_references() -> tuple[str, ...]:
    return tuple(filter(is_wide, references()))
