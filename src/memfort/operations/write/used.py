"""Say that memories were of use.

The caller says it, and a recall never guesses it: a recall that changed the next one would not give the same answer
twice, and would show one reader of a memory how often others look.
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
    """What was of use."""

    ids: Annotated[tuple[MemoryId, ...], Meta(description="Memories that were of use: all of them count or none.")]


def touches(session: Session, request: UsedRequest) -> Spaces:
    return spaces_of(session, request.ids)


def handle(tx: Transaction, request: UsedRequest) -> list[Item]:
    """Count one more use of each memory, where the actor may write: everybody who recalls them there gets them a little
    sooner."""
    ids = resolve_ids(tx, request.ids)
    found = [usable(tx, id) for id in dict.fromkeys(ids)]
    after = [tx.next_version(item, uses=item.uses + 1) for item in found]
    tx.apply([tx.update(item) for item in after], [tx.event("use", item, Reason.USED) for item in after])
    return after


def usable(view: View, id: str) -> Item:
    """A memory that can be of use: one that can be recalled, where the actor may write."""
    item = view.find_changeable(id)
    if not view.is_shown(item):
        raise NotFound("memory", id)
    return item
