"""Write a memory down with another audience: another sensitivity, other subjects. It keeps its id and its words."""

from __future__ import annotations

from msgspec.structs import replace

from memfort.engine.transaction import Transaction
from memfort.model.audience import audience_of
from memfort.model.item import Item
from memfort.operations.admit.ticks import with_tick
from memfort.policy.sight import maintenance_sight


def with_place(tx: Transaction, before: Item, after: Item) -> Item:
    """The memory as it is to be, in the partition of its audience. In another one it gets the next number and tick
    there, and has as many ticks left as it had."""
    audience = audience_of(after)
    if audience == audience_of(before):
        return after
    sight = maintenance_sight([before.space])
    author = (after.author.key, after.kind)
    number = tx.store.next_number(sight, after.space, after.readers, *author, audience)
    left: int | None = None
    if before.expires_tick is not None:
        now = tx.store.tick(sight, before.space, before.readers, audience_of(before))
        left = max(before.expires_tick - max(now, before.created_tick), 1)
    return with_tick(tx.with_sight(sight), replace(after, number=number, created_tick=0, expires_tick=left))


def is_moved(before: Item, after: Item) -> bool:
    return audience_of(after) != audience_of(before)
