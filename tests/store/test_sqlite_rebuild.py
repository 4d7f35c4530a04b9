"""Whatever has happened, the index is what the memories themselves make of it: a rebuild and a new key change nothing
that can be read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.generated import Seeds, half_fresh

from memfort.client import Memory
from memfort.clock import FixedClock
from memfort.operations.upkeep.rekey import renew_key
from memfort.store.sqlite import SqliteStore
from memfort.testing.chat_histories import generate_chat_history
from memfort.testing.histories import START, History, World
from memfort.testing.playback import canonical_json, play
from memfort.testing.space_histories import generate_history
from memfort.testing.space_histories.cast import BEA, CLEO

STORIES = half_fresh(8, 24, first=4_000_000)  # others than are played elsewhere
# Every table derived from the memories, without the stamps: a rebuilt index has new ones.
TABLES = {
    "entry": "select partition_group, item, partition, length, expires_at, terms, counts, change_keys from entry",
    "said": "select partition_group, item, speaker, day, in_talk, traits, vector from entry",
    "change_key": "select * from change_key",
    "subject": "select person, id, item, disclosed_partition, disclosed_stamp > 0, expires_at from subject",
    "disclosed_partition": "select distinct s.* from disclosed_partition as s"
    " join subject on subject.disclosed_partition = s.no",
    "tick_expiry": "select * from tick_expiry",
    "partition": "select * from partition",
    "author_sequence": "select * from author_sequence",
}
ROOMS: tuple[dict[str, str], ...] = ({}, {"chat": "team"}, {"chat": "dm"}, {"project": "apollo"}, {"chat": "den"})


@pytest.mark.parametrize("tell", [generate_chat_history, generate_history], ids=["chats", "spaces"])
@pytest.mark.parametrize("seeds", STORIES)
def test_reindexing_changes_nothing(tell: Callable[[int], History], seeds: Seeds, tmp_path: Path) -> None:
    entries = dict.fromkeys(TABLES, 0)

    def is_as_rebuilt(memory: Memory) -> None:
        before = _tables(memory)
        assert memory._engine.store.checkup() == []
        memory.store.reindex()
        assert _tables(memory) == before
        assert memory._engine.store.checkup() == []
        for table, rows in before.items():
            entries[table] += len(rows)

    for seed in seeds:
        play(tell(seed), lambda world, clock, seed=seed: _opened(tmp_path / f"{seed}.db", world, clock), is_as_rebuilt)
    kept = set(TABLES) - ({"disclosed_partition"} if tell is generate_history else set())
    found = {table for table, count in entries.items() if count}
    assert found >= kept or not seeds.show_everything, "nothing was there to be rebuilt"


@pytest.mark.parametrize("seeds", STORIES)
def test_renewing_the_key_changes_nothing_that_chats_are_shown(seeds: Seeds, tmp_path: Path) -> None:
    about_people = 0
    for seed in seeds:
        story, path = generate_chat_history(seed), tmp_path / f"{seed}.db"
        play(story, lambda world, clock, path=path: _opened(path, world, clock))
        with _opened(path, story.world, FixedClock(START)) as memory:
            before = _answers(memory)
        Path(f"{path}.key").unlink()
        renew_key(path, policy=story.world.policy, surface="test")
        with _opened(path, story.world, FixedClock(START)) as memory:
            assert _answers(memory) == before
            assert memory._engine.store.checkup() == []
        about_people += sum(b'"about_me"' in answer for answer in before)
    assert about_people or not seeds.show_everything, "nothing was disclosed about anyone"


def _opened(path: Path, world: World, clock: FixedClock) -> Memory:
    store = SqliteStore(path, ballast_bytes=0)
    return Memory(store, policy=world.policy, clock=clock, memberships=world.memberships)


def _tables(memory: Memory) -> dict[str, list[Any]]:
    store = memory._engine.store
    assert isinstance(store, SqliteStore)
    return {table: sorted(store._connection.raw.execute(query), key=repr) for table, query in TABLES.items()}


def _answers(memory: Memory) -> list[bytes]:
    """What two users get in their chats: scores and all, without the trace ids."""
    answers = []
    for user in (BEA, CLEO):
        for listeners in ROOMS:
            asker = memory.as_user(user, **listeners)
            found = asker.recall("coffee tea harbor budget launch friday merger number", limit=50)
            answers.append(canonical_json([found.hits, asker.list(), asker.about(f"@{BEA}", f"@{CLEO}")]))
    return answers
