"""A whole session as one text is found by one passage of it."""

from __future__ import annotations

import pytest

from memfort import FixedClock, Memory
from memfort.model.moment import Moment

FILLER = "We talked about the garden and the fence and how the neighbours had painted theirs in spring. "
SESSIONS = [
    FILLER * 100 + "Ann adopted a grey parrot from the shelter. " + FILLER * 20,
    FILLER * 100 + "The boiler was replaced by a heat pump. " + FILLER * 20,
    FILLER * 80,
]


@pytest.fixture
def alice():
    clock = FixedClock(Moment(1_767_225_600_000_000))
    with Memory.open(":memory:", clock=clock, embedder="none") as memory:  # by words alone
        alice = memory.as_user("alice")
        for text in SESSIONS:
            assert alice.remember(text).kept
        yield alice


@pytest.mark.parametrize(
    ("query", "place"),
    [("Which parrot did Ann adopt in Lisbon?", 0), ("When was the boiler replaced by the plumber?", 1)],
)
def test_a_long_text_is_found_by_one_passage(alice, query, place):
    assert alice.recall(query).texts == [SESSIONS[place]]


def test_a_short_statement_still_ranks_above_a_long_text(alice):
    alice.remember("Ann has a grey parrot")
    assert alice.recall("grey parrot").texts[0] == "Ann has a grey parrot"


def test_what_no_passage_says_finds_nothing(alice):
    assert alice.recall("quarterly invoice of the dentist").texts == []
