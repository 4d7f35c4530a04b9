"""A memory is encoded once per write: its row and the digest in its event share the bytes."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from memfort.model.item import Item
from memfort.model.serialize import record


class _Counting:
    """The encoder of records, counting how often each memory goes through it."""

    def __init__(self, encoder: Any) -> None:
        self._encoder = encoder
        self.counts: Counter[tuple[str, int]] = Counter()

    def encode(self, item: Item) -> bytes:
        self.counts[item.id, item.version] += 1
        return bytes(self._encoder.encode(item))


@pytest.fixture
def encoded(monkeypatch: pytest.MonkeyPatch) -> Counter[tuple[str, int]]:
    counting = _Counting(record._ENCODER)
    monkeypatch.setattr(record, "_ENCODER", counting)
    return counting.counts


def test_one_statement_is_encoded_once(memory, encoded):
    outcome = memory.as_user("alice").remember("Alice likes green tea")
    assert encoded == {(outcome.id, 1): 1}


def test_every_statement_of_a_batch_is_encoded_once(memory, encoded):
    outcomes = memory.as_user("alice").remember_many([f"Alice has been to town number {n}" for n in range(250)])
    assert encoded == {(one.id, 1): 1 for one in outcomes}
    assert len(encoded) == 250


def test_a_change_is_encoded_once_for_each_version(memory, encoded):
    alice = memory.as_user("alice")
    first = alice.remember("Alice likes green tea")
    alice.correct(first.id, "Alice likes black tea")
    alice.forget(first.id)
    assert set(encoded.values()) == {1}
