"""What somebody tries in the first minutes, and what it says."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from memfort import FixedClock, InvalidInput, Memory
from memfort.model.moment import to_datetime


@pytest.mark.parametrize("given", ["x.db", Path("x.db")])
def test_a_path_in_place_of_a_store_says_what_to_write(given: str | Path) -> None:
    with pytest.raises(InvalidInput, match=r"write `Memory\.open\('x\.db'\)`"):
        Memory(given)  # type: ignore[arg-type]


def test_a_fixed_clock_takes_a_datetime() -> None:
    new_year = datetime(2026, 1, 1, tzinfo=UTC)
    clock = FixedClock(new_year)
    assert to_datetime(clock.now()) == new_year
    clock.set("2026-02-01T00:00:00Z")
    assert to_datetime(clock.now()) == datetime(2026, 2, 1, tzinfo=UTC)
    with pytest.raises(InvalidInput, match="the time has no zone"):
        FixedClock(datetime(2026, 1, 1))  # noqa: DTZ001


def test_an_observation_prints_what_became_of_the_messages(memory: Memory) -> None:
    alice = memory.as_user("alice")
    alice.observe(["I live in Hamburg."])
    seen = alice.observe(
        ["I moved to Berlin, not Hamburg.", "My phone number is +49 170 5555555", "password: hunter2!xyz"]
    )
    lines = str(seen).splitlines()
    assert any(line.startswith("learned: ") and "Berlin" in line for line in lines)
    assert "waits for review: My phone number is +49 170 5555555" in lines
    assert sum(line.startswith("refused: it looks like a credential") for line in lines) == 1
    assert len(lines) == len(set(lines))
    answered = alice.observe([{"role": "user", "content": "I like teal."}, {"role": "assistant", "content": "Noted!"}])
    assert str(answered).splitlines() == ["learned: I like teal", "kept as said: 1 message"]
    once = [{"role": "user", "content": "I live in Berlin.", "id": "m1"}]
    alice.observe(once)
    assert str(alice.observe(once)) == "nothing new"
