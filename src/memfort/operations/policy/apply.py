"""Apply a policy to the memories that are there: give them the end that they would have under it.

Only ends by the wall clock change. What the policy would refuse, hold for review or approve stays as it was decided:
that is for whoever reviews. It takes the same simulation as `policy simulate`, works in batches that are each whole,
and goes on where it stopped when it is called again. Applying the earlier policy takes it back, but for what has ended.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from msgspec import field

from memfort.engine.lifecycle.sweep import BATCH
from memfort.engine.transaction import Session, Transaction
from memfort.model.item import Item, Status, is_expired
from memfort.model.moment import Moment
from memfort.model.people.actor import SYSTEM, Standpoint
from memfort.model.reason import Reason
from memfort.model.space import Space
from memfort.model.value import Value
from memfort.operations.policy.simulate import ChangedDecision, simulate
from memfort.policy.settings.policy import Policy
from memfort.policy.sight import maintenance_sight

_LIFETIME = "lifetime"


class AppliedPolicy(Value, frozen=True):
    """What a policy changes about the memories that are there."""

    changes: tuple[ChangedDecision, ...]  # the memories that get another end, in the order of writing
    end_now: int  # how many of them have ended by it at once
    left: Mapping[str, int] = field(default_factory=dict)  # other decisions that would differ, by kind: they stay


def preview(session: Session, policy: Policy) -> AppliedPolicy:
    """What applying the policy would change. It only reads."""
    found = simulate(session, Standpoint(SYSTEM, ()), policy)
    places = dict(_places(session, [one.id for one in found.changes if _moves_end(one)]))
    changes = tuple(one for one in found.changes if one.id in places)
    end_now = sum(one.would.expires_at_us is not None and one.would.expires_at_us <= session.now for one in changes)
    left = {name: count for name, count in found.counts.items() if name != _LIFETIME}
    return AppliedPolicy(changes, end_now, left)


def apply_policy(session: Session, found: AppliedPolicy) -> None:
    """Give the memories of a preview their new ends."""
    ends = {one.id: one.would.expires_at_us for one in found.changes}
    by_space: dict[Space, list[str]] = {}
    for id, space in _places(session, list(ends)):
        by_space.setdefault(space, []).append(id)
    done = 0
    for space, ids in by_space.items():
        for start in range(0, len(ids), BATCH):
            batch = ids[start : start + BATCH]
            session.write([space], partial(_apply_batch, space=space, ids=batch, ends=ends))
            done += len(batch)
            session.progress(done, len(ends))


def _apply_batch(tx: Transaction, space: Space, ids: Sequence[str], ends: Mapping[str, Moment | None]) -> None:
    system = tx.as_system()
    there = [item for item in tx.store.items(maintenance_sight([space]), ids) if _is_there(item, tx.now)]
    found = [item for item in there if item.expires_at_us != ends[item.id]]
    after = [tx.next_version(item, expires_at_us=ends[item.id]) for item in found]
    events = [system.event("apply_policy", one, Reason.POLICY_IN_USE) for one in after]
    tx.apply([tx.update(one) for one in after], events, traced=False)


def _places(session: Session, ids: Sequence[str]) -> Iterator[tuple[str, Space]]:
    """The spaces of those of the memories that have not ended."""
    store, now = session.store, session.now
    for space in store.spaces():
        for item in store.items(maintenance_sight([space]), ids):
            if _is_there(item, now):
                yield item.id, space


def _moves_end(change: ChangedDecision) -> bool:
    return change.kind == _LIFETIME and change.was.expires_at_us != change.would.expires_at_us


def _is_there(item: Item, now: Moment) -> bool:
    is_kept = item.status in {Status.APPROVED, Status.PENDING}
    return is_kept and item.deleted_at_us is None and not is_expired(item, now)
