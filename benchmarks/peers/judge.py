"""Judge answers: against an exact search over the asker's memories, and against the expected memory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.peers.given import Vector
from benchmarks.peers.material import MEMORIES, QUESTIONS, Text, read

RANKS = (1, 3, 5, 10, 20)
_EQUAL = 1e-5  # closer than this, two 32-bit scores are the same, and either memory is right

Answers = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Truth:
    """The questions, and the exact cosine of each with every memory of its user."""

    questions: tuple[Text, ...]
    scores: tuple[Mapping[str, float], ...]

    def exact(self) -> list[list[str]]:
        """The answer of an exact search."""
        return [sorted(scores, key=scores.__getitem__, reverse=True)[: max(RANKS)] for scores in self.scores]


def truth(material: Path) -> Truth:
    questions = list(read(material, QUESTIONS))
    askers = {question.user for question, _ in questions}
    ids: defaultdict[str, list[str]] = defaultdict(list)
    vectors: defaultdict[str, list[Vector]] = defaultdict(list)
    for memory, vector in read(material, MEMORIES):
        if memory.user in askers:
            ids[memory.user].append(memory.id)
            vectors[memory.user].append(vector)
    matrices = {user: np.array(rows) for user, rows in vectors.items()}
    scores = (
        dict(zip(ids[one.user], (matrices[one.user] @ np.array(vector)).tolist(), strict=True))
        for one, vector in questions
    )
    return Truth(tuple(one for one, _ in questions), tuple(scores))


def judged(truth: Truth, answers: Answers) -> dict[str, Any]:
    """The share of the nearest k among the first k, how often the expected memory is there, and the share of other
    users' memories."""
    pairs = list(zip(truth.questions, truth.scores, answers, strict=False))
    return {
        "answered": len(pairs),
        "right": {str(k): _mean(_right(scores, ids, k) for _, scores, ids in pairs) for k in RANKS},
        "known": {str(k): _mean(question.id in ids[:k] for question, _, ids in pairs) for k in RANKS},
        "known_10": {
            manner: _mean(question.id in ids[:10] for question, _, ids in pairs if question.manner == manner)
            for manner in sorted({question.manner for question, _, _ in pairs})
        },
        "foreign": sum(id not in scores for _, scores, ids in pairs for id in ids),
    }


def foreign(truth: Truth, answers: Answers) -> float:
    """The share of these answers to the first questions that belongs to other users."""
    return _mean(id not in scores for scores, ids in zip(truth.scores, answers, strict=False) for id in ids)


def _right(scores: Mapping[str, float], ids: Sequence[str], k: int) -> float:
    """Ties are correct: any memory as near as the last of the true first k counts."""
    wanted = min(k, len(scores))
    least = sorted(scores.values(), reverse=True)[wanted - 1] - _EQUAL
    return sum(scores.get(id, -2.0) >= least for id in dict.fromkeys(ids[:k])) / wanted


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return round(sum(listed) / len(listed), 4) if listed else 0.0
