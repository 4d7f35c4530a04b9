"""A conversation as columns in memory, made by the product's own parts: the same features and the same scores as in a
store, without the store, so that many weights and floors can be tried."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.quality.corpora import Conversation
from memfort import Memory
from memfort.embed.words import WordEmbedder
from memfort.memory.meaning import Meaning
from memfort.model.feature import Feature
from memfort.recall.asked import asked
from memfort.recall.features import Query, Seen, against, features, meant, said
from memfort.recall.rank import Floor, contenders, score
from memfort.store.columns import columns_of

Matrix = NDArray[np.float64]
MEANING = Meaning(WordEmbedder())
_NUMBERS: dict[str, int] = {"": 0}


def number(word: str) -> int:
    return _NUMBERS.setdefault(word, len(_NUMBERS))


class Shelf:
    """What a conversation leaves in a store, by the default policy."""

    def __init__(self, conversation: Conversation, asker: str = "reader") -> None:
        self.conversation, self.asker = conversation, asker
        with (
            tempfile.TemporaryDirectory(prefix="memfort-quality-") as folder,
            Memory.open(Path(folder) / "memories.db") as memory,
        ):
            kept = [outcome.item for outcome in memory.as_user("reader").remember_many(list(conversation.turns))]
        places: dict[str, int] = {}
        for place, item in enumerate(kept):
            if item is not None:
                places.setdefault(item.id, place)
        entries = [
            (place, MEANING.entry_as_then(item)) for place, item in enumerate(kept) if item and places[item.id] == place
        ]
        self.places = np.array([place for place, _ in entries])
        self.columns = columns_of(0, entries, number, MEANING.mark)

    def query(self, text: str) -> Query:
        return against(asked(text), [self.columns], number, [self.asker], MEANING.of_query)

    def features(self, text: str) -> Matrix:
        """A row for each memory, a column for each feature."""
        query, all = self.query(text), np.arange(len(self.places))
        words, meaning = said(query, self.columns, query.having[0]), meant(query, self.columns)
        found = features(query, Seen(self.columns, all, all), words, meaning)
        return np.stack([found[feature] for feature in Feature if feature in found], axis=1)

    def ask(self, text: str, weights: Mapping[Feature, float], floor: Floor) -> list[int]:
        """The places of the turns that come back, in order."""
        found = contenders(score([self.columns], self.query(text), weights, floor), len(self.places))
        return [one.handle for one in sorted(found, key=lambda one: (-one.score, -one.handle))]


def recall_at_10(ranking: Sequence[int], gold: Iterable[int]) -> float:
    wanted = set(gold)
    return len(wanted & set(ranking[:10])) / len(wanted)
