"""Approve memories that wait for review."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from memfort.engine.lifecycle.copies import source_of
from memfort.engine.lifecycle.proposals import is_proposal
from memfort.engine.redact import redact_unheard
from memfort.engine.resolve_id import resolve_ids
from memfort.engine.transaction import Session, Transaction
from memfort.errors import Denied
from memfort.model.item import PASSED_ON, Item, Status, as_expired, is_live
from memfort.model.people.actor import ActorKind
from memfort.model.reason import Reason, explanation
from memfort.model.space import Space
from memfort.operations.admit.come_back import needs_person, refusal_to_come_back
from memfort.operations.admit.supersede import Lost, supersede, wordings
from memfort.operations.admit.ticks import expire_by_tick, with_tick
from memfort.operations.requests import PendingId, Request
from memfort.operations.review.pending import check_decidable, find_pending
from memfort.operations.review.release import release
from memfort.operations.touched import spaces_of
from memfort.operations.write.promotion import agree, settle_promotion
from memfort.policy.gates.conflict import ConflictRule, claim_of, settle
from memfort.policy.phase import in_phase


class ApproveRequest(Request, frozen=True):
    """The memories to approve."""

    ids: Annotated[tuple[PendingId, ...], Meta(description="Memories that wait for review: all of them or none.")]


def touches(session: Session, request: ApproveRequest) -> list[Space]:
    return spaces_of(session, request.ids, in_review=True)


def handle(tx: Transaction, request: ApproveRequest) -> list[Item]:
    """Approve pending memories. The memories that they replace are superseded now. A promotion that needs more
    approvals keeps waiting."""
    reach = tx.reviewable
    approved = [_approve(reach, find_pending(tx, id)) for id in resolve_ids(tx, request.ids, reach)]
    return [redact_unheard(reach.sight, one) for one in approved]


def _approve(tx: Transaction, item: Item) -> Item:
    if needs_person(tx, item):
        raise Denied(Reason.NEEDS_A_PERSON, explanation(Reason.NEEDS_A_PERSON))
    check_decidable(tx, item)
    if is_proposal(item):
        return release(tx, item)
    if (refused := refusal_to_come_back(tx, item)) is not None:
        raise Denied(refused.reason, refused.explanation)
    if item.status_reason == Reason.PROMOTION_WAITS and (waiting := agree(tx, item)) is not None:
        return _note_agreement(tx, item, waiting)
    phase = tx.sight.phase_of(item.space).id  # the phase in which it comes into force
    after = tx.next_version(item, status=Status.APPROVED, status_reason=Reason.APPROVED.value, phase=phase)
    after = with_tick(tx, after)
    earlier = wordings(tx, item)
    losers = [
        *_memories_to_supersede(tx, item),
        *((one, ConflictRule.CORRECTION) for one in earlier if one.id != item.id),
    ]
    changes, events = supersede(tx, losers, after)
    tx.apply([tx.update(after), *changes], [tx.event("approve", after, Reason.APPROVED), *events])
    expire_by_tick(tx, after)
    settle_source(tx, after)
    return after


def settle_source(tx: Transaction, copy: Item) -> None:
    """Retire the source of a promoted copy once the copy is in force, if it still exists. One that was passed on stays
    where it is."""
    is_moved = copy.promoted_from is not None and copy.promotion_reason != PASSED_ON
    is_copy = is_moved and copy.status is Status.APPROVED
    source = source_of(tx.engine, copy) if is_copy else None
    if source is not None and as_expired(source, tx.now).deleted_at_us is None:
        settle_promotion(tx, source, copy)


def _note_agreement(tx: Transaction, item: Item, waiting: Item) -> Item:
    """Record one more approval of a promotion that needs others."""
    after = tx.next_version(item, approvals=waiting.approvals)
    tx.apply([tx.update(after)], [tx.event("agree", after, Reason.PROMOTION_WAITS)])
    return after


def _memories_to_supersede(tx: Transaction, item: Item) -> list[Lost]:
    """The memories that an approved one supersedes. A person's approval decides; an agent's cannot supersede a memory
    of higher authority."""
    found = tx.store.rivals(tx.sight, item.space, item.readers, tx.engine.value(item))
    here = tx.sight.phase_of(item.space)
    rivals = [one for one in found if is_live(one, tx.now) and one.id != item.id and in_phase(one, here, tx.policy)]
    settled = [(rival, *settle(claim_of(item), claim_of(rival), tx.policy)) for rival in rivals]
    if tx.actor.kind is ActorKind.AGENT and any(winner.id != item.id for _, winner, _ in settled):
        raise Denied(Reason.OUTRANKED, explanation(Reason.OUTRANKED))
    return [(rival, rule if winner.id == item.id else ConflictRule.CORRECTION) for rival, winner, rule in settled]
