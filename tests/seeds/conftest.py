"""The question every rule comes down to: through which paths does who get what."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memfort import BoundMemory, Item, NotFound

READ_PATHS: dict[str, Callable[[BoundMemory, Item], bool]] = {
    "recall": lambda reader, item: item.text in reader.recall(item.text, limit=1000).texts,
    "get": lambda reader, item: reader.get(item.id) is not None,
    "list": lambda reader, item: item.id in [one.id for one in reader.list(limit=1000)],
    "history": lambda reader, item: item.id in _history(reader, item),
    "explain": lambda reader, item: reader.explain(item.id).shown,
    "export": lambda reader, item: item.id in [line["memory"]["id"] for line in reader.export() if "memory" in line],
    "inbox": lambda reader, item: item.id in [entry.item.id for entry in reader.review.list()],
}


def _history(reader: BoundMemory, item: Item) -> list[str]:
    try:
        return [version.id for version in reader.history(item.id)]
    except NotFound:
        return []


@pytest.fixture
def paths() -> Callable[[BoundMemory, Item | None], set[str]]:
    """Through which read paths a standpoint is shown an item."""

    def showing(reader: BoundMemory, item: Item | None) -> set[str]:
        assert item is not None
        return {name for name, shows in READ_PATHS.items() if shows(reader, item)}

    return showing


@pytest.fixture
def read_paths() -> dict[str, Callable[[BoundMemory, Item], bool]]:
    return READ_PATHS
