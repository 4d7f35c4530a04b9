"""The port: an embedder has a name and one method. Its vectors are kept as whole numbers, so that comparing them gives
the same answer on every machine."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol
from zlib import crc32

from memfort.errors import InvalidInput

LONGEST = 127  # the length of a kept vector, and so the largest number in it
MARK_BYTES = 4
MOST_NUMBERS = 1024  # beyond, the products are no longer exact in single precision: 127 * 127 * 1,024 < 2 ** 24

Packed = bytes  # the embedder's mark and the vector's numbers, each a signed byte


class Embedder(Protocol):
    """Turns texts into vectors, the nearer the more alike they mean. Only vectors of one name can be compared."""

    name: str

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """A vector for each text, all of one length. Zeros: it means nothing."""


def mark_of(embedder: Embedder) -> bytes:
    """What the vectors of an embedder are told apart from others' by."""
    return crc32(embedder.name.encode()).to_bytes(MARK_BYTES, "little")


def packed(mark: bytes, vector: Sequence[float]) -> Packed:
    """A vector at its kept length, rounded. Python's own numbers: a square root and a rounding that nobody disputes."""
    numbers = [float(number) for number in vector]
    length = math.sqrt(math.fsum(number * number for number in numbers))
    if not math.isfinite(length) or len(numbers) > MOST_NUMBERS:
        problem = "has a number that is none" if len(numbers) <= MOST_NUMBERS else f"has {len(numbers)} numbers"
        raise InvalidInput("embedder", f"a vector of it {problem}", f"give finite ones, {MOST_NUMBERS} at most")
    if not length:
        return mark
    return mark + bytes(round(number * LONGEST / length) & 0xFF for number in numbers)
