"""Backup and restore: one checked file, and what was erased later does not come back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memfort import BackupFailed, InvalidInput, KeyMismatch, Memory, StoreError
from memfort.store.memory import MemoryStore
from memfort.store.sqlite.erased_list import read_list
from memfort.store.sqlite.files import StoreFiles
from memfort.testing.messages import messages_of


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "live").mkdir()
    return tmp_path / "live" / "memory.db"


@pytest.fixture
def memory(path: Path):
    with Memory.open(path) as opened:
        yield opened


def texts(memory: Memory, user: str = "alice") -> list[str]:
    return sorted(item.text for item in memory.as_user(user).list(limit=100))


def test_a_restored_store_has_everything_and_its_trail_holds(memory, path, tmp_path):
    alice = memory.as_user("alice")
    alice.remember("I like tea")
    alice.remember("I like jam")
    report = memory.store.backup(str(tmp_path / "one.backup"), with_key=True)
    assert (report.memories, report.spaces, report.with_key) == (2, 1, True)
    assert (tmp_path / "one.backup").stat().st_mode & 0o777 == 0o600
    assert sorted(one.name for one in tmp_path.iterdir()) == ["live", "one.backup"]
    alice.remember("I like ink")
    restored = Memory.restore(tmp_path / "one.backup", tmp_path / "new.db")
    assert (restored.memories, restored.erased, restored.receipt) == (2, 0, None)
    with Memory.open(tmp_path / "new.db") as new:
        assert texts(new) == ["I like jam", "I like tea"]
        assert new.as_user("alice").recall("tea").texts == ["I like tea"]
        assert new.trail.verify().ok
        assert new.as_system().doctor(checks=["integrity"]).ok
        assert "restore" in {line["event"]["action"] for line in new.as_system().trail.export() if "event" in line}
    assert "backup" in {line["event"]["action"] for line in memory.as_system().trail.export() if "event" in line}


def test_what_was_erased_after_the_backup_is_erased_in_the_restored_store(memory, path, tmp_path):
    alice = memory.as_user("alice")
    alice.remember("I like tea")
    doomed = alice.remember("zanzibar is my password hint")
    copy = alice.remember("made of zanzibar", derived_from=[doomed.id])
    memory.store.backup(str(tmp_path / "one.backup"), with_key=True)
    assert alice.erase(doomed.id).counts["derived"] == 1
    erased = StoreFiles(path).erased
    assert "zanzibar" not in erased.read_text()
    assert doomed.id not in erased.read_text()
    report = Memory.restore(tmp_path / "one.backup", tmp_path / "new.db", erased=erased)
    assert (report.memories, report.erased, report.not_promised) == (1, 2, ())
    with Memory.open(tmp_path / "new.db") as new:
        assert texts(new) == ["I like tea"]
        assert new.as_system().verify_erasure(report.receipt).ok
        assert not new.as_user("alice").recall("zanzibar")
        assert new.trail.verify().ok
    assert b"zanzibar" in (tmp_path / "one.backup").read_bytes()  # the control: it was there to be erased
    assert not any(b"zanzibar" in one.read_bytes() for one in tmp_path.glob("new.db*"))
    assert copy.id != doomed.id


def test_the_sentence_of_an_erased_statement_stays_out_of_its_turn_and_answer(memory, path, tmp_path):
    alice = memory.as_user("alice")
    alice.observe(messages_of("I prefer zanzibar tea. The weather is nice today.", "You prefer zanzibar tea."))
    memory.store.backup(str(tmp_path / "one.backup"), with_key=True)
    alice.erase(*(item.id for item in alice.list(limit=10) if item.evidence is not None))
    Memory.restore(tmp_path / "one.backup", tmp_path / "new.db", erased=StoreFiles(path).erased)
    with Memory.open(tmp_path / "new.db") as new:
        assert texts(new) == texts(memory)
        assert any("The weather is nice today." in text for text in texts(new))
    assert not any(b"zanzibar" in one.read_bytes() for one in tmp_path.glob("new.db*"))


def test_a_restore_without_the_list_says_what_it_cannot_promise(memory, tmp_path):
    alice = memory.as_user("alice")
    doomed = alice.remember("zanzibar is my password hint")
    memory.store.backup(str(tmp_path / "one.backup"), with_key=True)
    alice.erase(doomed.id)
    report = Memory.restore(tmp_path / "one.backup", tmp_path / "new.db")
    [line] = report.not_promised
    assert "memory.db.erased" in line
    with Memory.open(tmp_path / "new.db") as new:
        assert len(texts(new)) == 1


def test_only_what_was_erased_after_the_backup_is_erased_again(memory, path, tmp_path, exported):
    """An id can come back by an import of one's own export: then it is the newer state."""
    alice = memory.as_user("alice")
    kept = alice.remember("I like tea")
    data = exported(alice)
    alice.erase(kept.id)
    assert alice.import_(data, bring_back=True).counts["kept"] == 1
    assert [item.id for item in alice.list()] == [kept.id]
    memory.store.backup(str(tmp_path / "one.backup"), with_key=True)
    report = Memory.restore(tmp_path / "one.backup", tmp_path / "new.db", erased=StoreFiles(path).erased)
    assert (report.memories, report.erased) == (1, 0)


