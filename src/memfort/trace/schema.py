"""The shape of each public event, as JSON Schema (draft 2020-12). Each file stands alone: hand it to anybody."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

from memfort.errors import InvalidInput, did_you_mean

EVENT_TYPES = (
    "memory_recall",
    "memory_write",
    "memory_denied",
    "memory_conflict",
    "memory_forget",
    "memory_border_check",
    "memory_promoted",
    "memory_promotion_denied",
    "memory_phase_started",
    "memory_deleted",
    "memory_phase_diff",
)


def schema_of(event_type: str) -> dict[str, Any]:
    """The schema of the events of this type; a fresh copy, to be changed at will."""
    if event_type not in EVENT_TYPES:
        raise InvalidInput("event_type", f"`{event_type}` is not an event", did_you_mean(event_type, EVENT_TYPES))
    file = resources.files("memfort.trace").joinpath("schemas", f"{event_type}.json")
    schema: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return schema
