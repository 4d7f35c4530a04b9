"""Budgets: how much an author may keep. Evicted memories are the author's own and are named."""

from __future__ import annotations

import pytest
from trace_events import kinds, trace_events

from memfort import Memory, Policy
from memfort.policy.settings.sections import Budget
from whole import whole

DAY = 86_400
APOLLO = {"project": "apollo"}


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


# -- limits -----------------------------------------------------------------------------------------------------------


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
    first, _ = fill(alice, 2)
    alice.remember("in the session", space={"session": "s1"})
    over = alice.remember("one more", space={"session": "s1"})
    assert over.decision.detail["evicted"] == [first]
    assert kept(alice) == ["in the session", "one more", "semantic 1"]


def test_two_limits_are_both_kept(open_memory, fill):
    """What makes room under one limit is not always enough for the other."""
    memory = open_memory()
    alice = memory.as_user("alice", session="s1")
    fill(alice, 2, space={"user": "alice"})
    fill(alice, 2, space={"session": "s1"})
    memory.policy.use(Policy(budget=Budget(semantic=2, owner=3)))
    assert len(alice.remember("one more").decision.detail["evicted"]) == 2
    assert len(kept(alice)) == 3


def test_turns_have_a_window_and_no_budget(limited):
    alice = limited(semantic=1, owner=1).as_user("alice", session="s1")
    for number in range(4):
        alice.observe(f"hello there {number}")
    assert len(alice.window()) == 4


# -- who makes room ---------------------------------------------------------------------------------------------------


def test_the_least_important_goes_first_and_of_equals_the_oldest(limited, clock):
    alice = limited(semantic=3).as_user("alice")
    for text, importance in (("heavy", 5), ("light and old", 1), ("light and new", 1)):
        alice.remember(text, importance=importance)
        clock.advance(1)
    alice.remember("one more", importance=3)
    assert kept(alice) == ["heavy", "light and new", "one more"]
    alice.remember("yet another", importance=3)
    assert kept(alice) == ["heavy", "one more", "yet another"]


def test_an_eviction_is_recorded(limited):
    alice = limited(semantic=1).as_user("alice")
    first = alice.remember("first").id
    second = alice.remember("second")
    events = trace_events(alice)
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


def test_an_agent_uses_only_its_own_budget(limited):
    memory = limited(semantic=1)
    alice, helper = memory.as_user("alice"), memory.as_agent("helper", owner="alice", acting_for="alice")
    alice.remember("alice's")
    for number in range(2):
        helper.remember(f"helper's {number}", space={"user": "alice"})
    assert kept(alice, space={"user": "alice"}) == ["alice's", "helper's 1"]


def test_a_replaced_memory_frees_its_place_in_the_budget(limited, fill):
    alice = limited(profile=2).as_user("alice")
    fill(alice, 2, "profile")
    better = alice.remember("better", kind="profile", key="key-0")
    assert (better.kept, "evicted" in better.decision.detail) == (True, False)
    assert kept(alice) == ["better", "profile 1"]


def test_pending_memories_do_not_count_against_the_budget(limited):
    alice = limited(semantic=1).as_user("alice")
    alice.remember("first")
    waiting = alice.remember("maybe second", confidence=0.1)
    assert kept(alice) == ["first"]
    alice.review.approve(waiting.id)
    assert kept(alice) == ["first", "maybe second"]
    third = alice.remember("third")
    assert (len(third.decision.detail["evicted"]), kept(alice)) == (2, ["third"])


# -- anywhere ---------------------------------------------------------------------------------------------------------


def test_evictions_come_from_every_space_the_author_may_write_to(limited, fill):
    """From wherever the author stands: in the sessions of its own, and in the groups it is registered with."""
    memory = limited(owner=3)
    memory.member.add({"project": "apollo"}, user="alice")
    here = memory.as_user("alice")
    memory.as_user("alice", session="s1").remember("in a session", space={"session": "s1"}, importance=1)
    memory.as_user("alice", project="apollo").remember("in a project", space=APOLLO, importance=2)
    fill(here, 1, importance=3)
    assert _evicted(memory, here, "one more", importance=9) == ["in a session"]
    assert _evicted(memory, here, "two more", importance=9) == ["in a project"]
    assert _evicted(memory, here, "three more", importance=9) == ["semantic 0"]
    assert kept(here) == ["one more", "three more", "two more"]


