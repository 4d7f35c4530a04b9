"""Coming into force: a memory gets its tick, and memories whose last tick it was end."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from memfort.engine.lifecycle.sweep import expiry_reason
from memfort.engine.transaction import Transaction
from memfort.engine.view import View
from memfort.model.audience import audience_of
from memfort.model.item import Item, Status, is_expired
from memfort.model.reason import Reason


def with_tick(view: View, item: Item, last_tick: int | None = None) -> Item:
    """An approved memory with the tick at which it comes into force: the one after `last_tick`, which the store is
    asked for if it is not known. A memory that its author cannot read has none:
    the tick would reveal how many others there are beside it."""
    if item.status is not Status.APPROVED:
        return item
    since = item.in_force_at_us or view.now
    if not view.sight.admits_readers(item.readers):
        return replace(item, in_force_at_us=since, created_tick=0, expires_tick=None)
    if item.created_tick:
        return replace(item, in_force_at_us=since)  # an import brought the tick it had
    if last_tick is None:
        last_tick = view.store.tick(view.sight, item.space, item.readers, audience_of(item))
    tick = last_tick + 1
    ends = None if item.expires_tick is None else tick + item.expires_tick
    return replace(item, in_force_at_us=since, created_tick=tick, expires_tick=ends)


def ticks_left(view: View, item: Item) -> int | None:
    """How many ticks a new wording gets, so that it ends when the old one would have: coming into force is one."""
    if item.expires_tick is None or item.created_tick == 0:
        return item.expires_tick
    return max(item.expires_tick - view.store.tick(view.sight, item.space, item.readers, audience_of(item)) - 1, 1)


def expire_by_tick(tx: Transaction, latest: Item, ended: Sequence[Item] | None = None) -> None:
    """Retire the memories whose last tick was that of a memory that has just come into force; the store is asked which
    those are if they are not known. Those past their wall-clock limit are left for a sweep: the result must not depend
    on when a sweep ran."""
    if latest.created_tick == 0:
        return
    if ended is None:
        ended = tx.store.due_by_tick(tx.sight, latest.space, latest.readers, latest.created_tick, audience_of(latest))
    for item in ended:
        if not is_expired(item, tx.now):
            tx.as_system().retire(item, "expire", expiry_reason(tx.engine, item), deleted=Reason.EXPIRED)
