"""The embedder for all systems: the one that ships with Memfort. The texts are embedded here once, before any timing,
and the peers get the vectors; Memfort embeds the same texts again within its measured times.

Only the process that runs the comparison imports this: the peers' environments have no Memfort.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.speed.timing import percentiles, timed
from memfort.embed.words import WordEmbedder

NAME = WordEmbedder.name
_EMBEDDER = WordEmbedder()

Matrix = NDArray[np.float32]


def embedded(texts: Sequence[str]) -> Matrix:
    """A unit vector for each text: some peers use cosine and some distance, and for unit vectors both agree."""
    rows = np.array(_EMBEDDER.embed(texts))
    found: Matrix = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return found


def cost(questions: Sequence[str], memories: Sequence[str]) -> dict[str, Any]:
    """The cost of embedding, which only Memfort's times include."""
    one = percentiles(timed(partial(_EMBEDDER.embed, [asked]) for asked in questions))
    start = time.perf_counter()
    _EMBEDDER.embed(memories)
    return {"question_p50": one.p50, "memories_per_second": round(len(memories) / (time.perf_counter() - start))}
