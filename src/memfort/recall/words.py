"""Words of a text, as the index knows them.

Letters and digits of any script, compatibility-folded, case-folded and without accents; English word stems; text in
scripts without spaces (Chinese, Japanese, Thai, …) as single characters and pairs. A query is words too, and never a
language.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

MAX_WORD_CHARS = 64
MAX_QUERY_TERMS = 64
ANALYZER = "words-1"  # changes when the words of a text change, so that a store knows its index is old

# Too common to tell anything apart. A query of nothing else still finds: then they are all there is to go by.
_STOP_WORDS = frozenset((
    "a", "an", "and", "are", "as", "at", "be", "been", "but", "by", "can", "could", "did", "do", "does", "for",
    "from", "had", "has", "have", "he", "her", "his", "how", "i", "if", "in", "is", "it", "its", "me", "my",
    "of", "on", "or", "our", "she", "so", "than", "that", "the", "their", "them", "then", "there", "they",
    "this", "to", "was", "we", "were", "what", "when", "where", "which", "who", "why", "will", "with", "would",
    "you", "your",
))  # fmt: skip


def text_terms(text: str) -> Counter[str]:
    """The terms of a text with how often each occurs."""
    return Counter(_terms(text))


def query_terms(query: str) -> list[str]:
    """The distinct terms of a query, in a fixed order; without stop words unless there is nothing else."""
    found = sorted(set(_terms(query)))
    telling = [term for term in found if term not in _stop_terms()]
    return (telling or found)[:MAX_QUERY_TERMS]


def words_of(text: str) -> list[str]:
    """The words of a text as they are written, folded, in order."""
    return _runs(_folded(text))


def is_telling(word: str) -> bool:
    """Whether a folded word tells anything apart."""
    return _stem(word) not in _stop_terms()


def _terms(text: str) -> Iterator[str]:
    for run in words_of(text):
        if run.isascii():
            yield _stem(run[:MAX_WORD_CHARS])
        else:
            yield from _split_script(run)


def _folded(text: str) -> str:
    """Lower case, compatibility forms undone, and Latin and Greek letters without their accents: people search for
    `Zurich` and mean `Zürich`. Elsewhere a mark makes another letter, a vowel or a tone, and stays."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKC", text).casefold()
    return _LOOSE_MARKS.sub("", "".join(map(_bare, folded)))


# Accents that are not one with their letter, and what only chooses how a sign is drawn: U+FE0F is in most emoji.
_LOOSE_MARKS = re.compile("[\u0300-\u036f\u20d0-\u20ff\ufe00-\ufe0f]")


@lru_cache(maxsize=4096)
def _bare(letter: str) -> str:
    is_latin_or_greek = "\u00c0" <= letter <= "\u03ff" or "\u1e00" <= letter <= "\u1fff"
    return unicodedata.normalize("NFD", letter)[0] if is_latin_or_greek else letter


@lru_cache(maxsize=1)
def _stop_terms() -> frozenset[str]:
    return frozenset(map(_stem, _STOP_WORDS))


def _runs(text: str) -> list[str]:
    """Maximal runs of letters, digits and marks."""
    if text.isascii():
        return text.translate(_ASCII_BREAKS).split()
    return "".join(character if _is_word(character) else " " for character in text).split()


_ASCII_BREAKS = {code: " " for code in range(128) if not chr(code).isalnum()}


@lru_cache(maxsize=4096)
def _is_word(character: str) -> bool:
    return unicodedata.category(character)[0] in "LNM"


def _split_script(run: str) -> Iterator[str]:
    """Cut a run where it changes between spaced and unspaced script, and cut unspaced parts into ones and twos."""
    start = 0
    for end in range(1, len(run) + 1):
        if end == len(run) or _is_unspaced(run[end]) != _is_unspaced(run[start]):
            part = run[start:end]
            if _is_unspaced(part[0]):
                yield from part
                yield from (part[index : index + 2] for index in range(len(part) - 1))
            else:
                yield _stem(part[:MAX_WORD_CHARS])
            start = end


@lru_cache(maxsize=4096)
def _is_unspaced(character: str) -> bool:
    code = ord(character)
    return any(low <= code <= high for low, high in _UNSPACED)


_UNSPACED = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x3040, 0x30FF),  # Hiragana, Katakana
    (0x3400, 0x4DBF),  # Han
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x323AF),
)


@lru_cache(maxsize=65_536)
def _stem(word: str) -> str:
    if not word.isalpha() or not word.isascii():
        return word
    return str(_stemmer().stemWord(word))


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer("english")
