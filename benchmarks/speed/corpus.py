"""Texts to measure with: made up from a seed, with word frequencies like those of ordinary language."""

from __future__ import annotations

import random

_SYLLABLES = tuple(first + second for first in "bcdfghjklm" for second in "aeiou")


class Corpus:
    """An endless supply of statements and questions, the same for the same seed."""

    def __init__(self, seed: int, words: int = 8000) -> None:
        self._random = random.Random(seed)
        self._words = ["".join(self._random.choices(_SYLLABLES, k=self._random.randint(2, 4))) for _ in range(words)]
        # Zipf's law with its head cut off: the very commonest words are stop words, which queries leave out.
        self._weights = [1 / (rank + 50) for rank in range(words)]

    def statement(self) -> str:
        return " ".join(self._random.choices(self._words, self._weights, k=self._random.randint(8, 24)))

    def question(self) -> str:
        return " ".join(self._random.choices(self._words, self._weights, k=5))
