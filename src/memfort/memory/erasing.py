"""Erasing: physically gone, with a receipt that names each place, and a check that looks for what is left."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial

from memfort.errors import NotFound, StoreError, StoreFull
from memfort.memory.engine import ALL_STATES, Engine
from memfort.memory.input import id_of, mapping_of
from memfort.memory.kin import (
    Doomed,
    Named,
    by_space,
    closure,
    damaged_in,
    is_within,
    still_stored,
    stored,
)
from memfort.memory.lifetimes import lapsed
from memfort.memory.people.directory import emptied
from memfort.memory.results import ErasureCheck, Receipt
from memfort.memory.writing import changeable, told_bar
from memfort.model.actor import SYSTEM, Actor, ActorKind, Standpoint
from memfort.model.canonical import canonical_json
from memfort.model.item import Item, Status
from memfort.model.moment import Moment
from memfort.model.names import short_name
from memfort.model.reason import Reason
from memfort.model.record import actor_from_dict
from memfort.model.sight import Sight
from memfort.model.source import Source
from memfort.model.space import Space
from memfort.policy.scope import in_scope, scope_of
from memfort.policy.sight import maintenance_sight, own_spaces_sight, owned_and_held_sight, unheard
from memfort.store.port import (
    Bar,
    Change,
    DropBar,
    DropSource,
    Erase,
    Erasure,
    PutErasure,
    Scrub,
)
from memfort.trace.event import ChainId, Event, chain_of_space

Progress = Callable[[int, int], None]
_CHUNK = 256
_CHUNK_ON_FULL_DISK = 8  # small enough for the ballast to hold what one transaction writes


@dataclass(frozen=True, slots=True)
class Besides:
    """What goes with an erasure and is no memory: people and what they are to each other."""

    changes: Sequence[Change] = ()
    events: Sequence[Event] = ()
    counts: Mapping[str, int] = field(default_factory=dict)


NOTHING_BESIDES = Besides()


def erase(
    engine: Engine, standpoint: Standpoint, ids: Sequence[str], *, dry_run: bool, progress: Progress | None = None
) -> Receipt:
    """Erase memories by id, with their older versions and everything made from them."""
    with engine.store.reading():
        held, sight = engine.sight(standpoint), _erasable(engine, standpoint)
        chosen = [_find_any(engine, held, sight, id) for id in ids]
    return erase_chosen(engine, standpoint, {"ids": list(ids)}, sight, chosen, dry_run=dry_run, progress=progress)


def erase_scope(
    engine: Engine, standpoint: Standpoint, scope: Mapping[str, str], *, cascade: bool, dry_run: bool,
    progress: Progress | None = None,
) -> Receipt:  # fmt: skip
    """Erase by scope: the most specific level given is the target, every other one constrains, cascade takes what is
    narrower. No scope erases nothing."""
    coordinates = scope_of(dict(mapping_of(scope, "scope")))
    with engine.store.reading():
        spaces = [space for space in engine.store.spaces() if in_scope(space, coordinates, cascade=cascade)]
        sights = _sights_over(engine, standpoint, spaces)
        chosen: list[Doomed] = [item for sight in sights for item in engine.everything(sight, ALL_STATES)]
        chosen += [one for sight in sights for one in damaged_in(engine, sight)]
        # Versions lie in the space of their memory and are chosen already; promoted copies may be anywhere.
        reach = _sight_everywhere(engine, standpoint)
        unheard_of = _unheard_in(engine, sights)
        besides = _people_of(engine, standpoint, spaces)
    selector = {"scope": dict(scope), "cascade": cascade}
    receipt = erase_chosen(
        engine, standpoint, selector, reach, chosen, dry_run=dry_run, progress=progress, besides=besides
    )
    if not dry_run:
        _in_chunks(engine, unheard_of, lambda items: _remove(engine, items, receipt.at))
    return receipt


def _unheard_in(engine: Engine, sights: Sequence[Sight]) -> list[Doomed]:
    """What lies in the scope but is not for the ears of the room: it goes too, and shows in no count or receipt."""
    everything = (item for sight in sights for item in engine.everything(unheard(sight), ALL_STATES))
    return [item for item in everything if not any(sight.admits(item) for sight in sights)]


def _people_of(engine: Engine, standpoint: Standpoint, spaces: Sequence[Space]) -> Besides:
    """The people who are known only in spaces that are erased whole: one's own, or for the system all of them."""
    actor = standpoint.actor
    own = spaces if actor.kind is ActorKind.SYSTEM else [seen.space for seen in own_spaces_sight(actor, spaces).spaces]
    changes, events = emptied(engine, actor, own, engine.clock.now()) if own else ([], [])
    return Besides(changes, events, {"people": len(changes)} if changes else {})


