"""Relearning that is killed, and goes on where it stopped."""

from __future__ import annotations

import time
from pathlib import Path

from fault_support import count, reopened, seeded, sound, start_worker
from msgspec.structs import replace

from memfort.capture.extraction import Extraction
from memfort.model.item import Kind
from memfort.operations.capture import statements

CITIES = ("Lisbon", "Oslo", "Porto", "Ghent", "Lyon", "Turin", "Graz", "Brno", "Lund", "Cork")


def filled(path: Path, size: int) -> list[str]:
    """A store whose statements an older extractor made; returns what today's rules make of the turns."""
    today, said = statements.extract, [f"I work at station {n} in {CITIES[n % 10]}" for n in range(size)]

    def older(turns, before=()):
        found = [one for one in today(turns, before).proposals if "Oslo" not in one.text]
        return Extraction(tuple(replace(one, text=one.text.replace("station", "depot")) for one in found))

    statements.extract = older
    try:
        with reopened(path) as memory:
            memory.as_user("alice").observe([{"role": "user", "content": one, "id": one} for one in said])
    finally:
        statements.extract = today
    return sorted(said)


def stated(memory) -> list[str]:
    found = memory.as_user("alice").list(limit=1000)
    return sorted(item.text for item in found if item.kind is Kind.SEMANTIC)


def test_killed_at_any_point_and_started_again_it_ends_as_if_nothing_had_happened(tmp_path: Path) -> None:
    cut_short = 0
    for round in range(max(2, count(8) // 4)):
        rng, path = seeded("killed relearn", round), tmp_path / f"{round}" / "memory.db"
        wanted = filled(path, 60)
        with reopened(path) as memory:
            assert stated(memory) != wanted
        worker = start_worker("relearn", path, tmp_path / f"notes-{round}", batch=rng.choice([1, 4]))
        worker.wait_until("progress")
        time.sleep(rng.uniform(0, 0.1))
        worker.kill()
        with reopened(path) as memory:
            sound(memory)
            half = stated(memory)
            assert len(half) == len(set(half))
            cut_short += any("depot" in one for one in half) and any("station" in one for one in half)
        worker = start_worker("relearn", path, tmp_path / f"notes-{round}-last", batch=16)
        assert worker.finish()[-1] == {"relearned": True}
        with reopened(path) as memory:
            assert stated(memory) == wanted
            assert not memory.store.relearn()
            sound(memory)
    assert cut_short > 0, "no kill fell into the middle"
