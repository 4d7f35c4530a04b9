"""A memory is found by the day it means, and by the day on which it was said."""

from __future__ import annotations

import pytest

from memfort import Memory
from memfort.clock import FixedClock
from memfort.model.moment import to_moment

FELL = "Yesterday I fell off my bike"
QUIET = "I painted the fence green"


@pytest.fixture
def alice(tmp_path):
    with Memory.open(tmp_path / "memory.db", clock=FixedClock(to_moment("2026-11-20T10:00:00Z", "now"))) as memory:
        alice = memory.as_user("alice")
        alice.remember(FELL, observed_at="2026-10-04T09:00:00Z")
        alice.remember(QUIET, observed_at="2026-10-09T09:00:00Z")
        yield alice


def test_a_memory_is_found_by_the_day_of_its_event(alice):
    assert alice.recall("What happened on 3 October?").texts == [FELL]


def test_a_memory_is_found_by_the_day_it_was_said(alice):
    assert alice.recall("What did I say on 4 October?").texts == [FELL]
    assert alice.recall("What did I say on 9 October?").texts == [QUIET]


def test_another_day_finds_nothing(alice):
    assert alice.recall("What did I say on 20 December?").texts == []


def test_the_time_of_the_event_is_kept(alice):
    [item] = [one for one in alice.list() if one.text == FELL]
    assert f"{item.occurred.start:%Y-%m-%d}" == "2026-10-03"


def test_what_the_caller_says_comes_before_the_words(alice):
    alice.remember("Yesterday the boiler broke", occurred="2026-01-15")
    assert alice.recall("What happened on 15 January?").texts == ["Yesterday the boiler broke"]


def test_an_event_of_a_year_without_other_memories_is_found(alice):
    alice.remember("My sister's wedding is on 3 March", observed_at="2026-10-05T09:00:00Z")
    assert alice.recall("What happens on 3 March?").texts == ["My sister's wedding is on 3 March"]
