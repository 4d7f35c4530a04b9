"""Forget memories: they leave every read at once, with the memories derived from them. A tombstone stays."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from functools import partial

from msgspec.structs import replace

from memfort.engine.engine import ALL_STATES
from memfort.engine.lifecycle.sweep import BATCH
from memfort.engine.redact import redact_unheard
from memfort.engine.resolve_id import resolve_ids
from memfort.engine.transaction import Session, Transaction
from memfort.engine.view import View
from memfort.model.item import Item, Status, as_expired
from memfort.model.moment import Moment
from memfort.model.reason import Reason
from memfort.model.results import Forgotten
from memfort.model.sight import Sight
from memfort.model.space import Space
from memfort.operations.admit.refuse import ended_value_of, rejection_detail
from memfort.operations.ending.lineage import find_derived, find_lineage
from memfort.operations.ending.said import SAID_ELSEWHERE, Said, find_said, rewrite
from memfort.operations.ending.selection import EndingRequest, choose, notes_on
from memfort.operations.ending.superseded import find_successors, find_wordings_to_end, notes_on_superseded
from memfort.store.port import PutRejectedValue

NOT_ENDED = replace(ALL_STATES, deleted=False, expired=False)


class ForgetRequest(EndingRequest, frozen=True):
    """What to forget: memories by id, or by what they have in common."""


def handle(session: Session, request: ForgetRequest) -> Forgotten:
    """Take memories out of every read, with those derived from them: a summary would reveal its sources. The memories
    that were asked for come first in the answer. A dry run answers with the memories as they are."""
    request.check()
    if not request.ids:
        return _forget_chosen(session, request)
    if request.dry_run:
        with session.view() as view:
            chosen, notes = _chosen_and_derived(view, request.ids)
            chosen = filter_live(chosen, view.now)
            listed = listed_here(view, chosen, resolve_ids(view, request.ids))
            return _forgotten(view, listed, _find_said(view, chosen), dry_run=True, notes=notes)
    return session.write(_touched(session, request.ids), lambda tx: forget(tx, request.ids))


def _forget_chosen(session: Session, request: ForgetRequest) -> Forgotten:
    """Forget what a request selects, in commits of bounded size. Each is checked again under the lock."""
    with session.view() as view:
        found = choose(view, request, NOT_ENDED)
        notes = notes_on(view, request, found)
        chosen = [item for item in found.items if isinstance(item, Item)]
        if request.dry_run:
            made = filter_live(find_derived(view.store, chosen, found.reach.admits, quotes=True), view.now)
            everything = [*chosen, *(item for item in made if item not in chosen)]
            said = _find_said(view, everything, found.reach, found.turns, request.query or "")
            return _forgotten(view, everything, said, dry_run=True, notes=notes)
    done = Forgotten((), notes=notes)
    batches = [chosen[start : start + BATCH] for start in range(0, len(chosen), BATCH)] or [[]]
    for number, batch in enumerate(batches):
        turns = found.turns if number == 0 else ()
        spaces = list(dict.fromkeys(item.space for item in (*batch, *turns)))
        work = partial(_forget_batch, reach=found.reach, batch=batch, turns=turns, words=request.query or "")
        done = _joined(done, session.write(spaces, work))
        session.progress(min((number + 1) * BATCH, len(chosen)), len(chosen))
    return done


def _forget_batch(tx: Transaction, reach: Sight, batch: Sequence[Item], turns: Sequence[Item], words: str) -> Forgotten:
    there = tx.with_sight(reach)
    again = [one for item in batch for one in tx.store.items(reach.narrowed([item.space]), [item.id])]
    chosen = [item for item in filter_live(again, tx.now) if there.may_end(item)]
    made = find_derived(tx.store, chosen, reach.admits, quotes=True)
    said = _find_said(tx, [*chosen, *filter_live(made, tx.now)], reach, turns, words)
    gone = retire_all(there, [*chosen, *made], find_derived(tx.store, chosen, lambda item: not reach.admits(item)))
    tx.apply(*rewrite(tx.engine, tx.recorder, said, Reason.FORGOTTEN))
    return _forgotten(tx, gone, said)


def _joined(one: Forgotten, other: Forgotten) -> Forgotten:
    return replace(
        one,
        items=(*one.items, *other.items),
        sentences=(*one.sentences, *other.sentences),
        may_still_say=tuple(dict.fromkeys((*one.may_still_say, *other.may_still_say))),
        notes=tuple(dict.fromkeys((*one.notes, *other.notes))),
    )


def _forgotten(
    view: View, items: Iterable[Item], said: Said, *, dry_run: bool = False, notes: tuple[str, ...] = ()
) -> Forgotten:
    return Forgotten(
        tuple(redact_unheard(view.sight, item) for item in items),
        dry_run=dry_run,
        sentences=said.sentences(view.sight, with_words=True),
        may_still_say=said.still_said(view.sight),
        notes=(*notes, *((SAID_ELSEWHERE,) if said.elsewhere else ())),
    )


def _touched(session: Session, ids: Sequence[str]) -> list[Space]:
    """The spaces of the memories, and of everything made from them."""
    with session.view() as view:
        named = view.writable.decision_view.items(resolve_ids(view, ids))
        chosen = [*named, *(later for item in named for later in find_successors(view, item))]
        made = find_derived(view.store, chosen, lambda _: True)
        made += find_derived(view.store, chosen, view.sight.writable.admits, quotes=True)
        return list(dict.fromkeys(item.space for item in (*chosen, *made)))


def forget(tx: Transaction, ids: Sequence[str]) -> Forgotten:
    chosen, notes = _chosen_and_derived(tx, ids)
    said = _find_said(tx, filter_live(chosen, tx.now))
    unseen = find_derived(tx.store, chosen, lambda item: not tx.sight.writable.admits(item))
    gone = retire_all(tx, chosen, unseen)
    tx.apply(*rewrite(tx.engine, tx.recorder, said, Reason.FORGOTTEN))
    return _forgotten(tx, listed_here(tx, gone, resolve_ids(tx, ids)), said, notes=notes)


def listed_here(view: View, items: Iterable[Item], asked: Container[str] = ()) -> list[Item]:
    """What an ending names: in a chat what was asked for by its id, and else only what may be said there."""
    is_open = not view.sight.is_in_chat
    return [item for item in items if is_open or item.id in asked or view.sight.admits(item)]


def _find_said(
    view: View, chosen: Sequence[Item], reach: Sight | None = None, turns: Sequence[Item] = (), words: str = ""
) -> Said:
    """Where conversations say the memories or an earlier wording of theirs."""
    there = view.sight.writable if reach is None else reach
    versions = [item for item, is_older in find_lineage(view.store, there, chosen) if is_older]
    return find_said(view, there, [*chosen, *versions], turns, words)


def retire_all(tx: Transaction, seen: Iterable[Item], unseen: Iterable[Item]) -> list[Item]:
    """Retire memories in the actor's name, and those out of the actor's sight in the system's name without a trace. A
    memory in the actor's sight is retired only through sources in that sight, or it would reveal the hidden link
    between."""
    for item in filter_live(unseen, tx.now):
        _retire(tx.as_system(), item, traced=False)
    return [_retire(tx, item) for item in filter_live(seen, tx.now)]


def _retire(tx: Transaction, item: Item, *, traced: bool = True) -> Item:
    """Retire a memory, and note its words so that older material does not bring them back."""
    noted = [PutRejectedValue(one) for one in ended_value_of(tx.engine, tx.actor, item, tx.now)]
    detail = rejection_detail(tx.engine, noted)
    return tx.retire(item, "forget", Reason.FORGOTTEN, traced=traced, also=noted, **detail)


def filter_live(items: Iterable[Item], now: Moment) -> list[Item]:
    """Those that have not ended, by a tombstone or by their time."""
    return [item for item in items if as_expired(item, now).deleted_at_us is None]


def _chosen_and_derived(view: View, ids: Sequence[str]) -> tuple[list[Item], tuple[str, ...]]:
    """The memories with these ids, each once, and their later wordings, or the fact would stay; then those derived from
    them where the actor may write. And what to say about those that were superseded."""
    named = {item.id: item for item in map(view.find_changeable, resolve_ids(view, ids))}
    chosen, notes = dict(named), []
    for item in named.values():
        if item.status is Status.SUPERSEDED:
            later = find_wordings_to_end(view, item)
            chosen |= {one.id: one for one in later}
            notes += notes_on_superseded(view, item, {*chosen})
    derived = find_derived(view.store, chosen.values(), view.sight.writable.admits, quotes=True)
    return [*chosen.values(), *derived], tuple(notes)
