"""Ending memories for operations that have an engine and no `Transaction`. What ends stays as a tombstone; an erase
removes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from memfort.model.item import Item, next_version
from memfort.model.moment import Moment
from memfort.model.people.actor import Actor, Standpoint
from memfort.model.reason import Reason
from memfort.model.sight import Sight
from memfort.model.space import Level, Space
from memfort.policy.sight import sight as resolved
from memfort.policy.standing import Memberships

if TYPE_CHECKING:
    from memfort.engine.engine import Engine


def retire(
    engine: Engine,
    actor: Actor,
    item: Item,
    action: str,
    reason: Reason,
    now: Moment,
    *,
    deleted: Reason | None = None,
    traced: bool = True,
    **detail: Any,
) -> Item:
    """Take a memory out of every read. `deleted` is the reason on the tombstone, if it is another."""
    ended = engine.phase_of(item.space).id
    after = next_version(item, now, deleted_at_us=now, deleted_reason=(deleted or reason).value, ended_phase=ended)
    event = engine.change_event(action, actor, after, reason, now, **detail)
    engine.apply([engine.update(after)], [event], traced=traced)
    return after


def retire_many(engine: Engine, actor: Actor, items: Sequence[Item], action: str, reason: Reason, now: Moment) -> None:
    """Retire many memories at once, in no call's trace."""
    phases = {space: engine.phase_of(space).id for space in {item.space for item in items}}
    fields = {"deleted_at_us": now, "deleted_reason": reason.value}
    after = [next_version(item, now, ended_phase=phases[item.space], **fields) for item in items]
    events = [engine.change_event(action, actor, one, reason, now) for one in after]
    engine.apply([engine.update(one) for one in after], events, traced=False)


def writable_sight_of(engine: Engine, actor: Actor, sight: Sight, space: Space) -> Sight:
    """The sight of one space, if the actor may write there: from where it stands, or as itself or a registered member
    wherever it stands. The host program vouches only for places that the actor stands at."""
    if (here := sight.writable.narrowed([space])).spaces:
        return here
    places = tuple(coordinate for coordinate in space.coordinates if coordinate.level is not Level.VISIBILITY)
    standpoint = Standpoint(actor, places)
    facts, order = engine.store.facts(standpoint), engine.policy.spaces.read_order
    return resolved(standpoint, facts, Memberships.REGISTERED, order).writable.narrowed([space])
