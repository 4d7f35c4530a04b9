"""How a memory comes into force, ages and ends. What ends stays as a tombstone; erasing is another matter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from memfort.memory.engine import Engine
from memfort.model.actor import SYSTEM, Actor
from memfort.model.decision import Decision, Verdict
from memfort.model.item import Item, Status, is_expired
from memfort.model.moment import Moment
from memfort.model.reason import Reason
from memfort.model.sight import Sight
from memfort.policy.budget import LASTING, Squeeze, squeeze
from memfort.policy.retention import forget_reason
from memfort.policy.sections import WhenFull
from memfort.policy.sight import maintenance_sight


def in_force(engine: Engine, sight: Sight, item: Item, now: Moment) -> Item:
    """An approved memory with the tick at which it comes into force. What its author cannot read has none: the tick
    would tell how much there is beside it."""
    if item.status is not Status.APPROVED:
        return item
    since = item.in_force_at or now
    if not sight.admits_readers(item.readers):
        return replace(item, in_force_at=since, created_tick=0, expires_tick=None)
    if item.created_tick:
        return replace(item, in_force_at=since)  # it came back with the tick it had
    tick = engine.store.tick(sight, item.space, item.readers) + 1
    ends = None if item.expires_tick is None else tick + item.expires_tick
    return replace(item, in_force_at=since, created_tick=tick, expires_tick=ends)


def fade(engine: Engine, sight: Sight, beside: Item, now: Moment) -> None:
    """End what the tick of a memory that has just come into force was the last of. What its limit on the wall clock has
    ended already is left for a sweep: one may have come before, and nobody may be able to tell."""
    if beside.created_tick == 0:
        return
    faded = engine.store.faded(sight, beside.space, beside.readers, beside.created_tick)
    for item in [one for one in faded if not is_expired(one, now)]:
        retire(engine, SYSTEM, item, "expire", _why_faded(engine, item), now, deleted=Reason.EXPIRED)


def sweep(engine: Engine, sight: Sight, now: Moment) -> int:
    """Retire what has expired. Nobody could see it any more; from now on no clock set back can bring it back either."""
    with engine.writing():
        overdue = engine.store.overdue(sight, now)
        for item in overdue:
            after = lapsed(item, now)
            reason = _why_faded(engine, item)
            event = engine.changed("expire", SYSTEM, after, reason, now)
            engine.apply([engine.update(after)], [event], told=False)  # somebody else may have looked first
    return len(overdue)


def lapsed(item: Item, now: Moment) -> Item:
    """A memory as a sweep leaves it, if its time has run out. Dated by its limit and not by the sweep, and shown like
    this before the sweep too: somebody's recall sweeps, and nobody else may be able to tell that they recalled."""
    if not is_expired(item, now) or item.deleted_at is not None:
        return item
    assert item.expires_at is not None
    return changed(item, item.expires_at, deleted_at=item.expires_at, deleted_reason=Reason.EXPIRED.value)


def retire(
    engine: Engine, actor: Actor, item: Item, action: str, reason: Reason, now: Moment,
    *, deleted: Reason | None = None, told: bool = True, **detail: Any,
) -> Item:  # fmt: skip
    """Out of every read, for a reason; `deleted` is the reason on the tombstone, if it is another."""
    ended = engine.phase_of(item.space).id
    after = changed(item, now, deleted_at=now, deleted_reason=(deleted or reason).value, ended_phase=ended)
    event = engine.changed(action, actor, after, reason, now, **detail)
    engine.apply([engine.update(after)], [event], told=told)
    return after


def changed(item: Item, now: Moment, **fields: Any) -> Item:
    return replace(item, **fields, updated_at=now, version=item.version + 1)


def room_for(
    engine: Engine, actor: Actor, sight: Sight, item: Item, leaving: Iterable[Item]
) -> tuple[Decision | None, list[Item]]:
    """What has to make room in the author's budget for one more memory, or the refusal if nothing can. `leaving` give
    way to it anyway. An author's memories make room for that author's alone."""
    budget = engine.policy.budget
    if not budget.is_limited or item.status is not Status.APPROVED:
        return None, []
    going = [one for one in leaving if one.author.key == actor.key and one.status is Status.APPROVED]
    if _squeezed(engine, actor, sight, item, going) is None:
        return None, []
    # The counts still hold what has expired until somebody sweeps it, and who did must not matter.
    going += _unswept(engine, actor, sight, item)
    if (tight := _squeezed(engine, actor, sight, item, going)) is None:
        return None, []
    detail = {"limit": tight.limit}
    full = Decision(Verdict.DENIED, "budget", Reason.BUDGET_FULL, engine.policy.digest, detail)
    if budget.when_full is WhenFull.REFUSE:
        return full, []
    known = {one.id for one in going}
    least = engine.store.least(sight, item.space, item.readers, actor.key, tight.kinds, tight.count + len(known))
    evicted = [one for one in least if one.id not in known][: tight.count]
    return (None, evicted) if len(evicted) == tight.count else (full, [])


def _squeezed(engine: Engine, actor: Actor, sight: Sight, item: Item, going: Sequence[Item]) -> Squeeze | None:
    """The limit that the item would pass once those that are going are gone."""
    counts = Counter(engine.store.population(sight, item.space, item.readers, actor.key))
    counts.subtract(one.kind for one in going if (one.space, one.readers) == (item.space, item.readers))
    everywhere = engine.store.authored(actor) - sum(one.kind in LASTING for one in going)
    return squeeze(engine.policy.budget, item.kind, counts, everywhere)


def _unswept(engine: Engine, actor: Actor, sight: Sight, item: Item) -> list[Item]:
    """The author's memories that have expired but still count: beside the item, or everywhere if that is counted."""
    is_counted_everywhere = engine.policy.budget.owner is not None
    reach = maintenance_sight(engine.store.spaces()) if is_counted_everywhere else sight.narrowed([item.space])
    overdue = engine.store.overdue(reach, engine.clock.now())
    return [one for one in overdue if one.author.key == actor.key and one.status is Status.APPROVED]


def _why_faded(engine: Engine, item: Item) -> Reason:
    return forget_reason(engine.policy.retention.rule(item.kind, item.event_type))
