"""Show one memory."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from memfort.engine.redact import redact_for
from memfort.engine.resolve_id import resolve_id
from memfort.engine.view import View
from memfort.model.item import Item, is_expired
from memfort.operations.requests import MemoryId, Request


class GetRequest(Request, frozen=True):
    """The memory to show."""

    id: Annotated[MemoryId, Meta(description="A memory, or the beginning of its id.")]


def handle(view: View, request: GetRequest) -> Item | None:
    """One memory, if it can be recalled now. A memory the actor may not see looks exactly like one that does not
    exist."""
    view = view.by_id
    found = view.items([resolve_id(view, request.id)])
    overdue = [item for item in found if is_expired(item, view.now) and item.deleted_at_us is None]
    if overdue:
        view.with_sight(view.sight.narrowed([item.space for item in overdue])).sweep_later()
    shown = [item for item in found if view.is_shown(item)][:1]
    view.note_shown("get", shown)
    return redact_for(view.engine, view.sight, shown[0]) if shown else None
