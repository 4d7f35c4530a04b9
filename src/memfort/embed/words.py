"""The embedder that ships with the package: a vector for each word, summed.

A text is folded to lower case without accents and cut into words; a word that has no row of its own is cut greedily
into pieces that have one. Words of scripts that the table does not know mean nothing to it: they are found by
themselves. The first words count more, because a long text says early what it is about.

`words.npy` holds a row of signed bytes for each token, with its rarity in it, and `words.txt` the tokens in the same
order. `tools/embedder` makes both, and docs/decisions/0021 says from what.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import as_file, files

import numpy as np
from numpy.typing import NDArray

from memfort.embed.choice import WORDS
from memfort.embed.port import LONGEST, Packed

_WORD = re.compile(r"[a-z]+|[0-9]+")
_LONGEST_WORD = 32
_MOST_TOKENS = 4096  # of a text that count, so that the sums are exact
_FIRST, _FIRST_WEIGHT = 64, 4
_KEPT_WORDS = 50_000
_WEIGHTS = np.where(np.arange(_MOST_TOKENS) < _FIRST, _FIRST_WEIGHT, 1).astype(np.float32)


class WordEmbedder:
    """Texts to vectors by a table of words; needs nothing from outside and gives the same bytes everywhere."""

    name = WORDS
    is_quick = True

    def __init__(self) -> None:
        tokens, self._table = _table()
        self._row_of = {token: row for row, token in enumerate(tokens)}
        self._cut_words: dict[str, tuple[int, ...]] = {}

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [vector.tolist() for vector in self._vectors(texts)]

    def pack(self, mark: bytes, texts: Sequence[str]) -> list[Packed]:
        """The same as they are kept, without the way through lists of floats."""
        return [mark + vector.astype(np.int8).tobytes() if vector.any() else mark for vector in self._vectors(texts)]

    def _vectors(self, texts: Sequence[str]) -> list[NDArray[np.float64]]:
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> NDArray[np.float64]:
        rows = list(dict.fromkeys(self._rows(text)))[:_MOST_TOKENS]
        if not rows:
            return np.zeros(self._table.shape[1])
        # Whole numbers below 2 ** 24 in single precision: their sum is exact in whatever order it is taken.
        total = (_WEIGHTS[: len(rows)] @ self._table.take(rows, axis=0).astype(np.float32)).astype(np.int64)
        length = math.sqrt(int(total @ total))
        found: NDArray[np.float64] = np.rint(total * LONGEST / length) if length else np.zeros(len(total))
        return found

    def _rows(self, text: str) -> list[int]:
        found: list[int] = []
        for word in _WORD.findall(_folded(text)):
            row = self._row_of.get(word)
            if row is None:
                found += self._cut(word)
            else:
                found.append(row)
        return found

    def _cut(self, word: str) -> tuple[int, ...]:
        """The rows of a word that has none of its own."""
        rows = self._cut_words.get(word)
        if rows is None:
            if len(self._cut_words) >= _KEPT_WORDS:
                self._cut_words.clear()
            rows = self._cut_words[word] = tuple(self._pieces(word))
        return rows

    def _pieces(self, word: str) -> list[int]:
        """The longest first; every single letter and digit is a piece."""
        rows: list[int] = []
        word = word[:_LONGEST_WORD]
        start = 0
        while start < len(word):
            inside = "##" if start else ""
            end = len(word)
            while inside + word[start:end] not in self._row_of:
                end -= 1
            rows.append(self._row_of[inside + word[start:end]])
            start = end
        return rows


def _folded(text: str) -> str:
    text = text.lower()
    if text.isascii():
        return text
    apart = unicodedata.normalize("NFKD", text)
    return "".join(letter for letter in apart if not unicodedata.combining(letter)).lower()


@lru_cache(maxsize=1)
def _table() -> tuple[list[str], NDArray[np.int8]]:
    here = files("memfort.embed")
    tokens = (here / "words.txt").read_text(encoding="utf-8").split("\n")
    with as_file(here / "words.npy") as path:
        return tokens, np.load(path)  # not mapped: a package that is replaced must not pull it from under a process
