"""How a memory comes into force, ages and ends. What ends stays as a tombstone; erasing is another matter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from memfort.memory.engine import Engine
from memfort.model.actor import SYSTEM, Actor, Standpoint
from memfort.model.decision import Decision, Verdict
from memfort.model.hearing import Label, label_of
from memfort.model.item import Item, Readers, Status, is_expired
from memfort.model.moment import MICROSECONDS_PER_SECOND, Moment
from memfort.model.reason import Reason
from memfort.model.sight import Sight
from memfort.model.space import Level, Space
from memfort.policy.budget import LASTING, Squeeze, squeeze
from memfort.policy.retention import forget_reason
from memfort.policy.sections import Budget, EvictFirst, WhenFull
from memfort.policy.sight import maintenance_sight
from memfort.policy.sight import sight as resolved
from memfort.policy.standing import Memberships

BATCH = 500  # how many memories one transaction of upkeep changes at most


def in_force(engine: Engine, sight: Sight, item: Item, now: Moment) -> Item:
    """An approved memory with the tick at which it comes into force. What its author cannot read has none: the tick
    would tell how much there is beside it."""
    if item.status is not Status.APPROVED:
        return item
    since = item.in_force_at or now
    if not sight.admits_readers(item.readers):
        return item.but(in_force_at=since, created_tick=0, expires_tick=None)
    if item.created_tick:
        return item.but(in_force_at=since)  # it came back with the tick it had
    tick = engine.store.tick(sight, item.space, item.readers, label_of(item)) + 1
    ends = None if item.expires_tick is None else tick + item.expires_tick
    return item.but(in_force_at=since, created_tick=tick, expires_tick=ends)


def fade(engine: Engine, sight: Sight, latest: Item, now: Moment) -> None:
    """End what the tick of a memory that has just come into force was the last of. What its limit on the wall clock has
    ended already is left for a sweep: one may have come before, and nobody may be able to tell."""
    if latest.created_tick == 0:
        return
    faded = engine.store.faded(sight, latest.space, latest.readers, latest.created_tick, label_of(latest))
    for item in faded:
        if not is_expired(item, now):
            retire(engine, SYSTEM, item, "expire", _why_faded(engine, item), now, deleted=Reason.EXPIRED)


def sweep(engine: Engine, sight: Sight, now: Moment) -> int:
    """Retire what has expired. Nobody could see it any more; from now on no clock set back can bring it back either."""
    swept = 0
    while some := sweep_some(engine, sight, now, BATCH):
        swept += some
        if some < BATCH:
            break
    return swept


def sweep_some(engine: Engine, sight: Sight, now: Moment, limit: int) -> int:
    """Retire some of what has expired, in one transaction that nobody has to wait for long."""
    with engine.writing():
        overdue = engine.store.overdue(sight, now, limit)
        after = [lapsed(item, now) for item in overdue]
        events = [engine.changed("expire", SYSTEM, one, _why_faded(engine, one), now) for one in after]
        # Not told in anybody's trace: somebody else may have looked first.
        engine.apply([engine.update(one) for one in after], events, told=False)
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


def retire_many(engine: Engine, actor: Actor, items: Sequence[Item], action: str, reason: Reason, now: Moment) -> None:
    """The same of many at once, which are nobody's call and told in nobody's trace."""
    phases = {space: engine.phase_of(space).id for space in {item.space for item in items}}
    fields = {"deleted_at": now, "deleted_reason": reason.value}
    after = [changed(item, now, ended_phase=phases[item.space], **fields) for item in items]
    events = [engine.changed(action, actor, one, reason, now) for one in after]
    engine.apply([engine.update(one) for one in after], events, told=False)


def changed(item: Item, now: Moment, **fields: Any) -> Item:
    return item.but(**fields, updated_at=now, version=item.version + 1)


def room_for(
    engine: Engine, actor: Actor, sight: Sight, item: Item, leaving: Iterable[Item]
) -> tuple[Decision | None, list[Item]]:
    """What has to make room in the author's budget for one more memory, or the refusal if too little can. `leaving`
    give way to it anyway. An author's memories make room for that author's alone."""
    budget = engine.policy.budget
    if not budget.is_limited or item.status is not Status.APPROVED:
        return None, []
    going = [one for one in leaving if one.author.key == actor.key and one.status is Status.APPROVED]
    if _squeezed(engine, actor, sight, item, going) is None:
        return None, []
    # The counts still hold what has expired until somebody sweeps it, and who did must not matter.
    counted = _counted(engine, actor, sight, item)
    going += _unswept(engine, actor, counted)
    evicted: list[Item] = []
    while (tight := _squeezed(engine, actor, sight, item, [*going, *evicted])) is not None:
        found = _first_to_go(engine, actor, sight, counted, item, tight, [*going, *evicted])
        evicted += found
        if len(found) < tight.count:
            return (None, evicted) if budget.when_full is WhenFull.EXCEED else (_full(engine, tight), [])
    return None, evicted


def _full(engine: Engine, tight: Squeeze) -> Decision:
    return Decision(Verdict.DENIED, "budget", Reason.BUDGET_FULL, engine.policy.digest, {"limit": tight.limit})


def _first_to_go(
    engine: Engine, actor: Actor, sight: Sight, counted: Sight, item: Item, tight: Squeeze, going: Sequence[Item]
) -> list[Item]:
    """Which of the author's memories make room under a limit: as many as are needed, if there are as many."""
    budget, store = engine.policy.budget, engine.store
    if budget.when_full is WhenFull.REFUSE:
        return []
    order = order_of(budget, engine.clock.now())
    if tight.is_everywhere:
        found: Iterable[Item] = anywhere(engine, actor, sight, counted, order)
    else:
        count = tight.count + len(going)
        shelf = (item.space, item.readers, actor.key, tight.kinds, count)
        found = store.least(sight, *shelf, label=label_of(item), **order)
    known = {(one.space, one.id) for one in going}
    return list(islice((one for one in found if (one.space, one.id) not in known), tight.count))


