"""Report that memories were useful.

The caller reports it, and a recall never infers it: a recall that changed the next one would not be repeatable, and
would show one reader how often others recall a memory.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from memfort.engine.resolve_id import resolve_ids
from memfort.engine.transaction import Session, Transaction
from memfort.engine.view import View
from memfort.errors import NotFound
from memfort.model.item import Item
from memfort.model.reason import Reason
from memfort.operations.requests import MemoryId, Request
from memfort.operations.touched import spaces_of
from memfort.store.port import Spaces


class UsedRequest(Request, frozen=True):
    """The memories that were useful."""

    ids: Annotated[tuple[MemoryId, ...], Meta(description="Memories that were useful: all of them count or none.")]


def touches(session: Session, request: UsedRequest) -> Spaces:
    return spaces_of(session, request.ids)


def handle(tx: Transaction, request: UsedRequest) -> list[Item]:
    """Count one more use of each memory, where the actor may write: they rank a little higher for everyone who recalls
    them there."""
    ids = resolve_ids(tx, request.ids)
    found = [usable(tx, id) for id in dict.fromkeys(ids)]
    after = [tx.next_version(item, uses=item.uses + 1) for item in found]
    tx.apply([tx.update(item) for item in after], [tx.event("use", item, Reason.USED) for item in after])
    return after


def usable(view: View, id: str) -> Item:
    """A memory whose use can be counted: it is in force where the actor may write."""
    item = view.find_changeable(id)
    if not view.is_shown(item):
        raise NotFound("memory", id)
    return item
