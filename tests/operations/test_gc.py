"""Collecting: what has expired is retired, what is too much makes room in its author's own budget, and old tombstones
go for good. In small transactions, and nothing that is still in force is lost."""

from __future__ import annotations

import threading
import time

import pytest
from msgspec.structs import replace

from memfort import InvalidInput, Memory, Policy
from memfort.errors import StoreBusy
from memfort.model.item import Readers
from memfort.model.results import Collection
from memfort.operations.upkeep import gc
from memfort.policy.settings.sections import Budget, EvictFirst, WhenFull
from memfort.policy.sight import maintenance_sight

DAY = 86_400


@pytest.fixture
def limited(memory):
    """The same store under a policy that lets an author keep so many."""

    def opened(owner, **budget):
        policy = Policy(budget=Budget(owner=owner, **budget))
        return Memory(memory._engine.store, policy=policy, clock=memory._engine.clock)

    return opened


def texts(actor, **given):
    return sorted(item.text for item in actor.list(limit=1000, **given))


def filled(actor, count, **given):
    return [actor.remember(f"note {number:03}", importance=number / 10, **given).id for number in range(count)]


# -- what has expired -------------------------------------------------------------------------------------------------


def test_gc_retires_expired_memories_only(memory, alice, bob, clock, events):
    short = alice.remember("a short note", ttl_seconds=10).id
    alice.remember("a lasting note")
    bob.remember("a short note of bob's", ttl_seconds=10)
    clock.advance(10)
    found = memory.store.gc()
    assert (found.expired, found.evicted, found.compacted) == (2, (), None)
    assert texts(alice) == ["a lasting note"]
    assert {one["item"] for one in events() if one["action"] == "expire"} >= {short}
    assert memory.trail.verify().ok
    clock.advance(-10)  # no clock brings it back
    assert texts(alice) == ["a lasting note"]


def test_a_second_collection_finds_nothing_and_writes_nothing(memory, alice, clock):
    alice.remember("a short note", ttl_seconds=10)
    clock.advance(10)
    assert memory.store.gc().expired == 1
    before = list(memory._engine.store.chains())
    assert memory.store.gc() == Collection(0, (), 0, 0)
    assert list(memory._engine.store.chains()) == before


def test_no_transaction_changes_more_than_a_batch(memory, alice, clock):
    alice.remember_many({"text": f"short note {number}", "ttl_seconds": 10} for number in range(25))
    clock.advance(10)
    seen = []
    session = memory._session("store.gc")
    session.call.progress = lambda done, total: seen.append((done, total))
    found = gc.collect(session, batch=10)
    assert (found.expired, found.batches) == (25, 3)
    assert seen[-1] == (1, 1)
    assert gc.collect(session, batch=10).expired == 0


def test_a_recall_sweeps_any_number(memory, alice, clock, monkeypatch):
    monkeypatch.setattr("memfort.engine.lifecycle.sweep.BATCH", 10)
    alice.remember_many({"text": f"short note {number}", "ttl_seconds": 10} for number in range(30))
    clock.advance(10)
    assert alice.recall("note").texts == []
    assert memory.store.gc().expired == 0


def test_a_dry_run_matches_the_outcome_and_changes_nothing(memory, alice, clock, limited):
    filled(alice, 6)
    alice.remember("a short note", ttl_seconds=10)
    clock.advance(10)
    small = limited(4)
    before = list(memory._engine.store.chains())
    planned = small.store.gc(dry_run=True)
    assert list(memory._engine.store.chains()) == before
    done = small.store.gc()
    assert (planned.expired, planned.evicted, planned.over) == (done.expired, done.evicted, done.over)
    assert (planned.dry_run, done.dry_run) == (True, False)
    assert len(done.evicted) == 2


# -- what is too much -------------------------------------------------------------------------------------------------


def test_a_store_filled_before_the_limit_was_set_is_brought_down_to_it(memory, alice, limited, events):
    ids = filled(alice, 10)
    small = limited(4)
    found = small.store.gc()
    assert [id for _, id in found.evicted] == ids[:6]
    assert texts(alice) == [f"note {number:03}" for number in range(6, 10)]
    assert [one["actor"]["kind"] for one in events() if one["action"] == "evict"] == ["system"] * 6
    assert small.store.gc().evicted == ()
    assert small.trail.verify().ok


def test_gc_evicts_in_the_order_a_write_would(memory, alice, clock, limited):
    alice.remember("old and dear", importance=9)
    clock.advance(DAY)
    alice.remember("new and light", importance=1)
    alice.remember("new and dear", importance=9)
    assert [id for _, id in limited(2).store.gc(dry_run=True).evicted] == [ident(alice, "new and light")]
    oldest = limited(2, evict_first=EvictFirst.OLDEST)
    assert [id for _, id in oldest.store.gc(dry_run=True).evicted] == [ident(alice, "old and dear")]
    graceful = limited(1, evict_first=EvictFirst.OLDEST, grace_seconds=DAY / 2)
    found = graceful.store.gc(dry_run=True)
    assert ([id for _, id in found.evicted], found.over) == ([ident(alice, "old and dear")], 1)


