"""The history that a replay plays: the trail and the memories, read into calls in the order they were made.

Each space tells the order of what happened there, and the clock the order between spaces. What is about memories out
of the asker's sight is left out before anything is put in order.
"""

from __future__ import annotations

import heapq
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from memfort.memory.engine import ALL_STATES, Engine
from memfort.memory.simulation.replaying import WRITES, Entry, Ruling, note
from memfort.model.actor import Actor, Standpoint
from memfort.model.item import Item
from memfort.model.moment import Moment
from memfort.model.reason import Reason
from memfort.model.record import actor_from_dict
from memfort.model.sight import Sight
from memfort.model.space import Space
from memfort.policy.settings import Policy
from memfort.policy.sight import maintenance_sight
from memfort.trace.event import ChainId, chain_of_space

Body = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Deed:
    """One thing on record that somebody did in a space."""

    action: str
    actor: Actor
    at: Moment
    space: Space
    policy: str  # digest of the one in force then
    reason: str
    detail: Mapping[str, Any]
    item: Item | None  # the memory it was about, as it is now
    was: Ruling | None  # what had been decided on that by then

    @property
    def has_forgotten(self) -> bool:
        after = self.detail.get("after") or {}
        return self.action not in WRITES and after.get("deleted_reason") == Reason.FORGOTTEN


@dataclass
class Call:
    """What was done in one go."""

    deeds: list[Deed] = field(default_factory=list)

    def put_in_order(self) -> None:
        self.deeds.sort(key=lambda deed: deed.detail.get("step", 0))

    @property
    def origins(self) -> set[str]:
        """What it made copies of."""
        items = (deed.item for deed in self.deeds if deed.action in WRITES)
        return {item.promoted_from for item in items if item is not None and item.promoted_from is not None}


@dataclass
class History:
    """What is known of what happened."""

    items: dict[str, Item] = field(default_factory=dict)  # as they are now
    rulings: dict[str, Ruling] = field(default_factory=dict)  # as they are on record
    lines: list[list[Deed]] = field(default_factory=list)  # what was done in each space, in order
    missing: int = 0  # writes of the asker's own whose memory the asker does not see any more

    @property
    def policies(self) -> set[str]:
        """Digests of those that decided."""
        return {deed.policy for line in self.lines for deed in line}

    def calls(self) -> list[Call]:
        """All that was done, in the order it was done in."""
        return _in_order(self.lines)


def read_history(engine: Engine, standpoint: Standpoint, sight: Sight) -> History:
    """What happened in sight."""
    history = History({item.id: item for item in engine.everything(sight, ALL_STATES)})
    for seen in sight.spaces:
        told = [body for body in _bodies(engine, seen.space) if _is_in_sight(body, history)]
        history.lines.append(_deeds(told, seen.space, history))
        history.missing += _missing(engine, standpoint, sight, history, seen.space)
    return history


def add_own_elsewhere(engine: Engine, standpoint: Standpoint, sight: Sight, history: History) -> None:
    """Add what the asker did, where it does not stand now, to memories of its own that it may read: its budget counts
    them. Nothing that anybody else did there is looked at."""
    actor = standpoint.actor
    for space in engine.store.spaces():
        if sight.seen(space) is not None:
            continue
        found = engine.everything(maintenance_sight([space]), ALL_STATES)
        mine = {one.id: one for one in found if one.author.key == actor.key and one.readers.admits(actor)}
        history.items.update(mine)
        own = [body for body in _bodies(engine, space) if _actor(body).key == actor.key and body["item"] in mine]
        history.lines.append(_deeds(own, space, history))


