"""A recall that tells time by something that happened."""

from __future__ import annotations

import pytest

STATEMENTS = {
    "We rented a flat with a balcony in Turin": "2023-02-10",
    "We moved to Lyon": "2023-05-08",
    "Did the dog like the move?": "2021-01-01",
    "The move of the piano up the stairs of the old town hall took hours": "2021-01-01",
    "We rented a garden flat by the river": "2023-09-01",
}
EARLIER, LATER = "We rented a flat with a balcony in Turin", "We rented a garden flat by the river"


@pytest.fixture
def settled(alice):
    for text, day in STATEMENTS.items():
        assert alice.remember(text, type="knowledge", observed_at=f"{day}T12:00:00Z").kept
    return alice


@pytest.mark.parametrize(
    ("question", "first", "second"),
    [
        ("Which flat did we rent before the move?", EARLIER, LATER),
        ("Which flat did we rent after the move?", LATER, EARLIER),
        ("Which flat did we rent until we moved to Lyon?", EARLIER, LATER),
        ("Which flat did we rent since the move?", LATER, EARLIER),
    ],
)
def test_memories_on_the_requested_side_of_the_event_rank_first(settled, question, first, second):
    shares = {hit.text: hit.features.get("date", 0) for hit in settled.recall(question)}
    assert list(filter({first, second}.__contains__, shares)) == [first, second]
    assert shares[first] > 0.5 > shares[second]


def test_an_event_no_memory_mentions_sets_no_date(settled):
    assert not any("date" in hit.features for hit in settled.recall("Which flat did we rent before the flood?"))


@pytest.mark.parametrize(
    ("question", "there", "not_there"),
    [
        ("What did I do before the move?", EARLIER, LATER),
        ("What happened before we moved to Lyon?", EARLIER, LATER),
        ("Tell me everything from before the move", EARLIER, LATER),
        ("What have we been doing since the move?", LATER, EARLIER),
        ("What was life like after the move?", LATER, EARLIER),
    ],
)
def test_a_question_about_time_only_returns_all_memories_of_that_time(settled, question, there, not_there):
    found = settled.recall(question).texts
    assert (there in found, not_there in found) == (True, False)


@pytest.mark.parametrize(
    "question",
    ["volcano before the move", "What did I say about volcanoes before the move?", "Before the move: volcano?"],
)
def test_an_event_reference_does_not_lower_the_floor_for_other_words(settled, question):
    assert EARLIER not in settled.recall(question).texts
    assert EARLIER in settled.recall("volcano before May 2023").texts  # a day that is named does


def test_an_event_without_a_known_date_returns_nothing(settled):
    assert settled.recall("What did I do before the flood?", weak=False).texts == []
    assert EARLIER in settled.recall("What did I do before the move?").texts


def test_an_event_reference_is_resolved_within_sight_only(settled, memory):
    """Another's memory of a move is no time for who cannot see it."""
    bob = memory.as_user("bob")
    bob.remember(EARLIER, type="knowledge", observed_at="2023-02-10T12:00:00Z")
    assert [set(hit.features) & {"date"} for hit in bob.recall("Which flat did we rent before the move?")] == [set()]
    bob.remember("I moved to Lyon", type="knowledge", observed_at="2023-05-08T12:00:00Z")
    assert "date" in bob.recall("Which flat did we rent before the move?").hits[0].features
