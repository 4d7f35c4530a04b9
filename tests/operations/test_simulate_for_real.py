"""What is foretold is what happens: one story on two stores, the second under the new policy from the start.

The simulation on the first has to say of every memory what the second really made of it.
"""

from __future__ import annotations

import inspect
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, TypeGuard

import pytest

from memfort import FixedClock, Memory, Policy
from memfort.errors import Denied, InvalidInput, NotFound
from memfort.model.decision import Outcome, Verdict
from memfort.model.moment import Moment
from memfort.model.reason import Reason
from memfort.operations.policy.simulation.history import read_history
from memfort.operations.policy.simulation.replay_store import ReplayStore
from memfort.operations.policy.simulation.writes import Ruling
from memfort.policy.sight import maintenance_sight
from memfort.store.memory import MemoryStore
from memfort.store.port import Store
from memfort.testing.messages import messages_of

START = Moment(1_767_225_600_000_000)
USER, SESSION, PROJECT = {"user": "alice"}, {"session": "s1"}, {"project": "apollo"}
OPEN_WAYS = [{"from_level": "user", "to_level": "project"}, {"from_level": "session", "to_level": "user"},
             {"from_level": "session", "to_level": "project"}]  # fmt: skip

POLICIES: dict[str, dict[str, Any]] = {
    "default": {},
    "open ways": {"spaces": {"promotions": OPEN_WAYS}},
    "no way": {"spaces": {"promotions": []}},
    "ways by approval": {"spaces": {"promotions": [{**way, "approvals": 1} for way in OPEN_WAYS]}},
    "two approvals": {"spaces": {"promotions": [{**way, "approvals": 2, "trust": "contributor"} for way in OPEN_WAYS]}},
    "decisions only": {"spaces": {"promotions": [{**way, "event_types": ["decision"]} for way in OPEN_WAYS]}},
    "tools only": {"spaces": {"promotions": [{**way, "authority": "tool_verified"} for way in OPEN_WAYS]}},
    "fading": {"retention": {"semantic": {"context": {"mode": "ttl", "ticks": 3}},
                             "short_term": {"context": {"mode": "decay", "ticks": 2}},
                             "profile": {"context": {"mode": "decay", "ticks": 4}}}},
    "one phase": {"phase": {"max_phases": 1}},
    "two phases": {"phase": {"max_phases": 2, "keep_profile": False, "mode": "current_plus_history"}},
    "no phases": {"phase": {"enabled": False}},
    "narrow window": {"budget": {"short_term": 2}},
    "no window": {"budget": {"short_term": None}},
    "small owner": {"budget": {"owner": 3}},
    "full owner": {"budget": {"owner": 4, "when_full": "refuse"}},
    "small partitions": {"budget": {"semantic": 2, "profile": 1}},
    "careful": {"approve_confidence": 0.9},
    "everything": {"approve_confidence": 0.55, "budget": {"owner": 4, "short_term": 3}, "phase": {"max_phases": 1},
                   "retention": {"semantic": {"fact": {"mode": "decay", "ticks": 4}}},
                   "spaces": {"promotions": [{**way, "approvals": 1} for way in OPEN_WAYS]}},
}  # fmt: skip


def policy(name: str) -> Policy:
    labelled = {"unknown": "public", "unknown_language": "public"}  # the story is about other gates
    return Policy.from_dict({"name": name, "sensitivity": labelled, **POLICIES[name]})


@dataclass
class Stage:
    """One store on which a story is played. What each step made has the step's name."""

    rules: Policy
    clock: FixedClock = field(default_factory=lambda: FixedClock(START))
    made: dict[str, Outcome | None] = field(default_factory=dict)  # `None`: it could not even be asked for

    def __post_init__(self) -> None:
        self.memory = Memory(MemoryStore(), policy=self.rules, clock=self.clock)
        for user, trust in (("alice", "contributor"), ("bob", "approver"), ("carol", "approver")):
            self.memory.member.add({"project": "apollo"}, user=user, trust=trust)
        self.people = {user: self.memory.as_user(user, project="apollo", session="s1")
                       for user in ("alice", "bob", "carol")}  # fmt: skip

    def play(self, name: str, who: str, verb: str, of: str | None, given: dict[str, Any]) -> None:
        self.clock.advance(seconds=given.pop("after", 1))
        ids = [] if of is None else self._ids(of)
        if of is not None and not ids:
            self.made[name] = None
            return
        try:
            answer = attrgetter(verb)(self.people[who])(*ids, **given)
        except (Denied, InvalidInput, NotFound):
            self.made[name] = None
            return
        if verb == "observe":
            for part, outcomes in (("draft", answer.outcomes), ("hint", answer.promotions)):
                self.made |= {f"{name} {part} {place}": one for place, one in enumerate(outcomes)}
        elif isinstance(answer, Outcome):
            self.made[name] = answer

    def _ids(self, of: str) -> list[str]:
        outcome = self.made.get(of)
        return [outcome.item.id] if _is_new(outcome) else []

    def rulings(self) -> dict[str, Ruling]:
        """What is on record of everything that was made."""
        asker = self.memory.as_system()
        engine = asker._engine
        sight = maintenance_sight(engine.store.spaces())
        recorded = read_history(engine, asker._standpoint, sight).rulings
        return {name: _ruled(outcome, recorded) for name, outcome in self.made.items()}


def _is_new(outcome: Outcome | None) -> TypeGuard[Outcome]:
    return outcome is not None and outcome.item is not None and outcome.reason is not Reason.DUPLICATE


