"""Newer values above older ones: how often updates rank above the values they replaced."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.quality.corpora import Conversation
from benchmarks.quality.measure import DEPTH, percent
from memfort import Memory
from memfort.client import BoundMemory

Ids = dict[str, int]  # memories and the turns that they are
Way = Callable[[BoundMemory, Ids, str, frozenset[int]], Iterator[str]]


def corrected(bound: BoundMemory, ids: Ids, text: str, before: frozenset[int]) -> Iterator[str]:
    """The first memory of the old value is corrected, and its other memories are forgotten."""
    old = sorted((id for id, place in ids.items() if place in before), key=ids.__getitem__)
    for id in old[1:]:
        bound.forget(id)
    outcome = bound.correct(old[0], text) if old else bound.remember(text)
    yield from (item.id for item in [outcome.item] if item is not None)


def observed(bound: BoundMemory, _ids: Ids, text: str, _before: frozenset[int]) -> Iterator[str]:
    """It is observed, and the rules decide whether it replaces anything."""
    yield from (item.id for item in bound.observe(text).kept)


WAYS: dict[str, Way] = {"corrected": corrected, "observed": observed}


def updated_first(conversations: Sequence[Conversation], way: str) -> dict[str, float]:
    """For questions about updated values: how often the newer one was returned, and before the older one."""
    return share_first([is_first for one in conversations for is_first in _firsts(one, WAYS[way])])


def share_first(first: Sequence[bool]) -> dict[str, float]:
    return {"questions": len(first), "updated first": percent(sum(first) / len(first))} if first else {}


def as_they_stand(conversation: Conversation, ask: Callable[[str], list[int]]) -> list[bool]:
    """The same if the update was just another turn, not marked as one."""
    updates = _updates(conversation)
    return [is_first(ask(text), before, after) for text, (before, after) in updates.items()]


def is_first(order: Iterable[int], before: frozenset[int], after: frozenset[int]) -> bool:
    return next((place in after for place in order if place in before | after), False)


def _updates(one: Conversation) -> dict[str, tuple[frozenset[int], frozenset[int]]]:
    return {question.text: found for question in one.questions if (found := question.updated) and _is_update(*found)}


def _firsts(one: Conversation, way: Way) -> list[bool]:
    updates = _updates(one)
    if not updates:
        return []
    news = {place: frozenset[int]() for _, after in updates.values() for place in after}
    for before, after in updates.values():
        news[min(after)] |= before
    with (
        tempfile.TemporaryDirectory(prefix="memfort-quality-") as folder,
        Memory.open(Path(folder) / "memories.db") as memory,
    ):
        bound = memory.as_user("reader")
        ids = _store(bound, one, news, way)
        return [is_first(_order(bound, ids, text), before, after) for text, (before, after) in updates.items()]


def _is_update(before: frozenset[int], after: frozenset[int]) -> bool:
    return bool(before and after) and max(before) < min(after)


def _store(bound: BoundMemory, one: Conversation, news: Mapping[int, frozenset[int]], way: Way) -> Ids:
    """The conversation turn by turn, with updates stored in this way."""
    ids, start = Ids(), 0
    for place in (*sorted(news), len(one.turns)):
        for at, outcome in enumerate(bound.remember_many(list(one.turns[start:place])), start=start):
            if outcome.item is not None:
                ids.setdefault(outcome.item.id, at)
        if place in news:
            ids |= dict.fromkeys(way(bound, ids, one.turns[place], news[place]), place)
        start = place + 1
    return ids


def _order(bound: BoundMemory, ids: Ids, text: str) -> list[int]:
    return [ids.get(hit.id, -1) for hit in bound.recall(text, limit=DEPTH)]
