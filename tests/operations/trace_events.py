"""The public events in the trace of a call, each validated against its schema."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from jsonschema import Draft202012Validator

from memfort import BoundMemory
from memfort.trail.public.schema import schema_of


def trace_events(actor: BoundMemory, *types: str) -> list[dict[str, Any]]:
    """The events of the actor's last call, or only those of these types."""
    assert actor.last_trace is not None
    events = actor.trace.show(actor.last_trace).events
    for event in events:
        _validator(event["type"]).validate(event)
    return [event for event in events if not types or event["type"] in types]


def kinds(events: list[dict[str, Any]]) -> list[str]:
    """The names of the events without the word that all of them begin with."""
    return [event["type"].removeprefix("memory_") for event in events]


@lru_cache
def _validator(type: str) -> Draft202012Validator:
    return Draft202012Validator(schema_of(type))
