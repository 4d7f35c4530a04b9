"""The second step of a recall tells nobody what is out of their sight: neither by what it reaches nor by how far.

The stories are too small for it to be taken, so here it is taken among fewer memories, and behind the best one of the
first step in place of the ten best: hardly anybody in a story finds more than ten."""

from __future__ import annotations

import random
from typing import Any

import pytest

from memfort import FixedClock, Memory
from memfort.model.moment import Moment
from memfort.recall import hops, rank
from memfort.testing import DictStore
from memfort.testing.histories import OpenMemory, Transcript, compared, difference, how_many, play
from memfort.testing.room_stories import (
    APART,
    OBSERVER,
    generate_room,
    room_compared,
    room_difference,
    without_files,
)
from memfort.testing.storyteller import generate

COUNT = how_many(150)
HISTORIES, STORIES = 5_000_000, 6_000_000  # the first of each
ENOUGH = 40  # within which a leak has to show
NOW = Moment(1_767_225_600_000_000)
QUESTION = "Where does Anna's manager live?"
STEP = b'"hop": '


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hops, "CROWD", 1)
    monkeypatch.setattr(hops, "COMMON", 1.0)
    monkeypatch.setattr(rank, "KEPT", 1)


@pytest.mark.usefixtures("at_once")
def test_bea_cannot_tell_by_a_second_step_whether_ada_was_there(on_dict: OpenMemory) -> None:
    steps = 0
    for seed in range(HISTORIES, HISTORIES + COUNT):
        history = generate(seed)
        told = play(history, on_dict)
        assert compared(told, play(history.without("ada"), on_dict), "bea") is None, f"bea can tell\n{history}"
        steps += _steps(told["bea"])
    assert steps >= COUNT // 4, f"{steps} steps are too few for {COUNT} histories"


@pytest.mark.usefixtures("at_once")
def test_a_room_cannot_tell_by_it_what_is_not_for_it(on_dict: OpenMemory) -> None:
    """Nor what belongs to the file about what is told."""
    steps = 0
    for seed in range(STORIES, STORIES + COUNT):
        story = generate_room(seed)
        told = play(story, on_dict)
        for other in (story.without(APART), without_files(story)):
            found = room_compared(story, told, play(other, on_dict))
            assert found is None, f"the room can tell\n{story}\n\n{found}"
        steps += _steps(told[OBSERVER])
    assert steps >= COUNT // 4, f"{steps} steps are too few for {COUNT} stories"


def _steps(said: Transcript) -> int:
    return sum(STEP in answer for _, answer in said)


@pytest.fixture
def rare_among_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """A leak, sown: how rare a word is goes by the number of everybody's memories."""
    in_all, columns, worth = [0], DictStore.columns, hops._worth

    def counting(self: DictStore, *asked: Any) -> Any:
        in_all[0] = len(self._state.kept)
        return columns(self, *asked)

    monkeypatch.setattr(DictStore, "columns", counting)
    monkeypatch.setattr(hops, "_worth", lambda often, count, most: worth(often, max(count, in_all[0]), most))


@pytest.mark.usefixtures("at_once", "rare_among_all")
def test_bea_can_tell_by_a_step_that_goes_by_everybodys_memories(on_dict: OpenMemory) -> None:
    """The positive control: the histories would show it."""
    assert any(difference(generate(seed), "ada", "bea", on_dict) for seed in range(HISTORIES, HISTORIES + ENOUGH))


@pytest.mark.usefixtures("at_once", "rare_among_all")
def test_a_room_can_tell_by_a_step_that_goes_by_everybodys_memories(on_dict: OpenMemory) -> None:
    assert any(room_difference(generate_room(seed), on_dict) for seed in range(STORIES, STORIES + ENOUGH))


def a_store(*, with_strangers: bool) -> Memory:
    memory = Memory(DictStore(), clock=FixedClock(NOW))
    alice, bob = memory.as_user("alice"), memory.as_user("bob")
    draw = random.Random(1)
    subjects = ["the door", "some jam", "the rain", "a train", "the desk", "an old lamp"]
    for no in range(70):
        alice.remember(f"Note {no} is about {draw.choice(subjects)} and {draw.choice(subjects)}")
        if with_strangers and no % 3 == 0:
            bob.remember(f"Priya Raman and Lisbon, {no}: Anna's manager")
    alice.remember("Anna's manager is Priya Raman")
    alice.remember("Priya Raman moved to Lisbon in spring")
    if with_strangers:
        bob.remember("Anna's manager has a sister called Zelda")
    alice.remember("Zelda sells bicycles")
    return memory


def test_memories_of_strangers_lead_nowhere_and_make_no_word_common() -> None:
    answers = []
    for with_strangers in (True, False):
        found = a_store(with_strangers=with_strangers).as_user("alice").recall(QUESTION, limit=20)
        answers.append([(hit.text, hit.score, dict(hit.features), hit.id, hit.reached_from) for hit in found])
    assert answers[0] == answers[1]
    texts = {text: reached_from for text, *_, reached_from in answers[0]}
    first = next(id for text, _, _, id, _ in answers[0] if text == "Anna's manager is Priya Raman")
    assert texts["Priya Raman moved to Lisbon in spring"] == first  # the positive control: the step is taken
    assert "Zelda sells bicycles" not in texts


def test_what_led_to_a_memory_is_named_only_if_it_is_found_too() -> None:
    memory = a_store(with_strangers=False)
    alice = memory.as_user("alice")
    [led] = [hit for hit in alice.recall(QUESTION) if hit.reached_from]
    told = alice.explain(led.id, query=QUESTION)
    assert f"  a second step led to it from {led.reached_from}" in told.lines
    alice.remember("Priya Raman keeps bees", tags=["bees"])
    [tagged] = alice.recall(QUESTION, tags=["bees"])
    assert tagged.features["hop"] > 0
    assert tagged.reached_from is None
