"""A store whose records an earlier version wrote: every field in each, in the order of the alphabet. It is read as it
is, its trail goes on fitting it, and what is changed is written as it is now."""

from __future__ import annotations

import json

import pytest

from memfort import Memory, Policy
from memfort.embed.words import WordEmbedder
from memfort.engine import recorder
from memfort.model.serialize.encoding import canonical_json
from memfort.model.serialize.record import item_to_dict
from memfort.operations.upkeep.rekey import renew_key
from memfort.policy.sight import maintenance_sight
from memfort.store.sql import rows
from memfort.store.sqlite import SqliteStore


class Another(WordEmbedder):
    """One whose vectors are not those that are there."""

    name = "another"


@pytest.fixture
def path(tmp_path, clock, monkeypatch):
    with monkeypatch.context() as patched:
        for module in (recorder, rows):
            patched.setattr(module, "item_record", lambda item: canonical_json(item_to_dict(item)))
        with opened(tmp_path / "memory.db", clock) as memory:
            alice = memory.as_user("alice")
            alice.remember("I prefer green tea", tags=["home"], ttl_seconds=10**6)
            alice.correct(alice.remember("The kettle is red").id, "The kettle is blue")
            alice.remember("Bob likes coffee", subjects=["@bob"], access={"users": ["alice"]})
            alice.forget(alice.remember("Meetings are on Tuesday").id)
    return tmp_path / "memory.db"


def opened(path, clock, **options):
    return Memory(SqliteStore(path, ballast_bytes=0), clock=clock, **options)


def records(memory):
    store = memory._engine.store
    found = [store.records(maintenance_sight([space])) for space in store.spaces()]
    return {id: json.loads(record) for one in found for id, record in one}


def is_sound(memory):
    return (memory.trail.verify().broken, memory.as_system().doctor(checks=["integrity"]).problems) == ((), [])


def are_earlier(found):
    return all(list(one) == sorted(one) and {"uses", "key", "readers"} <= one.keys() for one in found.values())


def test_earlier_records_are_read_unchanged(path, clock):
    with opened(path, clock) as memory:
        assert are_earlier(records(memory))
        alice = memory.as_user("alice")
        assert alice.recall("green tea").texts[:1] == ["I prefer green tea"]
        assert sorted(item.text for item in alice.list()) == [
            "Bob likes coffee", "I prefer green tea", "The kettle is blue",
        ]  # fmt: skip
        assert is_sound(memory)


def test_reindexing_keeps_the_bytes_the_trail_knows(path, clock):
    with opened(path, clock) as memory:
        before = records(memory)
        memory.store.reindex()
        assert records(memory) == before
        assert is_sound(memory)
    with opened(path, clock, embedder=Another()) as memory:
        assert memory.store.reembed().done == 3
        assert are_earlier(records(memory))
        assert is_sound(memory)
        assert memory.as_user("alice").recall("green tea").warnings == ()


def test_a_changed_record_is_written_in_the_current_format(path, clock):
    with opened(path, clock) as memory:
        alice = memory.as_user("alice")
        tea = alice.recall("green tea").hits[0]
        alice.used(tea.id)
        found = records(memory)
        assert (found[tea.id]["uses"], "key" in found.pop(tea.id)) == (1, False)
        assert are_earlier(found)
        assert is_sound(memory)


def test_a_new_key_writes_all_of_them_as_they_are_now(path, clock):
    (path.parent / f"{path.name}.key").unlink()
    renew_key(path, policy=Policy(), surface="python")
    with opened(path, clock) as memory:
        assert not any("approvals" in one for one in records(memory).values())
        assert is_sound(memory)