def _ruled(outcome: Outcome | None, recorded: dict[str, Ruling]) -> Ruling:
    if outcome is None:
        return Ruling(Verdict.DENIED, Reason.INVALID, None)
    return recorded[outcome.item.id] if _is_new(outcome) else Ruling(outcome.decision.verdict, outcome.reason, None)


Told = tuple[str, str, str, str | None, dict[str, Any]]


REVIEWS = ["review.approve", "review.approve", "review.reject"]


def story(seed: int, *, hints: bool, length: int = 40) -> Iterator[Told]:
    """A history as plain steps: a name, who, the verb, the step it is about, and the rest."""
    chance = random.Random(seed)
    said: list[str] = []
    for number in range(length):
        name, who = f"step {number}", chance.choice(["alice", "alice", "bob"])
        after = {"after": chance.choice([1, 1, 60, 90_000])}
        verb = chance.choices(["remember", "correct", "promote", "review", "forget", "phase.start", "observe"],
                              [12, 1, 5, 3, 1, 2, 5])[0]  # fmt: skip
        of = chance.choice(said) if said else None
        if verb == "observe":
            hint = chance.choice(["", "remember this for the project: ", "remember this for me: "]) if hints else ""
            yield name, who, verb, None, {"messages": messages_of(f"{hint}I prefer tea number {number}.",
                                                           f"noted {number}"), **after}  # fmt: skip
            said.append(f"{name} draft 1")
        elif verb == "phase.start":
            space = chance.choice([{"user": who}, PROJECT])
            yield name, who, verb, None, {"reason": "moved", "space": space, **after}
        elif verb == "remember" or of is None:
            said.append(name)
            yield name, who, "remember", None, {**_said(chance, who), **after}
        elif verb == "review":
            yield name, chance.choice(["bob", "carol", who]), chance.choice(REVIEWS), of, after
        elif verb == "promote":
            said.append(name)
            yield name, who, verb, of, {"to": chance.choice([PROJECT, PROJECT, {"user": who}]), **after}
        else:
            yield name, who, verb, of, {**({"text": f"corrected {number}"} if verb == "correct" else {}), **after}


def _said(chance: random.Random, who: str) -> dict[str, Any]:
    given: dict[str, Any] = {
        "text": f"remark {chance.randrange(30)}", "space": chance.choice([{"user": who}, SESSION, SESSION, PROJECT]),
        "confidence": chance.choice([1.0, 1.0, 0.7, 0.5]), "origin": chance.choice(["user", "user", "tool", "ai"]),
        "type": chance.choice([None, None, "decision", "task"]),
    }  # fmt: skip
    if chance.random() < 0.2:
        given |= {"kind": "profile", "key": chance.choice(["town", "name"])}
    if chance.random() < 0.2:
        given["access"] = {"users": [who]}
    if chance.random() < 0.2:
        given |= chance.choice([{"ttl_ticks": 2}, {"ttl_seconds": 3600}, {"importance": 5.0}])
    return given


def predictions(stage: Stage, new: Policy) -> dict[str, Ruling]:
    """What the simulation says would have come of everything that was made here."""
    found = stage.memory.as_system().policy.simulate(new)
    would = {change.id: change.would for change in found.changes}
    recorded = stage.rulings()
    kept = {name: one.item.id for name, one in stage.made.items() if _is_new(one)}
    return {name: would.get(id, recorded[name]) for name, id in kept.items()}


def differences(seed: int, old: Policy, new: Policy, *, hints: bool = True) -> tuple[dict[str, Any], int]:
    """Where the simulation and the real thing disagree, and how many memories there were to disagree on."""
    here, there = Stage(old), Stage(new)
    for name, who, verb, of, given in story(seed, hints=hints):
        here.play(name, who, verb, of, dict(given))
        # What was refused here has no words on record, so its effect there cannot be predicted.
        if name not in here.made or _is_new(here.made[name]):
            there.play(name, who, verb, of, dict(given))
        else:
            there.clock.set(here.clock.now())
            there.made[name] = None
    predicted, real = predictions(here, new), there.rulings()
    return {name: (ruling, real[name]) for name, ruling in predicted.items() if not _agree(ruling, real[name])}, len(
        predicted
    )


def _agree(predicted: Ruling, real: Ruling) -> bool:
    # What could not be asked for has no reason; the simulation says why not.
    return predicted == real or (real.reason is Reason.INVALID and predicted.verdict is Verdict.DENIED)


@pytest.mark.parametrize("name", POLICIES)
@pytest.mark.parametrize("seed", range(3))
def test_the_simulation_matches_a_real_run(name, seed):
    found, count = differences(seed, policy("open ways"), policy(name))
    assert found == {}
    assert count > 10


@pytest.mark.parametrize("name", [name for name in POLICIES if name != "full owner"])
def test_the_reverse_simulation_matches_a_real_run(name):
    """Without hints, and without a policy that keeps only some of what is said in one go: what was refused while the
    rest was kept would have to be left out in the middle of a call."""
    found, count = differences(7, policy(name), policy("open ways"), hints=False)
    assert found == {}
    assert count > 10


def test_a_replay_runs_on_a_whole_store():
    """The code that decides for real decides in a replay, so the store of a replay answers whatever a store is asked;
    and where it answers differently from a memory store, it is asked in the same way."""
    assert issubclass(ReplayStore, MemoryStore)
    own = {"get", "sweep", "reserve", "ticks", "skip_ticks"}
    methods = {name for name, value in vars(ReplayStore).items() if inspect.isfunction(value) and name[0] != "_"}
    assert own < methods
    for name in methods - own:
        assert inspect.signature(getattr(ReplayStore, name)) == inspect.signature(getattr(Store, name)), name
