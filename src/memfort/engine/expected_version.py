"""The version that a memory has to have for a call to change it: `If-Match`."""

from __future__ import annotations

from collections.abc import Iterator

from memfort.engine.resolve_id import resolve_id
from memfort.engine.view import View
from memfort.errors import Changed
from memfort.model.item import Item
from memfort.model.people.actor import ActorKind
from memfort.policy.sight import maintenance_sight


def check_expected_version(view: View) -> None:
    """Refuse the whole call if the memory it is about was changed since the caller read it. A memory that the caller
    can neither see nor end is the handler's to answer for: here it is like one that does not exist."""
    if view.call.expected_version is None:
        return
    given, version = view.call.expected_version
    id = resolve_id(view, given, view.reviewable)
    if any(item.version != version for item in _known(view, id)):
        raise Changed(f"the memory `{id}` has another version; read it again")


def _known(view: View, id: str) -> Iterator[Item]:
    yield from (item for item in view.items([id]) if view.may_list(item))
    is_system = view.actor.kind is ActorKind.SYSTEM
    there = view.with_sight(maintenance_sight(view.store.spaces())) if is_system else view.reviewable
    yield from view.endable(id, there)