def erase_source(
    engine: Engine, standpoint: Standpoint, source_id: str, *, dry_run: bool, progress: Progress | None = None
) -> Receipt:
    """Erase everything that came from one import batch, and the record of the batch."""
    id_of(source_id)
    with engine.store.reading():
        held = engine.sight(standpoint).writable
        sources = [source for source in engine.store.sources(held) if source.id == source_id]
        if not sources:
            raise NotFound("source", source_id)
        # An import reaches every space of the user's own, so the erase does too, wherever the user stands now.
        wanted = replace(ALL_STATES, source=source_id)
        everywhere = _sights_over(engine, standpoint, engine.store.spaces())
        chosen: list[Doomed] = [item for sight in everywhere for item in engine.everything(sight, wanted)]
        reach = _sight_everywhere(engine, standpoint)
        chosen += _brought_back(engine, reach, sources[0])
    return erase_chosen(engine, standpoint, {"source": source_id}, reach, chosen,
                        dry_run=dry_run, progress=progress, source=sources[0])  # fmt: skip


def _brought_back(engine: Engine, sight: Sight, source: Source) -> list[Doomed]:
    """Memories that our own export brought back keep the source they had, so the batch lists them itself."""
    listed = by_space(source.items or ())
    seen = [one.space for one in sight.spaces if one.space.id in listed]
    return [one for space in seen for one in stored(engine, sight.narrowed([space]), listed[space.id])]


def finish(engine: Engine) -> list[str]:
    """Finish erasures that could not be finished when they were asked for; says which are complete now."""
    waiting = [erasure for erasure in engine.store.erasures() if erasure.pending is not None]
    return [erasure.id for erasure in waiting if _finish(engine, erasure).pending is None]


def _finish(engine: Engine, erasure: Erasure) -> Erasure:
    """Go on with an erasure. Whoever opens the store may be doing this, so it stands in the system's chain: nobody's
    own chain may move by what somebody else did."""
    left, now = _left(engine, erasure), engine.clock.now()
    _in_chunks(engine, left, lambda items: _remove(engine, items, now))
    _remove_unseen(engine, _reach_of(engine, erasure), _on_record(engine, erasure), now)
    after = replace(erasure, pending=_scrub(engine).pending)
    if after != erasure:
        engine.apply([PutErasure(after)], [_told(engine, SYSTEM, after, now)])
    return after


def check(engine: Engine, standpoint: Standpoint, receipt_id: str) -> ErasureCheck:
    """Search the store for anything an erasure left: rows, index entries, and bytes in unused parts of the files."""
    actor = standpoint.actor
    found = [one for one in pending_erasures(engine, standpoint) if one.id == receipt_id]
    if not found:
        raise NotFound("receipt", receipt_id)
    problems = [f"memory `{item.id}` is still stored" for item in _left(engine, found[0])]
    # Writes since then have left copies of other memories in unused bytes; without them, whatever is found is a fault.
    _scrub(engine)
    for place, count in engine.store.residue().items():
        # How much there is tells of what others did, so only the system actor learns it.
        figure = f"{count} " if actor.kind is ActorKind.SYSTEM else ""
        problems.append(f"{figure}{place.replace('_', ' ')} may hold erased text")
    if found[0].pending is not None:
        problems.append(f"the erasure is pending: {found[0].pending}")
    return ErasureCheck(receipt_id, tuple(problems))


def pending_erasures(engine: Engine, standpoint: Standpoint) -> list[Erasure]:
    if not engine.takes_part(standpoint):
        return []
    return [one for one in engine.store.erasures() if _may_check(standpoint.actor, one)]


def erase_chosen(
    engine: Engine, standpoint: Standpoint, selector: Mapping[str, object], sight: Sight, chosen: Sequence[Doomed],
    *, dry_run: bool, progress: Progress | None, source: Source | None = None, besides: Besides = NOTHING_BESIDES,
) -> Receipt:  # fmt: skip
    """Erase the chosen ones, and what goes with them within reach of the sight."""
    now, actor = engine.clock.now(), standpoint.actor
    kin = closure(engine, sight, chosen)
    versions, derived = ([item for item, older in kin if older is wanted] for wanted in (True, False))
    doomed = [*chosen, *versions, *derived]
    counts = {
        "memories": len(chosen),
        "older_versions": len(versions),
        "derived": len(derived),
        "index_entries": sum(_entries(engine, lapsed(item, now)) for item in doomed if isinstance(item, Item)),
        **besides.counts,
    }
    places = tuple((item.space, item.id) for item in doomed)
    receipt = Receipt(_receipt_id(actor, now, places), now, actor, selector, places, counts, dry_run=dry_run)
    if dry_run or not (doomed or source or besides.changes):
        return receipt
    extra: list[Change] = [*([DropSource(source)] if source is not None else []), *besides.changes]
    record = Erasure(receipt.id, now, actor.key, tuple((s.id, id) for s, id in places), counts, "not finished yet")
    told = [_asked(engine, actor, receipt, now)]
    told += [engine.batched("drop_batch", actor, source, now)] if source is not None else []
    told += besides.events
    _put_on_record(engine, [PutErasure(record), *extra], told)
    _in_chunks(engine, doomed, lambda items: _remove(engine, items, now, actor), progress)
    while late := [item for item, older in closure(engine, sight, doomed) if not older]:
        _remove(engine, late, now, actor)  # made from them while they were being removed
        doomed += late
    _remove_unseen(engine, partial(is_within, sight), [Named(item.space, item.id) for item in doomed], now)
    return _finished(engine, receipt, record)


