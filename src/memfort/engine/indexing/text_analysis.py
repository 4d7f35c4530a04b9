"""The analysis of a statement's text, independent of speaker and place.

Text analysis is most of the cost of a write; each step has its own rules and tables. For many statements each step runs
on all of them before the next, because it is three times as fast with its tables in the processor's cache. Results live
for one write, so that erased text is not cached.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from memfort.capture.turns import Trait, Turn, find_traits, parse_turn
from memfort.embed.port import Packed
from memfort.engine.indexing.change_keys import change_keys_of
from memfort.language.mentions import Mentions, mentions
from memfort.language.normal_form import normal_text
from memfort.language.sensitivity import WordsJudgement, judge_words
from memfort.language.sharing import is_portable
from memfort.language.types import infer_type
from memfort.language.words import text_terms
from memfort.model.item import ChangeKeys
from memfort.policy.gates.personal_data import risk
from memfort.policy.secrets import find_secrets

Embedding = Callable[[Sequence[str]], Sequence[Packed | None]]


class TextAnalysis(Struct, frozen=True, gc=False):
    """The text and its analysis."""

    text: str
    normal: str
    is_clean: bool  # it has no secret and no personal data
    type: str | None
    is_portable: bool
    words: WordsJudgement  # how private its words say it is
    mentions: Mentions
    change_keys: ChangeKeys
    turn: Turn
    traits: Trait
    terms: Mapping[str, int]  # with neither tags nor a key beside it
    vector: Packed | None  # `None`: computed when the memory is written


def analyse_texts(texts: Sequence[str], vectors: Embedding) -> list[TextAnalysis]:
    """The analyses of texts, one step after the other."""
    normal = list(map(normal_text, texts))
    turns = list(map(parse_turn, texts))
    bodies = [turn.body for turn in turns]
    columns = (
        texts,
        normal,
        [not find_secrets(text) and not risk(text) for text in texts],
        list(map(infer_type, texts)),
        list(map(is_portable, texts)),
        list(map(judge_words, texts)),
        list(map(mentions, texts)),
        list(map(change_keys_of, texts, normal)),
        turns,
        list(map(find_traits, bodies)),
        [text_terms(with_labels(body, ("",))) for body in bodies],
        vectors(bodies),
    )
    return [TextAnalysis(*row) for row in zip(*columns, strict=True)]


def with_labels(body: str, labels: Sequence[str]) -> str:
    """The words by which a statement is found, with those of its labels: its tags and its key, empty if it has none."""
    return " \n ".join((body, *labels))
