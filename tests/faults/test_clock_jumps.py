"""Retention is exact whatever the clock does: nothing served past its limit, removed early, or brought back (F10)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from fault_support import count, everything, seeded, sentence, sound, start_worker

from memfort import Memory
from memfort.clock import FixedClock
from memfort.model.moment import Moment
from memfort.store.sqlite import SqliteStore

SECOND = 1_000_000
TEN_YEARS = 3653 * 86_400 * SECOND
START = Moment(1_800_000_000 * SECOND)


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(START)


@pytest.fixture
def memory(tmp_path: Path, clock: FixedClock) -> Iterator[Memory]:
    with Memory(SqliteStore(tmp_path / "memory.db", ballast_bytes=0), clock=clock) as opened:
        yield opened


def test_random_jumps_of_ten_years_serve_nothing_late_and_remove_nothing_early(tmp_path: Path) -> None:
    served = withheld = returns = 0
    for sequence in range(count(6)):
        rng = seeded("clock", sequence)
        clock = FixedClock(START)
        memory = Memory(SqliteStore(tmp_path / f"{sequence}.db", ballast_bytes=0), clock=clock)
        alice = memory.as_user("alice")
        limits: dict[str, int | None] = {}
        gone: set[str] = set()
        for _ in range(40):
            jump = rng.choice([TEN_YEARS, -TEN_YEARS, 3600 * SECOND, -3600 * SECOND, SECOND, -1, 1, 0])
            clock.set(Moment(max(START - 2 * TEN_YEARS, clock.now() + jump)))
            ttl = rng.choice([None, 1, 3600, 86_400 * 365, 86_400 * 3653, 86_400 * 3653 * 2])
            item = alice.remember(sentence(rng, 4), ttl_seconds=ttl, status="approved").item
            limits[item.id] = item.expires_at_us
            now = clock.now()
            if rng.random() < 0.2:
                memory.store.gc()
            found = {hit.id for hit in alice.recall("note", limit=1000)}
            due = {id for id, limit in limits.items() if limit is not None and limit <= now}
            assert found == limits.keys() - due - gone
            gone |= due
            listed = [item.id for item in alice.list(limit=1000)]
            assert set(listed) == found
            assert all((alice.get(id) is not None) == (id in found) for id in limits)
            served, withheld = served + len(found), withheld + len(limits) - len(found)
            returns += sum(limit is not None and limit > now for id, limit in limits.items() if id in gone)
        stored = everything(memory, "alice")
        assert stored.keys() == limits.keys(), "what has expired is retired, not lost"
        assert len({(item.number, item.subjects) for item in stored.values()}) == len(stored), (
            "each has a number of its own"
        )
        dates = [item.created_at_us for item in alice.list(limit=1000)]
        assert dates == sorted(dates, reverse=True)
        sound(memory)
        memory.close()
    print(f"{count(6)} sequences: {served} served, {withheld} withheld, {returns} kept from returning")
    assert served > 0
    assert withheld > 0
    assert returns > 0, "the clock never stepped back behind a limit, so nothing was tried"


def test_nothing_is_served_at_the_very_instant_of_its_limit(memory: Memory, clock: FixedClock) -> None:
    alice = memory.as_user("alice")
    item = alice.remember("note of the very instant", ttl_seconds=10).item
    clock.set(Moment(item.expires_at_us - 1))
    assert alice.recall("instant").texts == ["note of the very instant"]
    assert alice.get(item.id) is not None
    clock.set(item.expires_at_us)
    assert alice.get(item.id) is None
    assert not alice.recall("instant")
    assert alice.list().items == ()


def test_a_late_sweep_retires_only_due_memories(memory: Memory, clock: FixedClock) -> None:
    alice = memory.as_user("alice")
    alice.remember("note due in a year", ttl_seconds=86_400 * 365)
    alice.remember("note due in twenty years", ttl_seconds=86_400 * 365 * 20)
    clock.set(Moment(START + TEN_YEARS))
    assert memory.store.gc().expired == 1
    clock.set(Moment(START - TEN_YEARS))
    assert memory.store.gc().expired == 0
    assert [item.text for item in alice.list()] == ["note due in twenty years"]
    sound(memory)


@pytest.mark.parametrize("seen_by", ["recall", "sweep", "get", "list"])
def test_once_seen_as_expired_it_never_comes_back(memory: Memory, clock: FixedClock, seen_by: str) -> None:
    alice = memory.as_user("alice")
    item = alice.remember("note that has its day", ttl_seconds=3600).item
    alice.remember("note that stays")
    clock.set(Moment(START + TEN_YEARS))
    match seen_by:
        case "recall":
            assert alice.recall("day").texts == []
        case "sweep":
            assert memory.store.gc().expired == 1
        case "get":
            assert alice.get(item.id) is None
        case "list":
            assert [one.text for one in alice.list()] == ["note that stays"]
    clock.set(START)
    assert alice.recall("day").texts == []
    assert alice.get(item.id) is None
    assert [one.text for one in alice.list()] == ["note that stays"]


def test_a_running_process_lives_through_the_jumps(tmp_path: Path) -> None:
    offset, until = tmp_path / "offset", tmp_path / "until"
    offset.write_text("0")
    settings = {"offset": str(offset), "until": str(until), "seed": "jumps"}
    worker = start_worker("live_through_jumps", tmp_path / "memory.db", tmp_path / "notes", **settings)
    worker.wait_until("ready")
    for jump in [0, TEN_YEARS, 0, -TEN_YEARS, TEN_YEARS, -TEN_YEARS, 0] * max(1, count(1) // 10):
        new = tmp_path / "offset.new"
        new.write_text(str(jump))
        new.replace(offset)
        time.sleep(0.25)
    until.touch()
    report = {key: value for note in worker.finish() for key, value in note.items()}
    print(report)
    assert report["problems"] == []
    assert report["served"] > 0
    assert report["expired"] > 0
    assert report["trail"]
    assert report["checkup"] == []