def _put_on_record(engine: Engine, changes: Sequence[Change], asked: Sequence[Event]) -> None:
    """Record what is to be erased, after the reads that came before it. On a full disk those wait for better times:
    only a transaction that does nothing but erase may use the ballast."""
    try:
        with engine.writing():
            engine.apply(changes, asked)
    except StoreFull:
        engine.apply(changes, asked)


def _finished(engine: Engine, receipt: Receipt, record: Erasure) -> Receipt:
    scrub = _scrub(engine)
    counts = {**receipt.counts, **_figures(receipt.actor, scrub)}
    after = replace(record, counts=counts, pending=scrub.pending)
    engine.apply([PutErasure(after)], [_told(engine, receipt.actor, after, receipt.at)])
    return replace(receipt, counts=counts, pending=scrub.pending)


def _figures(actor: Actor, scrub: Scrub) -> Mapping[str, int]:
    """What the scrub did, by place. How much was cleaned in the whole file tells of what others wrote, so only the
    system actor learns it; anybody else, how much was left when it was done."""
    if actor.kind is ActorKind.SYSTEM:
        return scrub.places
    return {place: count for place, count in scrub.places.items() if place.endswith("_left")}


def _scrub(engine: Engine) -> Scrub:
    """The memories are out of every read by now, so a store that cannot be scrubbed is a reason to wait, no failure."""
    try:
        return engine.store.scrub()
    except StoreError as error:
        return Scrub(str(error))


def _in_chunks(
    engine: Engine,
    items: Sequence[Doomed],
    remove: Callable[[Sequence[Doomed]], None],
    progress: Progress | None = None,
) -> None:
    """Remove in transactions of bounded size. On a full disk, in very small ones, with the log emptied in between."""
    size, start = _CHUNK, 0
    while start < len(items):
        try:
            remove(items[start : start + size])
        except StoreFull:
            if size == _CHUNK_ON_FULL_DISK:
                raise
            size = _CHUNK_ON_FULL_DISK
            continue
        start = min(start + size, len(items))
        if size == _CHUNK_ON_FULL_DISK:
            _scrub(engine)
        if progress is not None:
            progress(start, len(items))


def _remove(engine: Engine, items: Sequence[Doomed], now: Moment, actor: Actor | None = None) -> None:
    """Remove what is still there. Another process that opens the store may be finishing the same erasure."""
    there = list(items)
    while there:
        events = [_gone(engine, actor, item, now) for item in there]
        try:
            changes = [change for item in there for change in _removal(engine, item)]
            return engine.apply(changes, events, told=actor is not None)
        except ValueError:
            left = still_stored(engine, there)
            if len(left) == len(there):
                raise
            there = left
    return None


def _removal(engine: Engine, doomed: Doomed) -> list[Change]:
    """The memory itself and, if it was rejected, the bar on its words: it would confirm what they were."""
    changes: list[Change] = [Erase(doomed.space, doomed.id)]
    if isinstance(doomed, Item) and doomed.status is Status.REJECTED:
        changes.append(DropBar(Bar(doomed.space, doomed.readers, engine.statement(doomed), doomed.authority)))
    return changes


def _gone(engine: Engine, actor: Actor | None, doomed: Doomed, now: Moment) -> Event:
    if isinstance(doomed, Item):
        lifted = told_bar(engine, _removal(engine, doomed))
        return engine.changed("erase", actor or SYSTEM, doomed, Reason.ERASED, now, gone=True, **lifted)
    return Event(
        chain=chain_of_space(doomed.space), at=now, action="erase", actor=actor or SYSTEM, surface=engine.surface,
        decision="allowed", reason=Reason.ERASED, policy=engine.policy.digest, space=doomed.space, item=doomed.id,
        detail={"after": None},
    )  # fmt: skip


