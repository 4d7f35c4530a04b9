"""Correct a memory."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from memfort.engine.inputs import candidate_of
from memfort.engine.redact import redact_correction, redact_outcome
from memfort.engine.resolve_id import resolve_id
from memfort.engine.transaction import Session, Transaction
from memfort.model.decision import Outcome
from memfort.model.item import Candidate, Item
from memfort.model.space import Space
from memfort.operations.admit.refuse import refuse
from memfort.operations.admit.ticks import ticks_left
from memfort.operations.admit.write import write
from memfort.operations.requests import MemoryId, Text
from memfort.operations.touched import places_of, spaces_of
from memfort.operations.write.statement import StatementRequest, given_fields
from memfort.operations.write.wording import authority_refusal, find_correctable, kept_fields
from memfort.policy.admission import Placement


class CorrectRequest(StatementRequest, frozen=True, kw_only=True):
    """A correction. Fields that are left out stay as the memory has them."""

    id: Annotated[MemoryId, Meta(description="The memory that is wrong.")]
    text: Annotated[Text, Meta(description="The corrected statement.")]


def touches(session: Session, request: CorrectRequest) -> list[Space]:
    return places_of(session, spaces_of(session, [request.id]))


def handle(tx: Transaction, request: CorrectRequest) -> Outcome:
    """Replace a memory by a corrected one. The old one is superseded, linked and kept in the history."""
    target = find_correctable(tx, resolve_id(tx, request.id))
    candidate = _correction(tx, target, request)
    if (refused := authority_refusal(tx, candidate, target)) is not None:
        return redact_outcome(tx, refuse(tx, "correct", refused, candidate, target.space))
    outcome = redact_outcome(tx, write(tx, Placement(candidate, target.space, supersedes=target)))
    return outcome if tx.sight.admits(target) else redact_correction(outcome, given_fields(request))


def _correction(tx: Transaction, target: Item, request: CorrectRequest) -> Candidate:
    """The corrected statement: the target's fields, with those that the correction gives."""
    said = given_fields(request)
    del said["id"]
    if "derived_from" in said:  # sources cannot be removed: an erase has to find them
        said["derived_from"] = tuple(dict.fromkeys((*target.derived_from, *said["derived_from"])))
    if "ttl_seconds" not in said:
        said.setdefault("expires_at", target.expires_at_us)
    said.setdefault("ttl_ticks", ticks_left(tx, target))
    return candidate_of(tx.actor, {**kept_fields(target), "is_correction": True, **said})
