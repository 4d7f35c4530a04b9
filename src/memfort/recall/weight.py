"""What a memory is apart from its words, in numbers that stand beside its traits in the index: how important it is,
what kind of thing it says, and how often it was of use."""

from __future__ import annotations

from typing import Any

from memfort.model.event_type import EventType
from memfort.model.item import MAX_IMPORTANCE

_IMPORTANCE, _TYPE, _USES = (
    8,
    16,
    20,
)  # the bits where they begin, above the traits; `recall/values.py` has those from 24
_STEPS = 250
_MOST = 15  # of four bits
_HALF = 2  # uses that are half as good as any number of them
_NUMBERS = {event_type: number for number, event_type in enumerate(EventType, start=1)}


def packed_weight(importance: float, event_type: EventType, uses: int = 0) -> int:
    steps = round(min(max(importance, 0.0), MAX_IMPORTANCE) / MAX_IMPORTANCE * _STEPS)
    return steps << _IMPORTANCE | _NUMBERS[event_type] << _TYPE | (min(uses, _MOST) << _USES if uses else 0)


def importance_in(traits: Any) -> Any:
    """Of a number or of a column of them: how important, of 1."""
    return (traits >> _IMPORTANCE & 255) / _STEPS


def use_in(traits: Any) -> Any:
    """How much of use, of 1: the first times say more than those after."""
    uses = traits >> _USES & _MOST
    return uses / (uses + _HALF)


def is_type_in(traits: Any, event_type: EventType) -> Any:
    return traits >> _TYPE & _MOST == _NUMBERS[event_type]
