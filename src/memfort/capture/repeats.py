"""Whether a sentence of a conversation says again what another one says."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from msgspec import Struct

from memfort.capture.marks import sentences_left
from memfort.language.tokens import identifiers
from memfort.language.word_query import stems_and_identifiers


class Wanted(Struct, frozen=True):
    """The content words of a sentence, and those of them that its turn says nowhere else. An identifier is one word."""

    words: frozenset[str]
    own: frozenset[str]
    identifiers: frozenset[str]

    @classmethod
    def of(cls, sentence: str, turn: str) -> Wanted:
        others = [one.text for one in sentences_left(turn) if sentence not in one.text and one.text not in sentence]
        return cls(_words(sentence), _words(sentence).difference(*map(_words, others)), identifiers(sentence))

    def is_said_in(self, sentence: str, *, is_answer: bool) -> bool:
        """Whether a sentence says it: it has most of the words. In an answer, one of the turn's own words is enough."""
        shared = self._shared_with(sentence)
        return 2 * len(shared) > len(self.words) or (is_answer and not self.own.isdisjoint(shared))

    def may_be_said_in(self, sentence: str) -> bool:
        shared = self._shared_with(sentence)
        return bool(shared) and 2 * len(shared) >= len(self.words)

    def _shared_with(self, sentence: str) -> frozenset[str]:
        """Nothing is shared with what says the same of another address, number or name: that is something else."""
        named = identifiers(sentence)
        is_other = bool(self.identifiers and named) and self.identifiers.isdisjoint(named)
        return frozenset() if is_other else self.words & _words(sentence)


def without_sentences(text: str, gone: Iterable[str]) -> str:
    """A text without these sentences."""
    for words in gone:
        text = text.replace(words, " ")
    return " ".join(text.split())


@lru_cache(maxsize=4096)
def _words(text: str) -> frozenset[str]:
    return stems_and_identifiers(text)
