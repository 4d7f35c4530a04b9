"""The ports: an embedder has a name and one method, and so has a reranker. Vectors are stored as integers, so that
comparisons give the same result on every machine."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar
from zlib import crc32

from memfort.errors import EmbedderFailed, InvalidInput, ModelFailed, RerankerFailed, a

VECTOR_LENGTH = 127  # the norm of a stored vector, and so its largest component
TAG_BYTES = 4
# Sums are exact in single precision below 2 ** 24. No sum of some of two vectors' products is more than the product of
# their lengths, and rounding makes a vector of this many numbers longer by 32 at most.
MAX_NUMBERS = 4096

Packed = bytes  # the embedder's tag and the vector's numbers, each a signed byte
Vectors = Sequence[Sequence[float]]
_Failed = TypeVar("_Failed", bound=ModelFailed)
RerankFunction = Callable[[str, Sequence[str]], Sequence[float]]


class Embedder(Protocol):
    """Turns texts into vectors, nearer for similar meanings. Only vectors of the same name can be compared.

    An embedder may have three more attributes: `is_quick` says that it takes less than a millisecond, so that it can
    embed everything in sight; `is_remote` says that a call can be slow or fail, so that no transaction waits for it;
    and `sums_words` says that it sums word vectors, so that only the content words of a query are embedded, not the
    sentence.
    """

    name: str

    def embed(self, texts: Sequence[str]) -> Vectors:
        """A vector for each text, all of one length. A zero vector means no meaning."""


class Reranker(Protocol):
    """Scores how well each of a few texts answers a query, as a cross-encoder does."""

    name: str

    def rank(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """A number for each text, the higher the better: the logarithm of its odds, so that 0 is neither good nor bad.
        `log_odds` converts a probability from 0 to 1."""


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
    name are compared. With `remote`, memories are written first and embedded afterwards."""
    if not callable(function):
        raise InvalidInput("embedder", f"{a(type(function).__name__)} cannot be called", "give a function of texts")
    if not isinstance(name, str) or not name.strip():
        remedy = 'name it: `named_embedder(fn, "my-model-1")`'
        raise InvalidInput("embedder", "its vectors need a name", remedy)
    return NamedEmbedder(name, function, remote=remote)


def named_reranker(function: RerankFunction, name: str, *, chances: bool = False) -> NamedReranker:
    """A function from a query and texts to a number for each as a reranker. With `chances` its numbers are
    probabilities from 0 to 1, as from a model that ends with a sigmoid."""
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
        raise failure_of(EmbedderFailed, embedder.name, error) from error
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
        raise failure_of(RerankerFailed, reranker.name, error) from error
    if len(scores) != len(texts) or any(math.isnan(score) for score in scores):
        problem = f"it gave {len(scores)} numbers for {len(texts)} texts, or one is not a number"
        raise RerankerFailed(reranker.name, problem, "it must give one for each, in their order")
    return [(1 + math.tanh(score / 2)) / 2 for score in scores]


def log_odds(chance: float) -> float:
    """The inverse of `rerank_texts`: the log odds of a probability."""
    if not 0 <= chance <= 1:
        raise ValueError("a chance is from 0 to 1")
    return math.copysign(math.inf, chance - 0.5) if chance in {0, 1} else math.log(chance / (1 - chance))


def failure_of(failed: type[_Failed], name: str, error: Exception) -> _Failed:
    """Turn any error in a model into one kind of failure. Only the type of a foreign error is shown, because its
    message may quote anything."""
    if isinstance(error, failed):
        return error
    if isinstance(error, InvalidInput):
        return failed(name, error.problem, error.remedy)
    return failed(name, f"it failed with {type(error).__name__}", "fix it, and try again")


def _pack_checked(embedder: Embedder, tag: bytes, vector: Sequence[float]) -> Packed:
    try:
        return pack_vector(tag, vector)
    except InvalidInput as error:
        raise EmbedderFailed(embedder.name, error.problem, error.remedy) from None
    except (TypeError, ValueError):
        raise EmbedderFailed(embedder.name, "its answer is not a list of numbers", "give a list of them") from None


def pack_vector(tag: bytes, vector: Sequence[float]) -> Packed:
    """A vector at its stored norm, rounded. Python floats: square root and rounding are exact by the standard."""
    numbers = [float(number) for number in vector]
    length = math.sqrt(math.fsum(number * number for number in numbers))
    if not math.isfinite(length) or len(numbers) > MAX_NUMBERS:
        problem = "has a value that is not a number" if len(numbers) <= MAX_NUMBERS else f"has {len(numbers)} numbers"
        raise InvalidInput("embedder", f"a vector of it {problem}", f"give finite ones, {MAX_NUMBERS} at most")
    if not length:
        return tag
    return tag + bytes(round(number * VECTOR_LENGTH / length) & 0xFF for number in numbers)
