"""The store without a file: everything that works on a file works on `:memory:`, until it is closed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memfort import FixedClock, Memory, Policy, StoreError
from memfort.model.moment import Moment
from memfort.testing.messages import messages_of

NOW = Moment(1_767_225_600_000_000)


def first_day(memory: Memory) -> Iterator[Any]:
    """What a newcomer does, and every answer that does not depend on the keys of the store."""
    alice, bob = memory.as_user("alice", project="apollo"), memory.as_user("bob", project="apollo")
    seats = alice.remember("I prefer window seats on trains", type="preference")
    launch = alice.remember("Apollo launches on Friday", space={"project": "apollo"})
    yield seats.item, launch.item
    yield alice.remember("The wifi password is correct-horse-7").decision
    yield [bob.recall("When does Apollo launch? Which seats?").texts, bob.get(seats.id), bob.check("get", id=seats.id)]
    yield alice.context("trains and launches").text
    yield alice.explain(seats.id, viewer=bob).lines
    moved = alice.correct(launch.id, "Apollo launches on Monday")
    yield [bob.recall("When does Apollo launch?").texts, [one.text for one in bob.history(moved.id)]]
    yield [one.item for one in alice.observe(messages_of("My name is Alice. I prefer tea.", "Noted.")).outcomes]
    yield [one.text for one in alice.window()]
    yield alice.share(user="bob").space.to_dict()
    yield bob.recall("window seats").texts
    yield alice.people.add("Carol", listed=True).name
    yield [one.text for one in alice.forget(seats.id)]
    receipt = alice.erase(moved.id)
    yield receipt.state, alice.verify_erasure(receipt.id).ok
    yield [one.text for one in alice.list().items]
    exported = list(alice.export())
    yield len(exported), alice.phase.list(), alice.phase.start("the second day").name
    memory.policy.use(Policy.from_dict({"name": "careful", "approve_confidence": 0.9}))
    yield memory.policy.show(in_use=True).policy == memory.policy.show().policy
    yield alice.remember("perhaps it rains", confidence=0.7).item
    yield [len(alice.review.list()), memory.store.gc(), memory.store.reindex(), memory.store.reembed().left]
    yield (
        memory.trail.verify().ok,
        memory.as_system().doctor(checks=["integrity"]).problems,
        memory.trail.checkpoint().checkpoints != [],
        alice.doctor().ok,
    )


def test_an_in_memory_store_behaves_like_a_file(tmp_path: Path) -> None:
    days = []
    for path in (":memory:", tmp_path / "memory.db"):
        with Memory.open(path, clock=FixedClock(NOW)) as memory:
            days.append(list(first_day(memory)))
    in_memory, on_file = days
    assert in_memory == on_file
    assert "Apollo launches on Friday" in in_memory[2][0]


def test_an_in_memory_store_makes_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for path in (":memory:", Path(":memory:")):
        with Memory.open(path) as memory:
            assert memory.as_user("alice").remember("I like tea").id
            assert memory.store.info().file == ":memory:"
    assert list(tmp_path.iterdir()) == []
    Memory.open("memory.db").close()
    assert list(tmp_path.iterdir()) != []


def test_an_in_memory_store_is_gone_when_closed() -> None:
    with Memory.open(":memory:") as memory:
        alice = memory.as_user("alice")
        alice.remember("I like tea")
        assert alice.recall("tea").texts == ["I like tea"]
    with pytest.raises(StoreError, match="closed"):
        alice.recall("tea")
    with pytest.raises(StoreError, match="closed"):
        alice.remember("I like jam")
    with Memory.open(":memory:") as another:
        assert another.as_user("alice").list().items == ()


def test_two_that_are_open_share_nothing_not_even_keys() -> None:
    with Memory.open(":memory:") as one, Memory.open(":memory:") as other:
        one.as_user("alice").remember("I like tea")
        assert len(one.as_user("alice").recall("tea")) == 1
        assert len(other.as_user("alice").recall("tea")) == 0
        assert one._engine.store.keys.fingerprint != other._engine.store.keys.fingerprint


def test_where_memories_are_kept_has_to_be_said() -> None:
    with pytest.raises(TypeError, match="path"):
        Memory.open()  # type: ignore[call-arg]
