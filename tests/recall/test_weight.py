"""Importance and type as signs: of two that are alike the weightier comes first, and a query for decisions gets
them."""

from __future__ import annotations

import pytest

from memfort import FixedClock, Memory
from memfort.memory.meaning import Meaning
from memfort.model.event_type import EventType
from memfort.model.moment import Moment
from memfort.recall.asked import asked
from memfort.recall.weight import importance_in, is_type_in, packed_weight
from memfort.testing import DictStore


@pytest.fixture
def alice():
    return Memory(DictStore(), clock=FixedClock(Moment(1_767_225_600_000_000))).as_user("alice")


@pytest.mark.parametrize("heavier", ["blue tea pot in the hall", "blue tea pot in the shed"])
def test_of_two_that_are_alike_the_weightier_comes_first(alice, heavier):
    for text in ("blue tea pot in the hall", "blue tea pot in the shed"):
        alice.remember(text, importance=9 if text == heavier else 1)
    first, second = alice.recall("blue tea pot")
    assert first.text == heavier
    assert first.features["importance"] > second.features["importance"] > 0


def test_a_better_answer_outweighs_importance(alice):
    alice.remember("the tea pot is blue", importance=0)
    alice.remember("tea is on the list", importance=10)
    assert alice.recall("which colour has the tea pot").texts[0] == "the tea pot is blue"


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("What did we decide about the ledger?", EventType.DECISION),
        ("which decisions were made", EventType.DECISION),
        ("what does Ann prefer", EventType.PREFERENCE),
        ("my favourite tea", EventType.PREFERENCE),
        ("which corrections did I make", EventType.CORRECTION),
        ("where does Ann live", None),
    ],
)
def test_a_query_says_what_kind_of_statement_it_asks_for(query, wanted):
    assert asked(query).wants_type is wanted


def test_the_kind_that_is_asked_for_comes_first(alice):
    alice.remember("the ledger and the deploy run on Postgres", type="fact")
    alice.remember("the ledger and the backup run on Postgres", type="decision")
    first, second = alice.recall("what did we decide about the ledger and Postgres?")
    assert first.text == "the ledger and the backup run on Postgres"
    assert "type" in first.features
    assert "type" not in second.features


def test_what_it_weighs_stands_beside_the_traits():
    for importance, expected in ((-3.0, 0.0), (0.0, 0.0), (2.5, 0.25), (10.0, 1.0), (1e9, 1.0)):
        for kind in EventType:
            packed = packed_weight(importance, kind)
            assert importance_in(packed) == pytest.approx(expected, abs=0.003)
            assert [other for other in EventType if is_type_in(packed, other)] == [kind]
            assert packed & 255 == 0


def test_what_is_told_to_whom_it_is_about_does_not_say_how_important_it_is(alice):
    item = alice.remember("Bob likes tea", importance=7).item
    item = item.but(subjects=("user:bob",), portable=True, learned_in="lobby")
    told = [Meaning().told_entry_of(item.but(importance=one)) for one in (1, 7)]
    assert told[0] == told[1] is not None
    own = [Meaning().entry_of(item.but(importance=one)) for one in (1, 7)]
    assert own[0] != own[1]
