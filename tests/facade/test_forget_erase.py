"""Forgetting leaves a tombstone; erasing leaves a receipt, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from memfort import NotFound
from memfort.errors import StoreError

STATES = ["approved", "pending", "rejected", "superseded"]


def everything(reader):
    return {item.text for item in reader.list(statuses=STATES, deleted=True, limit=1000)}


def files(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def test_forgetting_leaves_a_tombstone_with_who_when_and_why(alice, clock):
    id = alice.remember("likes tea").id
    clock.advance(5)
    [gone] = alice.forget(id)
    assert (gone.deleted_at, gone.deleted_reason) == (clock.now(), "forgotten")
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


def test_forgetting_takes_along_what_was_made_from_it(alice):
    source = alice.remember("tea with the minister").id
    made = alice.remember("met somebody", derived_from=[source]).id
    assert [item.id for item in alice.forget(source)] == [source, made]
    assert not alice.recall("met somebody tea")


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


def test_progress_is_told(alice):
    ids = [alice.remember(f"tea {number}").id for number in range(5)]
    steps = []
    alice.erase(*ids, progress=lambda done, of: steps.append((done, of)))
    assert steps[-1] == (5, 5)


def test_receipts_are_for_who_asked_and_for_the_system(memory, alice, bob):
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


def test_erasing_what_is_not_yours_is_the_same_as_what_is_not_there(alice, bob):
    id = alice.remember("likes tea").id
    alice.share(user="bob")
    for name in (id, "mem_none"):
        with pytest.raises(NotFound):
            bob.erase(name)
    assert alice.recall("tea").texts == ["likes tea"]


def test_the_system_actor_can_erase_by_id_what_it_cannot_read(memory, alice):
    id = alice.remember("likes tea").id
    system = memory.as_system()
    assert system.get(id) is None
    assert system.erase(id).counts["memories"] == 1
    assert not alice.recall("tea")


def test_a_reader_list_does_not_keep_an_owner_from_erasing(alice):
    id = alice.remember("likes tea").id
    made = alice.remember("made of tea", derived_from=[id], access={"users": ["nobody"]}).id
    receipt = alice.erase(id)
    assert {one for _, one in receipt.items} == {id, made}


def test_an_id_is_not_used_again_after_an_erase(alice):
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
    assert memory.finish_erasures() == [receipt.id]
    assert alice.verify_erasure(receipt.id).ok
