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
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import as_file, files
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from memfort.embed.choice import WORDS
from memfort.embed.port import VECTOR_LENGTH, Packed

_WORD = re.compile(r"[a-z]+|[0-9]+")
_MAX_WORD_CHARS = 32
_MAX_TOKENS = 4096  # of a text that count, so that the sums are exact
_FIRST, _FIRST_WEIGHT = 64, 4
_CACHED_WORDS = 50_000
_ASCII_RUNS = bytes(code if chr(code).isalnum() else ord(" ") for code in range(128)).ljust(256)
_WEIGHTS = np.where(np.arange(_MAX_TOKENS) < _FIRST, _FIRST_WEIGHT, 1).astype(np.float32)


class WordEmbedder:
    """Texts to vectors by a table of words; needs nothing from outside and gives the same bytes everywhere."""

    name = WORDS
    is_quick = True
    sums_words = True

    def __init__(self) -> None:
        self._table, whole, inside = _table()
        self._rows = _Rows(whole, inside)

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        size = self._table.shape[1]
        return [[0.0] * size if vector is None else vector.tolist() for vector in map(self._vector, texts)]

    def pack(self, tag: bytes, texts: Sequence[str]) -> list[Packed]:
        """The same as they are kept, without the way through lists of floats."""
        vectors = map(self._vector, texts)
        return [tag if vector is None else tag + vector.astype(np.int8).tobytes() for vector in vectors]

    def _vector(self, text: str) -> NDArray[np.float64] | None:
        rows = list(dict.fromkeys(chain.from_iterable(map(self._rows.__getitem__, _split_runs(text)))))[:_MAX_TOKENS]
        if not rows:
            return None
        # Whole numbers below 2 ** 24 in single precision: their sum is exact in whatever order it is taken. So is that
        # of their squares in double precision, below 2 ** 53.
        total = np.dot(_WEIGHTS[: len(rows)], self._table.take(rows, 0).astype(np.float32)).astype(np.float64)
        length = math.sqrt(np.dot(total, total))
        if not length:
            return None
        total *= VECTOR_LENGTH
        total /= length
        found: NDArray[np.float64] = np.rint(total, total)
        return found


class _Rows(dict[str, tuple[int, ...]]):
    """The rows of each run of letters and digits. Found out when it is first met."""

    def __init__(self, whole: Mapping[str, int], inside: Mapping[str, int]) -> None:
        super().__init__()
        self._row_of, self._inside = whole, inside

    def __missing__(self, run: str) -> tuple[int, ...]:
        rows = tuple(row for word in _WORD.findall(run) for row in self._pieces(word))
        if len(run) <= _MAX_WORD_CHARS:
            if len(self) >= _CACHED_WORDS:
                self.clear()
            self[run] = rows
        return rows

    def _pieces(self, word: str) -> list[int]:
        """The longest first; every single letter and digit is a piece."""
        if word in self._row_of:
            return [self._row_of[word]]
        rows: list[int] = []
        rest, row_of = word[:_MAX_WORD_CHARS], self._row_of
        while rest:
            end = len(rest)
            while (row := row_of.get(rest[:end])) is None:
                end -= 1
            rows.append(row)
            rest, row_of = rest[end:], self._inside
        return rows


def _split_runs(text: str) -> list[str]:
    """The runs of letters and digits that the table can know."""
    folded = _fold(text)
    if folded.isascii():
        return folded.encode().translate(_ASCII_RUNS).decode().split()
    return _WORD.findall(folded)


def _fold(text: str) -> str:
    text = text.lower()
    if text.isascii():
        return text
    apart = unicodedata.normalize("NFKD", text)
    return "".join(letter for letter in apart if not unicodedata.combining(letter)).lower()


@lru_cache(maxsize=1)
def _table() -> tuple[NDArray[np.int8], dict[str, int], dict[str, int]]:
    """The table, the row of each token, and that of each piece inside a word; once for all who embed in a process."""
    here = files("memfort.embed")
    tokens = (here / "words.txt").read_text(encoding="utf-8").split("\n")
    whole = dict(zip(tokens, range(len(tokens)), strict=True))
    inside = {token[2:]: row for token, row in whole.items() if token.startswith("##")}
    with as_file(here / "words.npy") as path:
        # Not mapped: a package that is replaced must not pull it from under a process.
        return np.load(path), whole, inside
