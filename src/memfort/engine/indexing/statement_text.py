"""The text of a statement as the gates and the index read it, whoever says it and wherever.

Text analysis is most of the cost of a write; each step has its own rules and tables. For many statements each step runs
on all of them before the next, because it is three times as fast with its tables in the processor's cache. Results live
for one write, so that erased text is not cached.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from memfort.capture.turns import Trait, Turn, find_traits, parse_turn
from memfort.embed.port import Packed
from memfort.engine.indexing.change_keys import change_keys_of
from memfort.language.text import Text
from memfort.language.words import text_terms
from memfort.model.item import ChangeKeys
from memfort.policy.gates.personal_data import risk
from memfort.policy.gates.supersession import Claims
from memfort.policy.secrets import find_secrets

Embedding = Callable[[Sequence[str]], Sequence[Packed | None]]


class StatementText(Text, frozen=True, dict=True):
    @cached_property
    def is_clean(self) -> bool:
        """Whether it has neither a secret nor personal data."""
        return not find_secrets(self.said) and not risk(self.said)

    @cached_property
    def claims(self) -> Claims:
        return Claims(self.said, self.normal)

    @cached_property
    def change_keys(self) -> ChangeKeys:
        return change_keys_of(self.claims)

    @cached_property
    def turn(self) -> Turn:
        return parse_turn(self.said)

    @cached_property
    def traits(self) -> Trait:
        return find_traits(self.turn.body)

    @cached_property
    def terms(self) -> Mapping[str, int]:
        """With neither tags nor a key beside it."""
        return text_terms(with_labels(self.turn.body, ("",)))

    @cached_property
    def vector(self) -> Packed | None:
        """`None`: computed when the memory is written."""
        return None


_STEPS = (
    "normal",
    "is_clean",
    "type",
    "is_portable",
    "judgement",
    "mentions",
    "change_keys",
    "turn",
    "traits",
    "terms",
)


def read_texts(texts: Sequence[str], vectors: Embedding) -> list[StatementText]:
    """The texts of many statements, one step after the other."""
    read = list(map(StatementText, texts))
    for step in _STEPS:
        for one in read:
            getattr(one, step)
    found = vectors([one.turn.body for one in read])
    return [one.knowing(vector=vector) for one, vector in zip(read, found, strict=True)]


def with_labels(body: str, labels: Sequence[str]) -> str:
    """The words by which a statement is found, with those of its labels: its tags and its key, empty if it has none."""
    return " \n ".join((body, *labels))
