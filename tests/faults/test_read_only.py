"""A store that is opened to be read alone: nothing is made or changed, on whatever medium, and writes say why not."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memfort import InvalidInput, Memory, StoreError
from memfort.errors import StoreBusy, StoreReadOnly

OTHER_UID = 65534
READ = """
import json, os, sys
from memfort import Memory

def read(path):
    with Memory.open(path, read_only=True) as memory:
        alice = memory.as_user("alice")
        answer = {
            "recall": alice.recall("tea").texts,
            "list": [item.text for item in alice.list()],
            "export": len(list(alice.export())),
            "verify": memory.trail.verify().ok,
            "doctor": [what for what, _ in memory.as_system().doctor(checks=["integrity"]).problems],
        }
        try:
            alice.remember("likes jam")
        except Exception as error:
            answer["write"] = type(error).__name__
    return answer

first, path, uid = sys.argv[1:]
read(first)  # so that everything is imported: another user may not be able to
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(int(uid))
    os.setuid(int(uid))
print(json.dumps(read(path)))
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """One that others may look into, which a test's own is not."""
    made = Path(tempfile.mkdtemp(prefix="memfort-"))
    made.chmod(0o755)
    yield made
    made.chmod(0o755)
    shutil.rmtree(made)


def filled(folder: Path) -> Path:
    path = folder / "memory.db"
    with Memory.open(path) as memory:
        memory.as_user("alice").remember("likes tea")
    return path


def snapshot(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    return {one.name: (one.stat().st_mode, one.stat().st_mtime_ns, one.read_bytes()) for one in folder.iterdir()}


def test_nothing_is_made_or_changed(folder: Path) -> None:
    path = filled(folder)
    before = snapshot(folder)
    with Memory.open(path, read_only=True) as memory:
        alice = memory.as_user("alice")
        assert alice.recall("tea").texts == ["likes tea"]
        assert [item.text for item in alice.list()] == ["likes tea"]
        assert len(list(alice.export())) == 2
        assert alice.explain(alice.list().items[0].id).shown
        assert memory.trail.verify().ok
        assert memory.as_system().doctor().problems == []
        for write in (
            lambda: alice.remember("likes jam"),
            lambda: alice.forget(alice.list().items[0].id),
            lambda: alice.erase(scope={"user": "alice"}),
            memory.store.reindex,
            memory.trail.checkpoint,
        ):
            with pytest.raises(StoreReadOnly, match=r"read_only: .* open it without `read_only`") as raised:
                write()
            assert raised.value.field == "read_only"
    assert snapshot(folder) == before
    with Memory.open(path) as memory:  # the control: whoever may write does
        memory.as_user("alice").remember("likes jam")
    assert snapshot(folder) != before


def test_where_nothing_can_be_written(folder: Path) -> None:
    path, first = filled(folder), folder / "first"
    first.mkdir()
    shutil.copy(path, first)
    shutil.copy(f"{path}.key", first)
    for one in (path, Path(f"{path}.key")):
        one.chmod(0o444)
    for one in ("lock", "lock-queue", "ballast"):
        Path(f"{path}.{one}").unlink()
    folder.chmod(0o555)
    command = [sys.executable, "-c", READ, str(first / "memory.db"), str(path), str(OTHER_UID)]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(answer.stdout)
    assert found == {
        "recall": ["likes tea"],
        "list": ["likes tea"],
        "export": 2,
        "verify": True,
        "doctor": ["files", "files"],
        "write": "StoreReadOnly",
    }
    assert sorted(one.name for one in folder.iterdir()) == ["first", "memory.db", "memory.db.key"]


def test_others_may_write_meanwhile(folder: Path) -> None:
    path = filled(folder)
    with Memory.open(path, read_only=True) as reader:
        alice = reader.as_user("alice")
        assert len(alice.list()) == 1  # while there is no log
        with Memory.open(path) as writer:
            writer.as_user("alice").remember("likes jam")
            assert len(alice.list()) == 2
            writer.as_user("alice").remember("likes milk")
            assert len(alice.list()) == 3
        assert len(alice.list()) == 3
        assert len(alice.recall("likes").texts) == 3


def test_a_read_during_a_concurrent_write_is_retried(folder: Path) -> None:
    path = filled(folder)
    with Memory.open(path, read_only=True) as reader:
        store = reader._engine.store

        def read_while_it_is_written() -> None:
            with store.reading(), Memory.open(path) as writer:
                writer.as_user("alice").remember("likes jam")

        with pytest.raises(StoreBusy, match=r"try again"):
            read_while_it_is_written()
        assert len(reader.as_user("alice").list()) == 2


def test_a_copy_with_its_log_opens_or_says_why_not(folder: Path) -> None:
    path = filled(folder)
    with Memory.open(path) as memory:
        memory.as_user("alice").remember("likes jam")
        for name, suffixes in {"whole": ("", ".key", "-wal", "-shm"), "without": ("", ".key", "-wal")}.items():
            (folder / name).mkdir()
            for suffix in suffixes:
                shutil.copy(f"{path}{suffix}", folder / name)
    before = snapshot(folder / "whole")
    with Memory.open(folder / "whole" / "memory.db", read_only=True) as copy:
        assert len(copy.as_user("alice").list()) == 2
    assert snapshot(folder / "whole") == before
    with pytest.raises(StoreError, match=r"holds writes that are not in the file yet.*copy that too, or open"):
        Memory.open(folder / "without" / "memory.db", read_only=True)
    with Memory.open(folder / "without" / "memory.db") as memory:  # the remedy
        assert len(memory.as_user("alice").list()) == 2


@pytest.mark.parametrize(("audit", "unrecorded"), [("off", 0), ("batched", 2)])
def test_a_read_that_cannot_be_recorded_is_answered_and_counted(folder: Path, audit: str, unrecorded: int) -> None:
    path = filled(folder)
    with Memory.open(path, read_only=True, audit_reads=audit) as memory:
        alice = memory.as_user("alice")
        assert alice.recall("tea").texts == ["likes tea"]
        assert len(alice.list()) == 1
        memory.trail.verify()  # which wants all that was read on record
        assert memory.unrecorded_reads == unrecorded
        (reads,) = memory.as_system().doctor(checks=["reads"]).checks
        assert reads.ok
        assert bool(reads.notes) == bool(unrecorded)


def test_a_read_that_must_be_recorded_first_is_refused(folder: Path) -> None:
    with Memory.open(filled(folder), read_only=True, audit_reads="durable") as memory:
        alice = memory.as_user("alice")
        for read in (lambda: alice.recall("tea"), alice.list):
            with pytest.raises(StoreReadOnly):
                read()
        assert memory.unrecorded_reads == 0


def test_an_invalid_read_only_open_says_why(folder: Path) -> None:
    path = filled(folder)
    for name in ("auto_gc", "gc_every", "reembed"):
        with pytest.raises(InvalidInput, match=rf"{name}: the store is to be read alone"):
            Memory.open(path, read_only=True, **{name: "background" if name == "reembed" else True})
    with pytest.raises(InvalidInput, match=r"path: there is no store at"):
        Memory.open(folder / "other.db", read_only=True)
    with pytest.raises(InvalidInput, match=r"read_only: a store without a file is empty"):
        Memory.open(":memory:", read_only=True)
    Path(f"{path}.key").rename(f"{path}.away")
    with pytest.raises(StoreError, match=r"the key file .* is missing"):
        Memory.open(path, read_only=True)
    assert sorted(one.name for one in folder.iterdir() if "key" in one.name) == []
