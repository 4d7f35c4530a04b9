"""A backup, a restore, an undo or an erasure that is killed at any moment: finished or as before, never between, and no
erasure without its line."""

from __future__ import annotations

import json
import time
from pathlib import Path
from random import Random

import pytest
from fault_support import contents_of, count, everything, reopened, seeded, sentence, sound, start_worker, word

from memfort import Memory
from memfort.errors import InvalidInput
from memfort.policy.sight import maintenance_sight
from memfort.store.sqlite import SqliteStore

ROUNDS = 5


def filled(path: Path, *parts: object, size: int = 150) -> list[str]:
    rng = seeded(*parts)
    texts = [f"{sentence(rng)} {word(rng, 5)}" for _ in range(size)]
    with reopened(path) as memory:
        memory.as_user("alice").remember_many(texts)
    return texts


def killed(job: str, path: Path, notes: Path, after: str, pause: float, **settings: object) -> bool:
    """Kill a worker a while after it said a word; says whether it had finished by then."""
    worker = start_worker(job, path, notes, **settings)
    worker.wait_until(after)
    time.sleep(pause)
    worker.kill()
    return any("done" in note or "erased" in note for note in worker.read())


def pause_of(rng: Random, round: int, most: float) -> float:
    """How long to wait before the kill. Each fifth round kills at once, so that some fall into the middle even where
    the work is over sooner than that."""
    return rng.uniform(0, most) * (round % 5) / 4


def test_a_killed_backup_is_whole_or_not_there(tmp_path: Path) -> None:
    path, target = tmp_path / "memory.db", tmp_path / "one.backup"
    texts = filled(path, "killed backup")
    cut_short = 0
    for round in range(count(ROUNDS)):
        rng = seeded("killed backup", round)
        after = rng.choice(["ready", "progress"])
        notes, pause = tmp_path / f"notes-{round}", pause_of(rng, round, 0.04)
        is_done = killed("back_up", path, notes, after, pause, target=str(target))
        cut_short += not is_done
        assert target.exists() or not is_done
        if target.exists():
            new = tmp_path / f"new-{round}.db"
            assert Memory.restore(target, new).memories == len(texts)
            target.unlink()
    with reopened(path) as memory:
        memory.store.backup(str(target), with_key=True)  # whatever the killed ones left does no harm
        assert sorted(item.text for item in everything(memory, "alice").values()) == sorted(texts)
        sound(memory)
    assert not list(tmp_path.glob("one.backup.part*"))
    assert cut_short > 0, "no kill fell into the middle"


def test_a_killed_restore_is_whole_or_not_there(tmp_path: Path) -> None:
    path, backup = tmp_path / "live" / "memory.db", tmp_path / "one.backup"
    texts = filled(path, "killed restore")
    with reopened(path) as memory:
        memory.store.backup(str(backup), with_key=True)
        alice = memory.as_user("alice")
        doomed = list(alice.list(limit=20))
        alice.erase(*(item.id for item in doomed))
    given = {"backup": str(backup), "erased": str(path) + ".erased"}
    cut_short = 0
    for round in range(count(ROUNDS)):
        rng = seeded("killed restore", round)
        after = rng.choice(["ready", "progress"])
        new = tmp_path / f"{round}" / "memory.db"
        new.parent.mkdir()
        is_done = killed("restore", new, tmp_path / f"notes-{round}", after, pause_of(rng, round, 0.3), **given)
        cut_short += not is_done
        if not new.exists():
            assert not is_done
            Memory.restore(given["backup"], new, erased=given["erased"])
        else:
            with pytest.raises(InvalidInput, match="there already"):
                Memory.restore(given["backup"], new, erased=given["erased"])
        with reopened(new) as memory:
            assert len(everything(memory, "alice")) == len(texts) - len(doomed)
            sound(memory)
        content = contents_of(new)
        assert [item.text for item in doomed if item.text.encode() in content] == []
    assert cut_short > 0, "no kill fell into the middle"


def test_no_erasure_is_without_its_line_however_it_is_killed(tmp_path: Path) -> None:
    cut_short = 0
    for round in range(count(3)):
        rng = seeded("killed erasure", round)
        path = tmp_path / f"{round}" / "memory.db"
        filled(path, "killed erasure", round, size=700)  # more than one transaction removes
        cut_short += not killed("erase_all", path, tmp_path / f"notes-{round}", "progress", rng.uniform(0, 0.05))
        store = SqliteStore(path, ballast_bytes=0)
        [erasure] = store.erasures()
        left = {item for space in store.spaces() for item, _ in store.records(maintenance_sight([space]))}
        gone = [id for _, id in erasure.items if id not in left]
        assert set(gone).isdisjoint(store.unlisted(erasure))
        store.close()
        with reopened(path) as memory:
            assert memory.as_system().verify_erasure(erasure.id).ok
    assert cut_short > 0, "no kill fell into the middle"


def test_a_killed_erasure_is_finished_or_has_not_begun(tmp_path: Path) -> None:
    """Killed at any moment from before it begins until after it has ended."""
    cut_short = 0
    for round in range(count(ROUNDS)):
        rng = seeded("killed at any moment", round)
        path = tmp_path / f"{round}" / "memory.db"
        texts = filled(path, "killed at any moment", round, size=120)
        is_done = killed("erase_all", path, tmp_path / f"notes-{round}", "ready", pause_of(rng, round, 0.2))
        cut_short += not is_done
        with reopened(path) as memory:
            left = [item.text for item in everything(memory, "alice").values()]
            assert len(left) in {0, len(texts)}, "never between"
            assert left == [] or not is_done
            assert [one.pending for one in memory.as_system().erasures()] == ([] if left else [None])
            sound(memory)
        content = contents_of(path)
        said = [text for text in texts if text.encode() in content]
        assert len(said) == len(left), "what is erased is in no file, and what is not is there"
    assert cut_short > 0, "no kill fell into the middle"


def test_a_killed_undo_has_happened_or_has_not(tmp_path: Path) -> None:
    cut_short = 0
    for round in range(count(ROUNDS)):
        rng = seeded("killed undo", round)
        path = tmp_path / f"{round}" / "memory.db"
        own = filled(path, "killed undo", round, size=20)
        rows = [{"user_id": "alice", "content": sentence(rng), "kind": "fact"} for _ in range(160)]
        with reopened(path) as memory:
            alice = memory.as_user("alice")
            old = alice.remember("the office is in Rome", kind="profile", key="office")
            newer = {"user_id": "alice", "content": "the office is in Oslo", "kind": "fact"}
            source = alice.import_("\n".join(map(json.dumps, [*rows, newer])).encode()).source
            before = {item.text for item in alice.list(limit=500)}
            assert old.id is not None
        is_done = killed("undo", path, tmp_path / f"notes-{round}", "ready", pause_of(rng, round, 0.2), source=source)
        cut_short += not is_done
        with reopened(path) as memory:
            alice = memory.as_user("alice")
            now = {item.text for item in alice.list(limit=500)}
            assert now == {*own, "the office is in Rome"} or (now == before and not is_done), "never between"
            if now == before:
                alice.undo(source=source)
            assert {item.text for item in alice.list(limit=500)} == {*own, "the office is in Rome"}
            sound(memory)
    assert cut_short > 0, "no kill fell into the middle"
