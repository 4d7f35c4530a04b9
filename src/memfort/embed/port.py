"""The ports: an embedder has a name and one method, and so has a reranker. Vectors are kept as whole numbers, so that
comparing them gives the same answer on every machine."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar
from zlib import crc32

from memfort.errors import EmbedderFailed, InvalidInput, ModelFailed, RerankerFailed, a

VECTOR_LENGTH = 127  # the length of a kept vector, and so the largest number in it
TAG_BYTES = 4
# Sums are exact in single precision below 2 ** 24. No sum of some of two vectors' products is more than the product of
# their lengths, and rounding makes a vector of this many numbers longer by 32 at most.
MAX_NUMBERS = 4096

Packed = bytes  # the embedder's tag and the vector's numbers, each a signed byte
Vectors = Sequence[Sequence[float]]
_Failed = TypeVar("_Failed", bound=ModelFailed)
RerankFunction = Callable[[str, Sequence[str]], Sequence[float]]


class Embedder(Protocol):
    """Turns texts into vectors, the nearer the more alike they mean. Only vectors of one name can be compared.

    Three things that an embedder may say of itself beside that: `is_quick`, that it takes less than a millisecond, so
    that it can be asked about everything in sight; `is_remote`, that asking it can take long or fail, so that no
    transaction waits for it; and `sums_words`, that a text is the sum of its words to it, so that of a query it is
    asked about the content words alone, and not about the sentence.
    """

    name: str

    def embed(self, texts: Sequence[str]) -> Vectors:
        """A vector for each text, all of one length. Zeros: it means nothing."""


class Reranker(Protocol):
    """Looks at a query and each of a few texts together, as a cross-encoder does, and says how well it answers."""

    name: str

    def rank(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """A number for each text, the higher the better: the logarithm of its odds, so that 0 is neither good nor bad.
        What says a chance from 0 to 1 instead is turned into it by `log_odds`."""


class NamedEmbedder:
    """A plain function as an embedder."""

    def __init__(self, name: str, function: Callable[[Sequence[str]], Vectors], *, remote: bool = False) -> None:
        self.name = name
        self.is_remote = remote
        self._function = function

    def embed(self, texts: Sequence[str]) -> Vectors:
        return self._function(texts)


class NamedReranker:
    """A plain function as a reranker."""

    def __init__(self, name: str, function: RerankFunction, *, chances: bool = False) -> None:
        self.name = name
        self._function, self._chances = function, chances

    def rank(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        found = self._function(query, texts)
        return [log_odds(float(chance)) for chance in found] if self._chances else found


def named_embedder(function: Callable[[Sequence[str]], Vectors], name: str, *, remote: bool = False) -> NamedEmbedder:
    """A function from texts to vectors as an embedder. Give it another name whenever its vectors change: those of one
    name are compared. With `remote`, memories are written first and it is asked about them afterwards."""
    if not callable(function):
        raise InvalidInput("embedder", f"{a(type(function).__name__)} cannot be called", "give a function of texts")
    if not isinstance(name, str) or not name.strip():
        remedy = 'name it: `named_embedder(fn, "my-model-1")`'
        raise InvalidInput("embedder", "its vectors need a name to be known by", remedy)
    return NamedEmbedder(name, function, remote=remote)


def named_reranker(function: RerankFunction, name: str, *, chances: bool = False) -> NamedReranker:
    """A function from a query and texts to a number for each as a reranker. With `chances` its numbers are from 0 to 1
    already, as those of a model whose last step is a sigmoid are."""
    if not callable(function):
        remedy = "give a function of a query and texts"
        raise InvalidInput("reranker", f"{a(type(function).__name__)} cannot be called", remedy)
    if not isinstance(name, str) or not name.strip():
        raise InvalidInput("reranker", "it needs a name", 'name it: `named_reranker(fn, "my-model-1")`')
    return NamedReranker(name, function, chances=chances)


def embedder_tag(embedder: Embedder) -> bytes:
    """The bytes that tag the vectors of an embedder."""
    return crc32(embedder.name.encode()).to_bytes(TAG_BYTES, "little")


def embed_texts(embedder: Embedder, tag: bytes, texts: Sequence[str]) -> list[Packed]:
    """The vectors of texts, packed as they are stored."""
    pack = getattr(embedder, "pack", None)
    try:
        if pack is not None:
            return list(pack(tag, texts))
        vectors = list(embedder.embed(texts))
    except Exception as error:
        raise _failure(EmbedderFailed, embedder.name, error) from error
    if len(vectors) != len(texts):
        problem = f"it gave {len(vectors)} vectors for {len(texts)} texts"
        raise EmbedderFailed(embedder.name, problem, "it must give one for each, in their order")
    made = [_pack_checked(embedder, tag, vector) for vector in vectors]
    if len({len(one) for one in made if len(one) > len(tag)}) > 1:
        raise EmbedderFailed(embedder.name, "its vectors differ in length", "name one model that gives one length")
    return made


def rerank_texts(reranker: Reranker, query: str, texts: Sequence[str]) -> list[float]:
    """How well texts answer a query, each from 0 to 1."""
    try:
        scores = [float(score) for score in reranker.rank(query, texts)]
    except Exception as error:
        raise _failure(RerankerFailed, reranker.name, error) from error
    if len(scores) != len(texts) or any(math.isnan(score) for score in scores):
        problem = f"it gave {len(scores)} numbers for {len(texts)} texts, or one that is none"
        raise RerankerFailed(reranker.name, problem, "it must give one for each, in their order")
    return [(1 + math.tanh(score / 2)) / 2 for score in scores]


def log_odds(chance: float) -> float:
    """The number that `rerank_texts` turns into this chance again."""
    if not 0 <= chance <= 1:
        raise ValueError("a chance is from 0 to 1")
    return math.copysign(math.inf, chance - 0.5) if chance in {0, 1} else math.log(chance / (1 - chance))


def _failure(failed: type[_Failed], name: str, error: Exception) -> _Failed:
    """Whatever goes wrong in a model is its failure and of one kind. Of an error that is not ours only the kind is
    told, because its message may quote anything."""
    if isinstance(error, failed):
        return error
    if isinstance(error, InvalidInput):
        return failed(name, error.problem, error.remedy)
    return failed(name, f"it failed with {type(error).__name__}", "see to it, and try again")


def _pack_checked(embedder: Embedder, tag: bytes, vector: Sequence[float]) -> Packed:
    try:
        return pack_vector(tag, vector)
    except InvalidInput as error:
        raise EmbedderFailed(embedder.name, error.problem, error.remedy) from None
    except (TypeError, ValueError):
        raise EmbedderFailed(embedder.name, "what it gave is no list of numbers", "give a list of them") from None


def pack_vector(tag: bytes, vector: Sequence[float]) -> Packed:
    """A vector at its kept length, rounded. Python's own numbers: a square root and a rounding that nobody disputes."""
    numbers = [float(number) for number in vector]
    length = math.sqrt(math.fsum(number * number for number in numbers))
    if not math.isfinite(length) or len(numbers) > MAX_NUMBERS:
        problem = "has a number that is none" if len(numbers) <= MAX_NUMBERS else f"has {len(numbers)} numbers"
        raise InvalidInput("embedder", f"a vector of it {problem}", f"give finite ones, {MAX_NUMBERS} at most")
    if not length:
        return tag
    return tag + bytes(round(number * VECTOR_LENGTH / length) & 0xFF for number in numbers)
