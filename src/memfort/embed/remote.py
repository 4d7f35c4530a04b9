"""Models on servers: an embedder for `/v1/embeddings` as in OpenAI's API, and a reranker for `/v1/rerank` as in
Cohere's and Jina's."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Any

from memfort.embed.port import Vectors, log_odds
from memfort.embed.server import MAX_CHARS, SECONDS, Server, Service, sort_rows
from memfort.errors import EmbedderFailed, RerankerFailed

EMBEDDINGS = Service("/v1/embeddings", EmbedderFailed)
RERANK = Service("/v1/rerank", RerankerFailed)
BATCH = 64  # texts in one request
SECONDS_PER_TEXT = 0.5  # more for each of many


class RemoteEmbedder:
    """Embeds texts on a server, in batches."""

    is_remote = True

    def __init__(
        self,
        url: str,
        model: str,
        key: str | None = None,
        *,
        seconds: float = SECONDS,
        batch: int = BATCH,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._server = Server(EMBEDDINGS, url, model, key, sleep)
        self.name = self._server.name
        self._seconds, self._batch = seconds, batch
        self._length: int | None = None  # of its vectors, once known

    def embed(self, texts: Sequence[str]) -> Vectors:
        """A blank text gets a zero vector without a request, because servers refuse it."""
        wanted = [place for place, text in enumerate(texts) if text.strip()]
        found: list[Sequence[float]] = [()] * len(texts)
        for start in range(0, len(wanted), self._batch):
            some = wanted[start : start + self._batch]
            for place, vector in zip(some, self._request([texts[place] for place in some]), strict=True):
                found[place] = vector
        return found

    def _request(self, texts: Sequence[str]) -> list[list[float]]:
        question = {"input": [text[:MAX_CHARS] for text in texts], "encoding_format": "float"}
        seconds = self._seconds + SECONDS_PER_TEXT * (len(texts) - 1)
        return self._server.ask(question, seconds, lambda answer: self._read(answer, len(texts)))

    def _read(self, answer: Any, count: int) -> list[list[float]]:
        found = sort_rows(answer["data"], count, lambda row: [float(number) for number in row["embedding"]])
        if found is None:
            problem = f"it gave {len(answer['data'])} vectors for {count} texts"
            raise self._server.failure(problem, "check the model's name in `embedder`")
        self._check_length({len(vector) for vector in found})
        return found

    def _check_length(self, lengths: set[int]) -> None:
        length = next(iter(lengths)) if self._length is None else self._length
        if lengths != {length} or not length:
            problem = f"it gave vectors of {' and '.join(map(str, sorted(lengths | {length})))} numbers"
            raise self._server.failure(problem, "name one model that gives one length")
        self._length = length


class RemoteReranker:
    """Scores all texts in one request to a server: a caller is waiting, and all belong to one query."""

    def __init__(
        self,
        url: str,
        model: str,
        key: str | None = None,
        *,
        seconds: float = SECONDS,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._server = Server(RERANK, url, model, key, sleep)
        self.name = self._server.name
        self._seconds = seconds

    def rank(self, query: str, texts: Sequence[str]) -> list[float]:
        documents = [text[:MAX_CHARS] for text in texts]
        question = {"query": query[:MAX_CHARS], "documents": documents, "top_n": len(documents)}
        return self._server.ask(question, self._seconds, lambda answer: self._read(answer, len(documents)))

    def _read(self, answer: Any, count: int) -> list[float]:
        found = sort_rows(answer["results"], count, lambda row: float(row["relevance_score"]))
        if found is None:
            problem = f"it gave {len(answer['results'])} numbers for {count} texts"
            raise self._server.failure(problem, "check the model's name in `reranker`")
        if not all(map(math.isfinite, found)):
            raise self._server.failure("it gave a value that is not a number", "check the model's name in `reranker`")
        return _as_log_odds(found)


def _as_log_odds(scores: Sequence[float]) -> list[float]:
    """Most servers return probabilities from 0 to 1, some return logits, and none says which. If every number could be
    a probability, all are treated as such; if that is wrong, they weigh too much but keep their order."""
    return [log_odds(score) for score in scores] if all(0 <= score <= 1 for score in scores) else list(scores)
