"""No change without its event, in the same transaction, whatever the verb."""

from __future__ import annotations

import json

import pytest

from memfort.store.port import Erase, Insert, PutErasure, PutSource, Scrub, Update


@pytest.fixture
def applied(memory, monkeypatch):
    """Every (changes, events) that the store was given."""
    store, seen = memory._engine.store, []
    original = store.apply

    def apply(changes, events):
        seen.append((list(changes), list(events)))
        original(changes, events)

    monkeypatch.setattr(store, "apply", apply)
    return seen


def test_every_change_has_its_event(memory, alice, applied, exported, open_memory, monkeypatch):
    row = json.dumps({"user_id": "alice", "kind": "note", "content": "mail bob@example.org"}).encode()
    moved = open_memory().as_user("alice")
    moved.import_(row)
    moved.review.approve(*[entry.item.id for entry in moved.review.list()])
    alice.import_(exported(moved))
    first = alice.remember("likes tea").id
    alice.forget(alice.correct(first, "likes coffee").id)
    alice.review.reject(alice.remember("likes ink", confidence=0.1).id)
    alice.revoke(alice.share(user="bob").id)
    monkeypatch.setattr(memory._engine.store, "scrub", lambda: Scrub("not now"))
    alice.erase(first)
    alice.erase(source=alice.sources()[0].id)
    monkeypatch.delattr(memory._engine.store, "scrub")
    assert len(memory.finish_erasures().finished) == 2
    assert [changes for changes, events in applied if changes and not events] == []
    kinds = {type(change) for changes, _ in applied for change in changes}
    assert {Insert, Update, Erase, PutErasure, PutSource} <= kinds
