"""List memories that wait for review."""

from __future__ import annotations

import difflib
from typing import Annotated

from msgspec import Meta

from memfort.engine.lifecycle.copies import is_void
from memfort.engine.lifecycle.proposals import is_proposal, target_of
from memfort.engine.view import View
from memfort.model.item import Item, Status, as_expired
from memfort.model.reason import Reason, explanation
from memfort.model.results import ReviewEntry
from memfort.operations.admit.supersede import earlier_wording
from memfort.operations.requests import Limit, Request
from memfort.store.port import Filter


class ReviewListRequest(Request, frozen=True):
    """How many to list."""

    limit: Annotated[Limit, Meta(description="How many at most.")] = 100


def handle(view: View, request: ReviewListRequest) -> list[ReviewEntry]:
    """Memories that wait for review where the actor may write, and in every space of its user's own; oldest last."""
    view = view.reviewable
    wanted = Filter(statuses=frozenset({Status.PENDING}), and_only=lambda item: not is_void(view.engine, item))
    waiting = view.store.page(view.sight, wanted, None, request.limit, view.now)
    entries = [_entry(view, item) for item in waiting]
    view.note_shown("review.list", waiting)
    return entries


def _entry(view: View, item: Item) -> ReviewEntry:
    earlier = earlier_wording(view, item)
    replaces = None if earlier is None else as_expired(earlier, view.now)
    old = [] if replaces is None else replaces.text.splitlines()
    diff = "\n".join(difflib.unified_diff(old, item.text.splitlines(), "now", "proposed", lineterm=""))
    reason = Reason(item.status_reason)
    return ReviewEntry(
        item, reason, explanation(reason), replaces, diff, target_of(item) if is_proposal(item) else None
    )
