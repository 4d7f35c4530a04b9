"""The table of words in memory, for processes that embed many texts: numpy sums its rows."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from memfort.embed.port import VECTOR_LENGTH


class WholeTable:
    """Rows of signed bytes. The sums are exact, so they are the same on every machine."""

    def __init__(self, rows: bytes, width: int, weights: Sequence[int]) -> None:
        self._rows = np.frombuffer(rows, np.int8).reshape(-1, width)
        self._weights = np.array(weights, np.float32)  # of the first row of a text, the second, and so on

    def sum_of(self, rows: Sequence[int]) -> bytes:
        """The sum of rows at the norm of a vector, a signed byte each; none if it is zero."""
        # Whole numbers below 2 ** 24 in single precision: their sum is exact in any order. So is that
        # of their squares in double precision, below 2 ** 53.
        some = self._rows.take(rows, 0).astype(np.float32)
        total = np.dot(self._weights[: len(rows)], some).astype(np.float64)
        length = math.sqrt(np.dot(total, total))
        if not length:
            return b""
        total *= VECTOR_LENGTH
        total /= length
        packed: bytes = np.rint(total, total).astype(np.int8).tobytes()
        return packed
