"""Which language a text is in, what its stop words are, and how its words are cut to their stems.

A script of its own shows a language at once. Among the languages in Latin letters, the stop words of a text vote, and
letters that few of them have. A text is of another language than English only if more votes are for it, and every text
in Latin letters is also found by its English stems: a wrong guess adds terms that nobody asks for, and loses none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import repeat
from struct import Struct
from typing import Any

from memfort.language.language import ENGLISH, Language, language, languages

_BITS = 32  # of each counter
_FEWEST_VOTES = 2  # more than English, for a query to be in another language
_ENGLISH_BITS = (1 << _BITS) - 1
_MARKED_LETTERS = re.compile("[¡¿À-ɏ]")


@cache
def latin_languages() -> tuple[str, ...]:
    """The names of the languages in Latin letters, English first."""
    return tuple(one.name for one in _latin())


def _latin() -> list[Language]:
    return [one for one in languages() if not one.scripts]


def foreign_language(words: Sequence[str], lower: str) -> str | None:
    """The language of a text in Latin letters if it shows that it is not English, by its words, folded, and by its
    letters in lower case."""
    if lower.isascii() and _only_foreign().isdisjoint(words):
        return None
    english, *others = _votes(words, lower)
    most = max(others)
    return latin_languages()[1 + others.index(most)] if most > english else None


def possible_languages(words: Sequence[str], lower: str) -> tuple[str, ...] | None:
    """The languages that a query may be in, those with the most votes; `None` if that cannot be said. One vote more
    than English has shows nothing: the word may be a name, as in "Uma's employer"."""
    if lower.isascii() and _word_votes().keys().isdisjoint(words):
        return None  # no stop word of any language, and no letter of its own
    english, *others = _votes(words, lower)
    most = max(others)
    if english > most:
        return (ENGLISH,)
    if most - english < _FEWEST_VOTES:
        return None
    return tuple(latin_languages()[1 + place] for place, count in enumerate(others) if count == most)


def _votes(words: Sequence[str], lower: str) -> list[int]:
    total = sum(map(_word_votes().get, words, repeat(0)))
    if not lower.isascii():
        total += sum(map(_letter_votes().get, set(_MARKED_LETTERS.findall(lower)), repeat(0)))
    return list(_counters().unpack(total.to_bytes(_counters().size, "little")))


@cache
def _counters() -> Struct:
    return Struct(f"<{len(latin_languages())}I")  # to read all counts at once takes a tenth of the time of one by one


@cache
def _word_votes() -> dict[str, int]:
    """Each stop word with one vote for every language that has it: all counts in one number."""
    found: dict[str, int] = {}
    for place, one in enumerate(_latin()):
        for word in one.stop_words:
            if len(word) > 1:  # a letter alone may be anything
                found[word] = found.get(word, 0) + (1 << _BITS * place)
    return found


@cache
def _only_foreign() -> frozenset[str]:
    """The words that vote for another language and not for English. Where there are none, nothing can outvote it."""
    return frozenset(word for word, found in _word_votes().items() if not found & _ENGLISH_BITS)


@cache
def _letter_votes() -> dict[str, int]:
    """Each letter that English does not have with two votes for every language that has it."""
    found: dict[str, int] = {}
    for place, one in enumerate(_latin()):
        for letter in one.file.letters:
            found[letter] = found.get(letter, 0) + (2 << _BITS * place)
    return found


@lru_cache(maxsize=4096)
def script_of(letter: str) -> str | None:
    """The language whose stemmer is for the script of a letter, if there is one. Others who write in that script share
    more of its endings than not."""
    code = ord(letter)
    return next((name for low, high, name in _scripts() if low <= code <= high), None)


@cache
def _scripts() -> tuple[tuple[int, int, str], ...]:
    return tuple((low, high, one.name) for one in languages() if one.stemmer for low, high in one.scripts)


@cache
def stop_words(name: str) -> frozenset[str]:
    """The stop words of a language. A query of nothing else still finds."""
    return language(name).stop_words


@cache
def other_stop_words() -> frozenset[str]:
    """Those of all languages with a script of their own; of what is cut into pieces, as it is cut."""
    return frozenset(word.casefold() for one in languages() if one.scripts for word in one.stop_words)


@lru_cache(maxsize=65_536)
def stem(word: str, name: str) -> str:
    """The stem of a word in the language of this name. It is never empty: of Arabic vowel signs alone a stemmer leaves
    nothing, and they are then their own stem."""
    stemmer = language(name).stemmer
    return (
        word if stemmer is None else str(_stemmer()(stemmer, 0).stemWord(word)) or word
    )  # a new one: it keeps its word


@cache
def _stemmer() -> Any:
    """Imported when it is first used, and not looked for again at every word."""
    from Stemmer import Stemmer

    return Stemmer
