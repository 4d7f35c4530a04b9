"""The port: an embedder has a name and one method. Its vectors are kept as whole numbers, so that comparing them gives
the same answer on every machine."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Protocol
from zlib import crc32

from memfort.errors import EmbedderFailed, InvalidInput, a

LONGEST = 127  # the length of a kept vector, and so the largest number in it
MARK_BYTES = 4
# Sums are exact in single precision below 2 ** 24. No sum of some of two vectors' products is more than the product of
# their lengths, and rounding makes a vector of this many numbers longer by 32 at most.
MOST_NUMBERS = 4096

Packed = bytes  # the embedder's mark and the vector's numbers, each a signed byte
Vectors = Sequence[Sequence[float]]


class Embedder(Protocol):
    """Turns texts into vectors, the nearer the more alike they mean. Only vectors of one name can be compared.

    Three things that an embedder may say of itself beside that: `is_quick`, that it takes less than a millisecond, so
    that it can be asked about everything in sight; `is_remote`, that asking it can take long or fail, so that no
    transaction waits for it; and `sums_words`, that a text is the sum of its words to it, so that of a query it is
    asked about the telling words alone, and not about the sentence.
    """

    name: str

    def embed(self, texts: Sequence[str]) -> Vectors:
        """A vector for each text, all of one length. Zeros: it means nothing."""


class Reranker(Protocol):
    """Looks at a query and each of a few texts together, as a cross-encoder does, and says how well it answers."""

    name: str

    def rank(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """A number for each text, the higher the better; 0 is neither good nor bad."""


class Named:
    """A plain function as an embedder."""

    def __init__(self, name: str, function: Callable[[Sequence[str]], Vectors], *, remote: bool = False) -> None:
        self.name = name
        self.is_remote = remote
        self._function = function

    def embed(self, texts: Sequence[str]) -> Vectors:
        return self._function(texts)


def named(function: Callable[[Sequence[str]], Vectors], name: str, *, remote: bool = False) -> Named:
    """A function from texts to vectors as an embedder. Give it another name whenever its vectors change: those of one
    name are compared. With `remote`, memories are written first and it is asked about them afterwards."""
    if not callable(function):
        raise InvalidInput("embedder", f"{a(type(function).__name__)} cannot be called", "give a function of texts")
    if not isinstance(name, str) or not name.strip():
        raise InvalidInput("embedder", "its vectors need a name to be known by", 'name it: `named(fn, "my-model-1")`')
    return Named(name, function, remote=remote)


def mark_of(embedder: Embedder) -> bytes:
    """What the vectors of an embedder are told apart from others' by."""
    return crc32(embedder.name.encode()).to_bytes(MARK_BYTES, "little")


def asked(embedder: Embedder, mark: bytes, texts: Sequence[str]) -> list[Packed]:
    """What an embedder says about texts, as it is kept. Whatever goes wrong there is its failure and of one kind; only
    the kind of an error that is not ours is told, because its message may quote anything."""
    pack = getattr(embedder, "pack", None)
    try:
        if pack is not None:
            return list(pack(mark, texts))
        vectors = list(embedder.embed(texts))
    except EmbedderFailed:
        raise
    except Exception as error:
        raise EmbedderFailed(
            embedder.name, f"it failed with {type(error).__name__}", "see to it, and try again"
        ) from error
    if len(vectors) != len(texts):
        problem = f"it gave {len(vectors)} vectors for {len(texts)} texts"
        raise EmbedderFailed(embedder.name, problem, "it must give one for each, in their order")
    made = [_made(embedder, mark, vector) for vector in vectors]
    if len({len(one) for one in made if len(one) > len(mark)}) > 1:
        raise EmbedderFailed(embedder.name, "its vectors differ in length", "name one model that gives one length")
    return made


def judged(reranker: Reranker, query: str, texts: Sequence[str]) -> list[float]:
    """What a reranker says of texts, each between 0 and 1."""
    try:
        scores = [float(score) for score in reranker.rank(query, texts)]
    except Exception as error:
        problem = f"it failed with {type(error).__name__}"
        raise EmbedderFailed(reranker.name, problem, "see to it, and try again") from error
    if len(scores) != len(texts) or any(math.isnan(score) for score in scores):
        problem = f"it gave {len(scores)} numbers for {len(texts)} texts, or one that is none"
        raise EmbedderFailed(reranker.name, problem, "it must give one for each, in their order")
    return [(1 + math.tanh(score / 2)) / 2 for score in scores]


def _made(embedder: Embedder, mark: bytes, vector: Sequence[float]) -> Packed:
    try:
        return packed(mark, vector)
    except InvalidInput as error:
        raise EmbedderFailed(embedder.name, error.problem, error.remedy) from None
    except (TypeError, ValueError):
        raise EmbedderFailed(embedder.name, "what it gave is no list of numbers", "give a list of them") from None


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