def entry_of(engine: Engine, deed: Deed, policy: Policy) -> Entry:
    """A write on record, with how it came about."""
    assert deed.item is not None
    assert deed.was is not None
    item = deed.item
    # A copy that came back from an export was not promoted here, and its store knows of no place that it came from.
    here = maintenance_sight([item.space])
    is_copy = item.promoted_from is not None and bool(engine.store.origins(here, item))
    # An import keeps dates, and is the one way to write that is no call with a trace.
    is_imported = "trace" not in deed.detail or item.created_at != deed.at
    return Entry(item, deed.actor, deed.at, policy, deed.was, deed.action == "edit", is_copy, is_imported)


def bodies(engine: Engine, chain: ChainId) -> Iterator[Body]:
    return (json.loads(link.body) for link in engine.store.links(chain))


def _bodies(engine: Engine, space: Space) -> Iterator[Body]:
    """What changed a space. A refusal changed nothing."""
    return (body for body in bodies(engine, chain_of_space(space)) if body["decision"] != "denied")


def _is_in_sight(body: Body, history: History) -> bool:
    return body["item"] is None or body["item"] in history.items


def _missing(engine: Engine, standpoint: Standpoint, sight: Sight, history: History, space: Space) -> int:
    """How many memories the asker once wrote in a space that are not to be seen any more."""
    unseen = (body for body in _bodies(engine, space) if body["action"] in WRITES and not _is_in_sight(body, history))
    own = (body for body in unseen if sight.whole or _actor(body).key == standpoint.actor.key)
    return len({body["item"] for body in own})


def _deeds(told: Sequence[Body], space: Space, history: History) -> list[Deed]:
    """What was done in a space, in the order of its chain."""
    # What came back from an export was written once more; the life it had before was erased.
    begins = {body["item"]: place for place, body in enumerate(told) if body["action"] in WRITES}
    return [_deed(body, space, history) for place, body in enumerate(told) if place >= begins.get(body["item"], 0)]


def _deed(body: Body, space: Space, history: History) -> Deed:
    item, after = history.items.get(body["item"]), body["detail"].get("after")
    if item is not None and after is not None:
        note(history.rulings, item, body["action"], body["decision"], body["reason"], after)
    was = None if item is None else history.rulings.get(item.id)
    at = Moment(body["at"])
    return Deed(body["action"], _actor(body), at, space, body["policy"], body["reason"], body["detail"], item, was)


def _actor(body: Body) -> Actor:
    return actor_from_dict(body["actor"])


def _in_order(lines: Iterable[Sequence[Deed]]) -> list[Call]:
    """The calls of all spaces in one order: none before another that came before it in a space, no copy before what it
    is a copy of, and otherwise as the clock says. One call may have touched several spaces."""
    calls: dict[str, Call] = {}
    follow: defaultdict[str, set[str]] = defaultdict(set)
    wrote: dict[str, str] = {}
    for number, deeds in enumerate(lines):
        names = [_name(deed, number, place) for place, deed in enumerate(deeds)]
        for name, deed in zip(names, deeds, strict=True):
            calls.setdefault(name, Call()).deeds.append(deed)
            if deed.action in WRITES and deed.item is not None:
                wrote[deed.item.id] = name
        once = list(dict.fromkeys(names))
        for earlier, later in pairwise(once):
            follow[earlier].add(later)
    for name, call in calls.items():
        call.put_in_order()
        for origin in call.origins & wrote.keys():
            follow[wrote[origin]].add(name)
    return [calls[name] for name in _sorted(calls, follow)]


def _name(deed: Deed, number: int, place: int) -> str:
    """The name of the call that a deed is part of. What a caller was not told of is a call of its own."""
    return deed.detail.get("trace") or f"{number}/{place}"


def _sorted(calls: Mapping[str, Call], follow: Mapping[str, set[str]]) -> Iterator[str]:
    waits = Counter(later for name in calls for later in follow.get(name, ()) if later != name)
    left = {name: (call.deeds[0].at, place) for place, (name, call) in enumerate(calls.items())}
    ready = [(*left[name], name) for name in left if not waits[name]]
    heapq.heapify(ready)
    while left:
        # Two calls of one name can make a ring; then the clock decides.
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
