"""Synthetic texts from a fixed random state, with word frequencies like those of ordinary language."""

from __future__ import annotations

import random
from itertools import accumulate

_SYLLABLES = tuple(first + second for first in "bcdfghjklm" for second in "aeiou")
_letters = random.Random(1)
# All texts share one vocabulary: questions in other words would find almost nothing.
_WORDS = ["".join(_letters.choices(_SYLLABLES, k=_letters.randint(2, 4))) for _ in range(8000)]
# Zipf's law with its head cut off: the very commonest words are stop words, which queries leave out.
_WEIGHTS = list(accumulate(1 / (rank + 50) for rank in range(len(_WORDS))))


class Corpus:
    """An endless supply of statements and questions, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def statements(self, count: int) -> list[str]:
        return [self._say(self._random.randint(8, 24)) for _ in range(count)]

    def questions(self, count: int) -> list[str]:
        return [self._say(5) for _ in range(count)]

    def _say(self, words: int) -> str:
        return " ".join(self._random.choices(_WORDS, cum_weights=_WEIGHTS, k=words))
