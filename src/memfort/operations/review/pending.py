"""Find memories that wait for review. Shared by the verbs of this package."""

from __future__ import annotations

from memfort.engine.lifecycle.copies import is_void
from memfort.engine.transaction import Transaction
from memfort.engine.view import View
from memfort.errors import InvalidInput
from memfort.model.item import Item, Status


def find_pending(view: View, id: str) -> Item:
    """The memory `id`, if it waits for review and the actor may review it."""
    item = view.find_changeable(id, view.reviewable)
    if item.status is not Status.PENDING:
        raise InvalidInput("id", f"`{id}` is {item.status}, not pending", "`review list` shows the pending ones")
    return item


def check_decidable(tx: Transaction, item: Item) -> None:
    """Refuse to decide on a copy whose source is gone."""
    if is_void(tx.engine, item):
        raise InvalidInput("id", f"the source of `{item.id}` was forgotten or corrected", "reject it")
