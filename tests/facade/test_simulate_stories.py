"""Simulating whole histories, in which several parties do all there is to do, in and out of each other's sight."""

from __future__ import annotations

from typing import Any

import pytest

from memfort import Memory, Policy
from memfort.memory.simulation.simulating import Simulation, simulate
from memfort.testing import DictStore
from memfort.testing.histories import History, play
from memfort.testing.story_policies import STORY_POLICIES
from memfort.testing.storyteller import generate

POLICIES = [policy for policy, _ in STORY_POLICIES]
LENGTH = 50


def told(history: History) -> Memory:
    """The memory that a history leaves behind."""
    left: list[Memory] = []

    def open_memory(world: Any, clock: Any) -> Memory:
        left.append(Memory(DictStore(), clock=clock, policy=world.policy, memberships=world.memberships))
        return left[-1]

    play(history, open_memory)
    return left[-1]


@pytest.mark.parametrize("seed", range(12))
def test_no_history_would_be_otherwise_under_its_own_policy(seed):
    history = generate(seed, LENGTH)
    found = simulate(told(history).as_system(), history.world.policy)
    assert found.changes == ()
    assert found.decisions > 0


def simulations(history: History, asking: History, new: Policy) -> list[Simulation]:
    """What each voice of bea's in `asking` is told about a history."""
    memory = told(history)
    voices = sorted({step.voice for step in asking.steps if step.voice.party == "bea"}, key=str)
    return [simulate(voice.bound(memory), new) for voice in voices]


@pytest.mark.parametrize("seed", range(12))
def test_nobody_is_told_otherwise_for_what_was_done_out_of_their_sight(seed):
    history, new = generate(100 + seed, LENGTH), POLICIES[seed % len(POLICIES)]
    assert simulations(history, history, new) == simulations(history.without("ada"), history, new)


def test_and_there_was_something_to_tell():
    found = [one for seed, new in enumerate(POLICIES[1:])
             for one in simulations(*([generate(100 + seed, LENGTH)] * 2), new)]  # fmt: skip
    assert sum(len(one.changes) for one in found) > 5