def ident(actor, text):
    return next(item.id for item in actor.list(limit=1000) if item.text == text)


def test_gc_evicts_only_memories_of_the_author_over_the_limit(memory, alice, bob, limited):
    filled(alice, 10)
    filled(bob, 3)
    before = [bob.list(), bob.recall("note").hits]
    assert len(limited(4).store.gc().evicted) == 6
    assert [bob.list(), bob.recall("note").hits] == before
    assert len(texts(alice)) == 4


def test_a_policy_that_refuses_takes_nothing(memory, alice, limited):
    filled(alice, 3)
    found = limited(2, when_full=WhenFull.REFUSE).store.gc()
    assert (found.evicted, found.over) == ((), 1)
    assert len(texts(alice)) == 3


def test_gc_keeps_memories_in_chats_their_author_has_left(memory, limited):
    memory.chat.register("lunch", kind="group", participants=["alice", "bob"])
    there, chat = memory.as_user("alice", chat="lunch"), {"chat": "lunch"}
    filled(there, 3, space=chat)
    memory.chat.register("lunch", kind="group", participants=["bob"])
    found = limited(1).store.gc()
    assert (found.evicted, found.over) == ((), 1)
    assert len(texts(memory.as_user("bob", chat="lunch"))) == 3


def test_gc_evicts_in_a_chat_where_the_author_still_takes_part(memory, limited):
    memory.chat.register("lunch", kind="group", participants=["alice", "bob"])
    filled(memory.as_user("alice", chat="lunch"), 3, space={"chat": "lunch"})
    assert len(limited(1).store.gc().evicted) == 2


def test_memories_their_author_cannot_read_are_not_counted(memory, alice, limited):
    filled(alice, 2)
    alice.remember("for bob alone", access=Readers.of(users=["bob"]))
    assert limited(2).store.gc().evicted == ()


def test_batches_of_evictions_are_bounded_too(memory, alice, limited):
    filled(alice, 12)
    found = gc.collect(limited(2)._session("store.gc"), batch=4)
    assert (len(found.evicted), found.batches) == (10, 3)


# -- tombstones -------------------------------------------------------------------------------------------------------


@pytest.fixture
def ended(memory, alice, clock):
    """One memory ended in each way, and what each of them was called."""
    ids = {
        "forgotten": alice.remember("a forgotten note").id,
        "expired": alice.remember("an expired note", ttl_seconds=10).id,
        "wording": alice.remember("an old wording").id,
        "kept": alice.remember("a kept note").id,
    }
    alice.forget(ids["forgotten"])
    ids["corrected"] = alice.correct(ids["wording"], "a new wording").id
    clock.advance(91 * DAY)
    return ids


def stored(memory, id):
    return any(id in body for body in _records(memory))


def _records(memory):
    from memfort.engine.engine import ALL_STATES
    from memfort.policy.sight import maintenance_sight

    engine = memory._engine
    return [[item.id] for item in engine.all_items(maintenance_sight(engine.store.spaces()), ALL_STATES)]


def test_old_tombstones_go_for_good_with_a_receipt(memory, alice, ended):
    receipt = memory.store.gc(compact_days=90).compacted
    assert {id for _, id in receipt.items} == {ended["forgotten"], ended["expired"]}
    assert not stored(memory, ended["forgotten"])
    assert memory.as_system().verify_erasure(receipt.id).ok
    assert texts(alice) == ["a kept note", "a new wording"]
    assert memory.trail.verify().ok
    assert memory.store.gc(compact_days=90).compacted.items == ()


def test_the_history_of_a_memory_in_force_stays(memory, alice, ended):
    memory.store.gc(compact_days=90)
    assert [item.text for item in alice.history(ended["corrected"])] == ["an old wording", "a new wording"]


def test_a_whole_history_goes_when_its_last_wording_has_ended(memory, alice, ended, clock):
    alice.forget(ended["corrected"])
    assert ended["wording"] not in {id for _, id in memory.store.gc(compact_days=90).compacted.items}
    clock.advance(91 * DAY)
    found = {id for _, id in memory.store.gc(compact_days=90).compacted.items}
    assert found == {ended["wording"], ended["corrected"]}


def test_compacting_removes_the_loser_of_a_conflict_and_keeps_the_winner(memory, alice, clock):
    lost = alice.remember("green", kind="profile", key="color").id
    won = alice.remember("blue", kind="profile", key="color").id
    clock.advance(91 * DAY)
    assert {id for _, id in memory.store.gc(compact_days=90).compacted.items} == {lost}
    assert alice.get(won).text == "blue"


