"""Forgetting leaves a tombstone; erasing leaves a receipt, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from memfort import NotFound
from memfort.errors import StoreError
from memfort.operations.table import TABLE
from memfort.store.port import Scrub
from whole import whole

STATES = ["approved", "pending", "rejected", "superseded"]


def everything(reader):
    return {item.text for item in reader.list(statuses=STATES, deleted=True, limit=1000)}


def files(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def test_forgetting_leaves_a_tombstone_with_actor_time_and_reason(alice, clock):
    id = alice.remember("likes tea").id
    clock.advance(5)
    [gone] = alice.forget(id)
    assert (gone.deleted_at_us, gone.deleted_reason) == (clock.now(), "forgotten")
    assert not alice.recall("tea")
    assert everything(alice) == {"likes tea"}


def test_forgetting_many_is_all_or_nothing(alice):
    first, second = alice.remember("likes tea").id, alice.remember("likes jam").id
    with pytest.raises(NotFound):
        alice.forget(first, "mem_none", second)
    assert len(alice.recall("likes")) == 2
    assert [item.id for item in alice.forget(first, second)] == [first, second]
    assert not alice.recall("likes")


def test_forgetting_one_twice_in_a_call_is_once(alice):
    id = alice.remember("likes tea").id
    assert len(alice.forget(id, id)) == 1


def test_forgetting_also_forgets_derived_memories(alice):
    source = alice.remember("tea with the minister").id
    made = alice.remember("met somebody", derived_from=[source]).id
    assert [item.id for item in alice.forget(source)] == [source, made]
    assert not alice.recall("met somebody tea")


def test_a_rehearsal_forgets_nothing_and_names_the_same(alice, events):
    source = alice.remember("tea with the minister").id
    alice.remember("met somebody", derived_from=[source])
    before = events()
    rehearsal = alice.forget(source, dry_run=True)
    assert [item.deleted_at_us for item in rehearsal] == [None, None]
    assert events() == before
    assert len(alice.recall("tea somebody")) == 2
    assert [item.id for item in alice.forget(source)] == [item.id for item in rehearsal]
    assert not alice.recall("tea somebody")


def test_a_dry_run_refuses_what_forget_refuses(alice, bob):
    id = alice.remember("likes tea").id
    with pytest.raises(NotFound):
        bob.forget(id, dry_run=True)
    assert [item.id for item in alice.forget(id, dry_run=True)] == [id]


def test_forgetting_the_newest_version_does_not_bring_the_old_one_back(alice):
    first = alice.remember("likes tea").id
    alice.forget(alice.correct(first, "likes coffee").id)
    assert not alice.recall("likes")


def test_erasing_takes_versions_and_derived_and_says_so(alice):
    first = alice.remember("likes tea").id
    second = alice.correct(first, "likes coffee").id
    made = alice.remember("a coffee person", derived_from=[second]).id
    nested = alice.remember("buys beans", derived_from=[made]).id
    alice.remember("likes jam")
    receipt = alice.erase(second)
    assert {id for _, id in receipt.items} == {first, second, made, nested}
    assert {name: receipt.counts[name] for name in ("memories", "older_versions", "derived")} == {
        "memories": 1,
        "older_versions": 1,
        "derived": 2,
    }
    assert (receipt.state, receipt.actor.id, receipt.selector) == ("complete", "alice", {"ids": [second]})
    assert everything(alice) == {"likes jam"}


@pytest.mark.parametrize("state", ["approved", "pending", "rejected", "superseded", "forgotten", "expired"])
def test_a_memory_in_any_state_can_be_erased(alice, clock, state):
    given = {"pending": {"confidence": 0.1}, "rejected": {"status": "rejected"}, "expired": {"ttl_seconds": 1}}
    id = alice.remember("likes tea", **given.get(state, {})).id
    alice.remember("likes jam")
    if state == "superseded":
        alice.correct(id, "likes coffee")
    if state == "forgotten":
        alice.forget(id)
    clock.advance(2)
    assert "likes tea" in everything(alice)
    assert alice.erase(id).counts["memories"] == 1
    assert "likes tea" not in everything(alice)
    assert "likes jam" in everything(alice)


def test_a_rehearsal_erases_nothing_and_counts_the_same(alice, events):
    id = alice.remember("likes tea").id
    alice.correct(id, "likes coffee")
    before = events()
    rehearsal = alice.erase(id, dry_run=True)
    assert events() == before
    assert alice.recall("likes").texts == ["likes coffee"]
    receipt = alice.erase(id)
    assert rehearsal.items == receipt.items
    assert rehearsal.counts.items() <= receipt.counts.items()
    assert (rehearsal.state, receipt.state) == ("dry run", "complete")


def test_erased_text_is_in_no_file_while_the_store_is_open(alice, tmp_path):
    alice.remember("control xylophone")
    ids = [alice.remember(f"quarterstaff {number} " + "padding " * 200).id for number in range(20)]
    assert b"quarterstaff" in files(tmp_path) or not files(tmp_path)
    receipt = alice.erase(*ids)
    assert receipt.state == "complete"
    assert b"quarterstaff" not in files(tmp_path)
    assert alice.verify_erasure(receipt.id).ok
    assert alice.recall("xylophone").texts == ["control xylophone"]


def test_superseded_words_are_in_no_file_after_an_erase(alice, tmp_path):
    first = alice.remember("quarterstaff one").id
    second = alice.correct(first, "halberd two").id
    alice.erase(second)
    assert b"quarterstaff" not in files(tmp_path)
    assert b"halberd" not in files(tmp_path)


def test_erase_reports_progress(alice):
    ids = [alice.remember(f"tea {number}").id for number in range(5)]
    steps = []
    alice.erase(*ids, progress=lambda done, of: steps.append((done, of)))
    assert steps[-1] == (5, 5)


def test_receipts_are_shown_to_their_actor_and_the_system_only(memory, alice, bob):
    receipt = alice.erase(alice.remember("likes tea").id)
    assert [one.id for one in alice.erasures()] == [receipt.id]
    assert bob.erasures() == []
    assert [one.id for one in memory.as_system().erasures()] == [receipt.id]
    assert memory.as_system().verify_erasure(receipt.id).ok
    with pytest.raises(NotFound):
        bob.verify_erasure(receipt.id)


def test_two_erasures_at_one_instant_have_two_receipts(alice):
    first, second = alice.remember("likes tea").id, alice.remember("likes jam").id
    assert alice.erase(first).id != alice.erase(second).id
    assert len(alice.erasures()) == 2


def test_erasing_another_users_memory_fails_like_a_missing_one(alice, bob):
    id = alice.remember("likes tea").id
    for name in (id, "mem_none"):
        with pytest.raises(NotFound):
            bob.erase(name)
    assert alice.recall("tea").texts == ["likes tea"]


def test_the_system_actor_erases_by_id_without_reading(memory, alice):
    id = alice.remember("likes tea").id
    system = memory.as_system()
    assert system.get(id) is None
    assert system.erase(id).counts["memories"] == 1
    assert not alice.recall("tea")


def test_a_reader_list_does_not_keep_an_owner_from_erasing(memory, alice):
    id = alice.remember("likes tea").id
    helper = memory.as_agent("helper", owner="host", acting_for="alice")
    made = helper.remember("made of tea", derived_from=[id], access={"agents": ["helper"]}).id
    assert alice.get(made) is None
    receipt = alice.erase(id)
    assert {one for _, one in receipt.items} == {id, made}


def test_an_erased_id_is_not_reused(alice):
    first = alice.remember("likes tea").id
    alice.erase(first)
    assert alice.remember("likes tea").id != first


def test_erasing_nothing_is_a_receipt_for_nothing(alice, events):
    receipt = alice.erase()
    assert (receipt.items, receipt.counts["memories"]) == ((), 0)
    assert events() == []


def test_an_erasure_that_had_to_wait_is_pending_and_then_finished(memory, alice, monkeypatch):
    id = alice.remember("likes tea").id
    store = memory._engine.store

    def broken():
        raise StoreError("a reader holds the log")

    monkeypatch.setattr(store, "scrub", broken)
    receipt = alice.erase(id)
    assert (receipt.state, receipt.pending) == ("pending", "a reader holds the log")
    assert not alice.recall("tea")
    assert not alice.verify_erasure(receipt.id).ok
    monkeypatch.undo()
    assert memory.finish_erasures().finished == (receipt.id,)
    assert alice.verify_erasure(receipt.id).ok


def test_finishing_an_erasure_appends_to_the_system_chain_only(memory, alice, bob, monkeypatch):
    id = alice.remember("likes tea").id
    bob.remember("likes jam")
    monkeypatch.setattr(memory._engine.store, "scrub", lambda: Scrub("a reader holds the log"))
    receipt = alice.erase(id)
    trails = [list(reader.trail.export()) for reader in (alice, bob)]
    memory.finish_erasures()  # still not: nothing has changed, and nothing is on record
    assert not _finishing(memory.as_system())
    monkeypatch.undo()
    assert memory.finish_erasures().finished == (receipt.id,)
    assert [list(reader.trail.export()) for reader in (alice, bob)] == trails
    assert [event["reason"] for event in _finishing(memory.as_system())] == ["erased"]
    assert [event["reason"] for event in _finishing(alice)] == ["erasure_pending"]
    assert memory.trail.verify().ok


def _finishing(reader):
    """What the reader's own trail says of erasures that went on."""
    events = [line["event"] for line in reader.trail.export()]
    return [one for one in events if one["action"] == "finish_erasure" and one["actor"]["id"] == reader.actor.id]


