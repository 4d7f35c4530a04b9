"""Show one memory, by its id or by the key of a profile fact."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from memfort.engine.inputs import id_of
from memfort.engine.redact import redact_for
from memfort.engine.resolve_id import resolve_id
from memfort.engine.view import View
from memfort.errors import InvalidInput
from memfort.model.item import Item, Kind, is_expired
from memfort.operations.requests import Coordinates, FactKey, MemoryId, Request
from memfort.policy.admission import value_of
from memfort.store.port import Filter

_MOST_LISTED = 1000


class GetRequest(Request, frozen=True):
    """The memory to show."""

    id: Annotated[MemoryId | None, Meta(description="A memory, or the beginning of its id.")] = None
    key: Annotated[
        FactKey | None,
        Meta(
            description="In place of an id: the key of a profile fact. Of several, the one that comes first in recall."
        ),
    ] = None
    space: Annotated[Coordinates | None, Meta(description="With a key: only this space; one coordinate each.")] = None


def handle(view: View, request: GetRequest) -> Item | None:
    """One memory, if it can be recalled now. A memory the actor may not see looks exactly like one that does not
    exist."""
    if request.id is not None:
        view = view.by_id
    found = _find(view, request)
    overdue = [item for item in found if is_expired(item, view.now) and item.deleted_at_us is None]
    if overdue:
        view.with_sight(view.sight.narrowed([item.space for item in overdue])).sweep_later()
    shown = [item for item in found if view.is_shown(item)][:1]
    view.note_shown("get", shown)
    return redact_for(view.engine, view.sight, shown[0]) if shown else None


def _find(view: View, request: GetRequest) -> list[Item]:
    if request.key is not None and request.id is None:
        return _with_key(view.within(request.space), request.key)
    if request.key is not None:
        raise InvalidInput("key", "there is an id too", "give one of them")
    if request.id is None:
        raise InvalidInput("id", "there is neither an id nor a key", "give one of them")
    if request.space is not None:
        raise InvalidInput("space", "an id names one memory wherever it is", "leave `space` out, or give a key")
    return view.items([resolve_id(view, request.id)])


def _with_key(view: View, given: str) -> list[Item]:
    """The profile facts under a key: those of the space that comes first in recall, and of these the newest."""
    key = id_of(given, "key")
    found = view.store.items_with_values(view.sight, [view.store.keys.value(value_of(Kind.PROFILE, key, ""))])
    # In a shared space what is not public has another value for each audience: these facts are listed instead.
    if shared := [one.space for one in view.sight.spaces if not one.space.is_private]:
        asked = Filter(keys=frozenset({key}))
        found = [*found, *view.store.page(view.sight.narrowed(shared), asked, None, _MOST_LISTED, view.now)]
    places = {seen.space: place for place, seen in enumerate(view.sight.spaces)}
    under_key = [item for item in found if item.kind is Kind.PROFILE and item.key == key]
    return sorted(under_key, key=lambda item: (places[item.space], -item.created_at_us, item.id))
