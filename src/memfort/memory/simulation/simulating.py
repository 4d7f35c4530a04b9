"""Simulating: stored history put to another policy, to see which decisions would change before it is put to use.

Everything is done again in the order it was done in, twice: under the policies it was done under, and under the new
one. Only what becomes otherwise is a change, so that whatever a replay cannot know makes no difference. It only reads,
records nothing, and tells ids, levels and counts, never contents.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from memfort.errors import InvalidInput
from memfort.memory.bound import BoundMemory
from memfort.memory.engine import Engine
from memfort.memory.simulation.history import (
    Body,
    Call,
    Deed,
    History,
    add_own_elsewhere,
    bodies,
    entry_of,
    read_history,
)
from memfort.memory.simulation.replaying import WRITES, Entry, Ruling, candidate_of_then
from memfort.memory.simulation.world import World
from memfort.model.actor import ActorKind, Standpoint
from memfort.model.item import Item, Status
from memfort.model.reason import Reason
from memfort.model.record import actor_from_dict
from memfort.model.sight import Sight
from memfort.policy.document import preset, preset_names
from memfort.policy.settings import Policy
from memfort.policy.sight import maintenance_sight, owned_and_held_sight
from memfort.trace.event import chain_of_actor, chain_of_space

Progress = Callable[[int, int], None]

# What the store holds too little of to be decided again, and how that is said.
UNDECIDED = {
    "denied": "refused: the trail holds no words",
    "said_again": "known already: nothing new was kept",
    "redacted": "kept without personal data: what was said is not known",
    "not_seen": "out of sight: erased since, or for other readers",
    "way_not_seen": "promoted from or to out of sight: the way is taken as given, and only the rest decided again",
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
    changes: tuple[Change, ...]  # in the order of writing
    undecided: Mapping[str, int]  # how many could not be, by a name of `UNDECIDED`

    @property
    def counts(self) -> dict[str, int]:
        return dict(sorted(Counter(change.kind for change in self.changes).items()))


def simulate(asker: BoundMemory, policy: Policy, *, progress: Progress | None = None) -> Simulation:
    """Decide the asker's own history again under `policy`; for the system actor, everybody's."""
    engine, standpoint = asker._engine, asker._standpoint
    with engine.store.reading():
        sight = _sight(engine, standpoint)
        counts = _wordless(engine, standpoint, sight)
        history = read_history(engine, standpoint, sight)
        then = {digest: _policy_then(engine, digest) for digest in history.policies}
        if any(one.budget.owner is not None for one in (policy, *then.values())):
            add_own_elsewhere(engine, standpoint, sight, history)
            then |= {digest: _policy_then(engine, digest) for digest in history.policies - then.keys()}
        replay = _Replay(engine, history, then, engine.in_place.over(policy))
        replay.play(progress)
    told = [one for one in replay.entries if sight.seen(one.item.space) is not None and _is_own(standpoint, one.item)]
    decided = [entry for entry in told if entry.was.reason is not Reason.PERSONAL_REDACTED]
    counts.update(decisions=len(decided), redacted=len(told) - len(decided), not_seen=history.missing,
                  way_not_seen=sum(replay.is_way_unseen(entry) for entry in decided))  # fmt: skip
    changes = [change for change in map(replay.change, decided) if change is not None]
    return Simulation(policy.digest, counts["decisions"], tuple(changes), {name: counts[name] for name in UNDECIDED})


def _sight(engine: Engine, standpoint: Standpoint) -> Sight:
    if standpoint.actor.kind is ActorKind.SYSTEM:
        return maintenance_sight(engine.store.spaces())
    held = engine.sight(standpoint)
    return owned_and_held_sight(held, engine.own_spaces(held))


def _wordless(engine: Engine, standpoint: Standpoint, sight: Sight) -> Counter[str]:
    """Decisions on record that no memory came of. The trail holds no words, so nobody can decide them again."""
    everybody = standpoint.actor.kind is ActorKind.SYSTEM
    asked = [chain for chain, _, _ in engine.store.chains() if chain.kind == "actor"]
    own = asked if everybody else [chain_of_actor(standpoint.actor)]
    counts: Counter[str] = Counter()
    for chain in (*own, *(chain_of_space(seen.space) for seen in sight.spaces)):
        for body in bodies(engine, chain):
            if everybody or _is_by(standpoint, body):
                counts["denied"] += body["decision"] == "denied"
                counts["said_again"] += body["reason"] == Reason.DUPLICATE
    return counts


def _is_by(standpoint: Standpoint, body: Body) -> bool:
    return actor_from_dict(body["actor"]).key == standpoint.actor.key


def _is_own(standpoint: Standpoint, item: Item) -> bool:
    actor = standpoint.actor
    return actor.kind is ActorKind.SYSTEM or item.space.is_private or item.author.key == actor.key


def _policy_then(engine: Engine, digest: str) -> Policy:
    """The policy a write was decided by. If nobody kept it, the one in force has to stand in."""
    try:
        found = engine.policy_called(digest)
    except InvalidInput:  # it was put to use once, and no longer reads
        found = None
    presets = (preset(name) for name in preset_names())
    return found or next((one for one in presets if one.digest == digest), engine.policy)


class _Replay:
    """A history played in two worlds: as it was, and as it would have been."""

    def __init__(self, engine: Engine, history: History, then: Mapping[str, Policy], policy: Policy) -> None:
        self.entries: list[Entry] = []
        self._gone_elsewhere: set[str] = set()  # what was promoted to where nothing can be seen of it
        self._engine = engine
        self._history = history
        self._then = then
        self._policy = policy
        self._before = World(engine.store, policy, history.items)
        self._after = World(engine.store, policy, history.items)

    def play(self, progress: Progress | None) -> None:
        calls = self._history.calls()
        for done, call in enumerate(calls, start=1):
            self._play(call)
            if progress is not None:
                progress(done, len(calls))

    def change(self, entry: Entry) -> Change | None:
        """What would be otherwise. What was decided is told as it is on record."""
        id, levels = entry.item.id, sorted(level.value for level in entry.item.space.levels)
        was, after = self._history.rulings[id], self._after.rulings[id]
        return None if after in (self._before.rulings[id], was) else Change(id, tuple(levels), was, after)

    def is_way_unseen(self, entry: Entry) -> bool:
        return self._is_from_elsewhere(entry) or entry.item.id in self._gone_elsewhere

    def _is_from_elsewhere(self, entry: Entry) -> bool:
        """Whether it is a copy of a memory that is not in this history, so that nobody can tell which way it took."""
        return entry.is_copy and entry.item.promoted_from not in self._history.items

    def _play(self, call: Call) -> None:
        talk: Entry | None = None  # the last that was said, until the window of its conversation has moved on
        for deed in call.deeds:
            self._turn_to(deed)
            if deed.action not in WRITES:
                self._redo(deed, call)
                continue
            entry = entry_of(self._engine, deed, self._then[deed.policy])
            if talk is not None and entry.is_copy:
                self._slide(talk)  # what was asked to be remembered elsewhere is taken there last
            talk = entry if entry.is_captured else None
            if not entry.is_summary:
                self._write(entry)
        if talk is not None:
            self._slide(talk)

    def _turn_to(self, deed: Deed) -> None:
        self._before.turn_to(deed.at, self._then[deed.policy])
        self._after.turn_to(deed.at, self._policy)

    def _write(self, entry: Entry) -> None:
        self.entries.append(entry)
        if entry.was.status is Status.APPROVED and not entry.is_imported:
            self._catch_up(entry.item)
        if entry.is_imported and self._before.ticks_behind(entry.item):
            entry = replace(entry, brings_tick=True)
        candidate = candidate_of_then(entry, self._history.items)
        for world in (self._before, self._after):
            if entry.is_copy and not entry.is_edit and not self._is_from_elsewhere(entry):
                world.promote(entry)
            else:
                world.write(entry, candidate)

    def _catch_up(self, item: Item) -> None:
        """What was erased since had its ticks all the same, and the memories beside it tell how many."""
        behind = max(self._before.ticks_behind(item), 0)
        for world in (self._before, self._after):
            world.pass_ticks(item, behind)

    def _redo(self, deed: Deed, call: Call) -> None:
        if deed.action == "approve" and deed.item is not None:
            self._catch_up(deed.item)
        if deed.action == "evict" and "by" not in deed.detail:
            self._before.end(deed, Reason.EVICTED)  # the new policy was there from the start, and never short of room
        goes_elsewhere = deed.action == "promote" and deed.detail["to"] not in self._history.items
        if goes_elsewhere and deed.item is not None:
            self._gone_elsewhere.add(deed.item.id)
        for world in (self._before, self._after):
            if goes_elsewhere:
                world.end(deed, Reason.PROMOTED)
            elif deed.action in {"approve", "agree", "reject"}:
                world.review(deed)
            elif deed.has_forgotten:
                world.forget(deed)
            elif deed.action == "start_phase":
                world.begin_phase(deed)
            elif deed.action == "supersede" and not _is_decided(deed.detail["by"], call):
                world.give_way(deed)

    def _slide(self, talk: Entry) -> None:
        for world in (self._before, self._after):
            world.slide(talk)


def _is_decided(winner: str, call: Call) -> bool:
    """Whether what a memory gave way to was written or approved in the same call: then each world decides by itself."""
    return any(deed.item is not None and deed.item.id == winner and deed.action != "supersede" for deed in call.deeds)
