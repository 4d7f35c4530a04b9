"""Ageing by ticks: a memory ends when enough others have come into force beside it, in its space and for its readers,
and nothing that happens anywhere else makes it older."""

from __future__ import annotations

import pytest
from trace_events import kinds, trace_events

from memfort import InvalidInput, Policy
from memfort.model.item import EventType
from memfort.policy.settings.document import preset
from memfort.policy.settings.sections import Budget, Keep, KeepMode, Retention


def ruled(**keep: object) -> Policy:
    """A policy that ends facts by one rule."""
    return Policy(retention=Retention(semantic={EventType.FACT: Keep(**keep)}))


def pass_by(actor, count, start=0, **more):
    """Write this many memories, one after another; return the events of each call."""
    events = []
    for number in range(start, start + count):
        assert actor.remember(f"noise {number}", **more).kept
        events.append(kinds(trace_events(actor, "memory_forget", "memory_deleted")))
    return events


def is_there(actor, text="tea"):
    return text in " ".join(actor.recall(text, limit=1000).texts)


# -- boundaries -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ticks", [1, 2, 5])
def test_ttl_ends_at_the_very_tick(alice, ticks):
    tea = alice.remember("likes tea", ttl_ticks=ticks)
    assert (tea.item.created_tick, tea.item.expires_tick) == (1, 1 + ticks)
    assert pass_by(alice, ticks - 1) == [[]] * (ticks - 1)
    assert is_there(alice)
    assert pass_by(alice, 1, start=ticks) == [["forget", "deleted"]]
    assert not is_there(alice)
    assert alice.get(tea.id) is None


@pytest.mark.parametrize(("mode", "lives"), [(KeepMode.TTL, 3), (KeepMode.DECAY, 4)])
def test_decay_ends_one_tick_later_than_ttl(open_memory, mode, lives):
    alice = open_memory(policy=ruled(mode=mode, ticks=3)).as_user("alice")
    tea = alice.remember("likes tea", type="fact").item
    pass_by(alice, lives - 1)
    assert is_there(alice)
    pass_by(alice, 1, start=lives)
    forgotten, deleted = trace_events(alice, "memory_forget", "memory_deleted")
    assert not is_there(alice)
    reason = "decay" if mode is KeepMode.DECAY else "ttl_expired"
    assert (forgotten["memory_id"], forgotten["reason"]) == (tea.id, reason)
    assert (deleted["memory_id"], deleted["reason"]) == (tea.id, "expired")


def test_the_ticks_of_the_seed(open_memory):
    """Mere talk is not kept; what a tool did lives for eighteen ticks of age."""
    alice = open_memory(policy=preset("deterministic")).as_user("alice", session="s1")
    place = {"session": "s1"}
    alice.remember("tool: tea is ready", type="execution", origin="tool", space=place)
    pass_by(alice, 18, space=place)
    assert is_there(alice)
    pass_by(alice, 1, start=18, space=place)
    assert not is_there(alice)


def test_an_explicit_ttl_overrides_the_rule(open_memory):
    alice = open_memory(policy=ruled(mode="ttl", ticks=1)).as_user("alice")
    alice.remember("likes tea", type="fact", ttl_ticks=3)
    alice.remember("likes jam", type="fact")
    pass_by(alice, 1)
    assert (is_there(alice), is_there(alice, "jam")) == (True, False)


@pytest.mark.parametrize("ticks", [0, -1, 1.5, True, "2"])
def test_a_lifetime_of_nothing_is_refused(alice, ticks):
    with pytest.raises(InvalidInput, match="ttl_ticks"):
        alice.remember("likes tea", ttl_ticks=ticks)
    assert alice.remember("likes tea", ttl_ticks=1).kept


def test_both_clocks_together_the_first_limit_ends_it(open_memory, clock):
    for seconds, others, alive in ((10, 1, True), (9, 2, False), (10, 2, False)):
        alice = open_memory().as_user("alice")
        alice.remember("likes tea", ttl_ticks=2, ttl_seconds=10)
        pass_by(alice, others)
        clock.advance(seconds - 1)
        assert is_there(alice) is alive
    alice = open_memory().as_user("alice")
    alice.remember("likes tea", ttl_ticks=2, ttl_seconds=10)
    clock.advance(10)
    assert not is_there(alice)


# -- what ages no memory ----------------------------------------------------------------------------------------------