def test_the_tombstone_stays_in_its_space_and_the_trace_records_the_eviction(limited):
    memory = limited(owner=1)
    alice = memory.as_user("alice", session="s1")
    gone = alice.remember("in the session", space={"session": "s1"})
    alice.remember("one more")
    assert [
        (event["memory_id"], event["reason"]) for event in trace_events(alice) if event["type"] == "memory_deleted"
    ] == [(gone.id, "evicted")]
    assert alice.explain(gone.id).reason == "evicted"
    (tombstone,) = [item for item in alice.list(deleted=True) if item.id == gone.id]
    assert (tombstone.space.to_dict(), tombstone.deleted_reason) == ({"session": "s1", "user": "alice"}, "evicted")


def test_an_agents_budgets_for_two_users_are_separate(limited):
    memory = limited(owner=1)
    for_alice = memory.as_agent("helper", owner="alice", acting_for="alice")
    for_bob = memory.as_agent("helper", owner="alice", acting_for="bob")
    for_alice.remember("alice likes tea", space={"user": "alice"})
    for_bob.remember("bob likes jam", space={"user": "bob"})
    assert (kept(memory.as_user("alice")), kept(memory.as_user("bob"))) == (["alice likes tea"], ["bob likes jam"])


@pytest.mark.parametrize("left", [False, True])
def test_memories_where_the_author_has_left_are_neither_evicted_nor_named(limited, left):
    memory = limited(owner=1)
    memory.member.add({"project": "apollo"}, user="alice")
    there = memory.as_user("alice", project="apollo").remember("in the project", space=APOLLO)
    if left:
        memory.member.remove({"project": "apollo"}, user="alice")
    alice = memory.as_user("alice")
    decision = alice.remember("one more").decision
    assert dict(decision.detail) == ({"limit": "owner"} if left else {"evicted": [there.id]})
    assert (there.id in whole(decision)) is not left


def test_in_an_unregistered_group_memories_are_evicted_only_from_there(limited):
    """The project is not registered, so whether alice is still a member is known only where she stands in it."""
    memory = limited(owner=1)
    memory.as_user("alice", project="apollo").remember("in the project", space=APOLLO)
    assert memory.as_user("alice").remember("one more").reason == "budget_full"
    assert _evicted(memory, memory.as_user("alice", project="apollo"), "one more") == ["in the project"]


def test_read_only_memories_are_not_evicted(limited):
    memory = limited(owner=1)
    alice, bob = (memory.as_user(name, project="apollo") for name in ("alice", "bob"))
    bob.remember("bob's", space=APOLLO)
    memory.member.add({"project": "apollo"}, user="alice", trust="owner")  # bob is no member from now on
    alice.share(space={"project": "apollo"}, user="bob")
    assert bob.recall("bob's").texts == ["bob's"]
    assert bob.remember("one more", space={"user": "bob"}).reason == "budget_full"
    assert kept(alice, space=APOLLO) == ["bob's"]


@pytest.mark.parametrize("levels", [["user"], ["session", "user"]])
def test_a_level_that_the_policy_does_not_read_any_more_is_left_alone(limited, levels):
    memory = limited(owner=1)
    alice = memory.as_user("alice", session="s1")
    there = alice.remember("in the session", space={"session": "s1"})
    memory.policy.use(Policy.from_dict({"budget": {"owner": 1}, "spaces": {"read_order": levels}}))
    decision = memory.as_user("alice").remember("one more").decision
    assert dict(decision.detail) == ({"evicted": [there.id]} if "session" in levels else {"limit": "owner"})


def test_memories_of_others_are_neither_counted_nor_evicted(limited):
    memory = limited(owner=1)
    alice, bob = (memory.as_user(name, project="apollo") for name in ("alice", "bob"))
    alice.remember("alice's", space=APOLLO, importance=0)
    assert bob.remember("bob's", space=APOLLO).kept
    assert _evicted(memory, bob, "bob's next", space=APOLLO) == ["bob's"]
    assert kept(alice, space=APOLLO) == ["alice's", "bob's next"]


