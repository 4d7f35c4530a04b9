"""The embedder that everybody is given: the one that ships with Memfort. The texts are embedded here, once, before
anything is timed, and the peers are handed the vectors; Memfort embeds the same texts again, inside what is timed.

Only the process that runs the comparison comes in here: the peers' environments have no Memfort.
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
    """A row of length one for each text: some of the peers measure angles and some distances, and then both agree."""
    rows = np.array(_EMBEDDER.embed(texts))
    found: Matrix = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return found


def cost(questions: Sequence[str], memories: Sequence[str]) -> dict[str, Any]:
    """What embedding takes, which is in Memfort's times and in nobody else's."""
    one = percentiles(timed(partial(_EMBEDDER.embed, [asked]) for asked in questions))
    start = time.perf_counter()
    _EMBEDDER.embed(memories)
    return {"question_p50": one.p50, "memories_per_second": round(len(memories) / (time.perf_counter() - start))}
