"""The history that is replayed: the trail and the memories, read into calls in the order they were made.

The chain of a space gives the order of the actions there, and the clock the order between spaces. Actions on memories
out of the asker's sight are left out before anything is ordered.
"""

from __future__ import annotations

import heapq
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from msgspec import Struct, field

from memfort.engine.engine import ALL_STATES, Engine
from memfort.model.item import Item
from memfort.model.moment import Moment
from memfort.model.people.actor import Actor, Standpoint
from memfort.model.reason import Reason
from memfort.model.serialize.record import actor_from_dict
from memfort.model.sight import Sight
from memfort.model.space import Space
from memfort.operations.policy.simulation.writes import WRITES, RecordedWrite, Ruling, update_rulings
from memfort.policy.settings.policy import Policy
from memfort.policy.sight import maintenance_sight
from memfort.trail.event import ChainId, chain_of_space

Body = Mapping[str, Any]


class RecordedAction(Struct, frozen=True):
    """One action on record in a space."""

    action: str
    actor: Actor
    at: Moment
    space: Space
    policy: str  # digest of the one in force then
    reason: str
    detail: Mapping[str, Any]
    item: Item | None  # the memory it was about, as it is now
    ruling: Ruling | None  # on that memory, as it was by then

    @property
    def has_forgotten(self) -> bool:
        after = self.detail.get("after") or {}
        return self.action not in WRITES and after.get("deleted_reason") == Reason.FORGOTTEN


class RecordedCall(Struct):
    """The actions of one call."""

    actions: list[RecordedAction] = field(default_factory=list)

    def sort(self) -> None:
        self.actions.sort(key=lambda recorded: recorded.detail.get("step", 0))

    @property
    def origins(self) -> set[str]:
        """The memories that it made promoted copies of."""
        items = (recorded.item for recorded in self.actions if recorded.action in WRITES)
        return {item.promoted_from for item in items if item is not None and item.promoted_from is not None}


class History(Struct):
    """Everything on record that a simulation may look at."""

    items: dict[str, Item] = field(default_factory=dict)  # as they are now
    rulings: dict[str, Ruling] = field(default_factory=dict)  # as they are on record
    actions: list[list[RecordedAction]] = field(default_factory=list)  # of each space, in order
    applied: set[str] = field(default_factory=set)  # memories whose end a policy changed that was applied to them
    missing: int = 0  # writes of the asker's own whose memory the asker does not see any more

    @property
    def policies(self) -> set[str]:
        """Digests of the policies that were in force."""
        return {recorded.policy for actions in self.actions for recorded in actions}

    def calls(self) -> list[RecordedCall]:
        """All calls, in the order they were made."""
        return _interleave(self.actions)


def read_history(engine: Engine, standpoint: Standpoint, sight: Sight) -> History:
    """Everything on record about the memories in sight."""
    history = History({item.id: item for item in engine.all_items(sight, ALL_STATES)})
    for seen in sight.spaces:
        bodies = [body for body in _changes(engine, seen.space) if _is_in_sight(body, history)]
        history.actions.append(_actions(bodies, seen.space, history))
        history.missing += _count_missing(engine, standpoint, sight, history, seen.space)
    return history


def add_own_actions_elsewhere(engine: Engine, standpoint: Standpoint, sight: Sight, history: History) -> None:
    """Add the asker's own actions on its own memories in spaces where it does not stand now: its budget counts those
    memories. Actions of others there are not looked at."""
    actor = standpoint.actor
    for space in engine.store.spaces():
        if sight.seen(space) is not None:
            continue
        found = engine.all_items(maintenance_sight([space]), ALL_STATES)
        mine = {one.id: one for one in found if one.author.key == actor.key and one.readers.admits(actor)}
        history.items.update(mine)
        own = [body for body in _changes(engine, space) if _actor(body).key == actor.key and body["item"] in mine]
        history.actions.append(_actions(own, space, history))


def recorded_write(engine: Engine, recorded: RecordedAction, policy: Policy) -> RecordedWrite:
    """A write on record, with how it was made: by an edit, a promotion or an import."""
    assert recorded.item is not None
    assert recorded.ruling is not None
    item = recorded.item
    # A promoted copy that came back from an export was not promoted here, and the store knows no origin of it.
    here = maintenance_sight([item.space])
    is_copy = item.promoted_from is not None and bool(engine.store.origins(here, item))
    # An import keeps dates, and is the one write without a trace.
    is_imported = "trace" not in recorded.detail or item.created_at_us != recorded.at
    return RecordedWrite(
        item, recorded.actor, recorded.at, policy, recorded.ruling, recorded.action == "edit", is_copy, is_imported
    )


