"""The embedder that ships with the package: a vector for each word, summed.

A text is folded to lower case without accents and cut into words; a word that has no row of its own is cut greedily
into pieces that have one. Words in scripts that the table does not know have no vector: they are found by the word
index. The first words count more, because a long text names its topic early.

`words.npy` holds a row of signed bytes for each token, with its rarity in it, and `words.txt` the tokens in the same
order. `tools/embedder` makes both, and docs/decisions/0021 says from what.

A command line embeds one text and ends. So the first rows are read one by one and summed without numpy, which takes
longer to load; after that the whole table is in memory. Both ways give the same bytes.
"""

from __future__ import annotations

import math
import os
import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from memfort.embed.choice import WORDS
from memfort.embed.port import VECTOR_LENGTH, Packed

if TYPE_CHECKING:
    from memfort.embed.whole_table import WholeTable

_WORD = re.compile(r"[a-z]+|[0-9]+")
_INSIDE = "##"  # before a token that stands for a piece inside a word
_MAX_WORD_CHARS = 32
_MAX_TOKENS = 4096  # of a text that are counted, so that the sums are exact
_FIRST, _FIRST_WEIGHT = 64, 4
_CACHED_WORDS = 50_000
_ROWS_ONE_BY_ONE = 500  # reading and summing so many takes a fifth of what loading numpy and the table does
_ASCII_RUNS = bytes(code if chr(code).isalnum() else ord(" ") for code in range(128)).ljust(256)


class WordEmbedder:
    """An embedder with a table of words; it needs no other package and gives the same bytes everywhere."""

    name = WORDS
    is_quick = True
    sums_words = True

    def __init__(self) -> None:
        self._table = _table()
        self._rows = _Rows(self._table.row_of)

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        zeros = bytes(self._table.width)
        return [list(map(float, memoryview(self._numbers(text) or zeros).cast("b"))) for text in texts]

    def pack(self, tag: bytes, texts: Sequence[str]) -> list[Packed]:
        """The same in stored form, without converting to lists of floats."""
        return [tag + self._numbers(text) for text in texts]

    def _numbers(self, text: str) -> bytes:
        """The vector of a text, a signed byte each; none if it is zero."""
        rows = list(dict.fromkeys(chain.from_iterable(map(self._rows.__getitem__, _split_runs(text)))))[:_MAX_TOKENS]
        return self._table.sum_of(rows) if rows else b""


class _Rows(dict[str, tuple[int, ...]]):
    """The rows of each run of letters and digits, looked up on first use."""

    def __init__(self, row_of: Mapping[str, int]) -> None:
        super().__init__()
        self._row_of = row_of

    def __missing__(self, run: str) -> tuple[int, ...]:
        rows = tuple(row for word in _WORD.findall(run) for row in self._pieces(word))
        if len(run) <= _MAX_WORD_CHARS:
            if len(self) >= _CACHED_WORDS:
                self.clear()
            self[run] = rows
        return rows

    def _pieces(self, word: str) -> list[int]:
        """Split a word into pieces, the longest first; every single letter and digit is a piece."""
        if word in self._row_of:
            return [self._row_of[word]]
        rows: list[int] = []
        rest, prefix = word[:_MAX_WORD_CHARS], ""
        while rest:
            end = len(rest)
            while (row := self._row_of.get(prefix + rest[:end])) is None:
                end -= 1
            rows.append(row)
            rest, prefix = rest[end:], _INSIDE
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


class _Table:
    """The tokens and their rows."""

    def __init__(self, tokens: Sequence[str], file: int) -> None:
        self.row_of = dict(zip(tokens, range(len(tokens)), strict=True))
        self._file = file  # stays open: replacing the package must not change the rows of a running process
        self._start = 10 + int.from_bytes(os.pread(file, 2, 8), "little")  # of the rows, after numpy's header
        self.width = (os.fstat(file).st_size - self._start) // len(tokens)
        self._read = 0  # rows, one by one
        self._whole: WholeTable | None = None

    def sum_of(self, rows: Sequence[int]) -> bytes:
        """The sum of rows at the norm of a vector, a signed byte each; none if it is zero."""
        if self._whole is None and self._read + len(rows) <= _ROWS_ONE_BY_ONE:
            self._read += len(rows)
            return self._sum_one_by_one(rows)
        return self._loaded().sum_of(rows)

    def _sum_one_by_one(self, rows: Sequence[int]) -> bytes:
        read = [memoryview(self._row(row)).cast("b") for row in rows]
        total = [_FIRST_WEIGHT * sum(numbers) for numbers in zip(*read[:_FIRST], strict=True)]
        if len(read) > _FIRST:
            total = list(map(sum, zip(total, *read[_FIRST:], strict=True)))
        length = math.sqrt(sum([number * number for number in total]))
        return bytes([round(number * VECTOR_LENGTH / length) & 0xFF for number in total]) if length else b""

    def _row(self, row: int) -> bytes:
        return os.pread(self._file, self.width, self._start + row * self.width)

    def _loaded(self) -> WholeTable:
        if self._whole is None:
            from memfort.embed.whole_table import WholeTable

            size = len(self.row_of) * self.width
            self._whole = WholeTable(os.pread(self._file, size, self._start), self.width, _weights())
        return self._whole


def _weights() -> list[int]:
    return [_FIRST_WEIGHT if place < _FIRST else 1 for place in range(_MAX_TOKENS)]


@lru_cache(maxsize=1)
def _table() -> _Table:
    """The table, loaded once per process."""
    here = Path(__file__).parent
    return _Table((here / "words.txt").read_text("utf-8").split("\n"), os.open(here / "words.npy", os.O_RDONLY))
