"""Measure a conversation: remember it turn by turn and recall every question, through the public interface."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from benchmarks.quality.corpora import Conversation, Question
from memfort import Item, Memory, Policy
from memfort.capture.turns import parse_turn
from memfort.client import BoundMemory
from memfort.language.words import split_words
from memfort.recall.parse_query import parse_query

DEPTH = 50
AT = (1, 5, 10, 20, 50)
_RESAMPLED = 2000


@dataclass(frozen=True, slots=True)
class Found:
    """The ranks of the answering turns in a recall."""

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
        # A turn that repeats another is the same memory: it is found as the first one.
        self._place: dict[str, int] = {}
        for place, item in enumerate(kept):
            if item is not None:
                self._place.setdefault(item.id, place)
        self.items: dict[int, Item] = {self._place[item.id]: item for item in kept if item is not None}

    def ask(self, text: str) -> list[int]:
        hits = self._bound.recall(text, limit=DEPTH)
        assert not hits.warnings, hits.warnings  # a recall with warnings measures something else
        return [self._place[hit.id] for hit in hits]


def found_in(ranking: Sequence[int], question: Question) -> Found:
    ranks = [rank for rank, place in enumerate(ranking) if place in question.gold]
    return Found(question.kind, tuple(ranks), len(question.gold))


@contextmanager
def stored(conversation: Conversation, policy: Policy | None = None, reranker: str | None = None) -> Iterator[Asker]:
    with (
        tempfile.TemporaryDirectory(prefix="memfort-quality-") as folder,
        Memory.open(Path(folder) / "memories.db", policy=policy, reranker=reranker) as memory,
    ):
        yield Asker(memory.as_user("reader"), conversation)


def shuffled(conversation: Conversation) -> list[tuple[Question, str]]:
    """The control: each question replaced by another one of the same conversation, deterministically."""
    order = list(conversation.questions)
    random.Random(conversation.name).shuffle(order)
    pairs = zip(order, [*order[1:], *order[:1]], strict=True)
    return [(question, other.text) for question, other in pairs if question.text != other.text]


def from_elsewhere(conversations: Sequence[Conversation]) -> list[list[tuple[Question, str]]]:
    """The other control: each question replaced by one about another conversation, of another kind if there is any;
    deterministically."""
    draw, nexts = random.Random(0), [*conversations[1:], *conversations[:1]]

    def words_for(question: Question, others: Sequence[Question]) -> str:
        return draw.choice([one for one in others if one.kind != question.kind] or others).text

    return [
        [(question, words_for(question, following.questions)) for question in here.questions]
        for here, following in zip(conversations, nexts, strict=True)
    ]


def chances(conversations: Sequence[Conversation]) -> dict[str, float]:
    """R@10 of ten turns drawn at random; and of ten turns drawn from the speaker that the shuffled question asks about,
    if it names one or says "I": a question about the right person is not entirely wrong."""
    drawn, same_person = [], []
    for one in conversations:
        speakers = [parse_turn(turn).speaker or "" for turn in one.turns]
        for question, text in shuffled(one):
            drawn.append(min(1.0, 10 / len(one.turns)))
            about = _about(text, set(speakers))
            places = [place for place, speaker in enumerate(speakers) if not about or speaker in about]
            same_person.append(fmean(place in places for place in question.gold) * min(1.0, 10 / len(places)))
    return {"any turn": percent(fmean(drawn)), "about the same person": percent(fmean(same_person))}


def _about(text: str, speakers: set[str]) -> set[str]:
    query = parse_query(text)
    names = {*query.words, *query.asker_names(())}
    about = {one for one in speakers if split_words(one)[:1] and split_words(one)[0] in names}
    return set() if about == speakers else about


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
    """The gain in R@10, paired by question, with its interval."""
    gains = [mine.recall(10) - theirs.recall(10) for mine, theirs in zip(ours, others, strict=True)]
    low, high = interval(gains)
    return {"gain": percent(fmean(gains)), "low": low, "high": high}


def flat(found: Mapping[str, Sequence[Found]]) -> list[Found]:
    return [one for name in found for one in found[name]]


def percent(value: float) -> float:
    return round(100 * value, 1)