def test_a_completed_erasure_is_recorded_in_the_actors_trail(alice):
    receipt = alice.erase(alice.remember("likes tea").id)
    (event,) = _finishing(alice)
    assert (event["reason"], event["detail"]["receipt"], event["detail"]["pending"]) == ("erased", receipt.id, None)


# -- what was made for other readers ----------------------------------------------------------------------------------

PROJECT = {"project": "apollo"}


@pytest.fixture
def copied(memory):
    """A memory for all in a project, and copies of it: one for carol alone with a correction and a summary, one for
    all, and one for all that was made from carol's."""
    alice, carol = memory.as_user("alice", **PROJECT), memory.as_user("carol", **PROJECT)
    only_carol = {"users": ["carol"]}
    source = alice.remember("quarterstaff for all", space=PROJECT).id
    first = carol.remember("quarterstaff copy", space=PROJECT, derived_from=[source], access=only_carol).id
    second = carol.correct(first, "quarterstaff copied").id
    made = carol.remember("quarterstaff summary", space=PROJECT, derived_from=[second], access=only_carol).id
    seen = carol.remember("halberd for all", space=PROJECT, derived_from=[second]).id
    carol.remember("unrelated words of carol", space=PROJECT, access=only_carol)
    return alice, carol, source, {first, second, made}, seen