def _remove_unseen(engine: Engine, is_seen: Callable[[Item], bool], erased: Sequence[Doomed], now: Moment) -> None:
    """Remove what was made from erased memories out of the asker's sight: for other readers, or promoted into another
    space. The system does it, and it shows nowhere: in no count, receipt or progress. What the asker can see goes only
    by what the asker can see, or it would tell of what lies between. The farthest go first, so that what a crash leaves
    can be found again."""

    def is_unseen(item: Doomed) -> bool:
        return not (isinstance(item, Item) and is_seen(item))

    whole, roots = maintenance_sight(engine.store.spaces()), list(erased)
    while found := [item for item, _ in closure(engine, whole, roots, is_unseen)]:
        _in_chunks(engine, found[::-1], lambda items: _remove(engine, items, now))
        roots += found


def _erasable(engine: Engine, standpoint: Standpoint) -> Sight:
    """The system actor may erase anywhere; anybody else where it may write."""
    if standpoint.actor.kind is ActorKind.SYSTEM:
        return maintenance_sight(engine.store.spaces())
    return engine.sight(standpoint).writable


def _sight_everywhere(engine: Engine, standpoint: Standpoint) -> Sight:
    """Where an actor may erase, wherever it stands now: the system actor anywhere, anybody else in its own spaces and
    where it may write."""
    if standpoint.actor.kind is ActorKind.SYSTEM:
        return maintenance_sight(engine.store.spaces())
    held = engine.sight(standpoint).writable
    return owned_and_held_sight(held, engine.own_spaces(held))


def _sights_over(engine: Engine, standpoint: Standpoint, spaces: Sequence[Space]) -> list[Sight]:
    if standpoint.actor.kind is ActorKind.SYSTEM:
        return [maintenance_sight(spaces)]
    held = engine.sight(standpoint)
    own = own_spaces_sight(standpoint.actor, spaces, whole=True)
    mine = set(own.by_id)
    return [own, held.writable.narrowed([space for space in spaces if space.id not in mine])]


def _find_any(engine: Engine, held: Sight, sight: Sight, id: str) -> Doomed:
    """A memory by id in any state: what was forgotten, or is damaged, can still be erased."""
    found = stored(engine, sight, [id_of(id)])
    return found[0] if found else changeable(engine, held, sight, id)


def _left(engine: Engine, erasure: Erasure) -> list[Doomed]:
    listed = by_space(erasure.items)
    here = [space for space in engine.store.spaces() if space.id in listed]
    return [one for space in here for one in stored(engine, maintenance_sight([space]), listed[space.id])]


def _on_record(engine: Engine, erasure: Erasure) -> list[Named]:
    listed = by_space(erasure.items)
    return [Named(space, id) for space in engine.store.spaces() for id in listed.get(space.id, ())]


def _reach_of(engine: Engine, erasure: Erasure) -> Callable[[Item], bool]:
    """What the asker of an erasure could see, as far as that can still be told: in the spaces that the record names,
    what its reader lists allow. What was in sight elsewhere is on record itself."""
    asker, spaces = _asker(engine, erasure), {space for space, _ in erasure.items}
    return lambda item: asker is not None and item.space.id in spaces and item.readers.admits(asker)


def _asker(engine: Engine, erasure: Erasure) -> Actor | None:
    """Who asked for an erasure. The record has only a key, but the asking is in the actor's own chain; if that can no
    longer be read, nobody is known to see what was made from the erased, and all of it goes."""
    for link in engine.store.links(ChainId("actor", erasure.actor)):
        with suppress(ValueError, KeyError, TypeError):
            return actor_from_dict(json.loads(link.body)["actor"])
    return None


def _may_check(actor: Actor, erasure: Erasure) -> bool:
    return actor.kind is ActorKind.SYSTEM or actor.key == erasure.actor


def _asked(engine: Engine, actor: Actor, receipt: Receipt, now: Moment) -> Event:
    detail = {"receipt": receipt.id, "memories": len(receipt.items), "selector": sorted(receipt.selector)}
    return engine.asked("erase", actor, "allowed", Reason.ERASED, now, detail)


def _told(engine: Engine, actor: Actor, erasure: Erasure, now: Moment) -> Event:
    """That an erasure went on: it is complete, or it has to wait."""
    reason = Reason.ERASED if erasure.pending is None else Reason.ERASURE_PENDING
    detail = {"receipt": erasure.id, "pending": erasure.pending}
    return engine.asked("finish_erasure", actor, "allowed", reason, now, detail)


def _receipt_id(actor: Actor, now: Moment, places: Sequence[tuple[Space, str]]) -> str:
    seed = canonical_json([actor.key.hex(), now, [[space.id.hex(), id] for space, id in places]])
    return short_name("era_", seed)


def _entries(engine: Engine, item: Item) -> int:
    """How many words and marks of it the index has."""
    entry = engine.meaning.entry_of(item, vector=b"")  # nobody is asked about what is to be gone
    return 0 if entry is None else len(entry.terms) + (0 if entry.marks is None else entry.marks.count)