def test_the_list_and_key_where_the_store_was_are_used(tmp_path, path):
    with Memory.open(path) as memory:
        alice = memory.as_user("alice")
        doomed = alice.remember("zanzibar is my password hint")
        alice.remember("I like tea")
        memory.store.backup(str(tmp_path / "one.backup"))
        alice.erase(doomed.id)
    path.rename(tmp_path / "broken.db")
    report = Memory.restore(tmp_path / "one.backup", path)
    assert (report.erased, report.not_promised) == (1, ())
    with Memory.open(path) as memory:
        assert texts(memory) == ["I like tea"]
        lines = StoreFiles(path).erased.read_text().splitlines()
        assert [json.loads(line)["number"] for line in lines] == [1, 2]
        memory.as_user("alice").erase(memory.as_user("alice").list().items[0].id)
        assert json.loads(StoreFiles(path).erased.read_text().splitlines()[-1])["number"] == 3


def test_people_and_imports_that_were_erased_stay_erased(memory, path, tmp_path):
    alice = memory.as_user("alice")
    alice.people.add("Zanzibar Jones")
    alice.import_(b'[{"user_id": "alice", "kind": "note", "content": "I like rain"}]', filename="zebra.json")
    memory.store.backup(str(tmp_path / "one.backup"), with_key=True)
    alice.people.forget("Zanzibar Jones", erase=True)
    alice.erase(source=alice.sources()[0].id)
    assert b"Zanzibar" in (tmp_path / "one.backup").read_bytes()
    Memory.restore(tmp_path / "one.backup", tmp_path / "new.db", erased=StoreFiles(path).erased)
    for name in (b"Zanzibar", b"zebra.json"):
        assert not any(name in one.read_bytes() for one in tmp_path.glob("new.db*")), name
    with Memory.open(tmp_path / "new.db") as new:
        assert new.trail.verify().ok


# -- refusals ---------------------------------------------------------------------------------------------------------


def test_nothing_is_overwritten(memory, path, tmp_path):
    (tmp_path / "taken").write_text("mine")
    with pytest.raises(InvalidInput, match="there already"):
        memory.store.backup(str(tmp_path / "taken"))
    assert (tmp_path / "taken").read_text() == "mine"
    memory.store.backup(str(tmp_path / "one.backup"))
    with pytest.raises(InvalidInput, match="there already"):
        Memory.restore(tmp_path / "one.backup", tmp_path / "taken", key=StoreFiles(path).key)
    (tmp_path / "new.db-wal").write_text("log of another store")
    with pytest.raises(InvalidInput, match="belongs to a store that was here"):
        Memory.restore(tmp_path / "one.backup", tmp_path / "new.db", key=StoreFiles(path).key)


def test_a_backup_has_the_key_only_if_that_was_asked_for(memory, path, tmp_path):
    secret = json.loads(StoreFiles(path).key.read_text())["secret"].encode()
    memory.as_user("alice").remember("I like tea")
    memory.store.backup(str(tmp_path / "without"))
    memory.store.backup(str(tmp_path / "with"), with_key=True)
    assert secret not in (tmp_path / "without").read_bytes()
    assert secret in (tmp_path / "with").read_bytes()
    with pytest.raises(KeyMismatch, match="without its key"):
        Memory.restore(tmp_path / "without", tmp_path / "new.db")
    assert not list(tmp_path.glob("new.db*"))
    with Memory.open(tmp_path / "other.db"), pytest.raises(KeyMismatch, match="another store"):
        Memory.restore(tmp_path / "without", tmp_path / "new.db", key=tmp_path / "other.db.key")
    Memory.restore(tmp_path / "without", tmp_path / "new.db", key=StoreFiles(path).key)
    Memory.restore(tmp_path / "with", tmp_path / "newer.db")
    assert secret not in (tmp_path / "newer.db").read_bytes()  # it lies in its own file
    with Memory.open(tmp_path / "newer.db") as new:
        assert texts(new) == ["I like tea"]


