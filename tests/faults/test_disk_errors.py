"""When the disk answers with an error, the request fails, nothing acknowledged is lost and writing stops (F3, F4)."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import pytest
from fault_support import Ledger, count, integrity, reopened, seeded, sound, start_worker

WRITE, SYNC = 1, 2


def run(tmp: Path, disk: Path, **settings: Any) -> tuple[Path, list[dict[str, Any]]]:
    root = tmp / "store"
    root.mkdir(parents=True)
    env = {"LD_PRELOAD": str(disk), "MEMFORT_DISK_ROOT": str(root)}
    worker = start_worker("fail", root / "memory.db", tmp / "notes", env=env, before=4, steps=40, **settings)
    return root / "memory.db", worker.finish()


@pytest.mark.parametrize(("kind", "name"), [(SYNC, "sync"), (WRITE, "write")])
@pytest.mark.parametrize("forever", [False, True])
def test_an_error_of_the_disk_stops_writing_and_loses_nothing(
    tmp_path: Path, disk: Path, kind: int, name: str, forever: bool
) -> None:
    stopped = 0
    for round in range(max(2, count(12) // 4)):
        rng = seeded("error", name, forever, round)
        # Erasing is left out: it empties the log, so which file fails at the n-th call would be a matter of luck.
        settings = {"kind": kind, "after": rng.randint(0, 12), "errno": errno.EIO, "forever": forever}
        path, notes = run(tmp_path / f"{round}", disk, seed=f"{name}/{round}", erase_share=0, **settings)
        last = notes[-1]
        assert last["errors"] == ["StoreBroken"] * 3, "after the first failure, writing stops even on a disk gone well"
        assert last["broken"], "the process knows that its disk failed"
        assert last["reads"] > 0, "reading goes on"
        ledger = Ledger()
        ledger.take(notes)  # a commit whose sync failed may still be on the disk: it was not acknowledged, and may stay
        with reopened(path) as memory:
            assert ledger.differences(memory) == []
            sound(memory)
            assert memory.as_user("alice").remember("note that a new process writes again").item is not None
        assert integrity(path) == "ok"
        stopped += 1
    assert stopped >= 2


def test_the_failing_disk_works_until_a_failure_is_armed(tmp_path: Path, disk: Path) -> None:
    """The control: with no failure armed, the same worker writes all it has."""
    _, notes = run(tmp_path, disk, seed="well", kind=0, after=0, errno=0, forever=False)
    assert notes[-1]["errors"] == []
    assert notes[-1]["broken"] is None
    assert sum("done" in note for note in notes) == 44


def test_an_erase_on_a_failing_disk_never_says_that_it_is_complete(tmp_path: Path, disk: Path) -> None:
    failed = 0
    for round in range(max(4, count(12) // 2)):
        rng = seeded("erase error", round)
        settings = {"kind": SYNC, "after": rng.randint(0, 8), "errno": errno.EIO, "forever": True}
        path, notes = run(tmp_path / f"{round}", disk, seed=f"erase/{round}", erase_share=0.9, **settings)
        failed += "StoreBroken" in notes[-1]["errors"]
        ledger = Ledger()
        complete = [note for note in notes if note.get("done") == "erase" and note["pending"] is None]
        ledger.take([note for note in notes if "kept" in note])
        erased = [id for note in complete for id in note["erased"]]
        for text in (ledger.texts[id] for id in erased if id in ledger.texts):
            assert not any(text.encode() in file.read_bytes() for file in path.parent.iterdir())
        with reopened(path) as memory:
            sound(memory)
    assert failed > 0
