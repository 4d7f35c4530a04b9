"""A copy made while others write is a store of its own: it opens, verifies, and has what was acknowledged."""

from __future__ import annotations

import shutil
from pathlib import Path

import apsw
import pytest
from fault_support import Ledger, count, files_of, integrity, reopened, sound, start_worker

from memfort import Memory
from memfort.errors import MemfortError
from memfort.store.sqlite import SqliteStore


@pytest.mark.parametrize("way", ["store backup", "backup", "vacuum into"])
def test_a_copy_made_while_writing_is_whole(tmp_path: Path, way: str) -> None:
    path = tmp_path / "memory.db"
    worker = start_worker("write", path, tmp_path / "notes", seed=f"copy/{way}")
    worker.wait_until("ready")
    copies = []
    for number in range(max(3, count(3))):
        before = Ledger()
        before.take(worker.read())
        folder = tmp_path / f"copy-{number}"
        folder.mkdir()
        copy(path, folder / "memory.db", way)
        copies.append((folder / "memory.db", before))
    worker.kill()
    for copied, before in copies:
        shutil.copy(path.with_name("memory.db.key"), copied.with_name("memory.db.key"))
        with reopened(copied) as memory:
            present = {item.id for item in memory.as_user("alice").list(limit=1000, statuses=STATES, deleted=True)}
            ever = {id for id, state in before.states.items() if state != "erased"}
            later = Ledger()
            later.take(worker.read())
            gone_since = {id for id, state in later.states.items() if state == "erased"} | later.doubtful
            assert ever - present <= gone_since, "acknowledged before the copy was begun, and not in it"
            assert memory.trail.verify().ok
            assert [
                what
                for what, _ in memory.as_system().doctor(checks=["integrity"]).problems
                if what not in ("erasures", "files")
            ] == []
        assert integrity(copied) == "ok"
    assert copies[-1][1].acknowledged > 0


STATES = ["approved", "superseded", "pending", "rejected"]


def copy(source: Path, target: Path, way: str) -> None:
    if way == "store backup":
        backup = target.with_name("one.backup")
        with Memory(SqliteStore(source, ballast_bytes=0)) as memory:
            memory.store.backup(str(backup))
        report = Memory.restore(backup, target, key=source.with_name("memory.db.key"))
        assert report.erased == 0
        return
    connection = apsw.Connection(str(source))
    connection.set_busy_timeout(10_000)
    if way == "backup":
        into = apsw.Connection(str(target))
        with into.backup("main", connection, "main") as backup:
            while not backup.done:
                backup.step(50)
        into.close()
    else:
        connection.execute("vacuum into ?", (str(target),))
    connection.close()


def test_a_copy_without_its_key_reports_the_missing_key(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with reopened(path) as memory:
        memory.as_user("alice").remember("note of alice")
    (tmp_path / "copy").mkdir()
    copied = tmp_path / "copy" / "memory.db"
    copy(path, copied, "backup")
    copied.chmod(0o600)
    with pytest.raises(MemfortError, match="key file"):
        reopened(copied)
    shutil.copy(path.with_name("memory.db.key"), copied.with_name("memory.db.key"))
    with reopened(copied) as memory:
        assert [item.text for item in memory.as_user("alice").list()] == ["note of alice"]
        sound(memory)


def test_plain_file_copies_of_a_closed_store_are_whole(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with reopened(path) as memory:
        memory.as_user("alice").remember("note of alice")
    (tmp_path / "copy").mkdir()
    for file in files_of(path):
        shutil.copy(file, tmp_path / "copy" / file.name)
    with reopened(tmp_path / "copy" / "memory.db") as memory:
        assert [item.text for item in memory.as_user("alice").list()] == ["note of alice"]
        sound(memory)
