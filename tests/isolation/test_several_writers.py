"""Several threads, or several processes, write to different spaces of one store at once, and each is told the same
bytes as if it were alone: what a write counts, numbers and holds back belongs to that write."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
from tests.generated import Seeds, half_fresh
from tests.isolation.several_writers import STEPS, first_difference, opened, play

from memfort.client import Memory
from memfort.policy.sight import maintenance_sight
from memfort.store.memory import MemoryStore
from memfort.store.port import Store
from memfort.store.sqlite import SqliteStore
from memfort.testing import REFERENCE_KEYS

WRITERS = 4
ROOT = Path(__file__).parents[2]
PATIENCE_SECONDS = 300


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "m.db"


def alone(stories: list[int]) -> tuple[dict[int, list[str]], dict[str, list[tuple[str, bytes]]]]:
    """What the oracle answers to each story, played one after the other, and what it holds then."""
    memory, clock = opened(MemoryStore(REFERENCE_KEYS))
    with memory:
        answers = {story: play(memory, clock, story) for story in stories}
        return answers, contents(memory)


def contents(memory: Memory) -> dict[str, list[tuple[str, bytes]]]:
    """Every record of every space."""
    store: Store = memory._engine.store
    return {str(space): sorted(store.records(maintenance_sight([space]))) for space in store.spaces()}


def check(path: Path, stories: list[int], answers: dict[int, list[str]]) -> None:
    expected, held = alone(stories)
    for story in stories:
        for number, (found, wanted) in enumerate(zip(answers[story], expected[story], strict=True)):
            assert found == wanted, f"story {story}, answer {number}: {first_difference(found, wanted)}"
        assert len(answers[story]) > STEPS
    assert any("likes tea" in one or "like tea" in one for story in answers.values() for one in story)
    with Memory(SqliteStore(path, keys=REFERENCE_KEYS, ballast_bytes=0)) as memory:
        assert contents(memory) == held
        assert sum(map(len, held.values())) > WRITERS * 4
        assert memory.trail.verify().ok
        assert list(memory._engine.store.checkup()) == []


def stories(seeds: Seeds) -> Iterator[list[int]]:
    for seed in seeds:
        yield [seed * WRITERS + number for number in range(WRITERS)]


@pytest.mark.parametrize("seeds", half_fresh(4, 40, first=500))
def test_four_threads_are_told_what_each_would_be_told_alone(seeds: Seeds, path: Path) -> None:
    for number, told in enumerate(stories(seeds)):
        place = path.with_name(f"{number}.db")
        memory, clock = opened(SqliteStore(place, keys=REFERENCE_KEYS, ballast_bytes=0, wait_seconds=PATIENCE_SECONDS))
        start = Barrier(WRITERS)

        def write(story: int, memory=memory, clock=clock, start=start) -> list[str]:
            start.wait(PATIENCE_SECONDS)
            return play(memory, clock, story)

        with memory, ThreadPoolExecutor(WRITERS) as pool:
            answers = dict(zip(told, pool.map(write, told), strict=True))
        check(place, told, answers)


@pytest.mark.parametrize("seeds", half_fresh(2, 20, first=900))
def test_four_processes_are_told_what_each_would_be_told_alone(seeds: Seeds, path: Path) -> None:
    for number, told in enumerate(stories(seeds)):
        place = path.with_name(f"{number}.db")
        SqliteStore(place, keys=REFERENCE_KEYS, ballast_bytes=0).close()
        command = [sys.executable, "-m", "tests.isolation.several_writers", str(place)]
        running = [
            subprocess.Popen([*command, str(story)], stdout=subprocess.PIPE, text=True, cwd=ROOT) for story in told
        ]
        until = time.monotonic() + PATIENCE_SECONDS
        while not all(place.with_name(f"{place.name}.ready{story}").exists() for story in told):
            assert time.monotonic() < until
            time.sleep(0.01)
        place.with_name(f"{place.name}.go").touch()
        answers = {story: json.loads(one.communicate()[0]) for story, one in zip(told, running, strict=True)}
        assert [one.returncode for one in running] == [0] * WRITERS
        check(place, told, answers)
