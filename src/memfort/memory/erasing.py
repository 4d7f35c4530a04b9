"""Erasing: physically gone, with a receipt that names each place, and a check that looks for what is left."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from memfort.errors import CorruptMemory, InvalidInput, NotFound, StoreError, StoreFull
from memfort.memory.engine import ALL_STATES, Engine, terms_of
from memfort.memory.input import id_of, mapping_of
from memfort.memory.results import ErasureCheck, Receipt
from memfort.memory.writing import find, lapsed
from memfort.model.actor import SYSTEM, Actor, ActorKind, Standpoint
from memfort.model.canonical import canonical_json
from memfort.model.item import Item, Status
from memfort.model.moment import Moment
from memfort.model.names import short_name
from memfort.model.reason import Reason
from memfort.model.sight import Sight
from memfort.model.source import Source
from memfort.model.space import Space
from memfort.policy.scope import in_scope, scope_of
from memfort.policy.sight import maintenance_sight, own_private_sight, own_spaces_sight, owned_and_held_sight
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
from memfort.trace.event import Event, chain_of_space

Progress = Callable[[int, int], None]
_CHUNK = 256
_CHUNK_ON_FULL_DISK = 8  # small enough for the ballast to hold what one transaction writes


@dataclass(frozen=True, slots=True)
class _Damaged:
    """A memory whose bytes no longer say what it was. It can still be named, and so it can be erased."""

    space: Space
    id: str


Doomed = Item | _Damaged


def erase(
    engine: Engine, standpoint: Standpoint, ids: Sequence[str], *, dry_run: bool, progress: Progress | None = None
) -> Receipt:
    """Erase memories by id, with their older versions and everything made from them."""
    with engine.store.reading():
        sight = _erasable(engine, standpoint)
        chosen = [_find_any(engine, sight, id) for id in ids]
    return _erase(engine, standpoint, {"ids": list(ids)}, sight, chosen, dry_run=dry_run, progress=progress)


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
        chosen += [one for sight in sights for one in _damaged_in(engine, sight)]
    selector = {"scope": dict(scope), "cascade": cascade}
    # A version or a copy lies in the space of its original, so the chosen ones are already all there is to erase.
    return _erase(engine, standpoint, selector, sights[0], chosen, dry_run=dry_run, progress=progress)


def erase_source(
    engine: Engine, standpoint: Standpoint, source_id: str, *, dry_run: bool, progress: Progress | None = None
) -> Receipt:
    """Erase everything that came from one import batch, and the record of the batch."""
    id_of(source_id)
    with engine.store.reading():
        held, spaces = engine.sight(standpoint).writable, engine.store.spaces()
        sources = [source for source in engine.store.sources(held) if source.id == source_id]
        if not sources:
            raise NotFound("source", source_id)
        # An import reaches every space of the user's own, so the erase does too, wherever the user stands now.
        wanted = replace(ALL_STATES, source=source_id)
        everywhere = _sights_over(engine, standpoint, spaces)
        chosen: list[Doomed] = [item for sight in everywhere for item in engine.everything(sight, wanted)]
        sight = owned_and_held_sight(held, spaces)
        chosen += _brought_back(engine, sight, sources[0])
    return _erase(engine, standpoint, {"source": source_id}, sight, chosen,
                  dry_run=dry_run, progress=progress, source=sources[0])  # fmt: skip


def _brought_back(engine: Engine, sight: Sight, source: Source) -> list[Doomed]:
    """Memories that our own export brought back keep the source they had, so the batch lists them itself."""
    by_space = _by_space(source.items or ())
    seen = [one.space for one in sight.spaces if one.space.id in by_space]
    return [one for space in seen for one in _stored(engine, sight.narrowed([space]), by_space[space.id])]


def finish(engine: Engine) -> list[str]:
    """Finish erasures that could not be finished when they were asked for; says which are complete now."""
    done = []
    for erasure in engine.store.erasures():
        if erasure.pending is None:
            continue
        left = _left(engine, erasure)
        _in_chunks(engine, left, lambda items: _remove(engine, items, engine.clock.now()))
        scrub = _scrub(engine)
        engine.store.apply([PutErasure(replace(erasure, pending=scrub.pending))], [])
        if scrub.pending is None:
            done.append(erasure.id)
    return done


def check(engine: Engine, standpoint: Standpoint, receipt_id: str) -> ErasureCheck:
    """Search the store for anything an erasure left: rows, index entries, and bytes in unused parts of the files."""
    actor = standpoint.actor
    found = [one for one in engine.store.erasures() if one.id == receipt_id and _may_check(actor, one)]
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
    return [one for one in engine.store.erasures() if _may_check(standpoint.actor, one)]


def _erase(
    engine: Engine, standpoint: Standpoint, selector: Mapping[str, object], sight: Sight, chosen: Sequence[Doomed],
    *, dry_run: bool, progress: Progress | None, source: Source | None = None,
) -> Receipt:  # fmt: skip
    now, actor = engine.clock.now(), standpoint.actor
    versions, derived = _closure(engine, sight, chosen)
    doomed = [*chosen, *versions, *derived]
    counts = {
        "memories": len(chosen),
        "older_versions": len(versions),
        "derived": len(derived),
        "index_entries": sum(len(terms_of(lapsed(item, now))) for item in doomed if isinstance(item, Item)),
    }
    places = tuple((item.space, item.id) for item in doomed)
    receipt = Receipt(_receipt_id(actor, now, places), now, actor, selector, places, counts, dry_run=dry_run)
    if dry_run or not (doomed or source):
        return receipt
    extra: list[Change] = [DropSource(source)] if source is not None else []
    record = Erasure(receipt.id, now, actor.key, tuple((s.id, id) for s, id in places), counts, "not finished yet")
    _put_on_record(engine, [PutErasure(record), *extra], _asked(engine, actor, receipt, now))
    _in_chunks(engine, doomed, lambda items: _remove(engine, items, now, actor), progress)
    while late := _closure(engine, sight, doomed)[1]:  # made from them while they were being removed
        _remove(engine, late, now, actor)
    return _finished(engine, receipt, record)


def _put_on_record(engine: Engine, changes: Sequence[Change], asked: Event) -> None:
    """Record what is to be erased, after the reads that came before it. On a full disk those wait for better times:
    only a transaction that does nothing but erase may use the ballast."""
    try:
        with engine.writing():
            engine.store.apply(changes, [asked])
    except StoreFull:
        engine.store.apply(changes, [asked])


def _finished(engine: Engine, receipt: Receipt, record: Erasure) -> Receipt:
    scrub = _scrub(engine)
    counts = {**receipt.counts, **_figures(receipt.actor, scrub)}
    engine.store.apply([PutErasure(replace(record, counts=counts, pending=scrub.pending))], [])
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
            return engine.store.apply([change for item in there for change in _removal(engine, item)], events)
        except ValueError:
            left = _still_stored(engine, there)
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
        return engine.changed("erase", actor or SYSTEM, doomed, Reason.ERASED, now, gone=True)
    return Event(
        chain=chain_of_space(doomed.space), at=now, action="erase", actor=actor or SYSTEM, surface=engine.surface,
        decision="allowed", reason=Reason.ERASED, policy=engine.policy.digest, space=doomed.space, item=doomed.id,
        detail={"after": None},
    )  # fmt: skip


def _still_stored(engine: Engine, items: Sequence[Doomed]) -> list[Doomed]:
    spaces = {item.space.id: item.space for item in items}
    left = {
        (space, found.id)
        for space, ids in _by_space((item.space.id, item.id) for item in items).items()
        for found in _stored(engine, maintenance_sight([spaces[space]]), ids)
    }
    return [item for item in items if (item.space.id, item.id) in left]


def _stored(engine: Engine, sight: Sight, ids: Sequence[str]) -> list[Doomed]:
    """Memories by id in any state, the damaged ones too: they are never served, but they have to go all the same."""
    try:
        return list(engine.store.items(sight, ids))
    except CorruptMemory:
        damaged = [one for one in _damaged_in(engine, sight) if one.id in ids]
        rest = [id for id in ids if id not in {one.id for one in damaged}]
        if len(rest) == len(ids):
            raise
        return [*damaged, *engine.store.items(sight, rest)]


def _damaged_in(engine: Engine, sight: Sight) -> list[_Damaged]:
    spaces = [seen.space for seen in sight.spaces]
    return [_Damaged(space, id) for space in spaces for id in engine.store.damaged(sight.narrowed([space]))]


def _closure(engine: Engine, sight: Sight, chosen: Sequence[Doomed]) -> tuple[list[Doomed], list[Doomed]]:
    """What goes with the chosen ones: older versions of the same memory, and everything derived, however indirectly."""
    known = {(item.space.id, item.id) for item in chosen}
    versions: list[Doomed] = []
    derived: list[Doomed] = []
    generation = list(chosen)
    while generation:
        found = [
            pair for space in {item.space for item in generation} for pair in _kin(engine, sight, space, generation)
        ]
        generation = []
        for item, is_version in found:
            if (item.space.id, item.id) not in known:
                known.add((item.space.id, item.id))
                (versions if is_version else derived).append(item)
                generation.append(item)
    return versions, derived


def _kin(engine: Engine, sight: Sight, space: Space, items: Sequence[Doomed]) -> list[tuple[Doomed, bool]]:
    """Of the items in one space: their direct older versions, and what was derived from them directly."""
    here = [item for item in items if item.space == space]
    whole = own_private_sight(sight, space)
    older = [item.supersedes for item in here if isinstance(item, Item) and item.supersedes is not None]
    made = engine.store.derived(whole, [item.id for item in here])
    names = {item.id for item in here}
    # Only what gave way to one of them: a file can name any memory as its older version.
    versions = [one for one in _stored(engine, whole, older) if not isinstance(one, Item) or one.superseded_by in names]
    return [*((item, True) for item in versions), *((item, False) for item in made)]


def _erasable(engine: Engine, standpoint: Standpoint) -> Sight:
    """The system actor may erase anywhere; anybody else where it may write."""
    if standpoint.actor.kind is ActorKind.SYSTEM:
        return maintenance_sight(engine.store.spaces())
    return engine.sight(standpoint).writable


def _sights_over(engine: Engine, standpoint: Standpoint, spaces: Sequence[Space]) -> list[Sight]:
    if standpoint.actor.kind is ActorKind.SYSTEM:
        return [maintenance_sight(spaces)]
    held = engine.sight(standpoint)
    own = own_spaces_sight(standpoint.actor, spaces, whole=True)
    mine = set(own.by_id)
    return [own, held.writable.narrowed([space for space in spaces if space.id not in mine])]


def _find_any(engine: Engine, sight: Sight, id: str) -> Doomed:
    """A memory by id in any state: what was forgotten, or is damaged, can still be erased."""
    found = _stored(engine, sight, [id_of(id)])
    return found[0] if found else find(engine, sight, id)


def _left(engine: Engine, erasure: Erasure) -> list[Doomed]:
    spaces = {space.id: space for space in engine.store.spaces()}
    left: list[Doomed] = []
    for space_id, ids in _by_space(erasure.items).items():
        if space_id in spaces:
            left += _stored(engine, maintenance_sight([spaces[space_id]]), ids)
    return left


def _by_space(items: Iterable[tuple[bytes, str]]) -> dict[bytes, list[str]]:
    grouped: dict[bytes, list[str]] = {}
    for space, id in items:
        grouped.setdefault(space, []).append(id)
    return grouped


def _may_check(actor: Actor, erasure: Erasure) -> bool:
    return actor.kind is ActorKind.SYSTEM or actor.key == erasure.actor


def _asked(engine: Engine, actor: Actor, receipt: Receipt, now: Moment) -> Event:
    detail = {"receipt": receipt.id, "memories": len(receipt.items), "selector": sorted(receipt.selector)}
    return engine.asked("erase", actor, "allowed", Reason.ERASED, now, detail)


def _receipt_id(actor: Actor, now: Moment, places: Sequence[tuple[Space, str]]) -> str:
    seed = canonical_json([actor.key.hex(), now, [[space.id.hex(), id] for space, id in places]])
    return short_name("era_", seed)


def check_ids(ids: object) -> list[str]:
    if isinstance(ids, str):
        return [ids]
    if not isinstance(ids, Iterable):
        raise InvalidInput("ids", "it is not a list of ids", "give one id or a list of them")
    return list(ids)
