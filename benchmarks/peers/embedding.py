"""The embedder that every peer is given: words hashed to a few places of a vector. No model, no network, no package.

It knows nothing of meaning. That is enough here: stores are compared, and each of them gets the same vectors.
"""

from __future__ import annotations

import math
import re
import struct
from collections import Counter
from collections.abc import Mapping
from functools import cache
from hashlib import blake2b

NAME = "hashed words"
DIMENSIONS = 384
_PLACES = 8  # for each word; with one only, two words would often be the same
_WORD = re.compile(r"\w+")

Sparse = Mapping[int, float]  # what is not zero, by its place


def hashed(text: str) -> Sparse:
    """The words of a text as a vector of length one. It is the same in every process and on every machine."""
    places: Counter[int] = Counter()
    for word in _WORD.findall(text.lower()):
        for place, sign in _places(word):
            places[place] += sign
    length = math.sqrt(sum(value * value for value in places.values()))
    return {place: value / length for place, value in places.items() if value}


def dense(vector: Sparse) -> list[float]:
    """The same vector with its zeros, as stores want it."""
    values = [0.0] * DIMENSIONS
    for place, value in vector.items():
        values[place] = value
    return values


@cache
def _places(word: str) -> tuple[tuple[int, int], ...]:
    numbers = struct.unpack(f"<{_PLACES}I", blake2b(word.encode(), digest_size=4 * _PLACES).digest())
    return tuple((number // 2 % DIMENSIONS, 1 if number % 2 else -1) for number in numbers)
