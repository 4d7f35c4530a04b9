"""Change the text of a pending memory, and approve it."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta
from msgspec.structs import replace

from memfort.engine.inputs import candidate_of
from memfort.engine.lifecycle.copies import source_of
from memfort.engine.redact import redact_correction, redact_outcome
from memfort.engine.resolve_id import resolve_ids
from memfort.engine.transaction import Session, Transaction
from memfort.errors import InvalidInput
from memfort.model.decision import Outcome, Verdict
from memfort.model.item import Candidate, Item, Sensitivity, Status
from memfort.model.reason import Reason
from memfort.model.space import Space
from memfort.operations.admit.refuse import refuse
from memfort.operations.admit.write import write
from memfort.operations.requests import PendingId, Request, Text
from memfort.operations.review.approve import settle_source
from memfort.operations.review.pending import check_decidable, find_pending
from memfort.operations.touched import places_of, spaces_of
from memfort.operations.write.wording import authority_refusal, check_not_proposal, kept_fields
from memfort.policy.admission import Placement


class EditRequest(Request, frozen=True):
    """The new text of a pending memory."""

    id: Annotated[PendingId, Meta(description="A memory that waits for review.")]
    text: Annotated[Text, Meta(description="The new text.")]
    sensitivity: Annotated[
        Sensitivity | None, Meta(description="How private the new text is; the text decides if not given.")
    ] = None


def touches(session: Session, request: EditRequest) -> list[Space]:
    return places_of(session, spaces_of(session, [request.id], in_review=True))


def handle(tx: Transaction, request: EditRequest) -> Outcome:
    """Change a pending memory's text and approve it, if every gate, run again on the new text, allows."""
    [id] = resolve_ids(tx, [request.id], tx.reviewable)
    old = find_pending(tx, id)
    check_decidable(tx, old)
    check_not_proposal(old)
    if old.status_reason == Reason.PROMOTION_WAITS:
        raise InvalidInput(
            "id", f"`{id}` waits as a promotion and cannot be edited", "reject it, and promote another text"
        )
    outcome = redact_outcome(tx, _edit(tx.reviewable, old, request))
    return outcome if tx.reviewable.sight.admits(old) else redact_correction(outcome, ("text",))


def _edit(tx: Transaction, old: Item, request: EditRequest) -> Outcome:
    given = {**kept_fields(old), **_kept_by_edit(old), "text": request.text, "status": Status.APPROVED}
    if request.sensitivity is not None:
        given["sensitivity"] = request.sensitivity
    candidate = candidate_of(tx.actor, given)
    if (refused := authority_refusal(tx, candidate, old)) is not None:
        return refuse(tx, "edit", refused, candidate, old.space)
    if old.promoted_from is not None:
        return _edit_copy(tx, old, candidate)
    return write(tx, Placement(candidate, old.space, supersedes=old, is_edit=True))


def _edit_copy(tx: Transaction, old: Item, candidate: Candidate) -> Outcome:
    """The same for a promoted copy: with a new text it is still a copy, and has no more authority than its source."""
    source = source_of(tx.engine, old)
    placement = Placement(
        candidate,
        old.space,
        supersedes=old,
        is_edit=True,
        promotes=source,
        finish=lambda made: replace(made, promoted_from=old.promoted_from, promotion_reason=old.promotion_reason),
    )
    outcome = write(tx, placement)
    if outcome.item is None and source is not None:  # `write` leaves recording a refused promotion to its caller
        denied = replace(outcome.decision, verdict=Verdict.DENIED)
        return refuse(tx, "edit", denied, candidate, old.space)
    if outcome.item is not None and outcome.item.promoted_from == old.promoted_from:
        settle_source(tx, outcome.item)
    return outcome


def _kept_by_edit(item: Item) -> dict[str, Any]:
    """The fields that an edit takes over: it is the same memory, so its provenance and its expiry stay."""
    names = ("source", "observed_at", "confidence", "importance", "expires_at", "provenance")
    return {name: getattr(item, name) for name in names}
