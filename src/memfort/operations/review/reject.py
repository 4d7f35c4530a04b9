"""Reject memories that wait for review."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from memfort.engine.resolve_id import resolve_ids
from memfort.engine.transaction import Session, Transaction
from memfort.errors import Denied
from memfort.model.item import Item, Status
from memfort.model.reason import Reason, explanation
from memfort.operations.admit.refuse import rejected_value_of, rejection_detail
from memfort.operations.requests import PendingId, Request
from memfort.operations.review.pending import find_pending
from memfort.operations.touched import spaces_of
from memfort.operations.write.promotion import may_refuse
from memfort.store.port import Change, PutRejectedValue, Spaces


class RejectRequest(Request, frozen=True):
    """The memories to reject."""

    ids: Annotated[tuple[PendingId, ...], Meta(description="Memories that wait for review: all of them or none.")]


def touches(session: Session, request: RejectRequest) -> Spaces:
    return spaces_of(session, request.ids, in_review=True)


def handle(tx: Transaction, request: RejectRequest) -> list[Item]:
    """Reject pending memories. The same value is not learned again automatically."""
    waiting = [find_pending(tx, id) for id in resolve_ids(tx, request.ids, tx.reviewable)]
    return [_reject(tx, item) for item in waiting]


def _reject(tx: Transaction, item: Item) -> Item:
    if item.status_reason == Reason.PROMOTION_WAITS and not may_refuse(tx, item):
        raise Denied(Reason.LEVEL_TOO_LOW, explanation(Reason.LEVEL_TOO_LOW))
    after = tx.next_version(item, status=Status.REJECTED, status_reason=Reason.REJECTED.value)
    changes: list[Change] = [tx.update(after), PutRejectedValue(rejected_value_of(tx, item))]
    tx.apply(changes, [tx.event("reject", after, Reason.REJECTED, **rejection_detail(tx.engine, changes))])
    return after
