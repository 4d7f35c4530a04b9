"""Take back what was written: an import, one call, the writes of some hours, or those of one writer, with everything
derived from them. What they had replaced comes back into force. It is one commit, and it can be undone until the
memories are erased: their tombstones say which undo they belong to, and what came back because of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Any

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from memfort.engine.engine import ALL_STATES
from memfort.engine.redact import redact_for, redact_unheard
from memfort.engine.transaction import Session, Transaction
from memfort.engine.view import View
from memfort.errors import InvalidInput, NotFound
from memfort.model.decision import Decision
from memfort.model.item import Item, Status, is_live
from memfort.model.reason import Reason
from memfort.model.results import Undone
from memfort.model.serialize.encoding import canonical_json, short_name
from memfort.model.sight import Sight
from memfort.model.space import Space
from memfort.model.value import count_noun
from memfort.operations.admit.come_back import refusal_to_come_back
from memfort.operations.admit.repartition import with_place
from memfort.operations.ending.forget import NOT_ENDED, filter_live
from memfort.operations.ending.lineage import find_derived, find_promotion_sources, is_within
from memfort.operations.ending.selection import EndingRequest, choose, endable, notes_on, reach_of, sights_over
from memfort.operations.requests import OneWord, Request, Time
from memfort.operations.trail.rebuild_trace import events_of_call
from memfort.operations.upkeep.relearn_note import (
    CHANGED,
    RELEARNED,
    TAKEN_BACK,
    fields_before,
    fields_of,
    is_as_left,
    is_of_run,
    was_made,
)
from memfort.store.port import Change
from memfort.trail.event import Event

_UNDO, _BACK = "undo", "undo_brought_back"  # in the provenance of a tombstone
# In that of a memory that came back without a tombstone: by which undo, how it had ended, and the version that an undo
# made of it, so that what was changed since is left alone.
_UNENDED, _ENDED_AS, _AT_VERSION = TAKEN_BACK, "undo_ended_as", "undo_at_version"
_END = ("status", "status_reason", "superseded_by", "deleted_at_us", "deleted_reason", "ended_phase")


class UndoRequest(Request, frozen=True):
    """What to take back: all writes to which every field that is given applies; or an undo itself."""

    id: Annotated[OneWord | None, Meta(description="An undo to take back, by the id that it gave: `und_…`.")] = None
    source: Annotated[str | None, Meta(description="What one import brought.")] = None
    trace: Annotated[
        OneWord | None, Meta(description="What one call of your own did, such as `observe`, by its trace: `trc_…`.")
    ] = None
    since: Annotated[
        Time | None, Meta(description="What was written at this time or later, in ISO 8601 with a zone.")
    ] = None
    until: Annotated[Time | None, Meta(description="What was written before this time, in ISO 8601 with a zone.")] = (
        None
    )
    author: Annotated[OneWord | None, Meta(description="What one writer wrote: `me`, `user:ID` or `agent:ID`.")] = None
    dry_run: Annotated[bool, Meta(description="Show what would fall and what would come back, and do nothing.")] = False


def handle(session: Session, request: UndoRequest) -> Undone:
    """Take memories out of every read, and bring back what they had replaced; or the other way round."""
    given = {name: getattr(request, name) for name in ("source", "since", "until", "author")}
    named = {name: value for name, value in given.items() if value is not None}
    if [request.id is not None, request.trace is not None or bool(named)].count(True) != 1:
        raise InvalidInput("id", "one thing is needed", "name an undo, or a trace, a source, a time or an author")
    if request.id is not None:
        return _redo(session, request.id, dry_run=request.dry_run)
    find = _finder(request.trace, named)
    with session.view() as view:
        found = find(view)
        if request.dry_run:
            return found.result(view, dry_run=True)
    return session.write(found.spaces, lambda tx: _undo(tx, find(tx)))


def _finder(trace: str | None, named: Mapping[str, Any]) -> Callable[[View], _UndoPlan]:
    if trace is not None:
        if named:
            raise InvalidInput("trace", "something else is named too", "give the trace alone")
        return lambda view: _find_of_relearning(view, trace) or _find_of_call(view, trace)
    ending = EndingRequest(**named)
    ending.check()
    return lambda view: _find(view, ending)


class _UndoPlan:
    """What an undo takes back, and what comes back because of it."""

    def __init__(self, id: str, notes: tuple[str, ...]) -> None:
        self.id, self.notes = id, notes
        self.chosen: list[Item] = []
        self.derived: list[Item] = []
        self.unseen: list[Item] = []
        self.back: list[tuple[Item, Item]] = []  # what comes back, and because of which memory
        self.unended: list[Item] = []  # what comes back because the call ended it, without a memory in its place
        self.relearned: list[Item] = []  # what a run of `relearn` changed, and is again as it was before
        self.refused: list[tuple[Item, Decision]] = []  # what would come back, if the policy now in force admitted it

    @property
    def spaces(self) -> list[Space]:
        items = (*self.chosen, *self.derived, *self.unseen, *(item for item, _ in self.back), *self.unended)
        items = (*items, *self.relearned)
        return list(dict.fromkeys(item.space for item in items))

    def result(self, view: View, *, dry_run: bool = False) -> Undone:
        all_back = [*(item for item, _ in self.back), *self.unended, *map(_as_before, self.relearned)]
        back = [one for one in all_back if view.sight.admits(one)]
        return Undone(
            id="" if dry_run else self.id,
            items=tuple(redact_unheard(view.sight, item) for item in (*self.chosen, *self.derived)),
            back=tuple(redact_for(view.engine, view.sight, item) for item in back),
            counts={"memories": len(self.chosen), "derived": len(self.derived), "back": len(back)},
            dry_run=dry_run,
            notes=(*self.notes, *_notes_on_refused(view, self.refused)),
        )


def _find(view: View, request: EndingRequest) -> _UndoPlan:
    found = choose(view, request, NOT_ENDED)
    falls = _UndoPlan(_undo_id(view, request.selector), notes_on(view, request, found))
    _fill(view, falls, found.reach, [item for item in found.items if isinstance(item, Item)])
    return falls


def _fill(view: View, falls: _UndoPlan, reach: Sight, chosen: Iterable[Item]) -> None:
    """What falls with these memories, and what comes back into force."""
    falls.chosen = filter_live(chosen, view.now)
    known = {(item.space.id, item.id) for item in falls.chosen}
    made = filter_live(find_derived(view.store, falls.chosen, reach.admits, quotes=True), view.now)
    falls.derived = [item for item in made if (item.space.id, item.id) not in known]
    gone = [*falls.chosen, *falls.derived]
    falls.unseen = filter_live(find_derived(view.store, gone, lambda item: not reach.admits(item)), view.now)
    for one, cause in _find_replaced(view, reach, gone):
        refused = refusal_to_come_back(view.with_sight(reach), one)
        if refused is None:
            falls.back.append((one, cause))
        else:
            falls.refused.append((one, refused))


def _find_of_call(view: View, trace: str) -> _UndoPlan:
    """The same for one call of the actor's own: what it stored falls, and what it ended comes back. What was changed
    since stays as it is now."""
    events = [one for one in events_of_call(view, trace) if one["decision"] == "allowed" and "after" in one["detail"]]
    if not events:
        raise NotFound("trace", trace)
    stored = {one["item"] for one in events if one["detail"]["after"]["version"] == 1}
    ended = {one["item"]: one["detail"]["after"]["version"] for one in events if one["action"] in _ENDS}
    reach, falls = reach_of(view), _UndoPlan(_undo_id(view, {"trace": trace}), ())
    sights = sights_over(view, list(dict.fromkeys(Space.of(one["space"]) for one in events)))
    wanted = replace(ALL_STATES, and_only=lambda item: item.id in stored or item.id in ended)
    found = [item for sight in sights for item in endable(view, sight, wanted)]
    _fill(view, falls, reach, [item for item in found if item.id in stored])
    for item in found:
        as_left = {ended.get(item.id), item.provenance.get(_AT_VERSION)}
        if item.id in stored or item.superseded_by in stored or item.id not in ended or item.version not in as_left:
            continue  # what was replaced by what falls is among what comes back already, if nothing else replaced that
        refused = refusal_to_come_back(view.with_sight(reach), item)
        if refused is None:
            falls.unended.append(item)
        else:
            falls.refused.append((item, refused))
    falls.notes = _notes_on_changed(view, falls, found, events)
    return falls


def _find_of_relearning(view: View, trace: str) -> _UndoPlan | None:
    """The same for a run of `relearn`, by the notes that it left: what it made falls, and what it changed is again as
    it was, as far as nobody has changed it since. Everybody takes back what it did to memories that they may end."""
    reach, falls = reach_of(view), _UndoPlan(_undo_id(view, {"trace": trace}), ())
    wanted = replace(ALL_STATES, and_only=lambda item: is_of_run(item, trace))
    sights = sights_over(view, [seen.space for seen in reach.spaces])
    found = [item for sight in sights for item in endable(view, sight, wanted)]
    if not found:
        return None
    made = [item for item in found if was_made(item)]
    falls.chosen = filter_live(made, view.now)
    falls.relearned = [item for item in found if not was_made(item) and is_as_left(item)]
    changed = sum(not was_made(item) and not is_as_left(item) for item in found)
    falls.notes = (f"{count_noun(changed, 'memory')} were changed since and stay as they are",) if changed else ()
    return falls


def _as_before(item: Item) -> Item:
    return replace(item, **fields_before(item))


_ENDS = frozenset({"supersede", "evict"})


def _notes_on_changed(
    view: View, falls: _UndoPlan, found: Iterable[Item], events: Sequence[Mapping[str, Any]]
) -> tuple[str, ...]:
    """What of a call cannot be taken back, as far as the actor may know of it: later changes build on it."""
    gone, back = {item.id for item in falls.chosen}, {item.id for item in (*falls.unended, *map(_first, falls.back))}
    notes = []
    for item in found:
        if not view.sight.admits(item):
            continue
        if item.id in gone and item.superseded_by not in {None, *gone}:
            notes.append(f"`{item.id}` was replaced since; what replaced it stays")
        elif item.id not in gone | back and item.status is not Status.APPROVED and item.deleted_at_us is None:
            notes.append(f"`{item.id}` was changed since and does not come back")
    forgotten = sum(one["action"] == "forget" for one in events)
    if forgotten:
        notes.append(f"{count_noun(forgotten, 'memory')} that it was asked to forget stays forgotten")
    return tuple(notes)


def _first(pair: tuple[Item, Item]) -> Item:
    return pair[0]


def _find_replaced(view: View, reach: Sight, gone: Sequence[Item]) -> list[tuple[Item, Item]]:
    """What was replaced by a memory that falls, or by one that was replaced by such a one itself; and what was promoted
    away."""
    fallen = {(item.space.id, item.id): item for item in gone}
    found: dict[tuple[bytes, str], tuple[Item, Item]] = {}
    for item in gone:
        older = dict.fromkeys((*item.replaces, *([] if item.supersedes is None else [item.supersedes])))
        before = view.store.items(reach.narrowed([item.space]), list(older)) if older else []
        for one in before:
            last = _last_in_line(item, fallen)
            is_replaced = one.status is Status.SUPERSEDED and one.superseded_by == item.id
            if is_replaced and last.status is not Status.SUPERSEDED and one.deleted_at_us is None:
                found[one.space.id, one.id] = (one, item)
        for one in find_promotion_sources(view.store, item):
            if is_within(reach, one):
                found[one.space.id, one.id] = (one, item)
    return [pair for place, pair in found.items() if place not in fallen]


def _last_in_line(item: Item, fallen: Mapping[tuple[bytes, str], Item]) -> Item:
    """The last of the memories that fall which replaced each other, beginning with this one."""
    for _ in fallen:
        after = fallen.get((item.space.id, item.superseded_by or ""))
        if item.status is not Status.SUPERSEDED or after is None:
            break
        item = after
    return item


def _undo_id(view: View, selector: Mapping[str, object]) -> str:
    named = [view.actor.key.hex(), view.now, sorted((name, str(value)) for name, value in selector.items())]
    return short_name("und_", canonical_json(named))


def _undo(tx: Transaction, falls: _UndoPlan) -> Undone:
    if not falls.spaces:
        return falls.result(tx)
    system = tx.as_system()
    for item in falls.unseen:
        system.retire(_noted(item, falls), "undo", Reason.UNDONE, traced=False, undo=falls.id)
    gone = [
        tx.retire(_noted(item, falls), "undo", Reason.UNDONE, undo=falls.id) for item in (*falls.chosen, *falls.derived)
    ]
    back = [_bring_back(tx, item) for item, _ in falls.back]
    back += [_bring_back(tx, _noted_end(item, falls.id)) for item in falls.unended]
    back += [with_place(tx, item, tx.next_version(_noted_change(item, falls.id))) for item in falls.relearned]
    tx.apply(
        [tx.update(item) for item in back],
        [
            *(tx.event("undo", item, Reason.BACK_IN_FORCE, undo=falls.id) for item in back),
            *(_refusal_event(tx, "undo", falls.id, *one) for one in falls.refused),
            _call_event(tx, "undo", falls.id, Reason.UNDONE, len(gone)),
        ],
    )
    done = falls.result(tx)
    return replace(done, items=tuple(redact_unheard(tx.sight, item) for item in gone))


def _noted(item: Item, falls: _UndoPlan) -> Item:
    """A memory whose tombstone will say which undo it fell by, and what came back because of it."""
    back = [one.id for one, cause in falls.back if cause.id == item.id and one.space == item.space]
    noted = {_UNDO: falls.id, **({_BACK: back} if back else {})}
    return replace(item, provenance=MappingProxyType({**item.provenance, **noted}))


def _noted_end(item: Item, undo: str) -> Item:
    """A memory that comes back, with the undo that brings it back and how it had ended."""
    ended = {name: getattr(item, name) for name in _END if getattr(item, name) is not None}
    noted = {_UNENDED: undo, _ENDED_AS: ended, _AT_VERSION: item.version + 1}
    return replace(item, provenance=MappingProxyType({**item.provenance, **noted}))


def _noted_change(item: Item, undo: str) -> Item:
    """What a run of `relearn` changed, as it was before, with what the run had made of it."""
    before = _as_before(item)
    changed = {name: getattr(item, name) for name in CHANGED if getattr(item, name) != getattr(before, name)}
    ended = {**msgspec.to_builtins(changed), RELEARNED: item.provenance[RELEARNED]}
    noted = {_UNENDED: undo, _ENDED_AS: ended, _AT_VERSION: item.version + 1}
    return replace(before, provenance=MappingProxyType({**before.provenance, **noted}))


def _bring_back(tx: Transaction, item: Item) -> Item:
    ended: dict[str, Any] = {"deleted_at_us": None, "deleted_reason": None, "ended_phase": None}
    if item.status is Status.SUPERSEDED:
        ended |= {"status": Status.APPROVED, "superseded_by": None, "status_reason": Reason.BACK_IN_FORCE.value}
    return tx.next_version(item, **ended)


def _notes_on_refused(view: View, refused: Sequence[tuple[Item, Decision]]) -> list[str]:
    """What did not come back and why, as far as the actor may know of it."""
    reasons = Counter((one.explanation, one.reason) for item, one in refused if view.sight.admits(item))
    return [
        f"{count_noun(count, 'memory')} did not come back: {explanation} ({reason})"
        for (explanation, reason), count in reasons.items()
    ]


def _refusal_event(tx: Transaction, action: str, id: str, item: Item, refused: Decision) -> Event:
    detail = {"gate": refused.gate, "levels": sorted(level.value for level in item.space.levels), "undo": id}
    return tx.actor_event(action, "denied", refused.reason, detail)


def _call_event(tx: Transaction, action: str, id: str, reason: Reason, count: int) -> Event:
    return tx.actor_event(action, "allowed", reason, {"undo": id, "memories": count})


# -- the undo of an undo ----------------------------------------------------------------------------------------------


def _redo(session: Session, id: str, *, dry_run: bool) -> Undone:
    with session.view() as view:
        fallen, unended = _changed_by(view, id)
        spaces = list(dict.fromkeys(item.space for item in (*fallen, *unended)))
        if dry_run:
            judged = [(item, _refusal_of_fallen(view, reach_of(view), item)) for item in fallen]
            back = tuple(redact_unheard(view.sight, item) for item, refusal in judged if refusal is None)
            again = tuple(redact_for(view.engine, view.sight, item) for item in unended if view.sight.admits(item))
            counts = {"memories": len(unended), "back": len(back)}
            notes = _notes_on_refused(view, [(item, refusal) for item, refusal in judged if refusal is not None])
            return Undone(id="", items=again, back=back, counts=counts, dry_run=True, notes=tuple(notes))
    return session.write(spaces, lambda tx: _bring_all_back(tx, id))


def _changed_by(view: View, id: str) -> tuple[list[Item], list[Item]]:
    """The tombstones of an undo that the actor may end; and what it brought back without one, as it was then."""
    wanted = replace(
        ALL_STATES, and_only=lambda item: id in (item.provenance.get(_UNDO), item.provenance.get(_UNENDED))
    )
    sights = sights_over(view, list(view.store.spaces()))
    found = [item for sight in sights for item in endable(view, sight, wanted)]
    fallen = [item for item in found if item.provenance.get(_UNDO) == id]
    unended = [item for item in found if item.provenance.get(_UNENDED) == id]
    if not found:
        raise NotFound("undo", id)
    return fallen, [item for item in unended if item.version == item.provenance.get(_AT_VERSION)]


def _bring_all_back(tx: Transaction, id: str) -> Undone:
    """Bring back what an undo took. What has been said again meanwhile stays as it is now."""
    reach, changes, events = reach_of(tx), list[Change](), list[Event]()
    back: list[Item] = []
    replaced: list[Item] = []
    refused: list[tuple[Item, Decision]] = []
    fallen, unended = _changed_by(tx, id)
    replaced += [_end_again(tx, item) for item in unended]
    for item in fallen:
        if _is_said_again(tx, reach, item):
            continue
        if (refusal := _refusal_of_fallen(tx, reach, item)) is not None:
            refused.append((item, refusal))
            events.append(_refusal_event(tx, "redo", id, item, refusal))
            continue
        ended = {"deleted_at_us": None, "deleted_reason": None, "ended_phase": None}
        back.append(tx.next_version(_unnoted(item), **ended))
        replaced += _replace_again(tx, reach, item)
    for one in (*back, *replaced):
        changes.append(tx.update(one))
        events.append(tx.event("redo", one, Reason.REDONE, undo=id))
    tx.apply(changes, [*events, _call_event(tx, "redo", id, Reason.REDONE, len(back))])
    shown = tuple(redact_unheard(tx.sight, item) for item in back)
    gone = tuple(redact_for(tx.engine, tx.sight, item) for item in replaced if tx.sight.admits(item))
    counts, notes = {"memories": len(replaced), "back": len(back)}, tuple(_notes_on_refused(tx, refused))
    return Undone(id=id, items=gone, back=shown, counts=counts, notes=notes)


def _unnoted(item: Item) -> Item:
    """A memory without what its tombstone said about an undo."""
    noted = {_UNDO, _BACK, _UNENDED, _ENDED_AS, _AT_VERSION}
    known = {name: value for name, value in item.provenance.items() if name not in noted}
    return replace(item, provenance=MappingProxyType(known))


def _end_again(tx: Transaction, item: Item) -> Item:
    """A memory that the undo had brought back, as it had ended before; or had changed back, as it was."""
    ended: dict[str, Any] = dict(item.provenance[_ENDED_AS])
    plain, note = _unnoted(item), ended.pop(RELEARNED, None)
    relearned = {} if note is None else {RELEARNED: {**note, "version": item.version + 1}}
    noted = MappingProxyType({**plain.provenance, **relearned, _AT_VERSION: item.version + 1})
    return with_place(tx, item, tx.next_version(replace(plain, provenance=noted), **fields_of(ended)))


def _refusal_of_fallen(view: View, reach: Sight, item: Item) -> Decision | None:
    """Why what an undo took may not come back. What was not in force then, does not come into force now."""
    return refusal_to_come_back(view.with_sight(reach), _unnoted(item)) if item.status is Status.APPROVED else None


def _is_said_again(tx: Transaction, reach: Sight, item: Item) -> bool:
    rivals: Iterable[Item] = tx.store.rivals(reach, item.space, item.readers, tx.engine.value(item))
    ids = set(item.provenance.get(_BACK, ()))
    return any(is_live(one, tx.now) and one.id not in ids and one.text == item.text for one in rivals)


def _replace_again(tx: Transaction, reach: Sight, item: Item) -> list[Item]:
    """What had come back because of a memory, and is still as it was then."""
    ids = [id for id in item.provenance.get(_BACK, ()) if isinstance(id, str)]
    found = tx.store.items(reach.narrowed([item.space]), ids) if ids else []
    live = [one for one in found if is_live(one, tx.now) and one.status_reason == Reason.BACK_IN_FORCE]
    return [tx.next_version(one, status=Status.SUPERSEDED, superseded_by=item.id) for one in live]
