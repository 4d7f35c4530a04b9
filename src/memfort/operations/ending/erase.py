"""Erase memories physically, with a receipt that counts each place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from memfort.engine.engine import ALL_STATES
from memfort.engine.resolve_id import resolve_ids
from memfort.engine.transaction import Session
from memfort.engine.view import View
from memfort.errors import InvalidInput, NotFound
from memfort.model.item import Item
from memfort.model.people.actor import ActorKind
from memfort.model.results import Receipt, Source
from memfort.model.sight import Sight
from memfort.model.space import Space
from memfort.operations.ending.lineage import ErasureTarget, by_space, find_damaged, find_stored
from memfort.operations.ending.removal import PeopleRemoval, Selection, erase_selection
from memfort.operations.people.edits import drop_people_of
from memfort.operations.requests import Coordinates, MemoryId, Request
from memfort.policy.scope import in_scope, scope_of
from memfort.policy.sight import decision_sight, maintenance_sight, own_and_writable_sight, own_spaces_sight
from memfort.store.port import Filter


class EraseRequest(Request, frozen=True):
    """What to erase: memories by id, a scope, or an import."""

    ids: Annotated[tuple[MemoryId, ...], Meta(description="Memories, in any state.")] = ()
    scope: Annotated[Coordinates | None, Meta(description="Erase a scope; the most specific level is the target.")] = (
        None
    )
    source: Annotated[str | None, Meta(description="Erase everything that came from one import.")] = None
    cascade: Annotated[
        bool, Meta(description="With a scope: also erase narrower spaces, not only the target itself.")
    ] = True
    dry_run: Annotated[bool, Meta(description="Show what would happen, and do nothing.")] = False


def handle(session: Session, request: EraseRequest) -> Receipt:
    """Remove memories physically, with older versions and everything derived from them."""
    if (bool(request.ids), request.scope is not None, request.source is not None).count(True) > 1:
        raise InvalidInput("ids", "only one is possible", "name memories by id, or give a scope, or a source")
    if not request.cascade and request.scope is None:
        raise InvalidInput("cascade", "there is no scope", "give a scope, or leave it out")
    with session.view() as view:
        if request.scope is not None:
            selection = _select_scope(view, request.scope, cascade=request.cascade)
        elif request.source is not None:
            selection = _select_source(view, request.source)
        else:
            selection = _select_ids(view, request.ids)
    return erase_selection(session, selection, dry_run=request.dry_run)


def _select_ids(view: View, given: Sequence[str]) -> Selection:
    ids = resolve_ids(view, given)
    reach = _erasable_sight(view)
    return Selection({"ids": list(ids)}, reach, [_find(view, reach, id) for id in ids])


def _find(view: View, reach: Sight, id: str) -> ErasureTarget:
    """A memory by id in any state: forgotten and damaged ones can still be erased."""
    there = view.with_sight(reach)
    for found in find_stored(view.store, reach, [id]):
        if _may_erase(there, found):
            return found
    return view.find_changeable(id, there)


def find_erasable(view: View, id: str) -> ErasureTarget:
    """A memory by id that the actor may erase."""
    return _find(view, _erasable_sight(view), id)


def _may_erase(view: View, target: ErasureTarget) -> bool:
    """Whether the actor may end it. Nobody can tell who wrote a damaged one, so it counts as somebody else's."""
    if isinstance(target, Item):
        return view.may_end(target)
    seen = view.sight.seen(target.space)
    return seen is not None and seen.may_end_others


def _select_scope(view: View, scope: Mapping[str, str], *, cascade: bool) -> Selection:
    """The most specific level given is the target, every other one constrains it, and with `cascade` everything
    narrower is erased too. An empty scope selects nothing."""
    coordinates = scope_of(dict(scope))
    spaces = [space for space in view.store.spaces() if in_scope(space, coordinates, cascade=cascade)]
    sights = _sights_over(view, spaces)
    chosen: list[ErasureTarget] = [item for sight in sights for item in _endable(view, sight, ALL_STATES)]
    chosen += [one for sight in sights for one in _damaged(view, sight)]
    return Selection(
        {"scope": dict(scope), "cascade": cascade},
        # Versions are in the space of their memory and are chosen already; promoted copies may be in any space.
        _erasable_sight_anywhere(view),
        chosen,
        people=_people_removal(view, spaces),
        unlisted=_hidden_from_listeners(view, sights),
    )


