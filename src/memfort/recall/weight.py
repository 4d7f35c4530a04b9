"""What a memory is apart from its words, in numbers that stand beside its traits in the index: how important it is, and
what kind of thing it says."""

from __future__ import annotations

from typing import Any

from memfort.model.event_type import EventType
from memfort.model.item import MAX_IMPORTANCE

_IMPORTANCE, _TYPE = 8, 16  # the bits where they begin, above the traits
_STEPS = 250
_NUMBERS = {event_type: number for number, event_type in enumerate(EventType, start=1)}


def packed_weight(importance: float, event_type: EventType) -> int:
    steps = round(min(max(importance, 0.0), MAX_IMPORTANCE) / MAX_IMPORTANCE * _STEPS)
    return steps << _IMPORTANCE | _NUMBERS[event_type] << _TYPE


def importance_in(traits: Any) -> Any:
    """Of a number or of a column of them: how important, of 1."""
    return (traits >> _IMPORTANCE & 255) / _STEPS


def is_type_in(traits: Any, event_type: EventType) -> Any:
    return traits >> _TYPE & 255 == _NUMBERS[event_type]
