"""Re-embedding that is killed, beside writers, and what becomes of the vectors of erased memories."""

from __future__ import annotations

import time
from pathlib import Path

import apsw
from fault_support import (
    contents_of,
    count,
    other_embedder,
    reopened,
    seeded,
    sentence,
    sound,
    start_worker,
    word,
)

from memfort.embed import embedder_tag
from memfort.embed.port import embed_texts
from memfort.policy.sight import maintenance_sight

OTHER = other_embedder()
MARK = embedder_tag(OTHER)


def vectors(path: Path) -> dict[int, bytes]:
    """The vector of each memory, past Memfort. Both of its entries have the same."""
    raw = apsw.Connection(str(path))
    try:
        found: dict[int, bytes] = {}
        for no, vector in raw.execute("select item, vector from entry"):
            assert found.setdefault(no, vector) == vector
        return found
    finally:
        raw.close()


def filled(path: Path, *parts: object, size: int = 300) -> None:
    rng = seeded(*parts)
    with reopened(path) as memory:
        memory.as_user("alice").remember_many([sentence(rng) for _ in range(size)])
        memory.as_user("bob").remember_many([sentence(rng) for _ in range(size // 10)])


def test_killed_at_any_point_and_started_again_it_ends_as_if_nothing_had_happened(tmp_path: Path) -> None:
    cut_short = 0
    for round in range(max(3, count(12) // 4)):
        rng = seeded("killed reembed", round)
        path = tmp_path / f"{round}" / "memory.db"
        filled(path, "reembed", round, size=200)
        before = vectors(path)
        for attempt in range(2):
            notes = tmp_path / f"notes-{round}-{attempt}"
            worker = start_worker("reembed", path, notes, batch=rng.choice([1, 7]))
            worker.wait_until("ready" if attempt == 1 else "progress")
            time.sleep(rng.uniform(0, 0.1))
            worker.kill()
            after = vectors(path)
            done = {no for no, vector in after.items() if vector.startswith(MARK)}
            cut_short += 0 < len(done) < len(after)
            assert {no: vector for no, vector in after.items() if no not in done} == {
                no: vector for no, vector in before.items() if no not in done
            }
            with reopened(path) as memory:  # words find everything meanwhile
                sound(memory)
        worker = start_worker("reembed", path, tmp_path / f"notes-{round}-last", batch=64)
        assert worker.finish()[-1] == {"embedded": True}
        resumed = vectors(path)
        with reopened(path, embedder=OTHER) as memory:
            sound(memory)
            assert memory.store.reembed().total == 0
            memory.store.reindex()
        assert vectors(path) == resumed
        assert all(vector.startswith(MARK) for vector in resumed.values())
    assert cut_short > 0, "no kill fell into the middle"


def test_writers_get_in_between_and_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    filled(path, "beside", size=400)
    worker = start_worker("reembed", path, tmp_path / "notes", batch=8)
    worker.wait_until("progress")
    rng, written = seeded("beside writers"), []
    with reopened(path, embedder=OTHER) as memory:
        carol = memory.as_user("carol")
        alice = memory.as_user("alice")
        while not any("embedded" in note for note in worker.read()):
            written.append(carol.remember(f"{sentence(rng)} {word(rng, 5)}").item)
            victim = next(iter(alice.list(limit=1)))
            alice.forget(victim.id)
            assert alice.recall(sentence(rng)) is not None
        worker.finish()
        assert written
        assert {item.id for item in carol.list(limit=1000)} == {item.id for item in written}
        space = maintenance_sight(memory._engine.store.spaces())
        assert memory._engine.store.unembedded(space, MARK) == []
        sound(memory)


def test_the_vector_of_an_erased_memory_is_in_no_file_any_more(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    rng = seeded("erased vectors")
    texts = [f"{sentence(rng)} {word(rng, 5)}" for _ in range(60)]
    with reopened(path) as memory:
        ids = [outcome.item.id for outcome in memory.as_user("alice").remember_many(texts)]
    old = vectors(path)
    with reopened(path, embedder=OTHER) as memory:
        memory.store.reembed(batch=7)
        alice = memory.as_user("alice")
        new = dict(zip(ids, embed_texts(OTHER, b"", texts), strict=True))
        assert all(vector in contents_of(path) for vector in new.values())
        for id in ids[::3]:
            assert alice.erase(id).state == "complete"
        content = contents_of(path)
        assert [id for id in ids[::3] if new[id] in content] == []
        assert [vector for vector in old.values() if vector[4:] in content] == []  # of the embedder before
        assert all(new[id] in content for id in ids if id not in ids[::3])
        sound(memory)
