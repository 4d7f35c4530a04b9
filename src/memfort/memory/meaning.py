"""What memories are found by: made from what they say, and made anew whenever the index is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memfort.capture.turns import Trait, traits_of, turn_of
from memfort.embed.port import Embedder, Packed, mark_of, packed
from memfort.model.hearing import OUTSIDE
from memfort.model.item import Item, Kind, Status
from memfort.policy.evolution import Marks, marks_of
from memfort.recall.weight import packed_weight
from memfort.recall.words import text_terms, words_of
from memfort.store.port import Entry

if TYPE_CHECKING:
    from memfort.recall.features import Vector

_MICROSECONDS = 1_000_000


class Meaning:
    """Reads texts for the index, with the embedder in use."""

    def __init__(self, embedder: Embedder | None = None) -> None:
        self._embedder = embedder
        self.mark = b"" if embedder is None else mark_of(embedder)

    def entry_of(self, item: Item) -> Entry | None:
        """What an item is found by: its text, its tags and its key. Only what can be recalled has an entry."""
        if not _is_in_force(item):
            return None
        marks = found_by(marks_in(item.text).own, item.subjects) if item.kind is Kind.SEMANTIC else ()
        return self._entry(item, (*item.tags, item.key or ""), tuple(marks))

    def told_entry_of(self, item: Item) -> Entry | None:
        """What it is found by when it is told to whom it is about: the statement alone, because tags, keys and what it
        weighs are not told with it. What can never be told like that has none."""
        can_be_told = item.subjects and item.portable and item.learned_in != OUTSIDE
        return self._entry(item, (), (), importance=1.0) if can_be_told and _is_in_force(item) else None

    def entry_as_then(self, item: Item) -> Entry:
        """What it was found by when it was in force."""
        return self._entry(item, (*item.tags, item.key or ""), ())

    def _entry(self, item: Item, also: Sequence[str], marks: tuple[str, ...], importance: float | None = None) -> Entry:
        turn = turn_of(item.text)
        traits = traits_of(turn.body)
        if turn.speaker is not None and turn.speaker.lower() in _ASSISTANTS:
            traits &= ~Trait.STANDING
        return Entry(
            terms=text_terms(" \n ".join((turn.body, *also))),
            marks=marks,
            speaker=_called(turn.speaker),
            day=turn.day or _day(item),
            in_talk=turn.speaker is not None or turn.day is not None,
            traits=int(traits) | packed_weight(item.importance if importance is None else importance, item.event_type),
            vector=self.vectors([turn.body])[0],
        )

    def vectors(self, texts: Sequence[str]) -> list[Packed]:
        if self._embedder is None:
            return [b""] * len(texts)
        pack = getattr(self._embedder, "pack", None)
        if pack is not None:
            return list(pack(self.mark, texts))
        return [packed(self.mark, vector) for vector in self._embedder.embed(texts)]

    def of_query(self, text: str) -> Vector | None:
        import numpy as np

        numbers = self.vectors([text])[0][len(self.mark) :]
        return np.frombuffer(numbers, np.int8).astype(np.float32) if numbers else None


_ASSISTANTS = frozenset(("assistant", "ai", "bot"))


def _called(speaker: str | None) -> str:
    """The name that a query would use: the first of a person's names."""
    words = [] if speaker is None else words_of(speaker)
    return words[0] if words else ""


def _day(item: Item) -> int:
    at = item.created_at if item.observed_at is None else item.observed_at
    return datetime.fromtimestamp(at / _MICROSECONDS, UTC).toordinal()


def _is_in_force(item: Item) -> bool:
    return item.status is Status.APPROVED and item.deleted_at is None


def found_by(marks: Iterable[str], subjects: Sequence[str]) -> list[str]:
    """Marks as they stand in the index, for each person apart."""
    return [f"{mark}\x00{person}" for mark in marks for person in subjects or ("",)]


class _Last:
    """The marks that were made last. A write needs the same ones to look for what it is news of, and for its row."""

    of: tuple[str, Marks] = ("", Marks((), ()))


def marks_in(text: str) -> Marks:
    known, marks = _Last.of
    if known != text:
        marks = marks_of(text)
        _Last.of = (text, marks)
    return marks
