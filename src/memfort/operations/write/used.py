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
from memfort.errors import Denied, NotFound
from memfort.model.item import Item
from memfort.model.reason import Reason, explanation
from memfort.model.space import Space
from memfort.operations.requests import MemoryId, Request
from memfort.operations.touched import spaces_of


class UsedRequest(Request, frozen=True):
    """The memories that were useful."""

    ids: Annotated[tuple[MemoryId, ...], Meta(description="Memories that were useful: all of them count or none.")]


def touches(session: Session, request: UsedRequest) -> list[Space]:
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
    shown = [item for item in view.by_id.items([id]) if view.is_shown(item)]
    for item in shown:
        if (seen := view.sight.seen(item.space)) is not None and seen.writable:
            return item
    if shown:
        raise Denied(Reason.READ_ONLY_HERE, explanation(Reason.READ_ONLY_HERE))
    raise NotFound("memory", id)