def event_bodies(engine: Engine, chain: ChainId) -> Iterator[Body]:
    return (json.loads(link.body) for link in engine.store.links(chain))


def _changes(engine: Engine, space: Space) -> Iterator[Body]:
    """The events that changed a space. A refusal changed nothing."""
    return (body for body in event_bodies(engine, chain_of_space(space)) if body["decision"] != "denied")


def _is_in_sight(body: Body, history: History) -> bool:
    return body["item"] is None or body["item"] in history.items


def _count_missing(engine: Engine, standpoint: Standpoint, sight: Sight, history: History, space: Space) -> int:
    """How many memories the asker once wrote in a space that are not to be seen any more."""
    unseen = (body for body in _changes(engine, space) if body["action"] in WRITES and not _is_in_sight(body, history))
    own = (body for body in unseen if sight.whole or _actor(body).key == standpoint.actor.key)
    return len({body["item"] for body in own})


def _actions(bodies: Sequence[Body], space: Space, history: History) -> list[RecordedAction]:
    """The actions in a space, in the order of its chain."""
    # A memory that came back from an export was written again; its actions before that are of an erased one.
    begins = {body["item"]: place for place, body in enumerate(bodies) if body["action"] in WRITES}
    return [_action(body, space, history) for place, body in enumerate(bodies) if place >= begins.get(body["item"], 0)]


def _action(body: Body, space: Space, history: History) -> RecordedAction:
    item, after = history.items.get(body["item"]), body["detail"].get("after")
    if item is not None and after is not None:
        update_rulings(history.rulings, item, body["action"], body["decision"], body["reason"], after)
        if body["action"] == "apply_policy":
            history.applied.add(item.id)
    ruling = None if item is None else history.rulings.get(item.id)
    at = Moment(body["at"])
    return RecordedAction(
        body["action"], _actor(body), at, space, body["policy"], body["reason"], body["detail"], item, ruling
    )


def _actor(body: Body) -> Actor:
    return actor_from_dict(body["actor"])


def _interleave(spaces: Iterable[Sequence[RecordedAction]]) -> list[RecordedCall]:
    """The calls of all spaces in one order: the order of each space is kept, a promoted copy comes after its source,
    and otherwise the clock decides. One call may have changed several spaces."""
    calls: dict[str, RecordedCall] = {}
    follow: defaultdict[str, set[str]] = defaultdict(set)
    wrote: dict[str, str] = {}
    for number, actions in enumerate(spaces):
        names = [_name(recorded, number, place) for place, recorded in enumerate(actions)]
        for name, recorded in zip(names, actions, strict=True):
            calls.setdefault(name, RecordedCall()).actions.append(recorded)
            if recorded.action in WRITES and recorded.item is not None:
                wrote[recorded.item.id] = name
        once = list(dict.fromkeys(names))
        for earlier, later in pairwise(once):
            follow[earlier].add(later)
    for name, call in calls.items():
        call.sort()
        for origin in call.origins & wrote.keys():
            follow[wrote[origin]].add(name)
    return [calls[name] for name in _sort_calls(calls, follow)]


def _name(recorded: RecordedAction, number: int, place: int) -> str:
    """The name of the call that an action is part of. An action without a trace is a call of its own."""
    return recorded.detail.get("trace") or f"{number}/{place}"


def _sort_calls(calls: Mapping[str, RecordedCall], follow: Mapping[str, set[str]]) -> Iterator[str]:
    waits = Counter(later for name in calls for later in follow.get(name, ()) if later != name)
    left = {name: (call.actions[0].at, place) for place, (name, call) in enumerate(calls.items())}
    ready = [(*left[name], name) for name in left if not waits[name]]
    heapq.heapify(ready)
    while left:
        # Two calls of one name can wait for each other; then the clock decides.
        name = heapq.heappop(ready)[-1] if ready else min(left, key=left.__getitem__)
        if left.pop(name, None) is None:
            continue
        yield name
        for later in follow.get(name, ()):
            if later == name:
                continue
            waits[later] -= 1
            if not waits[later] and later in left:
                heapq.heappush(ready, (*left[later], later))
