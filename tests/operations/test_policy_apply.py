"""A policy that is applied gives the memories that are there the ends that a simulation shows, and nothing else."""

from __future__ import annotations

import pytest

from memfort import Policy

DAY = 86_400_000_000
SHORT = Policy.from_dict({"name": "short", "retention": {"default_seconds": 30 * 86_400}})
STRICT = Policy.from_dict({"name": "strict", "approve_confidence": 0.9})


@pytest.fixture
def alice(memory):
    return memory.as_user("alice")


def ends(bound) -> dict[str, int | None]:
    return {item.text: item.expires_at_us for item in bound.list()}


def settle(memory, alice, clock) -> int:
    memory.policy.use(Policy(name="long"))
    alice.remember("the shed is green", type="knowledge")
    alice.remember("the gate is blue for a week", type="knowledge", ttl_seconds=7 * 86_400)
    start: int = clock.now()
    clock.advance(86_400)
    return start


def test_a_policy_in_use_leaves_the_ends_of_memories_that_are_there(memory, alice, clock):
    settle(memory, alice, clock)
    before = ends(alice)
    assert memory.policy.use(SHORT).applied is None
    assert (ends(alice), before["the shed is green"]) == (before, None)
    alice.remember("the rocket is red")
    assert ends(alice)["the rocket is red"] == clock.now() + 30 * DAY


def test_an_applied_policy_sets_the_ends_that_its_simulation_shows(memory, alice, clock):
    start = settle(memory, alice, clock)
    before = ends(alice)
    shown = memory.as_system().policy.simulate(SHORT)
    preview = memory.policy.use(SHORT, apply=True, dry_run=True).applied
    assert (preview.changes, preview.end_now, ends(alice)) == (shown.changes, 0, before)
    assert memory.policy.use(SHORT, apply=True).applied == preview
    assert ends(alice) == {**before, "the shed is green": start + 30 * DAY}
    assert memory.trail.verify().ok
    assert memory.as_system().policy.simulate(SHORT).changes == ()
    assert memory.policy.use(SHORT, apply=True).applied.changes == ()


def test_applying_the_earlier_policy_takes_it_back(memory, alice, clock):
    settle(memory, alice, clock)
    before = ends(alice)
    memory.policy.use(SHORT, apply=True)
    assert ends(alice) != before
    memory.policy.use(Policy(name="long"), apply=True)
    assert ends(alice) == before


def test_what_is_older_than_the_new_lifetime_ends_at_once_and_is_counted(memory, alice, clock):
    settle(memory, alice, clock)
    clock.advance(3 * 86_400)
    clock.advance(40 * 86_400)
    assert memory.policy.use(SHORT, apply=True).applied.end_now == 1
    assert ends(alice) == {}


def test_what_a_policy_would_hold_for_review_stays_and_is_counted(memory, alice):
    memory.policy.use(Policy(name="long"))
    alice.remember("the tower is a rumour", confidence=0.7)
    applied = memory.policy.use(STRICT, apply=True).applied
    assert (applied.changes, sum(applied.left.values())) == ((), 1)
    assert list(ends(alice)) == ["the tower is a rumour"]


def test_an_interrupted_application_goes_on(memory, alice, clock):
    start = settle(memory, alice, clock)
    bob = memory.as_user("bob")
    bob.remember("the tower is tall", type="knowledge")

    def stop(done: int, total: int) -> None:
        if total == 2:  # memories to apply it to; the simulation before has three calls
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        memory.policy.use(SHORT, apply=True, progress=stop)
    there = {"the shed is green": ends(alice)["the shed is green"], **ends(bob)}
    assert sorted(end is None for end in there.values()) == [False, True]
    assert len(memory.policy.use(SHORT, apply=True).applied.changes) == 1
    assert ends(alice)["the shed is green"] == start + 30 * DAY
    assert ends(bob) == {"the tower is tall": clock.now() + 30 * DAY}
