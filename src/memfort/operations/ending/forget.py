"""Forget memories: they leave every read at once, with the memories derived from them. A tombstone stays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated

from msgspec import Meta

from memfort.engine.redact import redact_unheard
from memfort.engine.resolve_id import resolve_ids
from memfort.engine.transaction import Session, Transaction
from memfort.engine.view import View
from memfort.model.item import Item, as_expired
from memfort.model.moment import Moment
from memfort.model.reason import Reason
from memfort.model.results import Forgotten
from memfort.model.space import Space
from memfort.operations.admit.refuse import ended_value_of, rejection_detail
from memfort.operations.ending.lineage import find_derived
from memfort.operations.requests import MemoryId, Request
from memfort.store.port import PutRejectedValue


class ForgetRequest(Request, frozen=True):
    """Which memories to forget."""

    ids: Annotated[tuple[MemoryId, ...], Meta(description="The memories: all of them or none.")]
    dry_run: Annotated[bool, Meta(description="Show what would happen, and do nothing.")] = False


def handle(session: Session, request: ForgetRequest) -> Forgotten:
    """Take memories out of every read, with those derived from them: a summary would reveal its sources. The text may
    be learned again. The memories that were asked for come first in the answer. A dry run answers with the memories
    as they are."""
    if request.dry_run:
        with session.view() as view:
            return _forgotten(view, filter_live(_chosen_and_derived(view, request.ids), view.now), dry_run=True)
    return session.write(_touched(session, request.ids), lambda tx: _forgotten(tx, forget(tx, request.ids)))


def _forgotten(view: View, items: Iterable[Item], *, dry_run: bool = False) -> Forgotten:
    return Forgotten(tuple(redact_unheard(view.sight, item) for item in items), dry_run=dry_run)


def _touched(session: Session, ids: Sequence[str]) -> list[Space]:
    """The spaces of the memories, and of everything made from them."""
    with session.view() as view:
        chosen = view.writable.decision_view.items(resolve_ids(view, ids))
        made = find_derived(view.store, chosen, lambda _: True)
        made += find_derived(view.store, chosen, view.sight.writable.admits, quotes=True)
        return list(dict.fromkeys(item.space for item in (*chosen, *made)))


def forget(tx: Transaction, ids: Sequence[str]) -> list[Item]:
    chosen = _chosen_and_derived(tx, ids)
    return retire_all(tx, chosen, find_derived(tx.store, chosen, lambda item: not tx.sight.writable.admits(item)))


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


def _chosen_and_derived(view: View, ids: Sequence[str]) -> list[Item]:
    """The memories with these ids, each once, then those derived from them where the actor may write."""
    chosen = {item.id: item for item in map(view.find_changeable, resolve_ids(view, ids))}
    return [*chosen.values(), *find_derived(view.store, chosen.values(), view.sight.writable.admits, quotes=True)]
