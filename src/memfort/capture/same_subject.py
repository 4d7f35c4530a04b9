"""Which of some earlier statements a newer one may be the news of, by what both say.

Nothing is ended by this: where the words do not say for sure what has changed, both statements stay in force, and the
newer one names the older one that it may replace.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise, takewhile

from memfort.capture.extract.attribute import Attribute, attribute_of
from memfort.language.concepts import concept_terms
from memfort.language.words import content_words, stem_word
from memfort.model.item import Item

_SAME_ATTRIBUTE = 1.0
_SAME_CONCEPT = 0.3
_LEAST = 0.3  # of the words of the one that has fewer
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]+")


def most_alike(text: str, earlier: Sequence[Item]) -> Item | None:
    """The earlier statement that shares most with a newer one; of equals the latest. `None`: none shares anything but
    the words it begins with, which mostly say only whom it is about."""
    newer = _Newer(text)
    shared = [(newer.shares(item.text), _said_at(item), item) for item in earlier]
    best = max(shared, key=lambda one: one[:2], default=None)
    return None if best is None or best[0] < _LEAST else best[2]


class _Newer:
    """A newer statement, read once for all that it is compared with."""

    def __init__(self, text: str) -> None:
        self._text = text

    def shares(self, older: str) -> float:
        theirs = _pieces(older[_same_beginning(older, self._text) :])
        count = len(self._pieces & theirs) / (min(len(self._pieces), len(theirs)) or 1)
        count += _SAME_CONCEPT * (not self._concepts.isdisjoint(concept_terms(older)))
        if self._attribute is None or (its := attribute_of(older)) is None:
            return count
        return count + _SAME_ATTRIBUTE * self._attribute.has_another_value(its)

    @cached_property
    def _pieces(self) -> frozenset[str]:
        return _pieces(self._text)

    @cached_property
    def _concepts(self) -> frozenset[str]:
        return frozenset(concept_terms(self._text))

    @cached_property
    def _attribute(self) -> Attribute | None:
        return attribute_of(self._text)


def _said_at(item: Item) -> tuple[int, int]:
    return item.observed_at_us or item.created_at_us, item.number


def _same_beginning(one: str, other: str) -> int:
    """How many characters two texts have in common at their beginning."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _pieces(text: str) -> frozenset[str]:
    """The stems of the content words of a text, without numbers; of a script without spaces, its pairs of
    characters."""
    stems = {stem_word(word) for word in content_words(text) if word.isascii() or not _HAN.search(word)}
    pairs = {one + other for run in _HAN.findall(text) for one, other in pairwise(run)}
    return frozenset(pairs | {stem for stem in stems if not any(map(str.isdigit, stem))})
