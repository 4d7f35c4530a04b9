"""Whether a sentence of a conversation says again what another one says."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from msgspec import Struct

from memfort.capture.marks import sentences_left
from memfort.language.words import content_words, stem_word


class Wanted(Struct, frozen=True):
    """The content words of a sentence, and those of them that its turn says nowhere else."""

    words: frozenset[str]
    own: frozenset[str]

    @classmethod
    def of(cls, sentence: str, turn: str) -> Wanted:
        others = [one.text for one in sentences_left(turn) if sentence not in one.text and one.text not in sentence]
        return cls(_stems(sentence), _stems(sentence).difference(*map(_stems, others)))

    def is_said_in(self, sentence: str, *, is_answer: bool) -> bool:
        """Whether a sentence says it: it has most of the words. In an answer, one of the turn's own words is enough."""
        shared = self.words & _stems(sentence)
        return 2 * len(shared) > len(self.words) or (is_answer and not self.own.isdisjoint(shared))

    def may_be_said_in(self, sentence: str) -> bool:
        shared = self.words & _stems(sentence)
        return bool(shared) and 2 * len(shared) >= len(self.words)


def without_sentences(text: str, gone: Iterable[str]) -> str:
    """A text without these sentences."""
    for words in gone:
        text = text.replace(words, " ")
    return " ".join(text.split())


@lru_cache(maxsize=4096)
def _stems(text: str) -> frozenset[str]:
    return frozenset(stem_word(word) for word in content_words(text))
