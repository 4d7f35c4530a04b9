"""Two stores, one history: the dict store is the oracle, and SQLite must tell every party the same bytes."""

from __future__ import annotations

import re

import pytest
from tests.generated import Seeds, half_fresh

from memfort.client import Memory
from memfort.policy.sight import maintenance_sight
from memfort.testing.histories import OpenMemory, Transcript
from memfort.testing.playback import play
from memfort.testing.purge import compare_transcripts, shrink
from memfort.testing.space_histories import generate_history

# What a scrub did to a file, which only a store with a file can say, and only in a receipt.
_FIGURES = re.compile(rb', "(?:log_bytes_left|unused_bytes_left|unused_bytes_overwritten)": \d+')


@pytest.mark.parametrize("seeds", half_fresh(24, 300, first=2_000_000))  # others than the purge test plays
def test_dicts_and_sqlite_answer_the_same(seeds: Seeds, on_dict: OpenMemory, on_sqlite: OpenMemory) -> None:
    """And of every second history, the trail replays to the state of the store: on dicts and on SQLite in turn."""
    memories = 0

    def replays(memory: Memory) -> None:
        nonlocal memories
        store, found = memory._engine.store, memory.trail.verify()
        assert found.ok, found.broken
        memories += sum(len(list(store.records(maintenance_sight([space])))) for space in store.spaces())

    for number, seed in enumerate(seeds):
        history = generate_history(seed)
        left = play(history, on_dict, on_end=replays if number % 4 == 0 else None)
        right = play(history, on_sqlite, on_end=replays if number % 4 == 2 else None)
        if _difference(left, right) is not None:
            small = shrink(history, lambda one: _difference(play(one, on_dict), play(one, on_sqlite)) is not None)
            found = _difference(play(small, on_dict), play(small, on_sqlite))
            pytest.fail(f"the stores differ\n{small}\n\n{found}")
    assert memories, "nothing was remembered that could be replayed"


def _difference(left: dict[str, Transcript], right: dict[str, Transcript]) -> str | None:
    assert left.keys() == right.keys()
    left, right = _without_figures(left), _without_figures(right)
    return next((str(found) for party in left if (found := compare_transcripts(left, right, party)) is not None), None)


def _without_figures(transcripts: dict[str, Transcript]) -> dict[str, Transcript]:
    return {party: [(step, _FIGURES.sub(b"", answer)) for step, answer in said] for party, said in transcripts.items()}
