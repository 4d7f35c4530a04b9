"""The PostgreSQL store tells every party the same bytes as the other stores, and nobody what they may not know: random
histories, golden stories and the ways into the store, played on it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.entry_points import test_violations
from tests.entry_points.attempts import ATTEMPTS
from tests.entry_points.scene import Scene
from tests.entry_points.surfaces import SURFACES, open_scene
from tests.isolation.conftest import on_dict, on_sqlite  # noqa: F401  # fixtures
from tests.postgres.conftest import Databases
from tests.purge.histories import generate
from tests.purge.replay import compare
from tests.purge.report import report
from tests.purge.steps import History as PurgeHistory
from tests.purge.stores import Opened, policy_of
from tests.server.behind import Served
from tests.stories.test_stories import HERE, STORIES, render_story

from memfort import FixedClock, Memory
from memfort.policy.sight import maintenance_sight
from memfort.store.postgres.address import read_address
from memfort.store.postgres.store import PostgresStore
from memfort.testing import REFERENCE_KEYS
from memfort.testing.chat_histories import HIDDEN, compare_in_chat, generate_chat_history
from memfort.testing.histories import OpenMemory, Transcript, World
from memfort.testing.playback import play
from memfort.testing.purge import compare_transcripts
from memfort.testing.space_histories import generate_history

# What a scrub did to a file, which only a store with a file can say, and only in a receipt.
_FIGURES = re.compile(rb', "(?:log_bytes_left|unused_bytes_left|unused_bytes_overwritten)": \d+')
SPACE_HISTORIES = range(2_400_000, 2_400_012)
CHAT_HISTORIES = range(6)
PURGE_HISTORIES = range(12)


@pytest.fixture
def new_store(databases: Databases) -> Callable[[], PostgresStore]:
    """Makes empty stores with the keys that histories are compared under."""
    return lambda: PostgresStore(read_address(databases.new_url()), keys=REFERENCE_KEYS)


@pytest.fixture
def on_postgres(new_store: Callable[[], PostgresStore]) -> OpenMemory:
    return lambda world, clock: Memory(new_store(), policy=world.policy, clock=clock, memberships=world.memberships)


@pytest.mark.parametrize("seed", SPACE_HISTORIES)
def test_three_stores_answer_the_same(
    seed: int,
    on_dict: OpenMemory,  # noqa: F811
    on_sqlite: OpenMemory,  # noqa: F811
    on_postgres: OpenMemory,
) -> None:
    history, kept = generate_history(seed), 0

    def replays(memory: Memory) -> None:
        nonlocal kept
        store, found = memory._engine.store, memory.trail.verify()
        assert found.ok, found.broken
        assert store.checkup() == []
        kept = sum(len(list(store.records(maintenance_sight([space])))) for space in store.spaces())

    here = _without_figures(play(history, on_postgres, on_end=replays))
    for other in (on_dict, on_sqlite):
        there = _without_figures(play(history, other))
        assert here.keys() == there.keys()
        for party in here:
            assert compare_transcripts(there, here, party) is None, history
    assert kept


@pytest.mark.parametrize("seed", SPACE_HISTORIES[:4])
def test_bea_cannot_detect_adas_presence(seed: int, on_postgres: OpenMemory) -> None:
    history = generate_history(seed)
    with_ada, without = play(history, on_postgres), play(history.without("ada"), on_postgres)
    assert compare_transcripts(with_ada, without, "bea") is None, history
    assert any(b'"error"' not in answer for _, answer in with_ada.get("bea", []))


@pytest.mark.parametrize("seed", CHAT_HISTORIES)
def test_a_chat_cannot_detect_memories_closed_to_it(seed: int, on_postgres: OpenMemory) -> None:
    history = generate_chat_history(seed)
    with_hidden, without = play(history, on_postgres), play(history.without(HIDDEN), on_postgres)
    assert compare_in_chat(history, with_hidden, without) is None, history


@pytest.mark.parametrize("seed", SPACE_HISTORIES[1:3])  # in the first one Bea is answered nothing through HTTP
def test_bea_cannot_detect_adas_presence_through_http(seed: int, new_store: Callable[[], PostgresStore]) -> None:
    def open_served(world: World, clock: FixedClock) -> Served:
        return Served(clock, world.policy, new_store())

    history = generate_history(seed)
    with_ada, without = play(history, open_served), play(history.without("ada"), open_served)
    assert compare_transcripts(with_ada, without, "bea") is None, history
    assert any(b'"error"' not in answer for _, answer in with_ada.get("bea", []))


@pytest.mark.parametrize("seed", PURGE_HISTORIES)
def test_the_observer_notices_nothing_that_is_hidden(seed: int, databases: Databases) -> None:
    @contextmanager
    def open_postgres(clock: FixedClock, history: PurgeHistory) -> Iterator[Opened]:
        options: dict[str, Any] = {"memberships": history.memberships, "policy": policy_of(history)}
        opened = Opened(Memory.open(databases.new_url(), clock=clock, **options))
        try:
            yield opened
        finally:
            opened.memory.close()

    found = compare(generate(seed), open_postgres)
    assert not found.differences, report(found, open_postgres)


@pytest.mark.parametrize("name", STORIES)
def test_the_story_renders_as_recorded(
    name: str, new_store: Callable[[], PostgresStore], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tests.stories.test_stories.MemoryStore", lambda _: new_store())
    assert render_story(name, "dict", tmp_path) == (HERE / f"{name}.plain").read_text()


@pytest.mark.parametrize("number", range(len(ATTEMPTS)))
def test_no_way_in_brings_into_force_what_the_policy_refuses(
    number: int, databases: Databases, clock: FixedClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each way into the store in turn: every third with wrong words, the others with right ones."""
    surface, attempt = "python on SQLite", list(ATTEMPTS)[number]
    send, offers, _ = SURFACES[surface]
    monkeypatch.setitem(SURFACES, surface, (send, offers, lambda _: databases.new_store()))
    opened: list[Scene] = []

    def scenes(name: str) -> Scene:
        opened.append(open_scene(name, tmp_path / f"{len(opened)}.db", clock))
        return opened[-1]

    try:
        tries = test_violations
        claim = tries.test_the_same_with_harmless_words_does
        if number % 3 == 0:
            claim = tries.test_what_the_policy_refuses_does_not_come_into_force
        claim(scenes, surface, attempt)
    finally:
        for scene in opened:
            scene.memory.close()


def _without_figures(transcripts: dict[str, Transcript]) -> dict[str, Transcript]:
    return {party: [(step, _FIGURES.sub(b"", answer)) for step, answer in said] for party, said in transcripts.items()}
