"""Erase memories physically, with a receipt that counts each place."""

from __future__ import annotations

from collections.abc import Sequence

from memfort.engine.engine import ALL_STATES
from memfort.engine.resolve_id import resolve_ids
from memfort.engine.transaction import Session
from memfort.engine.view import View
from memfort.model.item import Item, Status
from memfort.model.people.actor import ActorKind
from memfort.model.results import Receipt
from memfort.model.sight import Sight
from memfort.model.space import Space
from memfort.operations.ending.lineage import ErasureTarget, find_damaged, find_stored
from memfort.operations.ending.removal import NO_PEOPLE, PeopleRemoval, Selection, end_marker, erase_selection
from memfort.operations.ending.selection import EndingRequest, choose, endable, may_erase, notes_on
from memfort.operations.ending.superseded import notes_on_superseded
from memfort.operations.people.edits import drop_people_of
from memfort.policy.rejected_form import END_OF_SPACE
from memfort.policy.sight import decision_sight, maintenance_sight, own_spaces_sight


class EraseRequest(EndingRequest, frozen=True):
    """What to erase: memories by id in any state, or by what they have in common."""


def handle(session: Session, request: EraseRequest) -> Receipt:
    """Remove memories physically, with older versions and everything derived from them."""
    request.check()
    with session.view() as view:
        selection = _select_ids(view, request.ids) if request.ids else _select(view, request)
    return erase_selection(session, selection, dry_run=request.dry_run)


def _select_ids(view: View, given: Sequence[str]) -> Selection:
    ids = resolve_ids(view, given)
    reach = _erasable_sight(view)
    chosen = [_find(view, reach, id) for id in ids]
    superseded = [one for one in chosen if isinstance(one, Item) and one.status is Status.SUPERSEDED]
    ended = {one.id for one in chosen}
    notes = tuple(note for one in superseded for note in notes_on_superseded(view, one, ended))
    return Selection({"ids": list(ids)}, reach, chosen, notes=notes)


def _find(view: View, reach: Sight, id: str) -> ErasureTarget:
    """A memory by id in any state: forgotten and damaged ones can still be erased."""
    there = view.with_sight(reach)
    for found in find_stored(view.store, reach, [id]):
        if may_erase(there, found):
            return found
    return view.find_changeable(id, there)


def find_erasable(view: View, id: str) -> ErasureTarget:
    """A memory by id that the actor may erase."""
    return _find(view, _erasable_sight(view), id)


def _select(view: View, request: EraseRequest) -> Selection:
    """What is to go by what it has in common: of a scope alone everything, of an import alone its record too."""
    found, named = choose(view, request), request.selector.keys()
    is_whole, is_import = named <= {"scope", "cascade"}, named <= {"source"}
    chosen = found.items
    if is_whole:
        chosen += [one for sight in found.sights for one in _damaged(view, sight)]
    return Selection(
        request.selector,
        found.reach,
        chosen,
        source=found.source if is_import else None,
        people=_people_removal(view, found.spaces) if is_whole else NO_PEOPLE,
        unlisted=[*found.hidden, *(_hidden_from_listeners(view, found.sights) if is_whole else ())],
        markers=[end_marker(view, one, END_OF_SPACE) for one in _erased_whole(view, found.spaces)] if is_whole else (),
        turns=tuple(found.turns),
        words=request.query or "",
        notes=notes_on(view, request, found),
    )


def _damaged(view: View, sight: Sight) -> list[ErasureTarget]:
    there = view.with_sight(sight)
    return [one for one in find_damaged(view.store, sight) if may_erase(there, one)]


def _hidden_from_listeners(view: View, sights: Sequence[Sight]) -> list[ErasureTarget]:
    """Memories in the scope that may not be shown in the chat: they are erased too, and appear in no count or
    receipt."""
    limited = [sight for sight in sights if sight.disclosure is not None]  # any other shows all that it may decide on
    everything = (item for sight in limited for item in endable(view, decision_sight(sight), ALL_STATES))
    return [item for item in everything if not any(sight.admits(item) for sight in sights)]


def _people_removal(view: View, spaces: Sequence[Space]) -> PeopleRemoval:
    """The people known only in spaces that are erased whole: the actor's own spaces, or for the system all of them."""
    own = _erased_whole(view, spaces)
    changes, events = drop_people_of(view, own) if own else ([], [])
    return PeopleRemoval(changes, events, {"people": len(changes)} if changes else {})


def _erased_whole(view: View, spaces: Sequence[Space]) -> Sequence[Space]:
    if view.actor.kind is ActorKind.SYSTEM:
        return spaces
    return [seen.space for seen in own_spaces_sight(view.actor, spaces).spaces]


def _erasable_sight(view: View) -> Sight:
    """The system actor may erase anywhere; any other actor where it may write, what it may end."""
    if view.actor.kind is ActorKind.SYSTEM:
        return maintenance_sight(view.store.spaces())
    return view.sight.writable