def test_other_files_are_no_backups(memory, path, tmp_path):
    with pytest.raises(InvalidInput, match="not a backup"):
        Memory.restore(path, tmp_path / "new.db")
    (tmp_path / "text").write_text("hello " * 100)
    with pytest.raises(StoreError, match="damaged or not a memfort store"):
        Memory.restore(tmp_path / "text", tmp_path / "new.db")
    with pytest.raises(InvalidInput, match="no file"):
        Memory.restore(tmp_path / "nothing", tmp_path / "new.db")
    with pytest.raises(StoreError, match="without a file"), Memory(MemoryStore()) as small:
        small.store.backup(str(tmp_path / "small.backup"))
    assert not list(tmp_path.glob("*.part*"))
    assert not list(tmp_path.glob("new.db*"))


def test_a_store_in_memory_can_be_backed_up(tmp_path):
    with Memory.open(":memory:") as small:
        small.as_user("alice").remember("likes tea")
        assert small.store.backup(str(tmp_path / "small.backup"), with_key=True).memories == 1
    Memory.restore(tmp_path / "small.backup", tmp_path / "new.db")
    with Memory.open(tmp_path / "new.db") as again:
        assert [one.text for one in again.as_user("alice").list()] == ["likes tea"]


def test_a_damaged_backup_is_not_restored(memory, tmp_path):
    alice = memory.as_user("alice")
    for number in range(40):
        alice.remember(f"zanzibar {number} " * 20)
    memory.store.backup(str(tmp_path / "one.backup"), with_key=True)
    data = bytearray((tmp_path / "one.backup").read_bytes())
    at = data.rindex(b"zanzibar 7 zanzibar")
    data[at : at + 8] = b"zanzibor"
    (tmp_path / "bad.backup").write_bytes(data)
    with pytest.raises(BackupFailed, match="not sound"):
        Memory.restore(tmp_path / "bad.backup", tmp_path / "new.db")
    assert not list(tmp_path.glob("new.db*"))
    assert Memory.restore(tmp_path / "one.backup", tmp_path / "new.db").memories == 40


# -- the list of erased memories --------------------------------------------------------------------------------------


def test_every_erasure_has_its_line_before_it_is_committed(memory, path):
    alice, files = memory.as_user("alice"), StoreFiles(path)
    first, second = alice.remember("I like tea"), alice.remember("I like jam")
    assert not files.erased.exists()
    receipt = alice.erase(first.id)
    assert files.erased.stat().st_mode & 0o777 == 0o600
    assert alice.verify_erasure(receipt.id).ok
    files.erased.write_text("")
    check = alice.verify_erasure(receipt.id)
    assert not check.ok
    assert "list of erased memories" in check.problems[0]
    files.erased.unlink()
    files.erased.mkdir()  # it cannot be written: then nothing is erased
    with pytest.raises(StoreError, match=r"memory\.db\.erased"):
        alice.erase(second.id)
    assert [item.text for item in alice.list()] == ["I like jam"]
    files.erased.rmdir()


def test_a_lost_list_is_made_again_from_the_records(path):
    with Memory.open(path) as memory:
        alice = memory.as_user("alice")
        receipt = alice.erase(alice.remember("I like tea").id)
    StoreFiles(path).erased.unlink()
    with Memory.open(path) as memory:
        assert memory.as_user("alice").verify_erasure(receipt.id).ok


def test_a_torn_last_line_costs_only_itself(memory, path):
    alice, files = memory.as_user("alice"), StoreFiles(path)
    ids = [alice.remember(f"I like {what}").id for what in ("tea", "jam")]
    alice.erase(ids[0])
    with files.erased.open("a") as file:
        file.write('{"number":2,"key":"ab')
    alice.erase(ids[1])
    found = read_list(files.erased, memory.store_in_use.keys)
    assert (found.lines, len(found.digests), found.unreadable) == (2, 2, 1)
    assert found.last_number == 2


def test_a_new_key_makes_the_list_readable_again(path):
    from memfort.operations.upkeep.rekey import renew_key
    from memfort.policy.settings.policy import Policy

    with Memory.open(path) as memory:
        alice = memory.as_user("alice")
        receipt = alice.erase(alice.remember("I like tea").id)
        alice.remember("I like jam")
    StoreFiles(path).key.unlink()
    renew_key(path, policy=Policy(), surface="test")
    with Memory.open(path) as memory:
        assert memory.as_system().verify_erasure(receipt.id).ok
        found = read_list(StoreFiles(path).erased, memory.store_in_use.keys)
        assert (found.of_other_keys, found.lines) == (1, 1)
