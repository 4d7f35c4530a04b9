"""Show all versions of a memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import Annotated

from msgspec import Meta

from memfort.engine.redact import redact_for
from memfort.engine.resolve_id import resolve_id
from memfort.engine.view import View
from memfort.errors import NotFound
from memfort.model.item import Item, as_expired, is_expired, is_live
from memfort.operations.requests import MemoryId, Request

_MOST_VERSIONS = 100  # in each direction


class HistoryRequest(Request, frozen=True):
    """The memory whose history to show."""

    id: Annotated[MemoryId, Meta(description="Any version of the memory.")]


def handle(view: View, request: HistoryRequest) -> list[Item]:
    """All versions that the actor may see, oldest first. Versions that are not in force are shown only to those who
    could change them, and expired ones to no actor."""
    view = view.by_id
    start = find_readable(view, resolve_id(view, request.id))
    here = view.decision_view.within(start.space)
    versions = [
        *_follow(here, start, lambda item: (*item.replaces, item.supersedes))[::-1],
        start,
        *_follow(here, start, lambda item: (item.superseded_by,)),
    ]
    shown = [item for item in versions if view.sight.admits(item) and _may_show(view, item)]
    view.note_shown("history", shown)
    return [redact_for(view.engine, view.sight, item) for item in shown]


def find_readable(view: View, id: str) -> Item:
    """The memory `id`, if its history may be read: a forgotten one by those who may end it."""
    for item in view.by_id.items([id]):
        if _may_show(view, item):
            return item
    raise NotFound("memory", id)


def _may_show(view: View, item: Item) -> bool:
    return not is_expired(item, view.now) and (is_live(item, view.now) or view.may_list(item))


def _follow(view: View, start: Item, links: Callable[[Item], Iterable[str | None]]) -> list[Item]:
    """Follow links from version to version, the nearest first, each version once; also past versions that the listeners
    may not hear."""
    found: list[Item] = []
    seen, queue = {start.id}, deque(links(start))
    while queue and len(found) < _MOST_VERSIONS:
        if (id := queue.popleft()) is None or id in seen:
            continue
        seen.add(id)
        versions = [item for item in view.items([id]) if as_expired(item, view.now).deleted_at_us is None]
        found += versions[:1]
        queue.extend(link for item in versions[:1] for link in links(item))
    return found
