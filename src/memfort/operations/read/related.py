"""List the memories that are linked with one by the people they are about."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from memfort.engine.redact import redact_for
from memfort.engine.resolve_id import resolve_id
from memfort.engine.view import View
from memfort.errors import NotFound
from memfort.model.item import Item
from memfort.operations.read.own_words import person_of
from memfort.operations.requests import Limit, MemoryId, Request
from memfort.policy.sight import with_present
from memfort.store.port import Filter

MAX_HOPS = 2
_PEOPLE_PER_HOP = 32


class RelatedRequest(Request, frozen=True):
    """Where to start, and how far to go."""

    id: Annotated[MemoryId, Meta(description="The memory to start from.")]
    hops: Annotated[int, Meta(ge=1, le=MAX_HOPS, description="How far to go, at most 2.")] = 1
    limit: Annotated[Limit, Meta(description="How many at most.")] = 20


def handle(view: View, request: RelatedRequest) -> list[Item]:
    """The nearest and newest first. Every hop goes through the same sight and the same disclosure as any other read, so
    no memory is found by a hop that could not be found directly."""
    id = resolve_id(view, request.id)
    start = [item for item in view.by_id.items([id]) if view.is_shown(item)]
    if not start:
        raise NotFound("memory", id)
    found: dict[str, Item] = {}
    newest, asked = start[:1], set[str]()
    for _ in range(request.hops):
        people = sorted({person for item in newest for person in item.subjects} - asked)[:_PEOPLE_PER_HOP]
        asked.update(people)
        near = view.with_sight(with_present(view.sight, people))
        known = view.store.about(near.sight, people, Filter(), request.limit + 1, view.now) if people else []
        newest = [item for item in known if item.id not in {id, *found} and near.is_shown(item)]
        newest = [item for item in newest if not _is_said_of_oneself(view, item)]
        found |= {item.id: item for item in newest}
    items = list(found.values())[: request.limit]
    view.note_shown("related", items)
    return [redact_for(view.engine, view.sight, item) for item in items]


def _is_said_of_oneself(view: View, item: Item) -> bool:
    """Whether somebody else says it about themselves: only their name may bring it, wherever else they have said it."""
    is_others = view.sight.seen(item.space) is None and item.stated_by != person_of(view.actor)
    return is_others and item.stated_by is not None and item.subjects == (item.stated_by,)
