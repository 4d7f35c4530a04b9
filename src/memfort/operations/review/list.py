"""List memories that wait for review."""

from __future__ import annotations

import difflib
from typing import Annotated

from msgspec import Meta

from memfort.engine.inputs import id_of
from memfort.engine.lifecycle.copies import is_void
from memfort.engine.lifecycle.proposals import is_proposal, target_of
from memfort.engine.view import View
from memfort.errors import NotFound
from memfort.model.item import Item, Status, as_expired
from memfort.model.reason import Reason, explanation
from memfort.model.results import ReviewEntry
from memfort.operations.admit.supersede import earlier_wording
from memfort.operations.requests import Limit, PendingId, Request
from memfort.store.port import Filter, Position, position_of


class ReviewListRequest(Request, frozen=True):
    """How many to list."""

    limit: Annotated[Limit, Meta(description="How many at most.")] = 100
    after: Annotated[PendingId | None, Meta(description="Continue after this one: the last of the page before.")] = None


def handle(view: View, request: ReviewListRequest) -> list[ReviewEntry]:
    """Memories that wait for review where the actor may write, and in every space of its user's own; oldest last."""
    view = view.reviewable
    wanted = Filter(statuses=frozenset({Status.PENDING}), and_only=lambda item: not is_void(view.engine, item))
    after = None if request.after is None else _position_of(view, request.after)
    waiting = view.store.page(view.sight, wanted, after, request.limit, view.now)
    entries = [_entry(view, item) for item in waiting]
    view.note_shown("review.list", waiting)
    return entries


def _position_of(view: View, id: str) -> Position:
    """The place of a memory in the listing, also if it was decided meanwhile."""
    found = view.items([id_of(id, "after")])
    if not found:
        raise NotFound("memory", id)
    return position_of(found[0])


def _entry(view: View, item: Item) -> ReviewEntry:
    earlier = earlier_wording(view, item)
    replaces = None if earlier is None else as_expired(earlier, view.now)
    old = [] if replaces is None else replaces.text.splitlines()
    diff = "\n".join(difflib.unified_diff(old, item.text.splitlines(), "now", "proposed", lineterm=""))
    reason = Reason(item.status_reason)
    return ReviewEntry(
        item, reason, explanation(reason), replaces, diff, target_of(item) if is_proposal(item) else None
    )
