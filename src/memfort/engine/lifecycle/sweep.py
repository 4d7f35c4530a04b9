"""Retire expired memories: after a read that saw some, and in small steps by garbage collection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memfort.model.item import Item, as_expired
from memfort.model.moment import Moment
from memfort.model.people.actor import SYSTEM
from memfort.model.reason import Reason
from memfort.model.sight import Sight
from memfort.policy.admission import KEPT_BY_RULE
from memfort.policy.gates.retention import forget_reason
from memfort.store.port import Scope

if TYPE_CHECKING:
    from memfort.engine.engine import Engine

BATCH = 500  # how many memories one transaction of upkeep changes at most


def sweep(engine: Engine, sight: Sight, now: Moment) -> int:
    """Retire every expired memory in sight. Reads already hide it; after this a clock set back cannot revive it."""
    swept = 0
    while some := sweep_some(engine, sight, now, BATCH):
        swept += some
        if some < BATCH:
            break
    return swept


def sweep_some(engine: Engine, sight: Sight, now: Moment, limit: int) -> int:
    """Retire some expired memories, in one short transaction."""
    return engine.commit(Scope.of(seen.space for seen in sight.spaces), lambda: _retire(engine, sight, now, limit))


def _retire(engine: Engine, sight: Sight, now: Moment, limit: int) -> int:
    overdue = engine.store.overdue(sight, now, limit)
    after = [as_expired(item, now) for item in overdue]
    recorder = engine.recorder(SYSTEM, now)
    events = [recorder.change_event("expire", one, expiry_reason(engine, one)) for one in after]
    # In no call's trace: another actor may have looked first.
    engine.apply([engine.update(one) for one in after], events, traced=False)
    return len(overdue)


def expiry_reason(engine: Engine, item: Item) -> Reason:
    """Why it ends: by the policy's rule for memories of its kind, or because its lifetime was said."""
    if KEPT_BY_RULE not in item.policy_tags:
        return Reason.TTL_EXPIRED
    return forget_reason(engine.policy.retention.rule(item.kind, item.event_type))
