"""Every version opens what an earlier one wrote, and everything in it is still there."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.store.kept_stores import kept_stores, number_of, unpack, write

from memfort import FixedClock, Memory
from memfort.client import BoundMemory
from memfort.model.item import Status
from memfort.model.moment import Moment
from memfort.store.sqlite.migrate import shipped_migrations

LATER = Moment(1_767_225_600_000_000 + 3_600_000_000)
MOST_BYTES = 100_000  # of a file that is kept for good


def check(path: Path) -> None:
    with Memory.open(path, clock=FixedClock(LATER), classifier="none", judge="on_demand") as memory:
        assert [problem for what, problem in memory._engine.store.checkup() if what != "permissions"] == []
        assert memory.trail.verify().ok
        alice, bob = memory.as_user("alice", project="apollo"), memory.as_user("bob")
        assert alice.recall("what tea do I like?").texts[0] == "I like black tea"
        assert [one.text for one in alice.list(keys=["city"])] == ["Zurich"]
        assert "I play the cello" in texts(bob)
        assert {"I play the cello"}.isdisjoint(texts(alice))
        assert "I like black tea" in texts(bob)  # it was shared
        assert not any("xylophones" in text or "door" in text for text in texts(alice))
        assert "Apollo has landed" in texts(alice)
        assert [one.status for one in alice.list(statuses=["rejected"], limit=100)] == [Status.REJECTED]
        new = alice.remember("I like white tea too")
        assert new.kept
        alice.erase(new.id)
        assert memory.store.reindex().memories > 5
        assert memory.trail.verify().ok


def texts(bound: BoundMemory) -> list[str]:
    return [one.text for one in bound.list(limit=100)]


@pytest.mark.parametrize("kept", kept_stores(), ids=lambda kept: kept.stem)
def test_a_store_of_an_earlier_version_has_everything(kept: Path, tmp_path: Path) -> None:
    check(unpack(kept, tmp_path))
    assert kept.stat().st_size < MOST_BYTES


def test_a_store_of_this_version_has_everything(tmp_path: Path) -> None:
    write(tmp_path / "memory.db")
    check(tmp_path / "memory.db")


def test_one_is_kept_of_the_present_format() -> None:
    """Who adds a migration writes another: `python -m tests.store.kept_stores`."""
    assert shipped_migrations()[-1].number in map(number_of, kept_stores())
