"""Importance as a feature: of two memories that are alike the more important ranks first."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from memfort import FixedClock, Memory
from memfort.engine.indexing.embedding import Embedding
from memfort.model.moment import Moment
from memfort.recall.packed_weight import pack_weight, unpack_importance, unpack_use
from memfort.store.memory import MemoryStore


@pytest.fixture
def alice():
    return Memory(MemoryStore(), clock=FixedClock(Moment(1_767_225_600_000_000))).as_user("alice")


@pytest.mark.parametrize("heavier", ["blue tea pot in the hall", "blue tea pot in the shed"])
def test_of_two_equal_hits_the_more_important_ranks_first(alice, heavier):
    for text in ("blue tea pot in the hall", "blue tea pot in the shed"):
        alice.remember(text, importance=9 if text == heavier else 1)
    first, second = alice.recall("blue tea pot")
    assert first.text == heavier
    assert first.features["importance"] > second.features["importance"] > 0


def test_a_better_answer_outweighs_importance(alice):
    alice.remember("the tea pot is blue", importance=0)
    alice.remember("tea is on the list", importance=10)
    assert alice.recall("which colour has the tea pot").texts[0] == "the tea pot is blue"


def test_importance_and_uses_are_packed_above_the_traits():
    for importance, expected in ((-3.0, 0.0), (0.0, 0.0), (2.5, 0.25), (10.0, 1.0), (1e9, 1.0)):
        for uses, kept in ((0, 0), (1, 1), (15, 15), (99, 15)):
            packed = pack_weight(importance, uses)
            assert unpack_importance(packed) == pytest.approx(expected, abs=0.003)
            assert unpack_use(packed) == pytest.approx(kept / (kept + 2))
            assert packed & 255 == 0
            assert packed >> 20 == 0


def test_a_disclosed_memory_does_not_show_its_importance(alice):
    item = alice.remember("Bob likes tea", importance=7).item
    item = replace(item, subjects=("user:bob",), portable=True, learned_in="lobby")
    entries = [Embedding().disclosed_entry_of(replace(item, importance=one)) for one in (1, 7)]
    assert entries[0] == entries[1] is not None
    own = [Embedding().entry_of(replace(item, importance=one)) for one in (1, 7)]
    assert own[0] != own[1]
