"""Reject memories, and keep their values from being learned again."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from memfort.engine.lifecycle.proposals import is_proposal
from memfort.engine.lifecycle.withdrawals import withdrawal_detail
from memfort.engine.redact import redact_unheard
from memfort.engine.resolve_id import resolve_ids
from memfort.engine.transaction import Session, Transaction
from memfort.model.item import Item, Status
from memfort.model.reason import Reason
from memfort.model.space import Space
from memfort.operations.admit.refuse import rejected_value_of, rejection_detail
from memfort.operations.ending.forget import retire_all
from memfort.operations.ending.lineage import find_derived
from memfort.operations.requests import Request, ReviewableId
from memfort.operations.review.pending import find_rejectable
from memfort.operations.touched import spaces_of
from memfort.store.port import Change, PutRejectedValue


class RejectRequest(Request, frozen=True):
    """The memories to reject."""

    ids: Annotated[
        tuple[ReviewableId, ...],
        Meta(description="Memories that wait for review or are in force: all of them or none."),
    ]


def touches(session: Session, request: RejectRequest) -> list[Space]:
    return spaces_of(session, request.ids, in_review=True)


def handle(tx: Transaction, request: RejectRequest) -> list[Item]:
    """Reject memories that are pending or in force. The same value is not learned again, in whatever disguise. What was
    derived from a memory in force ends with it."""
    reach = tx.reviewable
    found = [(id, find_rejectable(tx, id)) for id in resolve_ids(tx, request.ids, reach)]
    return [redact_unheard(reach.sight, _reject(reach, item, by_source=id != item.id)) for id, item in found]


def _decline(tx: Transaction, proposal: Item) -> Item:
    """Refuse to release a memory. It stays in force where it is, so its value is not rejected; the same promotion is
    not proposed again."""
    after = tx.next_version(proposal, status=Status.REJECTED, status_reason=Reason.REJECTED.value)
    tx.apply([tx.update(after)], [tx.event("reject", after, Reason.REJECTED)])
    return after


def _reject(tx: Transaction, item: Item, *, by_source: bool) -> Item:
    """Reject one. It goes on record if a copy was named by the memory that it was promoted from: a simulation in which
    there is no copy rejects that one."""
    is_in_force = item.status is Status.APPROVED
    if is_proposal(item):
        return _decline(tx, item)
    after = tx.next_version(item, status=Status.REJECTED, status_reason=Reason.REJECTED.value)
    changes: list[Change] = [tx.update(after), PutRejectedValue(rejected_value_of(tx, item))]
    detail = rejection_detail(tx.engine, changes) | withdrawal_detail(tx.engine, item, tx.now)
    detail |= {"was_in_force": True} if is_in_force else {}
    detail |= {"by_source": True} if by_source else {}
    tx.apply(changes, [tx.event("reject", after, Reason.REJECTED, **detail)])
    if is_in_force:
        admits = tx.sight.writable.admits
        derived = find_derived(tx.store, [item], admits)
        retire_all(tx, derived, find_derived(tx.store, [item, *derived], lambda one: not admits(one)))
    return after
