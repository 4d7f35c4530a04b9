"""Budgets: how much an author may keep. What makes room is the author's own, and is named; nobody pays for another."""

from __future__ import annotations

import pytest
from told import kinds, told

from memfort import Policy
from memfort.policy.sections import Budget


@pytest.fixture
def limited(open_memory):
    """A memory with these limits."""
    return lambda **limits: open_memory(policy=Policy(budget=Budget(**limits)))


def kept(actor, **more):
    return sorted(item.text for item in actor.list(limit=1000, **more))


@pytest.fixture
def fill(clock):
    """So many memories, one after another; their ids."""

    def fill(actor, count, kind="semantic", **more):
        ids = []
        for number in range(count):
            key = f"key-{number}" if kind == "profile" else None
            ids.append(actor.remember(f"{kind} {number}", kind=kind, key=key, **more).id)
            clock.advance(1)
        return ids

    return fill


# -- limits ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["semantic", "profile"])
def test_each_kind_has_its_own_limit(limited, fill, kind):
    alice = limited(**{kind: 2}).as_user("alice")
    other = "profile" if kind == "semantic" else "semantic"
    fill(alice, 3, other)
    ids = fill(alice, 2, kind)
    one_more = alice.remember("one more", kind=kind, key="more" if kind == "profile" else None)
    assert one_more.decision.detail["evicted"] == [ids[0]]
    assert kept(alice, kinds=[kind]) == sorted([f"{kind} 1", "one more"])
    assert len(kept(alice, kinds=[other])) == 3


def test_a_space_has_a_limit_for_all_kinds_together(limited, fill):
    alice = limited(space=2).as_user("alice", session="s1")
    first, _ = fill(alice, 1)[0], fill(alice, 1, "profile")
    fill(alice, 2, space={"session": "s1"})
    assert alice.remember("one more").decision.detail["evicted"] == [first]
    assert len(kept(alice, space={"session": "s1"})) == 2


def test_an_owner_has_a_limit_everywhere(limited, fill):
    alice = limited(owner=3).as_user("alice", session="s1")
    fill(alice, 2)
    mine = alice.remember("in the session", space={"session": "s1"}).id
    over = alice.remember("one more", space={"session": "s1"})
    assert over.decision.detail["evicted"] == [mine]
    assert kept(alice) == ["one more", "semantic 0", "semantic 1"]


def test_where_the_author_has_nothing_to_give_up_it_is_refused(limited, fill):
    """Memories of another place are not this place's to take."""
    alice = limited(owner=2).as_user("alice", session="s1")
    fill(alice, 2)
    refused = alice.remember("one more", space={"session": "s1"})
    assert (refused.reason, refused.decision.detail["limit"]) == ("budget_full", "owner")
    assert kept(alice) == ["semantic 0", "semantic 1"]


def test_turns_have_a_window_and_no_budget(limited):
    alice = limited(semantic=1, owner=1).as_user("alice", session="s1")
    for number in range(4):
        alice.observe(f"hello there {number}")
    assert len(alice.window()) == 4


# -- who makes room --------------------------------------------------------------------------------------------------


def test_the_least_important_goes_first_and_of_equals_the_oldest(limited, clock):
    alice = limited(semantic=3).as_user("alice")
    for text, importance in (("heavy", 5), ("light and old", 1), ("light and new", 1)):
        alice.remember(text, importance=importance)
        clock.advance(1)
    alice.remember("one more", importance=3)
    assert kept(alice) == ["heavy", "light and new", "one more"]
    alice.remember("yet another", importance=3)
    assert kept(alice) == ["heavy", "one more", "yet another"]


def test_what_makes_room_is_told(limited):
    alice = limited(semantic=1).as_user("alice")
    first = alice.remember("first").id
    second = alice.remember("second")
    events = told(alice)
    assert kinds(events) == ["write", "border_check", "deleted"]
    assert (events[-1]["memory_id"], events[-1]["reason"]) == (first, "evicted")
    assert alice.explain(first).reason == "evicted"
    assert second.decision.detail == {"evicted": [first]}


def test_one_author_never_evicts_another(limited):
    memory = limited(semantic=1, space=1)
    alice, bob = memory.as_user("alice", project="apollo"), memory.as_user("bob", project="apollo")
    place = {"project": "apollo"}
    alice.remember("alice's", space=place)
    for number in range(3):
        assert bob.remember(f"bob's {number}", space=place).kept
    assert kept(alice, space=place) == ["alice's", "bob's 2"]


def test_an_agent_spends_nobodys_budget_but_its_own(limited):
    memory = limited(semantic=1)
    alice, helper = memory.as_user("alice"), memory.as_agent("helper", owner="alice", acting_for="alice")
    alice.remember("alice's")
    for number in range(2):
        helper.remember(f"helper's {number}", space={"user": "alice"})
    assert kept(alice, space={"user": "alice"}) == ["alice's", "helper's 1"]


def test_what_gives_way_anyway_makes_the_room(limited, fill):
    alice = limited(profile=2).as_user("alice")
    fill(alice, 2, "profile")
    better = alice.remember("better", kind="profile", key="key-0")
    assert (better.kept, "evicted" in better.decision.detail) == (True, False)
    assert kept(alice) == ["better", "profile 1"]


def test_what_waits_takes_no_room_yet(limited):
    alice = limited(semantic=1).as_user("alice")
    alice.remember("first")
    waiting = alice.remember("maybe second", confidence=0.1)
    assert kept(alice) == ["first"]
    alice.approve(waiting.id)
    assert kept(alice) == ["first", "maybe second"]
    third = alice.remember("third")
    assert (len(third.decision.detail["evicted"]), kept(alice)) == (2, ["third"])


# -- refusing --------------------------------------------------------------------------------------------------------


def test_a_full_budget_can_refuse_instead(limited):
    alice = limited(semantic=1, when_full="refuse").as_user("alice")
    first = alice.remember("first").id
    refused = alice.remember("second")
    assert (refused.kept, refused.reason, refused.decision.gate) == (False, "budget_full", "budget")
    assert refused.decision.detail == {"limit": "semantic"}
    assert [(event["type"], event["reason"]) for event in told(alice)] == [
        ("memory_border_check", "allowed"),
        ("memory_denied", "budget_full"),
    ]
    alice.forget(first)
    assert alice.remember("second").kept


@pytest.mark.parametrize("when_full", ["evict", "refuse"])
def test_a_check_says_what_then_happens(limited, when_full):
    alice = limited(semantic=1, when_full=when_full).as_user("alice")
    alice.remember("first")
    said = alice.check("remember", text="second")
    assert kept(alice) == ["first"]
    assert said == alice.remember("second").decision
