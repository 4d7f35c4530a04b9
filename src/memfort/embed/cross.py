"""A cross-encoder of the BERT family in numpy: it reads a query and a text together, and scores how well the text
answers. It is loaded from a folder like an embedder, and has one output."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from memfort.embed.bert import Encoder
from memfort.errors import InvalidInput

_MAX_TOKENS = 512  # of a query and a text together
_SPECIAL_TOKENS = 3  # a beginning, and an end of each


class CrossEncoder:
    """Scores texts for a query, pair by pair; the model is loaded at construction."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self._encoder = Encoder(folder, "reranker", _MAX_TOKENS)
        labels = self._encoder.output_width("classifier")
        if labels != 1:
            problem = f"the model in `{folder}` gives {labels} numbers for a text"
            raise InvalidInput("reranker", problem, "name a cross-encoder that gives one")

    def rank(self, query: str, texts: Sequence[str]) -> list[float]:
        query_pieces = self._encoder.pieces(query)
        return [self._score_pair(*self._pair(query_pieces, self._encoder.pieces(text))) for text in texts]

    def tokens(self, query: str, text: str) -> tuple[list[int], list[int]]:
        """The token ids of both, and the segment of each."""
        return self._pair(self._encoder.pieces(query), self._encoder.pieces(text))

    def _pair(self, query: Sequence[int], text: Sequence[int]) -> tuple[list[int], list[int]]:
        """The text is cut first, but not below half of the length: a query that fills it would leave nothing to
        score."""
        room = self._encoder.room - _SPECIAL_TOKENS
        query_pieces = query[: max(room - len(text), room // 2)]
        return self._encoder.join_parts(query_pieces, text[: room - len(query_pieces)])

    def _score_pair(self, rows: Sequence[int], kinds: Sequence[int]) -> float:
        first = self._encoder.read(rows, kinds)[:1]  # the start token, which stands for the whole pair
        return float(self._encoder.dense(np.tanh(self._encoder.dense(first, "pooler.dense")), "classifier")[0, 0])
