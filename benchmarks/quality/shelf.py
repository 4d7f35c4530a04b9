"""A conversation as columns in memory, made by the product's own parts: the same features and the same scores as in a
store, without the store, so that many weights and floors can be tried."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from benchmarks.quality.corpora import Conversation
from memfort import Item
from memfort.embed.words import WordEmbedder
from memfort.memory.meaning import Meaning
from memfort.model.feature import Feature
from memfort.policy.sections import WEIGHTS, Recalling
from memfort.recall.asked import asked
from memfort.recall.features import Query, Seen, against, features, meant, said
from memfort.recall.rank import Floor, contenders, score
from memfort.store.columns import columns_of

Matrix = NDArray[np.float64]
DEFAULT = Recalling()
FLOOR = Floor(DEFAULT.least_words, DEFAULT.least_meaning, DEFAULT.least_evidence, DEFAULT.least_best)
NO_FLOOR = Floor(DEFAULT.least_words, DEFAULT.least_meaning)
_MEANING = Meaning(WordEmbedder())
_NUMBERS: dict[str, int] = {"": 0}


def number(word: str) -> int:
    return _NUMBERS.setdefault(word, len(_NUMBERS))


class Shelf:
    """The memories of a conversation, by the places of its turns."""

    def __init__(self, conversation: Conversation, items: Mapping[int, Item], asker: str = "reader") -> None:
        self.conversation, self._asker = conversation, asker
        entries = [(place, _MEANING.entry_as_then(item)) for place, item in sorted(items.items())]
        self.places = np.array([place for place, _ in entries])
        self._columns = columns_of(0, entries, number, _MEANING.mark)

    def features(self, text: str) -> Matrix:
        """A row for each memory, a column for each feature that is known before all are weighed."""
        query, every = self._query(text), np.arange(len(self.places))
        words, meaning = said(query, self._columns, query.having[0]), meant(query, self._columns)
        found = features(query, Seen(self._columns, every, every), words, meaning)
        return np.stack([found[feature] for feature in Feature if feature in found], axis=1)

    def ask(self, text: str, weights: Mapping[Feature, float] = WEIGHTS, floor: Floor = FLOOR) -> list[int]:
        """The places of the turns that come back, in order."""
        found = contenders(score([self._columns], self._query(text), weights, floor), len(self.places))
        return [one.handle for one in sorted(found, key=lambda one: (-one.score, -one.handle))]

    def _query(self, text: str) -> Query:
        as_sentence = _MEANING.reads_sentences
        return against(asked(text), [self._columns], number, [self._asker], _MEANING.of_query, as_sentence=as_sentence)


def recall_at_10(ranking: Sequence[int], gold: Iterable[int]) -> float:
    wanted = set(gold)
    return len(wanted & set(ranking[:10])) / len(wanted)
