"""Remove memories physically: record the erasure, delete in chunks, then scrub unused bytes of the files. Every verb
that erases calls this; the verb chooses the memories."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from memfort.engine.engine import Engine
from memfort.engine.lifecycle.withdrawals import withdrawal_detail
from memfort.engine.redact import redact_unheard
from memfort.engine.transaction import Session
from memfort.engine.view import View
from memfort.errors import StoreError, StoreFull
from memfort.model.item import EVERYONE, Item, Status, is_expired, is_in_force, outweighs
from memfort.model.moment import Moment
from memfort.model.people.actor import SYSTEM, Actor, ActorKind
from memfort.model.people.person import is_made
from memfort.model.reason import Reason
from memfort.model.results import Receipt, Source
from memfort.model.serialize.encoding import canonical_json, short_name
from memfort.model.sight import Sight
from memfort.model.space import Space
from memfort.operations.admit.refuse import ended_value_of, rejection_detail
from memfort.operations.ending.lineage import ErasureTarget, ItemName, filter_stored, find_lineage, is_within
from memfort.operations.ending.said import SAID_ELSEWHERE, Said, find_said, rewrite
from memfort.operations.people.unmentioned import drop_unmentioned
from memfort.policy.authority import authority_of_actor
from memfort.policy.rejected_form import end_markers
from memfort.policy.sight import maintenance_sight
from memfort.store.port import (
    Change,
    DropPerson,
    DropRejectedValue,
    DropRelation,
    DropSource,
    Erase,
    Erasure,
    PutErasure,
    PutPerson,
    PutRejectedValue,
    RejectedValue,
    Scope,
    Scrub,
    Store,
    reach_of,
)
from memfort.trail.event import Event

Noting = Callable[[Item], bool]
SAMPLE = 5  # texts of memories that a preview shows
_CHUNK = 512
_CHUNK_ON_FULL_DISK = 8  # small enough that the ballast covers what one transaction writes


class PeopleRemoval(Struct, frozen=True):
    """People and relations between them that go with an erasure."""

    changes: Sequence[Change] = ()
    events: Sequence[Event] = ()
    counts: Mapping[str, int] = {}


NO_PEOPLE = PeopleRemoval()


class Selection(Struct, frozen=True):
    """What an erasure removes."""

    selector: Mapping[str, object]  # what the caller named, for the receipt
    reach: Sight  # the sight in which lineage is followed
    chosen: Sequence[ErasureTarget]
    source: Source | None = None  # the import batch to erase too
    people: PeopleRemoval = NO_PEOPLE
    unlisted: Sequence[ErasureTarget] = ()  # erased too, and in no count or receipt
    markers: Sequence[RejectedValue] = ()  # that all of a space or person has ended, in place of each memory's words
    turns: Sequence[Item] = ()  # that say the words of a query, and lose the sentences with them
    words: str = ""
    notes: tuple[str, ...] = ()  # what the caller should know, for the receipt
    notes_words: bool = True  # whether words are noted, so that older material does not bring them back


def erase_selection(session: Session, selection: Selection, *, dry_run: bool) -> Receipt:
    """Erase the chosen memories, and their lineage within reach."""
    now, actor, store = session.now, session.actor, session.store
    related = find_lineage(store, selection.reach, selection.chosen)
    versions, derived = ([item for item, older in related if older is wanted] for wanted in (True, False))
    erased = _Erased(selection.chosen, versions, derived)
    target = erased.all
    people = _with_unmentioned(session, selection, target)
    counts = {**_counts(store, erased, now), **people.counts}
    id = _receipt_id(actor, now, erased.places)
    receipt = Receipt(id, now, actor, selection.selector, erased.places, counts, dry_run=dry_run, notes=selection.notes)
    with session.view() as view:
        said = find_said(view, selection.reach, target, selection.turns, selection.words)
        receipt = _with_sentences(view, receipt, said)
        told = _tell(view, selection, erased, with_sample=dry_run)
    if dry_run:
        return told(receipt)
    session.call.check()
    _remove_unlisted(session, selection)
    if target or selection.source or people.changes or said.places:
        return told(_erase(session, replace(selection, people=people), receipt, target, said))
    if selection.unlisted:
        scrub(session)
    return told(receipt)


class _Erased(Struct, frozen=True):
    """What an erasure removes, with a record."""

    chosen: Sequence[ErasureTarget]
    versions: Sequence[ErasureTarget]
    derived: Sequence[ErasureTarget]

    @property
    def all(self) -> list[ErasureTarget]:
        return [*self.chosen, *self.versions, *self.derived]

    @property
    def places(self) -> tuple[tuple[Space, str], ...]:
        return tuple((item.space, item.id) for item in self.all)


def _counts(store: Store, erased: _Erased, now: Moment) -> Mapping[str, int]:
    return {
        "memories": len(erased.chosen),
        "older_versions": len(erased.versions),
        "derived": len(erased.derived),
        "index_entries": _count_entries(store, erased.all, now),
    }


def _tell(view: View, selection: Selection, erased: _Erased, *, with_sample: bool) -> Callable[[Receipt], Receipt]:
    """What is told of a receipt: in a chat it names and counts what was asked for by its id, and else only what may be
    said there. The record of the erasure has all of it."""
    is_open = not view.sight.is_in_chat or view.actor.kind is ActorKind.SYSTEM
    asked: object = selection.selector.get("ids", ())

    def heard(items: Sequence[ErasureTarget]) -> list[ErasureTarget]:
        by_id = asked if isinstance(asked, list) else []
        return [
            one for one in items if is_open or one.id in by_id or (isinstance(one, Item) and view.sight.admits(one))
        ]

    listed = _Erased(*map(heard, (erased.chosen, erased.versions, erased.derived)))
    counts = _counts(view.store, listed, view.now)
    sample = _sample(view, listed.chosen) if with_sample else ()
    hidden = frozenset[str]() if is_open else selection.people.counts.keys()  # how many people the asker knows

    def tell(receipt: Receipt) -> Receipt:
        known = {name: count for name, count in receipt.counts.items() if name not in hidden}
        # The id of a preview follows from what it lists, so that nothing else shows in it.
        id = _receipt_id(receipt.actor, view.now, listed.places) if receipt.dry_run else receipt.id
        return replace(receipt, id=id, items=listed.places, counts={**known, **counts}, sample=sample)

    return tell


def _remove_unlisted(session: Session, selection: Selection) -> None:
    """Remove what goes without a record. It goes first, so that the scrub at the end overwrites its bytes too, and so
    that whoever is stopped here has erased nothing that the caller could see."""
    if not selection.unlisted:
        return
    session.call.ignore_cancelling()
    noting = _noting(session, selection)
    remove_in_chunks(session, selection.unlisted, session.now, noting=noting)
    names = [ItemName(item.space, item.id) for item in selection.unlisted]
    remove_unseen(session, partial(is_within, selection.reach), names, session.now, noting)


def _count_entries(store: Store, target: Sequence[ErasureTarget], now: Moment) -> int:
    """The index entries of what is erased. An expired memory counts as swept: whose read swept it must not show."""
    live = (item for item in target if isinstance(item, Item) and is_in_force(item) and not is_expired(item, now))
    listed: dict[Space, list[str]] = {}
    for item in live:
        listed.setdefault(item.space, []).append(item.id)
    return sum(store.count_entries(maintenance_sight([space]), ids) for space, ids in listed.items())


def _sample(view: View, items: Sequence[ErasureTarget]) -> tuple[str, ...]:
    """The texts of the first few memories. Of those that the system may not read, it is told what and where they are;
    in a chat nothing is said of what those who listen may not hear."""
    chosen = [item for item in items if isinstance(item, Item)]
    is_system = view.actor.kind is ActorKind.SYSTEM
    return tuple(
        redact_unheard(view.sight, item).text
        or (f"{item.kind} {item.id} in {item.space}" if is_system else "a memory that is not shown in this chat")
        for item in chosen[:SAMPLE]
    )


def _with_sentences(view: View, receipt: Receipt, said: Said) -> Receipt:
    sentences = said.sentences(view.sight, with_words=receipt.dry_run)
    return replace(
        receipt,
        counts={**receipt.counts, **({"sentences": len(sentences)} if sentences else {})},
        sentences=sentences,
        may_still_say=said.still_said(view.sight),
        notes=(*receipt.notes, *((SAID_ELSEWHERE,) if said.elsewhere else ())),
    )


def end_marker(view: View, space: Space, form: str) -> RejectedValue:
    """What says that all of a space or person has ended. Whoever reads the space may know of it."""
    return RejectedValue(space, EVERYONE, view.store.keys.value(form), authority_of_actor(view.actor), view.now)


def _noting(session: Session, selection: Selection) -> Noting:
    """Whether the words of a memory are noted: not if a marker says it for its whole space, or for a person it is
    about."""
    marked = {(one.space, one.value) for one in selection.markers}
    value = session.store.keys.value

    def is_noted(item: Item) -> bool:
        if not marked:
            return selection.notes_words
        covering = {(item.space, value(form)) for form in end_markers(item.subjects)}
        return selection.notes_words and marked.isdisjoint(covering)

    return is_noted


def _with_unmentioned(session: Session, selection: Selection, target: Sequence[ErasureTarget]) -> PeopleRemoval:
    """The people that go with the erasure, with those that only the erased memories spoke of. The counts are of what
    the caller named."""
    erased = [item for item in (*target, *selection.unlisted) if isinstance(item, Item)]
    if not any(is_made(one) for item in erased for one in item.subjects):
        return selection.people
    with session.view() as view:
        draft = drop_unmentioned(view, erased)
    given = selection.people
    named = {one.id for one in given.changes if isinstance(one, DropPerson | DropRelation)}
    rest = [pair for pair in zip(draft.changes, draft.events, strict=True) if _id_of(pair[0]) not in named]
    changes, events = [change for change, _ in rest], [event for _, event in rest]
    return PeopleRemoval([*given.changes, *changes], [*given.events, *events], given.counts)


def _id_of(change: Change) -> str | None:
    """The person or relation that a change is of."""
    match change:
        case PutPerson(person):
            return person.id
        case DropPerson(id) | DropRelation(id):
            return id
    return None


def _erase(
    session: Session, selection: Selection, receipt: Receipt, target: list[ErasureTarget], said: Said
) -> Receipt:
    now, actor, source = receipt.at_us, receipt.actor, selection.source
    places = tuple((space.id, id) for space, id in receipt.items)
    rewritten = tuple(dict.fromkeys((one.turn.space.id, one.turn.id) for one in said.places))
    record = Erasure(receipt.id, now, actor.key, places, receipt.counts, "not finished yet", rewritten)
    changes: list[Change] = [PutErasure(record)]
    events = [_erase_event(session, receipt)]
    if source is not None:
        changes.append(DropSource(source))
        events.append(session.engine.recorder(actor, now, session.call.via).batch_event("drop_batch", source))
    for marker in selection.markers:
        changes.append(PutRejectedValue(marker))
        detail = rejection_detail(session.engine, [PutRejectedValue(marker)])
        recorder = session.engine.recorder(actor, now, session.call.via)
        events.append(recorder.space_event(marker.space, "erase", Reason.ERASED, detail=detail))
    _record_intent(session, [*changes, *selection.people.changes], [*events, *selection.people.events], said)
    session.call.ignore_cancelling()  # half of an erasure would be the worst of both
    noting = _noting(session, selection)
    remove_in_chunks(session, target, now, actor, noting)
    while late := [item for item, older in find_lineage(session.store, selection.reach, target) if not older]:
        remove(session, late, now, actor, noting)  # derived from them while they were being removed
        target += late
    names = [ItemName(item.space, item.id) for item in target]
    remove_unseen(session, partial(is_within, selection.reach), names, now, noting)
    return _finish(session, receipt, record)


def _record_intent(session: Session, changes: Sequence[Change], events: Sequence[Event], said: Said) -> None:
    """Record what is to be erased, and rewrite the turns that say it, after the buffered reads. On a full disk those
    reads stay buffered: only a transaction that does nothing but erase may use the ballast."""
    spaces = [*(event.space for event in events if event.space is not None), *(one.turn.space for one in said.places)]
    try:
        scope = Scope.of(spaces, actors=[session.actor]) | reach_of(changes, events)
        session.engine.commit(scope, lambda: _apply_intent(session, changes, events, said), session.call)
    except StoreFull:
        _apply_intent(session, changes, events, said)


def _apply_intent(session: Session, changes: Sequence[Change], events: Sequence[Event], said: Said) -> None:
    recorder = session.engine.recorder(session.actor, session.now, session.call.via)
    rewritten, told = rewrite(session.engine, recorder, said, Reason.ERASED)
    session.apply([*changes, *rewritten], [*events, *told])


def _finish(session: Session, receipt: Receipt, record: Erasure) -> Receipt:
    scrubbed = scrub(session)
    counts = {**receipt.counts, **_figures(receipt.actor, scrubbed)}
    after = replace(record, counts=counts, pending=scrubbed.pending)
    session.apply([PutErasure(after)], [state_event(session, receipt.actor, after, receipt.at_us)])
    return replace(receipt, counts=counts, pending=scrubbed.pending)


def _figures(actor: Actor, scrubbed: Scrub) -> Mapping[str, int]:
    """The result of the scrub, by place. The amount cleaned in the whole file reveals what others wrote, so only the
    system actor gets it; other actors get the amount that was left."""
    if actor.kind is ActorKind.SYSTEM:
        return scrubbed.places
    return {place: count for place, count in scrubbed.places.items() if place.endswith("_left")}


def scrub(session: Session) -> Scrub:
    """Overwrite unused bytes of the files. The memories are out of every read already, so if this is not possible, the
    erasure stays pending and has not failed."""
    try:
        return session.store.scrub()
    except StoreError as error:
        return Scrub(str(error))


def remove_in_chunks(
    session: Session,
    items: Sequence[ErasureTarget],
    now: Moment,
    actor: Actor | None = None,
    noting: Noting = lambda _: True,
) -> None:
    """Remove in transactions of bounded size; on a full disk in very small ones, with the log emptied in between.
    Without an actor the system does it, and progress is not reported: it would reveal the amount."""
    size, start = _CHUNK, 0
    while start < len(items):
        try:
            remove(session, items[start : start + size], now, actor, noting)
        except StoreFull:
            if size == _CHUNK_ON_FULL_DISK:
                raise
            size = _CHUNK_ON_FULL_DISK
            continue
        start = min(start + size, len(items))
        if size == _CHUNK_ON_FULL_DISK:
            scrub(session)
        if actor is not None:
            session.progress(start, len(items))


def remove(
    session: Session,
    items: Sequence[ErasureTarget],
    now: Moment,
    actor: Actor | None = None,
    noting: Noting = lambda _: True,
) -> None:
    """Remove what is still there. Another process that opens the store may be finishing the same erasure. `noting` says
    whether the words of a memory are noted."""
    engine, there = session.engine, list(items)
    while there:
        shared = {share.space for share in engine.store.shares_of(list({item.space for item in there}))}
        changes = {item.id: _removal_changes(engine, actor or SYSTEM, item, now, noting) for item in there}
        events = [_removal_event(engine, actor or SYSTEM, item, now, changes[item.id], shared) for item in there]
        try:
            together = [change for item in there for change in changes[item.id]]
            return session.apply(together, events, traced=actor is not None)
        except ValueError:
            left = filter_stored(session.store, there)
            if len(left) == len(there):
                raise
            there = left
    return None


def remove_unseen(
    session: Session,
    is_seen: Callable[[Item], bool],
    erased: Sequence[ErasureTarget],
    now: Moment,
    noting: Noting = lambda _: True,
) -> None:
    """Remove derived memories out of the asker's sight: for other readers, or promoted into another space. The system
    does it, and they are in no count, receipt or progress. A memory in the asker's sight is erased only through sources
    in that sight, or it would reveal the hidden link between. The farthest go first, so that the rest can be found
    after a crash."""

    def is_unseen(item: ErasureTarget) -> bool:
        return not (isinstance(item, Item) and is_seen(item))

    whole, roots = maintenance_sight(session.store.spaces()), list(erased)
    while found := [item for item, _ in find_lineage(session.store, whole, roots, is_unseen, quotes=False)]:
        remove_in_chunks(session, found[::-1], now, noting=noting)
        roots += found


def state_event(session: Session, actor: Actor, erasure: Erasure, now: Moment) -> Event:
    """The event that an erasure continued: it is complete or pending."""
    reason = Reason.ERASED if erasure.pending is None else Reason.ERASURE_PENDING
    detail = {"receipt": erasure.id, "pending": erasure.pending}
    return session.engine.recorder(actor, now, session.call.via).actor_event(
        "finish_erasure", "allowed", reason, detail
    )


def _removal_changes(engine: Engine, actor: Actor, target: ErasureTarget, now: Moment, noting: Noting) -> list[Change]:
    """Remove the memory, note its words and, if it was rejected, remove its rejected value, which would confirm its
    text. An actor of less authority than the rejecter's leaves the value: erasing must not lift a rejection."""
    changes: list[Change] = [Erase(target.space, target.id)]
    if isinstance(target, Item) and noting(target):
        changes += [PutRejectedValue(one) for one in ended_value_of(engine, actor, target, now)]
    if isinstance(target, Item) and target.status is Status.REJECTED:
        there = (target.space, target.readers, engine.rejected_form(target))
        kept = engine.store.rejected_value(maintenance_sight([target.space]), *there)
        order = engine.policy.authority_order
        if kept is not None and not outweighs(kept.authority, authority_of_actor(actor), order):
            changes.append(DropRejectedValue(kept))
    return changes


def _removal_event(
    engine: Engine,
    actor: Actor,
    target: ErasureTarget,
    now: Moment,
    changes: Sequence[Change],
    shared: Container[Space],
) -> Event:
    recorder = engine.recorder(actor, now)
    if isinstance(target, Item):
        lifted = rejection_detail(engine, changes)
        withdrawn = withdrawal_detail(engine, target, now) if target.space in shared else {}
        return recorder.change_event("erase", target, Reason.ERASED, gone=True, **lifted, **withdrawn)
    return recorder.space_event(target.space, "erase", Reason.ERASED, item=target.id, detail={"after": None})


def _erase_event(session: Session, receipt: Receipt) -> Event:
    detail = {"receipt": receipt.id, "memories": len(receipt.items), "selector": sorted(receipt.selector)}
    return session.engine.recorder(receipt.actor, receipt.at_us, session.call.via).actor_event(
        "erase", "allowed", Reason.ERASED, detail
    )


def _receipt_id(actor: Actor, now: Moment, places: Sequence[tuple[Space, str]]) -> str:
    seed = canonical_json([actor.key.hex(), now, [[space.id.hex(), id] for space, id in places]])
    return short_name("era_", seed)
