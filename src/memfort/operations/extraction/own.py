"""The queued turns that an actor may see and change: those that it could end."""

from __future__ import annotations

from collections.abc import Sequence

from memfort.engine.resolve_id import resolve_ids
from memfort.engine.transaction import Session
from memfort.engine.view import View
from memfort.errors import NotFound
from memfort.model.space import Space
from memfort.store.port import QueuedTurn


def find_own(view: View) -> list[QueuedTurn]:
    """The queued turns where the actor may write, and in every space of its user's own, as far as it may end them."""
    reach = view.reviewable
    queued = reach.store.queued_turns(reach.sight)
    items = reach.items([one.turn for one in queued])
    own = {(item.space.id, item.id) for item in items if reach.may_end(item)}
    return [one for one in queued if one.place in own]


def find_named(view: View, ids: Sequence[str]) -> list[QueuedTurn]:
    """Those of them with these ids, all of them or none; without ids, those that were given up."""
    own = find_own(view)
    if not ids:
        return [one for one in own if one.due_at is None]
    known = {one.turn: one for one in own}
    wanted = resolve_ids(view, ids, view.reviewable)
    for id in wanted:
        if id not in known:
            raise NotFound("queued turn", id)
    return [known[id] for id in dict.fromkeys(wanted)]


def spaces_of_own(session: Session) -> list[Space]:
    with session.view() as view:
        return list(dict.fromkeys(one.space for one in find_own(view)))
