"""A conversation as columns in memory, made by the product's own parts: the same features and the same scores as in a
store, without the store, so that many weights and floors can be tried."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from benchmarks.quality.corpora import Conversation
from memfort import Item
from memfort.embed.words import WordEmbedder
from memfort.engine.indexing.embedding import Embedding
from memfort.model.results import Feature
from memfort.policy.settings.sections import WEIGHTS, Recalling
from memfort.recall.bind_query import BoundQuery, QueryContext, bind_query
from memfort.recall.features import VisibleRows, compute_features, score_meaning, score_words
from memfort.recall.parse_query import parse_query
from memfort.recall.rank import Floor, best_memories, score_memories
from memfort.store.port.values.columns import columns_of

Matrix = NDArray[np.float64]
DEFAULT = Recalling()
FLOOR = Floor(DEFAULT.least_words, DEFAULT.least_meaning, DEFAULT.least_evidence, DEFAULT.least_best)
NO_FLOOR = Floor(DEFAULT.least_words, DEFAULT.least_meaning)
# `newer_value` is known only among the best memories of a layer, when all are scored.
COMPUTED = tuple(feature for feature in Feature if feature is not Feature.NEWER_VALUE)
_EMBEDDING = Embedding(WordEmbedder())
_NUMBERS: dict[str, int] = {"": 0}


def number(word: str) -> int:
    return _NUMBERS.setdefault(word, len(_NUMBERS))


class Partition:
    """The memories of a conversation, by the places of its turns."""

    def __init__(self, conversation: Conversation, items: Mapping[int, Item], asker: str = "reader") -> None:
        self.conversation = conversation
        entries = [(place, _EMBEDDING.entry_as_of(item)) for place, item in sorted(items.items())]
        self.places = np.array([place for place, _ in entries])
        self._columns = columns_of(0, entries, number, _EMBEDDING.tag)
        self._context = QueryContext(
            number, _EMBEDDING.embed_query, [asker], embeds_sentences=_EMBEDDING.reads_sentences
        )
        self._queries: dict[str, BoundQuery] = {}

    def features(self, text: str) -> Matrix:
        """A row for each memory, a column for each feature of `COMPUTED`."""
        query, every = self._query(text), np.arange(len(self.places))
        words, meaning = score_words(query, self._columns, query.matches[0]), score_meaning(query, self._columns)
        found = compute_features(query, VisibleRows(self._columns, every), words, meaning)
        nothing = np.zeros(len(words))
        return np.stack([found.get(feature, nothing) for feature in COMPUTED], axis=1)

    def ask(self, text: str, weights: Mapping[Feature, float] = WEIGHTS, floor: Floor = FLOOR) -> list[int]:
        """The positions of the returned turns, in order."""
        found = best_memories(score_memories([self._columns], self._query(text), weights, floor), len(self.places))
        return [one.handle for one in sorted(found, key=lambda one: (-one.score, -one.handle))]

    def _query(self, text: str) -> BoundQuery:
        """The query bound once: many weights are tried on it."""
        if text not in self._queries:
            self._queries[text] = bind_query(parse_query(text), [self._columns], self._context)
        return self._queries[text]


def recall_at_10(ranking: Sequence[int], gold: Iterable[int]) -> float:
    wanted = set(gold)
    return len(wanted & set(ranking[:10])) / len(wanted)