def order_of(budget: Budget, now: Moment) -> dict[str, Any]:
    """What the policy says otherwise than that the least important goes first, however young it is."""
    oldest = {"oldest": True} if budget.evict_first is EvictFirst.OLDEST else {}
    if budget.grace_seconds is None:
        return oldest
    return {**oldest, "before": Moment(now - round(budget.grace_seconds * MICROSECONDS_PER_SECOND))}


def anywhere(engine: Engine, actor: Actor, sight: Sight, counted: Sight, order: dict[str, Any]) -> Iterator[Item]:
    """The author's memories in whatever place the author may still read and write. The decision names them, so what the
    author cannot see is not among them."""
    reach: dict[Space, Sight] = {}
    for item in engine.store.spare(counted, actor, **order):
        if item.space not in reach:
            reach[item.space] = there(engine, actor, sight, item.space)
        if reach[item.space].admits(item):
            yield item


def there(engine: Engine, actor: Actor, sight: Sight, space: Space) -> Sight:
    """The sight of one space, if the author may write there: from where it stands, or as itself or a registered member
    wherever it stands. Nobody vouches now for a place that it does not stand at."""
    if (here := sight.writable.narrowed([space])).spaces:
        return here
    places = tuple(coordinate for coordinate in space.coordinates if coordinate.level is not Level.VISIBILITY)
    standpoint = Standpoint(actor, places)
    facts, order = engine.store.facts(standpoint), engine.policy.spaces.read_order
    return resolved(standpoint, facts, Memberships.REGISTERED, order).writable.narrowed([space])


def _squeezed(engine: Engine, actor: Actor, sight: Sight, item: Item, going: Sequence[Item]) -> Squeeze | None:
    """The limit that the item would pass once those that are going are gone."""
    counts = Counter(engine.store.population(sight, item.space, item.readers, actor.key, label_of(item)))
    counts.subtract(one.kind for one in going if _shelf(one) == _shelf(item))
    everywhere = engine.store.authored(actor) - sum(one.kind in LASTING for one in going)
    return squeeze(engine.policy.budget, item.kind, counts, everywhere)


def _shelf(item: Item) -> tuple[Space, Readers, Label]:
    return item.space, item.readers, label_of(item)


def _counted(engine: Engine, actor: Actor, sight: Sight, item: Item) -> Sight:
    """Where the author's memories are counted: beside the item, or everywhere. What is read of the latter is shown only
    as far as the author may see it."""
    if engine.policy.budget.owner is None:
        return sight.narrowed([item.space])
    return maintenance_sight({item.space, *engine.store.places(actor)})


def _unswept(engine: Engine, actor: Actor, counted: Sight) -> list[Item]:
    """The author's memories that have expired but still count."""
    overdue = engine.store.overdue(counted, engine.clock.now())
    own = [one for one in overdue if one.author.key == actor.key and one.status is Status.APPROVED]
    return [one for one in own if one.readers.admits(actor)]  # of the others nobody told the author, and none counts


def _why_faded(engine: Engine, item: Item) -> Reason:
    return forget_reason(engine.policy.retention.rule(item.kind, item.event_type))