@pytest.mark.parametrize("looked", [False, True])
def test_expired_memories_readable_by_others_only_free_no_budget(limited, clock, looked):
    """It was never counted; and whether bob looked at it, which sweeps it, is none of alice's business."""
    memory = limited(owner=1, when_full="refuse")
    alice, bob = (memory.as_user(name, project="apollo") for name in ("alice", "bob"))
    alice.remember("for bob", space=APOLLO, access={"users": ["bob"]}, ttl_seconds=10)
    alice.remember("first", space=APOLLO)
    clock.advance(11)
    if looked:
        bob.recall("bob")
    assert alice.remember("second").reason == "budget_full"


def _evicted(memory: Memory, actor, text, **more):
    """The words of what made room for one more memory of an actor."""
    names = actor.remember(text, **more).decision.detail["evicted"]
    everywhere = memory.as_user(actor.actor.id, session="s1", project="apollo")
    return [item.text for item in everywhere.list(deleted=True, limit=1000) if item.id in names]


# -- which goes first -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", ["semantic", "space", "owner"])
def test_the_oldest_can_go_first_instead_of_the_least_important(limited, clock, limit):
    alice = limited(**{limit: 2, "evict_first": "oldest"}).as_user("alice")
    for text, importance in (("old and heavy", 9), ("young and light", 1), ("one more", 5)):
        alice.remember(text, importance=importance)
        clock.advance(1)
    assert kept(alice) == ["one more", "young and light"]


@pytest.mark.parametrize("limit", ["semantic", "space", "owner"])
def test_memories_within_the_grace_period_are_not_evicted(limited, clock, limit):
    alice = limited(**{limit: 2, "grace_seconds": 7 * DAY}).as_user("alice")
    alice.remember("heavy", importance=9)
    clock.advance(1)
    alice.remember("light", importance=1)
    clock.advance(7 * DAY - 2)
    refused = alice.remember("one more")
    assert (refused.reason, dict(refused.decision.detail)) == ("budget_full", {"limit": limit})
    clock.advance(1)  # the heavy one is old enough now, and the light one is not
    assert alice.remember("one more").kept
    assert kept(alice) == ["light", "one more"]


@pytest.mark.parametrize("limit", ["semantic", "space", "owner"])
def test_a_limit_may_be_exceeded_when_nothing_can_be_evicted(limited, clock, limit):
    alice = limited(**{limit: 2, "grace_seconds": DAY, "when_full": "exceed"}).as_user("alice")
    for number in range(4):
        assert "evicted" not in alice.remember(f"young {number}").decision.detail
        clock.advance(1)
    clock.advance(DAY)
    assert len(alice.remember("one more").decision.detail["evicted"]) == 3
    assert len(kept(alice)) == 2


def test_evictable_memories_are_evicted_even_if_that_is_not_enough(limited, clock):
    alice = limited(owner=2, grace_seconds=DAY, when_full="exceed").as_user("alice")
    alice.remember("old")
    clock.advance(DAY)
    for number in range(3):
        alice.remember(f"young {number}")
    assert kept(alice) == ["young 0", "young 1", "young 2"]


# -- refusing ---------------------------------------------------------------------------------------------------------


def test_a_full_budget_can_refuse_instead(limited):
    alice = limited(semantic=1, when_full="refuse").as_user("alice")
    first = alice.remember("first").id
    refused = alice.remember("second")
    assert (refused.kept, refused.reason, refused.decision.gate) == (False, "budget_full", "budget")
    assert refused.decision.detail == {"limit": "semantic"}
    assert [(event["type"], event["reason"]) for event in trace_events(alice)] == [
        ("memory_border_check", "allowed"),
        ("memory_denied", "budget_full"),
    ]
    alice.forget(first)
    assert alice.remember("second").kept


@pytest.mark.parametrize("limit", ["semantic", "owner"])
@pytest.mark.parametrize("when_full", ["evict", "refuse", "exceed"])
def test_check_predicts_the_decision(limited, when_full, limit):
    alice = limited(**{limit: 1, "when_full": when_full}).as_user("alice")
    alice.remember("first")
    said = alice.check("remember", text="second")
    assert kept(alice) == ["first"]
    assert said == alice.remember("second").decision
