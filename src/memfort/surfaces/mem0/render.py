"""Memories as mem0's clients read them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from memfort.model.item import Item
from memfort.model.moment import to_text
from memfort.surfaces.mem0.asked_for import LABELS


def memory(item: Item, *, id: str | None = None, score: float | None = None) -> dict[str, Any]:
    """A memory. `id` is the one that was asked for, which an update leaves as it is for the client."""
    shown: dict[str, Any] = {
        "id": id or item.id,
        "memory": item.text,
        "user_id": item.space.to_dict().get("user"),
        **dict.fromkeys(LABELS),
        **_labels(item.tags),
        "metadata": dict(item.meta) or None,
        "categories": [item.type],
        "created_at": to_text(item.created_at_us),
        "updated_at": to_text(item.created_at_us),
    }
    return shown if score is None else {**shown, "score": round(score, 6)}


def added(item: Item) -> dict[str, Any]:
    return {"id": item.id, "memory": item.text, "data": {"memory": item.text}, "event": "ADD"}


def past(id: str, versions: Iterable[Item]) -> list[dict[str, Any]]:
    """What a memory has said, the oldest first."""
    found: list[dict[str, Any]] = []
    before: str | None = None
    for item in sorted(versions, key=lambda one: (one.created_at_us, one.version)):
        if item.text == before:
            continue
        found.append(
            {
                "id": f"{id}:{len(found) + 1}",
                "memory_id": id,
                "old_memory": before,
                "new_memory": item.text,
                "event": "ADD" if before is None else "UPDATE",
                "user_id": item.space.to_dict().get("user"),
                "created_at": to_text(item.created_at_us),
                "updated_at": to_text(item.created_at_us),
            }
        )
        before = item.text
    return found


def _labels(tags: Iterable[str]) -> dict[str, str]:
    parts = (tag.partition("=") for tag in tags)
    return {name: value for name, equals, value in parts if equals and name in LABELS}
