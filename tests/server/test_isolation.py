"""Histories of several people through HTTP: a party left out of a history changes no byte of the observer's answers."""

from __future__ import annotations

from typing import Any

import pytest
from tests.generated import Seeds, half_fresh
from tests.server.behind import Served

from memfort.clock import FixedClock
from memfort.model.people.actor import ActorKind
from memfort.model.people.directory import Principal
from memfort.surfaces.http import verbs
from memfort.testing.chat_histories import HIDDEN, compare_in_chat, generate_chat_history
from memfort.testing.histories import World
from memfort.testing.playback import play
from memfort.testing.purge import compare_transcripts
from memfort.testing.space_histories import generate_history


def open_served(world: World, clock: FixedClock) -> Served:
    return Served(clock, world.policy)


@pytest.mark.parametrize("seeds", half_fresh(30, 30))
def test_bea_cannot_detect_adas_presence_through_http(seeds: Seeds):
    answered = 0
    for seed in seeds:
        history = generate_history(seed)
        with_ada, without = play(history, open_served), play(history.without("ada"), open_served)
        assert compare_transcripts(with_ada, without, "bea") is None, history
        answered += sum(b'"error"' not in answer for _, answer in with_ada.get("bea", []))
    assert answered > len(seeds)  # she did get answers


@pytest.mark.parametrize("seeds", half_fresh(20, 20))
def test_a_chat_cannot_detect_memories_closed_to_it_through_http(seeds: Seeds):
    for seed in seeds:
        history = generate_chat_history(seed)
        with_hidden, without = play(history, open_served), play(history.without(HIDDEN), open_served)
        assert compare_in_chat(history, with_hidden, without) is None, history


def test_a_server_that_takes_bea_for_ada_is_caught(monkeypatch: pytest.MonkeyPatch):
    """The positive control."""
    right = verbs.requester_of

    def wrong(*given: Any) -> Principal | None:
        found = right(*given)
        return Principal(ActorKind.USER, "ada") if found == Principal(ActorKind.USER, "bea") else found

    monkeypatch.setattr(verbs, "requester_of", wrong)
    found = 0
    for seed in range(6):
        history = generate_history(seed)
        found += (
            compare_transcripts(play(history, open_served), play(history.without("ada"), open_served), "bea")
            is not None
        )
    assert found
