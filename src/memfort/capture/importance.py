"""The importance of a statement: a sum whose parts are named. It is independent of confidence and authority."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from msgspec import Struct

from memfort.language.language import english
from memfort.language.normalise import plain, wording
from memfort.model.item import MAX_IMPORTANCE, EventType, Origin

BASE_IMPORTANCE: Mapping[EventType, float] = MappingProxyType(
    {
        EventType.PREFERENCE: 3,
        EventType.DECISION: 3,
        EventType.FACT: 4,
        EventType.CORRECTION: 4,
        EventType.EXECUTION: 2,
        EventType.CONTEXT: 1,
    }
)


class Importance(Struct, frozen=True):
    value: float
    reasons: tuple[str, ...]  # `event:<type>` first, then one for each point added


def compute_importance(
    text: str, event_type: EventType, origin: Origin, base: Mapping[EventType, float] = BASE_IMPORTANCE
) -> Importance:
    """The base of the event type, and one more each for the user's own words, for emphasis and for a correction."""
    added = []
    if origin is Origin.USER:
        added.append("source:user")
    if _emphasis().search(plain(text)):
        added.append("emphasis")
    if event_type is EventType.CORRECTION:
        added.append("corrective")
    return Importance(min(base[event_type] + len(added), MAX_IMPORTANCE), (f"event:{event_type}", *added))


@cache
def _emphasis() -> Any:
    return wording(rf"\b{english().statements.emphasis}\b")
