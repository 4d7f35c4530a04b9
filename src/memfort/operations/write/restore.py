"""Restore the text of a superseded memory."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from memfort.engine.inputs import candidate_of
from memfort.engine.redact import redact_moved, redact_outcome
from memfort.engine.resolve_id import resolve_id
from memfort.engine.transaction import Session, Transaction
from memfort.errors import InvalidInput
from memfort.model.audience import is_understood
from memfort.model.decision import Outcome
from memfort.model.item import Item, Status, is_live
from memfort.model.space import Space
from memfort.operations.admit.refuse import refuse
from memfort.operations.admit.ticks import ticks_left
from memfort.operations.admit.write import write
from memfort.operations.requests import Request, SupersededId
from memfort.operations.touched import places_of, spaces_of
from memfort.operations.write.wording import authority_refusal, kept_fields
from memfort.policy.admission import Placement


class RestoreRequest(Request, frozen=True):
    """The memory to restore."""

    id: Annotated[SupersededId, Meta(description="A superseded memory.")]


def touches(session: Session, request: RestoreRequest) -> list[Space]:
    return places_of(session, spaces_of(session, [request.id]))


def handle(tx: Transaction, request: RestoreRequest) -> Outcome:
    """Restore the text of a superseded memory, replacing the memory that superseded it. It is an ordinary
    correction."""
    id = resolve_id(tx, request.id)
    old = tx.find_changeable(id)
    if old.status is not Status.SUPERSEDED:
        raise InvalidInput("id", f"`{id}` is {old.status}, not superseded", "`history` shows the superseded versions")
    current = _replacement(tx, old)
    candidate = candidate_of(tx.actor, {**kept_fields(old), **_restored_fields(tx, old)})
    if current is not None and (refused := authority_refusal(tx, candidate, current)) is not None:
        return redact_outcome(tx, refuse(tx, "restore", refused, candidate, old.space))
    outcome = write(tx, Placement(candidate, old.space, supersedes=current, words_of=old))
    return redact_moved(tx, outcome, old)


def _restored_fields(tx: Transaction, old: Item) -> dict[str, Any]:
    return {
        "text": old.text,
        "is_correction": True,
        "occurred": old.occurred,
        "sensitivity": old.sensitivity if is_understood(old) else None,  # what was only assumed is judged again
        "expires_at": old.expires_at_us,
        "ttl_ticks": ticks_left(tx, old),
    }


def _replacement(tx: Transaction, old: Item) -> Item | None:
    """The live memory at the end of the chain of replacements."""
    seen, latest = {old.id}, old
    while latest.superseded_by is not None and latest.superseded_by not in seen:
        seen.add(latest.superseded_by)
        found = tx.writable.within(old.space).items([latest.superseded_by])
        if not found:
            return None
        latest = found[0]
    return latest if is_live(latest, tx.now) else None
