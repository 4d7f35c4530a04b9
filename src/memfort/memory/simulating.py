"""Simulating: stored history put to another policy, to see which decisions would change before it is put to use.

Every write is decided again in the order of writing, twice: by the policy it was decided by then, and by the new one.
Only what the two see differently is a change, so that whatever a replay cannot know makes no difference. It only reads,
records nothing, and tells ids, levels and counts, never contents.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from memfort.errors import InvalidInput
from memfort.memory.bound import BoundMemory
from memfort.memory.engine import ALL_STATES, Engine
from memfort.memory.replaying import Entry, Ruling, World, candidate_of_then, decide_again
from memfort.model.actor import ActorKind, Standpoint
from memfort.model.decision import Verdict
from memfort.model.item import Item, Status
from memfort.model.moment import Moment
from memfort.model.reason import Reason
from memfort.model.record import actor_from_dict
from memfort.model.sight import SeenSpace, Sight
from memfort.model.space import Space
from memfort.policy.document import preset, preset_names
from memfort.policy.settings import Policy
from memfort.policy.sight import maintenance_sight, owned_and_held_sight
from memfort.trace.event import ChainId, chain_of_actor, chain_of_space

Progress = Callable[[int, int], None]
Body = Mapping[str, Any]

# What the store holds too little of to be decided again, and how that is said.
UNDECIDED = {
    "denied": "refused: the trail holds no words",
    "said_again": "known already: nothing new was kept",
    "redacted": "kept without personal data: what was said is not known",
    "not_seen": "out of sight: erased since, or for other readers",
}


@dataclass(frozen=True, slots=True)
class Change:
    """A memory that the new policy decides otherwise."""

    id: str
    levels: tuple[str, ...]  # of its space; whose space it is, is not told
    was: Ruling
    would: Ruling

    @property
    def kind(self) -> str:
        for name in ("verdict", "status"):
            before, after = getattr(self.was, name), getattr(self.would, name)
            if before is not after:
                return f"{before or 'not kept'} to {after or 'not kept'}"
        lifetimes = [(one.expires_at, one.ticks) for one in (self.was, self.would)]
        return "reason" if lifetimes[0] == lifetimes[1] else "lifetime"


@dataclass(frozen=True, slots=True)
class Simulation:
    """What would be otherwise under another policy."""

    policy: str  # its digest
    decisions: int  # how many were made again
    changes: tuple[Change, ...]  # space by space, each in the order of writing
    undecided: Mapping[str, int]  # how many could not be, by a name of `UNDECIDED`

    @property
    def counts(self) -> dict[str, int]:
        return dict(sorted(Counter(change.kind for change in self.changes).items()))


def simulate(asker: BoundMemory, policy: Policy, *, progress: Progress | None = None) -> Simulation:
    """Decide the asker's own history again under `policy`; for the system actor, everybody's."""
    engine, standpoint = asker._engine, asker._standpoint
    with engine.store.reading():
        sight = _sight(engine, standpoint)
        step = _steps(engine, sight, progress)
        counts = _wordless(engine, standpoint, sight)
        changes: list[Change] = []
        for seen in sight.spaces:
            entries, missing = _history(engine, standpoint, sight, seen.space)
            mine = {entry.item.id for entry in entries if _is_own(standpoint, entry.item)}
            redacted = {entry.item.id for entry in entries if entry.was.reason is Reason.PERSONAL_REDACTED}
            found = _replayed(engine, seen, entries, policy, step)
            changes += [change for change in found if change.id in mine - redacted]
            counts.update(decisions=len(mine - redacted), redacted=len(mine & redacted), not_seen=missing)
    return Simulation(policy.digest, counts["decisions"], tuple(changes), {name: counts[name] for name in UNDECIDED})


def _sight(engine: Engine, standpoint: Standpoint) -> Sight:
    if standpoint.actor.kind is ActorKind.SYSTEM:
        return maintenance_sight(engine.store.spaces())
    return owned_and_held_sight(engine.sight(standpoint), engine.store.spaces())


def _steps(engine: Engine, sight: Sight, progress: Progress | None) -> Callable[[], None]:
    """What to call after each write, so that whoever waits can see how far it is."""
    if progress is None:
        return lambda: None
    total, done = sum(1 for _ in engine.everything(sight, ALL_STATES)), count(1)
    return lambda: progress(next(done), total)


def _wordless(engine: Engine, standpoint: Standpoint, sight: Sight) -> Counter[str]:
    """Decisions on record that no memory came of. The trail holds no words, so nobody can decide them again."""
    everybody = standpoint.actor.kind is ActorKind.SYSTEM
    asked = [chain for chain, _, _ in engine.store.chains() if chain.kind == "actor"]
    own = asked if everybody else [chain_of_actor(standpoint.actor)]
    counts: Counter[str] = Counter()
    for chain in (*own, *(chain_of_space(seen.space) for seen in sight.spaces)):
        for body in _bodies(engine, chain):
            if everybody or _is_by(standpoint, body):
                counts["denied"] += body["decision"] == "denied"
                counts["said_again"] += body["reason"] == Reason.DUPLICATE
    return counts


def _history(engine: Engine, standpoint: Standpoint, sight: Sight, space: Space) -> tuple[list[Entry], int]:
    """The writes of a space in the order of the trail; and how many of the asker's own made a memory that the asker
    does not see any more."""
    items = {item.id: item for item in engine.everything(sight.narrowed([space]), ALL_STATES)}
    found: dict[str, Entry] = {}
    missing: set[str] = set()
    for body in _bodies(engine, chain_of_space(space)):
        if body["action"] not in {"remember", "edit"} or body["decision"] == "denied":
            continue
        if (item := items.get(body["item"])) is not None:
            found.pop(item.id, None)  # what came back from an export was written once more
            found[item.id] = _entry(item, body)
        elif sight.whole or _is_by(standpoint, body):
            missing.add(body["item"])
    return list(found.values()), len(missing)


def _entry(item: Item, body: Body) -> Entry:
    after, ticks = body["detail"]["after"], item.expires_tick
    if ticks is not None and item.created_tick:
        ticks -= item.created_tick
    verdict, reason, status = Verdict(body["decision"]), Reason(body["reason"]), Status(after["status"])
    was = Ruling(verdict, reason, status, after["expires_at"], ticks)
    return Entry(item, actor_from_dict(body["actor"]), Moment(body["at"]), was)


def _is_by(standpoint: Standpoint, body: Body) -> bool:
    return actor_from_dict(body["actor"]).key == standpoint.actor.key


def _is_own(standpoint: Standpoint, item: Item) -> bool:
    actor = standpoint.actor
    return actor.kind is ActorKind.SYSTEM or item.space.is_private or item.author.key == actor.key


def _bodies(engine: Engine, chain: ChainId) -> Iterator[Body]:
    return (json.loads(link.body) for link in engine.store.links(chain))


def _replayed(
    engine: Engine, seen: SeenSpace, entries: Sequence[Entry], policy: Policy, step: Callable[[], None]
) -> list[Change]:
    """What would be otherwise in a space, once its whole history has been played in both worlds."""
    recorded = {entry.item.id: entry.was for entry in entries}
    before, after = World(recorded), World(recorded)
    known: dict[str, Policy] = {}
    for entry in entries:
        if (digest := entry.item.policy) not in known:
            known[digest] = _policy_then(engine, digest)
        candidate = candidate_of_then(entry, known[digest], before)
        decide_again(before, seen, entry, candidate, known[digest])
        decide_again(after, seen, entry, candidate, policy)
        step()
    changes = (_change(entry, before.rulings[entry.item.id], after.rulings[entry.item.id]) for entry in entries)
    return [change for change in changes if change is not None]


def _policy_then(engine: Engine, digest: str) -> Policy:
    """The policy a write was decided by. If nobody kept it, the one in force has to stand in."""
    try:
        found = engine.policy_called(digest)
    except InvalidInput:  # it was put to use once, and no longer reads
        found = None
    presets = (preset(name) for name in preset_names())
    return found or next((one for one in presets if one.digest == digest), engine.policy)


def _change(entry: Entry, before: Ruling, after: Ruling) -> Change | None:
    """What would be otherwise. What was decided then is told as it is on record, unless it gave way later."""
    was = before if before.reason in {Reason.SUPERSEDED, Reason.EVICTED} else entry.was
    if after in (before, was):
        return None
    return Change(entry.item.id, tuple(sorted(level.value for level in entry.item.space.levels)), was, after)
