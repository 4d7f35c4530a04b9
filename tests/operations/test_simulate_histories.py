"""Simulating whole histories, in which several parties do all there is to do, in and out of each other's sight."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from memfort import Memory, Policy
from memfort.operations.policy.simulate import Simulation
from memfort.store.memory import MemoryStore
from memfort.testing.histories import History
from memfort.testing.playback import play
from memfort.testing.space_histories import generate_history
from memfort.testing.space_histories.policies import POLICIES_WITH_WEIGHTS

POLICIES = [policy for policy, _ in POLICIES_WITH_WEIGHTS]
LENGTH = 50


def after(history: History, simulate: Callable[[Memory], list[Simulation]]) -> list[Simulation]:
    """Simulate on the memory that a history leaves behind, before it is closed."""
    found: list[Simulation] = []

    def open_memory(world: Any, clock: Any) -> Memory:
        return Memory(MemoryStore(), clock=clock, policy=world.policy, memberships=world.memberships)

    play(history, open_memory, on_end=lambda memory: found.extend(simulate(memory)))
    return found


@pytest.mark.parametrize("seed", range(12))
def test_simulating_a_historys_own_policy_changes_nothing(seed):
    history = generate_history(seed, LENGTH)
    [found] = after(history, lambda memory: [memory.as_system().policy.simulate(history.world.policy)])
    assert found.changes == ()
    assert found.decisions > 0


def simulations(history: History, asking: History, new: Policy) -> list[Simulation]:
    """What simulate answers each voice of bea in `asking` about a history."""
    voices = sorted({step.voice for step in asking.steps if step.voice.party == "bea"}, key=str)
    return after(history, lambda memory: [voice.bind(memory).policy.simulate(new) for voice in voices])


@pytest.mark.parametrize("seed", range(12))
def test_simulate_is_unaffected_by_memories_out_of_sight(seed):
    history, new = generate_history(100 + seed, LENGTH), POLICIES[seed % len(POLICIES)]
    assert simulations(history, history, new) == simulations(history.without("ada"), history, new)


def test_simulate_finds_changes_in_these_histories():
    found = [one for seed, new in enumerate(POLICIES[1:])
             for one in simulations(*([generate_history(100 + seed, LENGTH)] * 2), new)]  # fmt: skip
    assert sum(len(one.changes) for one in found) > 5
