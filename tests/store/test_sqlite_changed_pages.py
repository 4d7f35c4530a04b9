"""A scrub after another looks only at what has changed, and misses nothing that anybody has written."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from memfort import Memory
from memfort.store.sqlite import SqliteStore

CANARY = b"Kanarifolopida"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def store(path: Path) -> SqliteStore:
    store = SqliteStore(path, ballast_bytes=0)
    memory = Memory(store)
    memory.as_user("alice").remember_many([f"note number {n} about shelf {n * 7}" for n in range(300)])
    return store


def foreign(path: Path) -> apsw.Connection:
    """Another program, which knows neither our lock nor `secure_delete`."""
    connection = apsw.Connection(str(path))
    connection.execute("pragma secure_delete = off").fetchall()
    connection.wal_autocheckpoint(0)
    return connection


def fill(connection: apsw.Connection, table: str) -> None:
    connection.execute(f"create table {table} (text text)")
    rows = [((CANARY.decode() + " ") * 40,) for _ in range(200)]
    with connection:
        connection.executemany(f"insert into {table} values (?)", rows)


def changed(store: SqliteStore) -> frozenset[int] | None:
    return store._pages_changed_since(store._scrubbed)


def found(path: Path) -> bool:
    return any(CANARY in file.read_bytes() for file in path.parent.iterdir())


def test_nothing_is_known_before_the_first_scrub_and_little_has_changed_after_it(
    store: SqliteStore, path: Path
) -> None:
    assert changed(store) is None
    assert store.scrub().pending is None
    pages = path.stat().st_size // 4096
    assert len(changed(store) or range(pages)) < 5
    Memory(store).as_user("alice").remember("note of one more shelf")
    assert 5 <= len(changed(store) or ()) < pages // 2
    assert store.scrub().pending is None
    assert store.residue() == {}
    store.close()


def test_what_another_program_deletes_after_a_scrub_is_overwritten(store: SqliteStore, path: Path) -> None:
    store.scrub()
    other = foreign(path)
    fill(other, "stranger")
    other.execute("delete from stranger where rowid % 2")
    other.execute("update stranger set text = 'x'")
    other.close()
    assert found(path)
    assert changed(store) is not None
    assert store.scrub().pending is None
    assert not found(path)
    assert store.residue() == {}
    store.close()


def test_pages_that_became_free_without_being_written_are_overwritten(store: SqliteStore, path: Path) -> None:
    other = foreign(path)
    fill(other, "stranger")
    store.scrub()
    assert found(path)
    before = changed(store)
    other.execute("drop table stranger")
    other.close()
    after = changed(store)
    assert before is not None
    assert after is not None
    assert len(after) < 20, "the pages of the table are not among them"
    assert store.scrub().pending is None
    assert not found(path)
    assert store.residue() == {}
    store.close()


def test_after_the_log_has_begun_anew_the_whole_file_is_looked_at(store: SqliteStore, path: Path) -> None:
    store.scrub()
    other = foreign(path)
    fill(other, "stranger")
    other.execute("delete from stranger")
    other.execute("pragma wal_checkpoint(truncate)").fetchall()
    other.execute("create table another (text text)")  # in a new log, which has none of the pages above
    other.close()
    assert found(path)
    assert changed(store) is None
    assert store.scrub().pending is None
    assert not found(path)
    assert store.residue() == {}
    store.close()


def test_a_second_store_on_the_file_scrubs_it_whole_and_so_does_the_first_after_it(
    store: SqliteStore, path: Path
) -> None:
    store.scrub()
    with Memory(SqliteStore(path, ballast_bytes=0)) as second:
        alice = second.as_user("alice")
        kept = alice.remember(f"note of the {CANARY.decode()}").item
        assert kept is not None
        assert found(path)
        assert alice.erase(kept.id).state == "complete"
    assert not found(path)
    assert changed(store) is None
    assert store.scrub().pending is None
    assert store.residue() == {}
    store.close()
