"""Find memories that wait for review. Shared by the verbs of this package."""

from __future__ import annotations

from memfort.engine.lifecycle.copies import is_void
from memfort.engine.transaction import Transaction
from memfort.engine.view import View
from memfort.errors import Denied, InvalidInput, NotFound
from memfort.model.item import Item, Status
from memfort.model.reason import Reason, explanation
from memfort.operations.write.promotion import may_refuse


def find_pending(view: View, id: str) -> Item:
    """The memory `id`, if it waits for review and the actor may review it. On a promotion that waits, those decide whom
    the policy trusts with it; on anything else, those who may end what others wrote."""
    reach = view.reviewable
    try:
        item = reach.find(id)
    except NotFound:
        view.find_changeable(id, reach)  # an actor who can read it is told that it may not review it
        raise
    if item.status is not Status.PENDING:
        raise InvalidInput("id", f"`{id}` is {item.status}, not pending", "`review list` shows the pending ones")
    seen = reach.sight.seen(item.space)
    if item.status_reason != Reason.PROMOTION_WAITS and not (seen is not None and seen.may_end_others):
        raise Denied(Reason.LEVEL_TOO_LOW, explanation(Reason.LEVEL_TOO_LOW))
    return item


def find_rejectable(view: View, id: str) -> Item:
    """The memory `id`, if it waits for review or is in force, and the actor may end it."""
    reach = view.reviewable
    for item in reach.items([id]):
        if item.status is Status.PENDING and item.status_reason == Reason.PROMOTION_WAITS:
            return _find_refusable(view, reach, id)
    item = view.find_changeable(id, reach)
    if item.status not in {Status.PENDING, Status.APPROVED}:
        raise InvalidInput("id", f"`{id}` is {item.status} already", "name a memory that is pending or in force")
    return item


def _find_refusable(view: View, reach: View, id: str) -> Item:
    item = reach.find(id)
    if not may_refuse(view, item):
        raise Denied(Reason.LEVEL_TOO_LOW, explanation(Reason.LEVEL_TOO_LOW))
    return item


def check_decidable(tx: Transaction, item: Item) -> None:
    """Refuse to decide on a copy whose source is gone."""
    if is_void(tx.engine, item):
        raise InvalidInput("id", f"the source of `{item.id}` was forgotten or corrected", "reject it")