def test_writes_in_another_space_age_no_memory(memory):
    alice, bob = memory.as_user("alice", session="s1"), memory.as_user("bob")
    alice.remember("likes tea", ttl_ticks=1)
    pass_by(bob, 5)
    pass_by(alice, 5, space={"session": "s1"})
    assert is_there(alice)
    pass_by(alice, 1, start=9)
    assert not is_there(alice)


def test_writes_under_another_reader_list_age_no_memory(memory):
    alice, bob = memory.as_user("alice", project="apollo"), memory.as_user("bob", project="apollo")
    place = {"space": {"project": "apollo"}}
    tea = alice.remember("likes tea", ttl_ticks=2, **place).item
    pass_by(bob, 5, access={"users": ["bob"]}, **place)
    pass_by(alice, 5, start=5, access={"users": ["alice", "bob"]}, **place)
    after = bob.remember("noise for everyone", **place).item
    assert (tea.created_tick, after.created_tick) == (1, 2)
    assert is_there(alice)
    pass_by(bob, 1, start=50, **place)
    assert not is_there(alice)


def test_a_memory_its_importer_cannot_read_has_no_tick(memory, open_memory, exported):
    """The tick would tell how much there is beside it."""
    helper = memory.as_agent("helper", owner="host", acting_for="alice")
    hidden = helper.remember("a surprise", access={"agents": ["helper"]}, ttl_ticks=1).item
    assert (hidden.created_tick, hidden.expires_tick) == (1, 2)
    other = open_memory()
    other.as_user("alice").import_(exported(helper))
    [brought] = other.as_agent("helper", owner="host", acting_for="alice").list()
    assert (brought.text, brought.created_tick, brought.expires_tick) == ("a surprise", 0, None)


def test_denied_duplicate_and_outranked_writes_do_not_tick(alice):
    alice.remember("likes tea", ttl_ticks=1)
    assert not alice.remember("my password is hunter2hunter2").kept
    assert alice.remember("likes tea").reason == "duplicate"
    assert is_there(alice)
    alice.remember("vim", kind="profile", key="editor", access={"users": ["alice"]}, origin="tool")
    assert not alice.remember("emacs", kind="profile", key="editor", access={"users": ["alice"]}).kept
    assert is_there(alice)
    pass_by(alice, 1)
    assert not is_there(alice)


def test_a_pending_memory_ticks_on_approval(alice):
    alice.remember("likes tea", ttl_ticks=1)
    guess = alice.remember("maybe likes jam", confidence=0.2, ttl_ticks=1)
    assert (guess.item.status, guess.item.created_tick) == ("pending", 0)
    assert is_there(alice)
    [approved] = alice.review.approve(guess.id)
    assert (approved.created_tick, approved.expires_tick) == (2, 3)
    assert kinds(trace_events(alice, "memory_forget", "memory_deleted")) == ["forget", "deleted"]
    assert not is_there(alice)
    pass_by(alice, 1)
    assert not is_there(alice, "jam")


def test_a_rejection_does_not_tick(alice):
    alice.remember("likes tea", ttl_ticks=1)
    alice.review.reject(alice.remember("maybe likes jam", confidence=0.2).id)
    assert is_there(alice)


def test_reading_and_forgetting_do_not_tick(alice):
    alice.remember("likes tea", ttl_ticks=1)
    other = alice.remember("likes jam", access={"users": ["alice"]}).id
    for _ in range(3):
        alice.recall("tea")
        alice.list()
    alice.forget(other)
    assert is_there(alice)


def test_a_faded_memory_does_not_return(alice, clock):
    tea = alice.remember("likes tea", ttl_ticks=1).id
    pass_by(alice, 1)
    clock.advance(-3600)
    assert not is_there(alice)
    assert alice.recall("tea", as_of=clock.now()).texts == []
    assert [item.id for item in alice.list(deleted=True) if item.deleted_reason == "expired"] == [tea]


def test_a_correction_does_not_make_a_memory_live_longer(alice):
    tea = alice.remember("likes tea", ttl_ticks=3).id
    pass_by(alice, 1)
    alice.correct(tea, "likes green tea")
    assert is_there(alice)
    pass_by(alice, 1, start=1)
    assert not is_there(alice)


def test_two_that_end_at_one_tick_end_together(open_memory):
    alice = open_memory(policy=Policy(budget=Budget(short_term=3))).as_user("alice")
    alice.remember("likes tea", ttl_ticks=2)
    alice.remember("likes jam", ttl_ticks=1)
    assert pass_by(alice, 1) == [["forget", "deleted", "forget", "deleted"]]
