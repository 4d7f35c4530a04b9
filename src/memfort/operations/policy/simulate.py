"""Simulate a policy: decide stored history again under it, to see which decisions would change before it is in use.

The history is replayed twice in its own order: under the policies it was made under, and under the new one. Only a
difference between the two replays counts as a change, so that facts a replay cannot know cancel out. A
simulation only reads, records nothing, and answers with ids, levels and counts, never with contents.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from memfort.engine.call import Progress
from memfort.engine.engine import Engine
from memfort.engine.transaction import Session
from memfort.errors import InvalidInput
from memfort.model.item import Item, Status
from memfort.model.moment import Instant, Microseconds
from memfort.model.people.actor import ActorKind, Standpoint
from memfort.model.reason import Reason
from memfort.model.serialize.record import actor_from_dict
from memfort.model.sight import Sight
from memfort.model.value import Value
from memfort.operations.policy.policy_argument import PolicyGiven
from memfort.operations.policy.simulation.history import (
    Body,
    History,
    RecordedAction,
    RecordedCall,
    add_own_actions_elsewhere,
    event_bodies,
    read_history,
    recorded_write,
)
from memfort.operations.policy.simulation.replay import Replay
from memfort.operations.policy.simulation.writes import WRITES, RecordedWrite, Ruling, original_candidate
from memfort.operations.requests import Request
from memfort.policy.settings.document import preset, preset_names
from memfort.policy.settings.policy import Policy
from memfort.policy.sight import maintenance_sight, own_and_writable_sight
from memfort.trail.event import chain_of_actor, chain_of_space

# Why a recorded decision cannot be made again: its name, and the sentence for people.
UNDECIDED = {
    "denied": "refused: the trail holds no words",
    "said_again": "known already: nothing new was kept",
    "redacted": "kept without personal data: what was said is not known",
    "not_seen": "out of sight: erased since, or for other readers",
    "way_not_seen": "promoted from or to out of sight: the way is taken as given, and only the rest decided again",
}


class ChangedDecision(Value, frozen=True):
    """A memory that the new policy decides differently."""

    id: str
    levels: tuple[str, ...]  # of its space, without the ids
    at_us: Microseconds  # when it was decided
    was: Ruling
    would: Ruling

    at = Instant()

    @property
    def kind(self) -> str:
        for name in ("verdict", "status"):
            before, after = getattr(self.was, name), getattr(self.would, name)
            if before is not after:
                return f"{before or 'not kept'} to {after or 'not kept'}"
        lifetimes = [(one.expires_at_us, one.ticks) for one in (self.was, self.would)]
        return "reason" if lifetimes[0] == lifetimes[1] else "lifetime"


class Simulation(Value, frozen=True):
    """What would be different under another policy."""

    policy: str  # its digest
    decisions: int  # how many decisions were made again
    changes: tuple[ChangedDecision, ...]  # in the order of writing
    undecided: Mapping[str, int]  # how many could not be, by a name of `UNDECIDED`

    @property
    def counts(self) -> dict[str, int]:
        return dict(sorted(Counter(change.kind for change in self.changes).items()))


class PolicySimulateRequest(Request, frozen=True):
    """Which policy to try."""

    policy: Annotated[PolicyGiven, Meta(description="The policy to decide by.")]


def handle(session: Session, request: PolicySimulateRequest) -> Simulation:
    """Decide the history of a standpoint's own memories again under a policy; for the system actor, of all memories.
    Nothing is changed or recorded."""
    return simulate(session, session.standpoint, request.policy.policy)


def simulate(session: Session, standpoint: Standpoint, policy: Policy) -> Simulation:
    engine = session.engine
    with engine.store.reading():
        sight = _sight(engine, standpoint)
        is_in_chat = sight.is_in_chat  # it hears the answer, and may not count what else there is
        counts = Counter[str]() if is_in_chat else _count_undecidable(engine, standpoint, sight)
        history = read_history(engine, standpoint, sight)
        policies = {digest: _policy_as_of(engine, digest) for digest in history.policies}
        if any(one.budget.owner is not None for one in (policy, *policies.values())):
            add_own_actions_elsewhere(engine, standpoint, sight, history)
            later = history.policies - policies.keys()
            policies |= {digest: _policy_as_of(engine, digest) for digest in later}
        comparison = _Comparison(engine, history, policies, engine.overrides.apply_to(policy))
        comparison.play(session.progress)
    in_sight = (one for one in comparison.writes if sight.seen(one.item.space) is not None)
    own = [one for one in in_sight if _is_own(standpoint, one.item)]
    decided = [one for one in own if one.ruling.reason is not Reason.PERSONAL_REDACTED]
    counts.update(
        decisions=len(decided),
        redacted=len(own) - len(decided),
        not_seen=0 if is_in_chat else history.missing,
        way_not_seen=sum(map(comparison.is_promotion_unseen, decided)),
    )
    changes = [change for change in map(comparison.changed_decision, decided) if change is not None]
    return Simulation(policy.digest, counts["decisions"], tuple(changes), {name: counts[name] for name in UNDECIDED})


def _sight(engine: Engine, standpoint: Standpoint) -> Sight:
    if standpoint.actor.kind is ActorKind.SYSTEM:
        return maintenance_sight(engine.store.spaces())
    held = engine.sight(standpoint)
    return own_and_writable_sight(held, engine.own_spaces(held))


def _count_undecidable(engine: Engine, standpoint: Standpoint, sight: Sight) -> Counter[str]:
    """Count the decisions on record that made no memory. The trail holds no words, so they cannot be made again."""
    everybody = standpoint.actor.kind is ActorKind.SYSTEM
    asked = [chain for chain, _, _ in engine.store.chains() if chain.kind == "actor"]
    own = asked if everybody else [chain_of_actor(standpoint.actor)]
    counts: Counter[str] = Counter()
    for chain in (*own, *(chain_of_space(seen.space) for seen in sight.spaces)):
        for body in event_bodies(engine, chain):
            if everybody or _is_by(standpoint, body):
                counts["denied"] += body["decision"] == "denied"
                counts["said_again"] += body["reason"] == Reason.DUPLICATE
    return counts


def _is_by(standpoint: Standpoint, body: Body) -> bool:
    return actor_from_dict(body["actor"]).key == standpoint.actor.key


def _is_own(standpoint: Standpoint, item: Item) -> bool:
    actor = standpoint.actor
    return actor.kind is ActorKind.SYSTEM or item.space.is_private or item.author.key == actor.key


def _policy_as_of(engine: Engine, digest: str) -> Policy:
    """The policy that decided a write; if it is not kept in the store, the one in force stands in."""
    try:
        found = engine.policy_with_digest(digest)
    except InvalidInput:  # it was in use once, and is unreadable now
        found = None
    presets = (preset(name) for name in preset_names())
    return found or next((one for one in presets if one.digest == digest), engine.policy)


class _Comparison:
    """Two replays of a history: as it was, under the policies of that time, and as it would be, under the new one."""

    def __init__(self, engine: Engine, history: History, policies: Mapping[str, Policy], policy: Policy) -> None:
        self.writes: list[RecordedWrite] = []
        self._promoted_out_of_sight: set[str] = set()
        self._engine = engine
        self._history = history
        self._policies = policies  # of that time, by digest
        self._policy = policy
        self._as_it_was = Replay(engine.store, policy, history.items)
        self._as_it_would_be = Replay(engine.store, policy, history.items)

    def play(self, progress: Progress) -> None:
        calls = self._history.calls()
        for done, call in enumerate(calls, start=1):
            self._play(call)
            progress(done, len(calls))

    def changed_decision(self, written: RecordedWrite) -> ChangedDecision | None:
        """How the new policy decides differently. The decision of that time is given as it is on record."""
        id, levels = written.item.id, tuple(sorted(level.value for level in written.item.space.levels))
        was, before, after = self._history.rulings[id], self._as_it_was.rulings[id], self._as_it_would_be.rulings[id]
        if id in self._history.applied:
            before = replace(before, expires_at_us=was.expires_at_us)
        if after in (before, was):
            return None
        return ChangedDecision(id, levels, written.item.created_at_us, was, after)

    def is_promotion_unseen(self, written: RecordedWrite) -> bool:
        return self._is_from_elsewhere(written) or written.item.id in self._promoted_out_of_sight

    def _is_from_elsewhere(self, written: RecordedWrite) -> bool:
        """Whether it is a promoted copy of a memory that is not in this history."""
        return written.is_copy and written.item.promoted_from not in self._history.items

    def _play(self, call: RecordedCall) -> None:
        turn: RecordedWrite | None = None  # the last one, until the window of its conversation has moved on
        for recorded in call.actions:
            self._advance_to(recorded)
            if recorded.action not in WRITES:
                self._repeat(recorded, call)
                continue
            written = recorded_write(self._engine, recorded, self._policies[recorded.policy])
            if turn is not None and written.is_copy:
                self._slide_window(turn)  # promotions that a turn asked for come after the window has moved on
            turn = written if written.is_captured else None
            if not written.is_summary:
                self._write(written)
        if turn is not None:
            self._slide_window(turn)

    def _advance_to(self, recorded: RecordedAction) -> None:
        self._as_it_was.advance_to(recorded.at, self._policies[recorded.policy])
        self._as_it_would_be.advance_to(recorded.at, self._policy)

    def _write(self, written: RecordedWrite) -> None:
        self.writes.append(written)
        if written.ruling.status is Status.APPROVED and not written.is_imported:
            self._catch_up(written.item)
        if written.is_imported and self._as_it_was.ticks_behind(written.item):
            written = replace(written, brings_tick=True)
        candidate = original_candidate(written, self._history.items)
        for replay in (self._as_it_was, self._as_it_would_be):
            if written.is_copy and not written.is_edit and not self._is_from_elsewhere(written):
                replay.promote(written)
            else:
                replay.write(written, candidate)

    def _catch_up(self, item: Item) -> None:
        """Skip the ticks of memories that were erased since; the memories beside them show how many there were."""
        behind = max(self._as_it_was.ticks_behind(item), 0)
        for replay in (self._as_it_was, self._as_it_would_be):
            replay.skip_ticks(item, behind)

    def _repeat(self, recorded: RecordedAction, call: RecordedCall) -> None:
        if recorded.action == "approve" and recorded.item is not None:
            self._catch_up(recorded.item)
        if recorded.action == "evict" and "by" not in recorded.detail:
            self._as_it_was.retire(recorded, Reason.EVICTED)  # under the new policy the budget was never exceeded
        leaves_sight = recorded.action == "promote" and recorded.detail["to"] not in self._history.items
        if leaves_sight and recorded.item is not None:
            self._promoted_out_of_sight.add(recorded.item.id)
        for replay in (self._as_it_was, self._as_it_would_be):
            if leaves_sight:
                replay.retire(recorded, Reason.PROMOTED)
            elif recorded.action in {"approve", "agree", "reject"}:
                replay.review(recorded)
            elif recorded.has_forgotten:
                replay.forget(recorded)
            elif recorded.action == "start_phase":
                replay.start_phase(recorded)
            elif recorded.action == "supersede" and not _is_decided(recorded.detail["by"], call):
                replay.supersede(recorded)

    def _slide_window(self, turn: RecordedWrite) -> None:
        for replay in (self._as_it_was, self._as_it_would_be):
            replay.slide_window(turn)


def _is_decided(winner: str, call: RecordedCall) -> bool:
    """Whether the memory that replaced another was written or approved in the same call: then each replay decides by
    itself."""
    others = (recorded.item for recorded in call.actions if recorded.action != "supersede")
    return any(item is not None and item.id == winner for item in others)
