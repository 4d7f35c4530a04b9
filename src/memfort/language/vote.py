"""Which of the languages with rules for conversations a text is in: every word that stands in the data of a language
votes for it, and counts the more the fewer languages have it. Letters of its own vote too.
"""

from __future__ import annotations

from functools import cache

import re2

from memfort.language.fold import fold
from memfort.language.language import VOTING_WORD, Language, languages

_Weights = dict[str, tuple[tuple[int, float], ...]]
_MOST_CHARS = 2_000  # that vote
_HAN = re2.compile(r"\p{Han}")
_KANA_OR_HANGUL = re2.compile(r"[\p{Hiragana}\p{Katakana}\p{Hangul}]")
_LETTER = 0.5  # the weight of a letter that only this language has


def language_of(text: str) -> str | None:
    """The name of the language that most words of `text` are in; None if none of them shows one, or if that one has no
    such rules."""
    if not text.isascii() and _HAN.search(text) and not _KANA_OR_HANGUL.search(text):
        return "chinese"
    lower = text[:_MOST_CHARS].lower().replace("’", "'")
    votes = [0.0] * len(_voters())
    as_written, folded = _weights()
    for word in VOTING_WORD.findall(lower):
        for place, weight in as_written.get(word) or folded.get(fold(word), ()):
            votes[place] += weight
    if not lower.isascii():
        _add_letters(lower, votes)
    most = max(votes)
    found = _voters()[votes.index(most)]
    return found.name if most and found.has_conversations else None


def _add_letters(lower: str, votes: list[float]) -> None:
    marked = {letter for letter in lower if not letter.isascii()}
    for place, one in enumerate(_voters()):
        votes[place] += _LETTER * len(marked.intersection(one.file.letters))


@cache
def _voters() -> tuple[Language, ...]:
    """The languages in Latin letters, English first."""
    return tuple(one for one in languages() if not one.scripts)


@cache
def _weights() -> tuple[_Weights, _Weights]:
    """For each word, as it is written and without accents, its languages by place, and how much it counts."""
    as_written, folded = dict[str, set[int]](), dict[str, set[int]]()
    for place, one in enumerate(_voters()):
        for word in one.vocabulary:
            as_written.setdefault(word, set()).add(place)
            folded.setdefault(fold(word), set()).add(place)
    return _by_rarity(as_written), _by_rarity(folded)


def _by_rarity(found: dict[str, set[int]]) -> _Weights:
    return {
        word: tuple((place, 1 / len(places) ** 2) for place in sorted(places))
        for word, places in found.items()
        if len(word) > 1  # a letter alone may be anything
    }
