"""Upkeep is in the trail like everything else that writes, and what has nothing to do writes nothing."""

from __future__ import annotations

import apsw
import pytest

from memfort import Memory, Policy
from memfort.operations.upkeep.rekey import renew_key
from memfort.store.sqlite import SqliteStore


def length(memory):
    return sum(length for _, length, _ in memory._engine.store.chains())


def upkeep(events):
    return [(one["action"], one["reason"], one["detail"]) for one in events() if one["actor"]["kind"] == "system"]


def test_reindexing_is_recorded(memory, alice, events):
    alice.remember("likes tea")
    assert memory.store.reindex().memories == 1
    assert upkeep(events) == [("reindex", "indexed", {"memories": 1})]
    assert memory.trail.verify().ok
    assert alice.recall("tea").texts == ["likes tea"]


def test_signing_is_on_record_and_covers_its_own_event(memory, alice, events):
    alice.remember("likes tea")
    anchors = memory.trail.checkpoint()
    assert {(one.chain.kind, one.number) for one in anchors.checkpoints} == {("space", 1), ("directory", 1)}
    assert memory.trail.verify(anchors=anchors).unanchored == 0
    assert upkeep(events) == [("checkpoint", "signed", {"chains": 1})]


def test_signing_with_nothing_new_writes_nothing(memory, alice):
    alice.remember("likes tea")
    first, before = memory.trail.checkpoint(), length(memory)
    assert memory.trail.checkpoint() == first
    assert length(memory) == before
    alice.remember("likes jam")
    assert memory.trail.checkpoint() != first
    assert length(memory) == before + 2


def test_signing_an_empty_store_writes_nothing(memory):
    assert memory.trail.checkpoint().checkpoints == ()
    assert length(memory) == 0


def test_a_sound_store_has_nothing_to_quarantine(memory, alice):
    alice.remember("likes tea")
    before = length(memory)
    assert memory.store.quarantine() == []
    assert length(memory) == before


@pytest.fixture
def path(tmp_path):
    return tmp_path / "memory.db"


def opened(path, clock):
    return Memory(SqliteStore(path, ballast_bytes=0), clock=clock)


@pytest.mark.parametrize("damage", ["record = 'x'", "space = 999"])
def test_a_quarantine_names_the_removed_memories(path, clock, damage):
    with opened(path, clock) as memory:
        id = memory.as_user("alice").remember("likes tea").id
        raw = apsw.Connection(str(path))
        raw.execute(f"update item set {damage}")
        assert memory.store.quarantine() == [id]
        assert raw.execute("select count(*) from entry").get == 0
        raw.close()
        events = [
            line["event"] for line in memory.as_system().trail.export() if line["event"]["action"] == "quarantine"
        ]
        assert [(one["reason"], one["detail"]) for one in events] == [("corrupt", {"memories": [id]})]


# -- a new key --------------------------------------------------------------------------------------------------------


def test_a_new_key_and_its_resealed_records_are_recorded_at_once(path, clock):
    with opened(path, clock) as memory:
        alice = memory.as_user("alice")
        alice.remember("likes tea")
        alice.review.reject(alice.remember("likes ink", confidence=0.1).id)
        alice.import_(b'[{"user_id": "alice", "kind": "note", "content": "likes jam"}]')
        alice.erase(alice.remember("erased").id)
        alice.share(user="bob")
        memory.member.add({"project": "apollo"}, user="alice")
        sources, receipts = alice.sources(), alice.erasures()
    path.with_name("memory.db.key").unlink()
    assert renew_key(path, policy=Policy(), surface="cli") == 3
    with opened(path, clock) as memory:
        alice = memory.as_user("alice")
        assert memory.as_system().doctor(checks=["integrity"]).problems == []
        found = memory.trail.verify()
        assert (found.ok, found.unanchored) == (True, 0)
        assert (alice.sources(), alice.erasures()) == (sources, receipts)
        assert alice.recall("tea").texts == ["likes tea"]
        events = [
            line["event"]["item"] for line in memory.as_system().trail.export() if line["event"]["action"] == "new_key"
        ]
        assert (len(events), events.count(None)) == (4, 1)


def test_a_new_key_does_not_make_damage_sound(path, clock):
    with opened(path, clock) as memory:
        alice = memory.as_user("alice")
        id = alice.remember("likes tea").id
        alice.remember("likes jam")
    raw = apsw.Connection(str(path))
    raw.execute("update item set record = replace(record, 'likes tea', 'hates tea')")
    raw.close()
    path.with_name("memory.db.key").unlink()
    renew_key(path, policy=Policy(), surface="cli")
    with opened(path, clock) as memory:
        assert [item.text for item in memory.as_user("alice").list().items] == ["likes jam"]
        assert any(
            what == "rows" and id in problem
            for what, problem in memory.as_system().doctor(checks=["integrity"]).problems
        )
