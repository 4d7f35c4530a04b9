"""An answer of few hits is filled up with weak ones: marked, last, and only what the asker may see."""

from __future__ import annotations

import pytest

from memfort import Memory
from memfort.model.reason import Reason

ASKED = "how do we handle money"
STRIPE = "We chose Stripe for payment processing"


@pytest.fixture
def firm(alice):
    alice.remember_many([STRIPE, "The office has a blue door", "Mara waters the plants"])
    return alice


def test_a_small_store_answers_with_a_weak_hit(firm):
    first = firm.recall(ASKED).hits[0]
    assert (first.text, first.weak, first.reason) == (STRIPE, True, Reason.WEAK_MATCH)
    assert firm.recall(ASKED, weak=False).hits == ()
    assert not firm.recall("payment processing with Stripe").hits[0].weak  # the control


def test_nonsense_finds_nothing(firm):
    assert firm.recall("zorp quux fnord").hits == ()


def test_weak_hits_come_after_strong_ones_and_fill_up_to_three(firm):
    firm.remember("We handle money with care")
    found = firm.recall(ASKED).hits
    assert [hit.weak for hit in found] == sorted(hit.weak for hit in found)
    assert not found[0].weak
    assert len(found) <= 3
    strong = [hit.id for hit in firm.recall(ASKED, weak=False)]
    assert [hit.id for hit in found if not hit.weak] == strong
    assert [hit.id for hit in firm.recall(ASKED, limit=1)] == strong[:1]


def test_the_policy_switches_them_off(open_memory):
    off = open_memory(policy={"recall": {"weak": 0}}).as_user("alice")
    off.remember(STRIPE)
    assert off.recall(ASKED).hits == ()


def test_a_context_writes_them_under_perhaps(firm):
    lines = firm.context(ASKED).text.split("\n")
    assert lines.index("Perhaps:") < next(place for place, line in enumerate(lines) if STRIPE in line)
    assert "Perhaps" not in firm.context("payment processing with Stripe", weak=False).text
    assert firm.context(ASKED, weak=False).text == ""


def test_nobody_is_shown_a_weak_hit_out_of_sight(firm, bob):
    assert bob.recall(ASKED).hits == ()
    before = bob.recall("door").to_dict()["hits"]
    firm.remember("A door for money")
    assert bob.recall("door").to_dict()["hits"] == before


def test_explain_agrees(firm):
    hit = firm.recall(ASKED).hits[0]
    assert firm.explain(hit.id, query=ASKED).reason is Reason.WEAK_MATCH


def test_what_was_known_earlier_has_weak_hits_too(firm, clock):
    then = clock.now()
    clock.advance(60)
    assert [hit.weak for hit in firm.recall(ASKED, as_of=then)][:1] == [True]
    assert firm.recall(ASKED, as_of=then, weak=False).hits == ()


def test_a_limit_out_of_range_is_refused():
    with pytest.raises(Exception, match="weak"):
        Memory.open(":memory:", policy={"recall": {"weak": 11}})
