"""What the words of a statement show by themselves, whoever says them and wherever.

Most of what a write costs is looking at words, each look with rules and tables of its own. Of many statements each look
is taken at all of them before the next, because a processor that has a look's rules at hand takes it three times as
fast. It is made for one write and gone with it: what is erased is nowhere kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from memfort.capture.mentions import Mentions, mentions
from memfort.capture.portable import is_portable
from memfort.capture.sensitivity import classify
from memfort.capture.turns import Trait, Turn, traits_of, turn_of
from memfort.capture.types import infer_type
from memfort.embed.port import Packed
from memfort.model.item import Sensitivity
from memfort.model.marks import Marks
from memfort.policy.evolution import marks_of
from memfort.policy.normal import normal_text
from memfort.policy.personal import risk
from memfort.policy.secrets import find_secrets
from memfort.recall.words import text_terms

Embedding = Callable[[Sequence[str]], Sequence[Packed | None]]


class Gleaned(Struct, frozen=True, gc=False):
    """The text, and what it shows."""

    text: str
    normal: str
    is_clean: bool  # no secret is in it, and nothing personal
    type: str | None
    is_portable: bool
    sensitivity: Sensitivity
    mentions: Mentions
    marks: Marks
    turn: Turn
    traits: Trait
    terms: Mapping[str, int]  # with neither tags nor a key beside it
    vector: Packed | None  # `None`: it is asked for when the memory is written


def glean(texts: Sequence[str], vectors: Embedding) -> list[Gleaned]:
    """What texts show, one look after the other."""
    normal = list(map(normal_text, texts))
    turns = list(map(turn_of, texts))
    bodies = [turn.body for turn in turns]
    columns = (
        texts,
        normal,
        [not find_secrets(text) and not risk(text) for text in texts],
        list(map(infer_type, texts)),
        list(map(is_portable, texts)),
        [sensitivity for sensitivity, _ in map(classify, texts)],
        list(map(mentions, texts)),
        list(map(marks_of, texts, normal)),
        turns,
        list(map(traits_of, bodies)),
        [text_terms(with_labels(body, ("",))) for body in bodies],
        vectors(bodies),
    )
    return [Gleaned(*row) for row in zip(*columns, strict=True)]


def with_labels(body: str, labels: Sequence[str]) -> str:
    """The words by which a statement is found, with those of its labels: its tags and its key, empty if it has none."""
    return " \n ".join((body, *labels))
