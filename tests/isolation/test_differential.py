"""Two stores, one history: the dict store is the oracle, and SQLite must tell every party the same bytes."""

from __future__ import annotations

import re

import pytest

from memfort.memory import Memory
from memfort.policy.sight import maintenance_sight
from memfort.testing.histories import History, OpenMemory, Transcript, compared, how_many, play, shrunk
from memfort.testing.storyteller import generate

COUNT, CHUNKS = how_many(300), 4
FIRST = 2_000_000  # other histories than the purge test plays
# What a scrub did to a file, which only a store with a file can say, and only in a receipt.
_FIGURES = re.compile(rb', "(?:log_bytes_left|unused_bytes_left|unused_bytes_overwritten)": \d+')


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_dicts_and_sqlite_tell_the_same(chunk: int, on_dict: OpenMemory, on_sqlite: OpenMemory) -> None:
    for seed in range(FIRST + chunk, FIRST + COUNT, CHUNKS):
        history = generate(seed)
        if _difference(history, on_dict, on_sqlite) is not None:
            small = shrunk(history, lambda one: _difference(one, on_dict, on_sqlite) is not None)
            pytest.fail(f"the stores differ\n{small}\n\n{_difference(small, on_dict, on_sqlite)}")


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_the_trail_replays_to_the_state_of_the_store(chunk: int, on_dict: OpenMemory, on_sqlite: OpenMemory) -> None:
    memories = 0

    def replays(memory: Memory) -> None:
        nonlocal memories
        store, found = memory._engine.store, memory.audit_verify()
        assert found.ok, found.broken
        memories += sum(len(list(store.records(maintenance_sight([space])))) for space in store.spaces())

    seeds = range(FIRST + chunk, FIRST + max(COUNT // 2, CHUNKS), CHUNKS)
    for number, seed in enumerate(seeds):
        play(generate(seed), on_dict if number % 2 else on_sqlite, at_the_end=replays)
    assert memories, "nothing was remembered that could be replayed"


def _difference(history: History, on_dict: OpenMemory, on_sqlite: OpenMemory) -> str | None:
    left, right = play(history, on_dict), play(history, on_sqlite)
    assert left.keys() == right.keys()
    for party in left:
        found = compared(_without_figures(left), _without_figures(right), party)
        if found is not None:
            return str(found)
    return None


def _without_figures(told: dict[str, Transcript]) -> dict[str, Transcript]:
    return {party: [(step, _FIGURES.sub(b"", answer)) for step, answer in said] for party, said in told.items()}
