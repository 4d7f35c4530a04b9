"""Asking: a conversation is remembered turn by turn, and every question recalled, by the public interface alone."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from benchmarks.quality.corpora import Conversation, Question
from memfort import Memory, Policy
from memfort.memory import BoundMemory

DEPTH = 50
AT = (1, 5, 10, 20, 50)
_RESAMPLED = 2000


@dataclass(frozen=True, slots=True)
class Found:
    """Where the turns that answer a question came in what was recalled for it."""

    kind: str
    ranks: tuple[int, ...]  # from 0
    gold: int

    def recall(self, at: int) -> float:
        return sum(rank < at for rank in self.ranks) / self.gold

    @property
    def reciprocal(self) -> float:
        return 1 / (1 + self.ranks[0]) if self.ranks else 0.0


class Asker:
    """A conversation in a store, to be asked."""

    def __init__(self, bound: BoundMemory, conversation: Conversation) -> None:
        self.conversation = conversation
        self._bound = bound
        kept = [outcome.item for outcome in bound.remember_many(list(conversation.turns))]
        # A turn that says what another said already is the same memory: it is found where it was said first.
        self._place: dict[str, int] = {}
        for place, item in enumerate(kept):
            if item is not None:
                self._place.setdefault(item.id, place)
        self.kept = sum(item is not None for item in kept)

    def ask(self, text: str) -> list[int]:
        hits = self._bound.recall(text, limit=DEPTH)
        return [self._place[hit.id] for hit in hits]

    def found(self, question: Question, text: str | None = None) -> Found:
        ranking = self.ask(text or question.text)
        ranks = [rank for rank, place in enumerate(ranking) if place in question.gold]
        return Found(question.kind, tuple(ranks), len(question.gold))


@contextmanager
def asked(conversation: Conversation, policy: Policy | None = None) -> Iterator[Asker]:
    with (
        tempfile.TemporaryDirectory(prefix="memfort-quality-") as folder,
        Memory.open(Path(folder) / "memories.db", policy=policy) as memory,
    ):
        yield Asker(memory.as_user("reader"), conversation)


def all_found(
    conversations: Iterable[Conversation], policy: Policy | None = None, *, skip: frozenset[str] = frozenset(),
    progress: Callable[[str], None] = lambda _: None,
) -> dict[str, list[Found]]:  # fmt: skip
    found = {}
    for one in conversations:
        with asked(one, policy) as asker:
            found[one.name] = [asker.found(question) for question in one.questions if question.kind not in skip]
        progress(one.name)
    return found


def shuffled(conversations: Sequence[Conversation], *, skip: frozenset[str] = frozenset()) -> list[Found]:
    """The control: each question asked with the words of another one of the same conversation."""
    found = []
    for one in conversations:
        questions = [question for question in one.questions if question.kind not in skip]
        texts = [question.text for question in questions]
        random.Random(one.name).shuffle(texts)  # the same order every time
        with asked(one) as asker:
            pairs = zip(questions, texts, strict=True)
            found += [asker.found(question, text) for question, text in pairs if text != question.text]
    return found


def figures(found: Sequence[Found]) -> dict[str, float]:
    """Shares of a hundred: of the answering turns among the first so many, and of the first of them."""
    return {
        **{f"R@{at}": percent(fmean(one.recall(at) for one in found)) for at in AT},
        "hit@10": percent(fmean(one.recall(10) > 0 for one in found)),
        "all@10": percent(fmean(one.recall(10) == 1 for one in found)),
        "MRR": percent(fmean(one.reciprocal for one in found)),
    }


def by_kind(found: Sequence[Found]) -> dict[str, dict[str, float]]:
    kinds = sorted({one.kind for one in found})
    return {kind: figures([one for one in found if one.kind == kind]) for kind in kinds}


def interval(values: Sequence[float]) -> tuple[float, float]:
    """The middle 95 of a hundred means of questions drawn again and again."""
    draw = random.Random(0)
    means = sorted(fmean(draw.choices(values, k=len(values))) for _ in range(_RESAMPLED))
    return percent(means[_RESAMPLED // 40]), percent(means[-_RESAMPLED // 40])


def compared(ours: Sequence[Found], others: Sequence[Found]) -> dict[str, float]:
    """How much more of the answers we find among the first ten, question by question, and how sure that is."""
    gains = [mine.recall(10) - theirs.recall(10) for mine, theirs in zip(ours, others, strict=True)]
    low, high = interval(gains)
    return {"gain": percent(fmean(gains)), "low": low, "high": high}


def flat(found: Mapping[str, Sequence[Found]]) -> list[Found]:
    return [one for name in found for one in found[name]]


def percent(value: float) -> float:
    return round(100 * value, 1)