def test_erasing_also_erases_copies_of_other_readers_silently(memory, copied, tmp_path):
    alice, carol, source, unseen, seen = copied
    assert len(carol.recall("quarterstaff")) == 3
    rehearsal, steps = alice.erase(source, dry_run=True), []
    receipt = alice.erase(source, progress=lambda done, of: steps.append((done, of)))
    assert everything(carol) == {"halberd for all", "unrelated words of carol"}
    assert b"quarterstaff" not in files(tmp_path)
    assert [id for _, id in rehearsal.items] == [id for _, id in receipt.items] == [source]
    assert (receipt.counts["derived"], receipt.counts["older_versions"], steps) == (0, 0, [(1, 1)])
    assert alice.verify_erasure(receipt.id).ok
    for records in (alice.trail.export(), alice.erasures(), alice.export(), carol.erasures()):
        assert not any(id in whole(list(records)) for id in unseen)
    gone = [line["event"] for line in memory.as_system().trail.export() if line["event"]["item"] in unseen]
    assert {one["item"] for one in gone if (one["action"], one["actor"]["id"]) == ("erase", "system")} == unseen
    assert memory.trail.verify().ok
    assert alice.get(seen).text == "halberd for all"  # what alice can see goes only by what alice can see


def test_forgetting_also_forgets_copies_of_other_readers_silently(memory, copied):
    alice, carol, source, unseen, _ = copied
    assert [item.id for item in alice.forget(source, dry_run=True)] == [source]
    assert len(carol.recall("quarterstaff")) == 3
    assert [item.id for item in alice.forget(source)] == [source]
    assert carol.recall("quarterstaff").texts == []
    assert carol.recall("unrelated").texts == ["unrelated words of carol"]
    assert not any(id in repr(list(alice.trail.export())) for id in unseen)
    assert memory.trail.verify().ok


def test_erasing_a_scope_also_erases_copies_of_other_readers(copied):
    alice, carol, source, _, seen = copied
    receipt = alice.erase(scope=PROJECT)
    assert {id for _, id in receipt.items} == {source, seen}
    assert everything(carol) == {"unrelated words of carol"}


def test_a_crash_leaves_no_copy_behind(memory, copied, monkeypatch):
    alice, carol, source, _, _ = copied

    def crash(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("memfort.operations.ending.removal.remove_unseen", crash)
    with pytest.raises(KeyboardInterrupt):
        alice.erase(source)
    assert "quarterstaff summary" in everything(carol)
    monkeypatch.undo()
    assert len(memory.finish_erasures().finished) == 1
    assert everything(carol) == {"halberd for all", "unrelated words of carol"}


def test_a_receipt_counts_the_index_entries_that_were_there(memory):
    alice = memory.as_user("alice")
    for fields in ({"text": "I live in Rome", "tags": ["home"]}, {"text": "vim", "kind": "profile", "key": "editor"}):
        item = alice.remember(**fields).item
        entry = memory._engine.embedding.entry_of(item)
        keys = 0 if entry.change_keys is None else entry.change_keys.count
        assert alice.erase(item.id).counts["index_entries"] == len(entry.terms) + keys > 0


@pytest.mark.parametrize("verb", ["forget", "erase", "used", "review.approve", "review.reject"])
def test_a_memory_that_is_named_twice_counts_once(memory, alice, verb):
    """By its id twice, and by the beginning of it."""
    waits = verb.startswith("review")
    id = alice.remember("likes tea", confidence=0.1 if waits else 1.0).id
    done = alice.run(TABLE[verb], {"ids": [id, id, id[:12]]})
    assert len(done.items if hasattr(done, "items") else done) == 1
    assert memory.trail.verify().ok