def test_young_tombstones_stay(memory, alice, ended):
    late = alice.remember("forgotten late").id
    alice.forget(late)
    assert late not in {id for _, id in memory.store.gc(compact_days=90).compacted.items}
    assert stored(memory, late)


def test_nothing_that_was_made_from_a_tombstone_is_lost(memory, alice, clock):
    """A turn ends before what was said in it does, and an erasure takes what was made from what it takes."""
    alice.observe("I prefer green tea.")
    clock.advance(400 * DAY)
    before = texts(alice)
    assert "I prefer green tea." in before
    memory.store.gc(compact_days=1)
    assert texts(alice) == before


def test_a_promoted_copy_survives_compaction_of_its_source(memory, clock):
    alice = memory.as_user("alice", project="apollo")
    promoted = alice.promote(alice.remember("we decided to launch in June", type="decision").id, {"project": "apollo"})
    assert promoted.kept
    clock.advance(91 * DAY)
    memory.store.gc(compact_days=90)
    assert alice.recall("launch").texts == ["we decided to launch in June"]


def test_compacting_does_not_readmit_rejected_values(memory, alice, clock):
    alice.review.reject(alice.remember("likes ink", confidence=0.1).id)
    clock.advance(91 * DAY)
    memory.store.gc(compact_days=90)
    assert not alice.remember("likes ink", origin="ai", confidence=0.9).kept


def test_a_rehearsal_of_compacting_removes_nothing(memory, ended):
    planned = memory.store.gc(compact_days=90, dry_run=True)
    assert stored(memory, ended["forgotten"])
    done = memory.store.gc(compact_days=90)
    assert set(planned.compacted.items) == set(done.compacted.items)


@pytest.mark.parametrize("days", [-1, float("nan"), float("inf"), True, "90", 10**9])
def test_an_invalid_number_of_days_is_refused(memory, days):
    with pytest.raises(InvalidInput, match="compact_days"):
        memory.store.gc(compact_days=days)


def test_collecting_an_empty_store_is_nothing(memory):
    assert replace(memory.store.gc(compact_days=1), compacted=None) == Collection(0, (), 0, 0)


# -- in a server ------------------------------------------------------------------------------------------------------


def has_come_to(is_so):
    until = time.monotonic() + 30
    while not is_so() and time.monotonic() < until:
        time.sleep(0.01)
    return is_so()


def waiting(memory):
    return memory.store.gc(dry_run=True).expired


@pytest.mark.parametrize("every", [None, 0.02])
def test_an_open_memory_collects_again_and_again_if_it_is_asked_to(tmp_path, clock, every):
    with Memory.open(tmp_path / "memory.db", clock=clock, gc_every=every) as memory:
        alice = memory.as_user("alice")
        for round in (1, 2):
            alice.remember(f"a short note {round}", ttl_seconds=10)
            alice.remember(f"a lasting note {round}")
            clock.advance(10)
            if every is None:
                assert waiting(memory) == round
            else:
                assert has_come_to(lambda: waiting(memory) == 0)
        assert texts(alice) == ["a lasting note 1", "a lasting note 2"]
        assert memory.trail.verify().ok


def test_closing_ends_it(tmp_path):
    def threads():
        return [one for one in threading.enumerate() if one.name == "memfort-gc"]

    with Memory.open(tmp_path / "memory.db", gc_every=3600):
        assert len(threads()) == 1
    assert threads() == []


def test_a_store_that_cannot_be_written_to_is_tried_again(tmp_path, clock, monkeypatch):
    tries, collect = [], gc.collect

    def failing_at_first(session, **given):
        tries.append(session)
        if len(tries) < 3:
            raise StoreBusy("another program holds the store; try again")
        return collect(session, **given)

    monkeypatch.setattr(gc, "collect", failing_at_first)
    with Memory.open(tmp_path / "memory.db", clock=clock, gc_every=0.02) as memory:
        memory.as_user("alice").remember("a short note", ttl_seconds=10)
        clock.advance(10)
        assert has_come_to(lambda: len(tries) > 3)
        sight = maintenance_sight(memory._engine.store.spaces())
        assert memory._engine.store.overdue(sight, memory._engine.clock.now(), 1) == []


def test_gc_stops_between_transactions(memory, alice, clock):
    for number in range(5):
        alice.remember(f"short note {number}", ttl_seconds=10)
    clock.advance(10)
    asked = iter([False, False, True, True])
    assert gc.collect(memory._session("store.gc"), batch=1, stop=lambda: next(asked)).expired == 2
    assert waiting(memory) == 3
    assert memory.store.gc().expired == 3


@pytest.mark.parametrize("seconds", [0, -1, True, float("nan"), float("inf"), "often"])
def test_every_so_often_is_a_number_of_seconds(tmp_path, seconds):
    with pytest.raises(InvalidInput, match="gc_every"):
        Memory.open(tmp_path / "memory.db", gc_every=seconds)
