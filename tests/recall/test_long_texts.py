"""A whole session as one text is found by one passage of it, and a long query is read in part."""

from __future__ import annotations

import pytest

from memfort import FixedClock, Memory
from memfort.model.moment import Moment
from memfort.recall.parse_query import LONGEST_READ, first_part, parse_query

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


def test_of_a_long_query_the_first_part_is_read(alice):
    rest = " ".join(f"whale{number}" for number in range(6_000))
    assert len(parse_query(f"Which parrot did Ann adopt? {rest}").text) <= LONGEST_READ
    assert alice.recall(f"grey parrot, {rest}").texts == alice.recall(f"grey parrot, {rest[:LONGEST_READ]}").texts
    assert alice.recall(f"{rest} boiler heat pump").texts == []


def test_the_part_that_is_read_ends_with_a_whole_word():
    head = "a" * (LONGEST_READ - 8)
    assert first_part(f"{head} mem_42 and more") == f"{head} mem_42 "
    assert first_part(f"{head} INFRA-77") == head
    assert first_part(f"{head} INFRA-7") == f"{head} INFRA-7"
    assert first_part("山" * (LONGEST_READ + 1)) == "山" * LONGEST_READ
