"""Whether answers are right: beside an exact search over what the asker has, and beside the memory that was meant."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.peers.embedding import Sparse, hashed
from benchmarks.peers.material import MEMORIES, QUESTIONS, Text, texts_of

RANKS = (1, 3, 5, 10, 20)
_EQUAL = 1e-5  # closer than this, two 32-bit scores are the same, and either memory is right

Answers = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Truth:
    """The questions, and the exact cosine of each with every memory of the user who asks it."""

    questions: tuple[Text, ...]
    scores: tuple[Mapping[str, float], ...]

    def exact(self) -> list[list[str]]:
        """What an exact search would answer."""
        return [sorted(scores, key=scores.__getitem__, reverse=True)[: max(RANKS)] for scores in self.scores]


def truth(material: Path) -> Truth:
    questions = tuple(texts_of(material, QUESTIONS))
    askers = {question.user for question in questions}
    owned: defaultdict[str, list[Text]] = defaultdict(list)
    for memory in texts_of(material, MEMORIES):
        if memory.user in askers:
            owned[memory.user].append(memory)
    indexes = {user: _index(memories) for user, memories in owned.items()}
    return Truth(questions, tuple(_scores(hashed(one.text), owned[one.user], indexes[one.user]) for one in questions))


def judged(truth: Truth, answers: Answers) -> dict[str, Any]:
    """How much of the nearest k is among the first k, how often the memory that was meant is, and what is foreign."""
    pairs = list(zip(truth.questions, truth.scores, answers, strict=False))
    return {
        "answered": len(pairs),
        "right": {str(k): _mean(_right(scores, ids, k) for _, scores, ids in pairs) for k in RANKS},
        "known": {str(k): _mean(question.id in ids[:k] for question, _, ids in pairs) for k in RANKS},
        "foreign": sum(id not in scores for _, scores, ids in pairs for id in ids),
    }


def _right(scores: Mapping[str, float], ids: Sequence[str], k: int) -> float:
    """Ties are no mistake: whatever is as near as the last of the true first k belongs to them."""
    wanted = min(k, len(scores))
    least = sorted(scores.values(), reverse=True)[wanted - 1] - _EQUAL
    return sum(scores.get(id, -2.0) >= least for id in dict.fromkeys(ids[:k])) / wanted


_Index = Mapping[int, Sequence[tuple[str, float]]]


def _index(memories: Iterable[Text]) -> _Index:
    found: defaultdict[int, list[tuple[str, float]]] = defaultdict(list)
    for memory in memories:
        for place, value in hashed(memory.text).items():
            found[place].append((memory.id, value))
    return found


def _scores(question: Sparse, memories: Iterable[Text], index: _Index) -> Mapping[str, float]:
    scores = {memory.id: 0.0 for memory in memories}
    for place, value in question.items():
        for id, other in index.get(place, ()):
            scores[id] += value * other
    return scores


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return round(sum(listed) / len(listed), 4)
