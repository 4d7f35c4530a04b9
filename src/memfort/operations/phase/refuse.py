"""Record refusals of the verbs on phases."""

from __future__ import annotations

from memfort.engine.transaction import Session
from memfort.errors import Denied
from memfort.model.reason import Reason, explanation
from memfort.model.space import Space


def refuse(session: Session, action: str, reason: Reason, space: Space) -> Denied:
    """Record a refusal in the asker's own chain, with only the levels of the space, in a commit of its own: raising it
    inside the refused transaction would undo the record."""
    detail = {"gate": "border", "levels": sorted(level.value for level in space.levels)}
    session.write((), lambda tx: tx.apply([], [tx.actor_event(action, "denied", reason, detail)]))
    return Denied(reason, explanation(reason))
