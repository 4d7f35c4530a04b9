"""Which type of event a statement is, by its words alone: seed 004's rules, in seed 004's order.

No model is asked and nothing is weighed: the first rule that fits decides, so the same words always get
the same answer.
"""

from __future__ import annotations

from collections.abc import Collection

from memfort.language.normalise import plain, wording
from memfort.language.profile_facts import FACT_KEYS, find_facts
from memfort.model.item import EventType, Origin


def infer_event_type(text: str, origin: Origin, keys: Collection[str] = FACT_KEYS) -> EventType:
    """The event type of what `origin` said. `keys` are the profile facts to look for."""
    if origin is Origin.TOOL:
        return EventType.EXECUTION
    if origin is Origin.AI:
        return EventType.CONTEXT
    seen = plain(text)
    for event_type, rule in _RULES:
        if rule.search(seen):
            return event_type
    return EventType.FACT if find_facts(text, keys) else EventType.CONTEXT


PREFERENCE = wording(r"\b(?:i prefer|i like|i want|never (?:do|use|call))\b")

_RULES = (
    (EventType.CORRECTION, wording(r"\b(?:actually|correction|not\b.+\bbut)\b")),  # `.` stays in its line
    (EventType.PREFERENCE, PREFERENCE),
    (EventType.DECISION, wording(r"\b(?:(?:decision|decided|choose|let's use|we will use)\b|use [a-z0-9_])")),
)