def _endable(view: View, sight: Sight, wanted: Filter) -> Iterator[Item]:
    """The memories in a sight that the actor may end."""
    return view.engine.all_items(sight, replace(wanted, and_only=view.with_sight(sight).may_end))


def _damaged(view: View, sight: Sight) -> list[ErasureTarget]:
    there = view.with_sight(sight)
    return [one for one in find_damaged(view.store, sight) if _may_erase(there, one)]


def _hidden_from_listeners(view: View, sights: Sequence[Sight]) -> list[ErasureTarget]:
    """Memories in the scope that may not be shown in the chat: they are erased too, and appear in no count or
    receipt."""
    limited = [sight for sight in sights if sight.disclosure is not None]  # any other shows all that it may decide on
    everything = (item for sight in limited for item in _endable(view, decision_sight(sight), ALL_STATES))
    return [item for item in everything if not any(sight.admits(item) for sight in sights)]


def _people_removal(view: View, spaces: Sequence[Space]) -> PeopleRemoval:
    """The people known only in spaces that are erased whole: the actor's own spaces, or for the system all of them."""
    actor = view.actor
    own = spaces if actor.kind is ActorKind.SYSTEM else [seen.space for seen in own_spaces_sight(actor, spaces).spaces]
    changes, events = drop_people_of(view, own) if own else ([], [])
    return PeopleRemoval(changes, events, {"people": len(changes)} if changes else {})


def _select_source(view: View, id: str) -> Selection:
    """Every memory of one import batch, and the record of the batch."""
    sources = [source for source in view.store.sources(view.sight.writable) if source.id == id]
    if not sources:
        raise NotFound("source", id)
    # An import reaches every space of the user, so the erase does too, wherever the user stands now.
    wanted, reach = replace(ALL_STATES, source=id), _erasable_sight_anywhere(view)
    sights = _sights_over(view, list(view.store.spaces()))
    chosen: list[ErasureTarget] = [item for sight in sights for item in _endable(view, sight, wanted)]
    there = view.with_sight(reach)
    chosen += [one for one in _find_restored(view, reach, sources[0]) if _may_erase(there, one)]
    return Selection({"source": id}, reach, chosen, source=sources[0])


def _find_restored(view: View, reach: Sight, source: Source) -> list[ErasureTarget]:
    """Memories reimported from our own export keep their original source, so the batch lists them itself."""
    listed = by_space(source.items or ())
    seen = [one.space for one in reach.spaces if one.space.id in listed]
    return [one for space in seen for one in find_stored(view.store, reach.narrowed([space]), listed[space.id])]


def _erasable_sight(view: View) -> Sight:
    """The system actor may erase anywhere; any other actor where it may write, what it may end."""
    if view.actor.kind is ActorKind.SYSTEM:
        return maintenance_sight(view.store.spaces())
    return view.sight.writable


def _erasable_sight_anywhere(view: View) -> Sight:
    """Where an actor may erase, whatever its standpoint: the system actor anywhere, any other actor in its own spaces
    and where it may write."""
    if view.actor.kind is ActorKind.SYSTEM:
        return maintenance_sight(view.store.spaces())
    held = view.sight.writable
    return own_and_writable_sight(held, view.engine.own_spaces(held))


def _sights_over(view: View, spaces: Sequence[Space]) -> list[Sight]:
    if view.actor.kind is ActorKind.SYSTEM:
        return [maintenance_sight(spaces)]
    own = own_spaces_sight(view.actor, spaces, whole=True)
    mine = set(own.by_id)
    return [own, view.sight.writable.narrowed([space for space in spaces if space.id not in mine])]
