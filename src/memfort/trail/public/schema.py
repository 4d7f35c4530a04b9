"""The JSON Schema (draft 2020-12) of each public event, generated from its struct. Each schema is self-contained."""

from __future__ import annotations

from copy import deepcopy
from functools import lru_cache
from typing import Any

import msgspec

from memfort.errors import InvalidInput, did_you_mean
from memfort.trail.public.events import (
    EVENTS,
    GoneMemory,
    MemoryBorderCheck,
    MemoryRecall,
    MemoryView,
    MemoryWrite,
    PolicySnapshot,
    PublicEvent,
    RecalledMemory,
)


def _name(event: type[PublicEvent]) -> str:
    return str(event.__struct_config__.tag)


_BY_NAME = {_name(event): event for event in EVENTS}
EVENT_TYPES = tuple(_BY_NAME)

# Constraints that types cannot express: lists of several structs, and keys required by the value of another.
_SHOWN: dict[type[PublicEvent], tuple[type, ...]] = {
    MemoryRecall: (RecalledMemory, GoneMemory, PolicySnapshot),
    MemoryWrite: (MemoryView, GoneMemory),
}
_CONDITIONS: dict[type[PublicEvent], dict[str, Any]] = {
    MemoryBorderCheck: {
        "if": {"properties": {"action": {"enum": ["write", "promote"]}}},
        "then": {"required": ["to_space"]},
    },
}


def schema_of(event_type: str) -> dict[str, Any]:
    """The schema of the events of this type; a fresh copy that the caller may change."""
    if event_type not in _BY_NAME:
        raise InvalidInput("event_type", f"`{event_type}` is not an event", did_you_mean(event_type, EVENT_TYPES))
    return deepcopy(_schema(_BY_NAME[event_type]))


@lru_cache(maxsize=len(EVENTS))
def _schema(event: type[PublicEvent]) -> dict[str, Any]:
    _, definitions = msgspec.json.schema_components([event, *_SHOWN.get(event, ())], ref_template="#/$defs/{name}")
    own: dict[str, Any] = definitions.pop(event.__name__)
    own["properties"]["type"]["description"] = "what happened"
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:memfort:trace:{_name(event)}",
        **own,
        "title": _name(event),
        **_CONDITIONS.get(event, {}),
        "$defs": definitions,
    }
