"""Schema changes: applied once, in one piece, never altered, never undone by an older version."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from memfort.errors import SchemaMismatch
from memfort.store.sqlite import SqliteStore
from memfort.store.sqlite.migrate import Migration, migrate, shipped_migrations
from memfort.testing.conformance import HOME, listed, memory, put, sight_on, texts
from memfort.trail.event import chain_of_space
from memfort.trail.verify import verify_chain


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "memories.db"
    store = SqliteStore(made)
    put(store, memory(text="tea"))
    store.close()
    return made


def run(path: Path, *statements: str) -> list[tuple[object, ...]]:
    connection = apsw.Connection(str(path))
    try:
        return [row for statement in statements for row in connection.execute(statement)]
    finally:
        connection.close()


def test_migrations_are_numbered_from_one_without_gaps() -> None:
    assert [migration.number for migration in shipped_migrations()] == list(range(1, len(shipped_migrations()) + 1))


def test_applied_migrations_are_recorded_with_their_checksum(path: Path) -> None:
    recorded = run(path, "select number, name, sha256 from migration order by number")
    assert recorded == [
        (one.number, one.name, hashlib.sha256(one.sql.encode()).hexdigest()) for one in shipped_migrations()
    ]


def test_an_altered_migration_is_refused(path: Path) -> None:
    run(path, "update migration set sha256 = 'other' where number = 1")
    before = path.read_bytes()
    with pytest.raises(SchemaMismatch, match=r"migration `0001_initial\.sql` was applied with other contents"):
        SqliteStore(path)
    assert path.read_bytes() == before


def test_a_newer_schema_is_refused_and_the_file_is_unchanged(path: Path) -> None:
    newer = len(shipped_migrations()) + 1
    run(path, f"insert into migration values ({newer}, 'from the future', 'x')")
    before = path.read_bytes()
    message = rf"has schema {newer}, this version knows up to {newer - 1}; open it with a newer memfort"
    with pytest.raises(SchemaMismatch, match=message):
        SqliteStore(path)
    assert path.read_bytes() == before
    run(path, f"delete from migration where number = {newer}")
    store = SqliteStore(path)
    assert texts(listed(store, sight_on(HOME))) == ["tea"]
    store.close()


def test_a_migration_is_applied_whole_or_not_at_all(path: Path) -> None:
    number = len(shipped_migrations()) + 1
    good = Migration(number, "good", "create table extra (x)")
    bad = Migration(
        number + 1, "bad", "create table more (x); insert into extra values (1); insert into nowhere values (1)"
    )
    connection = apsw.Connection(str(path))
    with pytest.raises(apsw.SQLError, match="nowhere"):
        migrate(connection, [*shipped_migrations(), good, bad])
    tables = {name for (name,) in connection.execute("select name from sqlite_schema where type = 'table'")}
    assert "extra" in tables
    assert "more" not in tables
    assert connection.execute("select count(*) from extra").get == 0
    assert connection.execute("select max(number) from migration").get == number
    mended = Migration(number + 1, "bad", "create table more (x)")
    migrate(connection, [*shipped_migrations(), good, mended])
    migrate(connection, [*shipped_migrations(), good, mended])  # a second time there is nothing to do
    assert connection.execute("select max(number) from migration").get == number + 1
    connection.close()


OPENING = """
import sys
from memfort import Memory
from memfort.store.sqlite import SqliteStore
with Memory(SqliteStore(sys.argv[1])) as memory:
    memory.as_user("alice").remember("number " + sys.argv[2])
"""


def test_many_processes_can_open_a_new_store_at_once(tmp_path: Path) -> None:
    path, count = tmp_path / "new" / "memories.db", 5
    running = [
        subprocess.Popen([sys.executable, "-c", OPENING, str(path), str(number)], stderr=subprocess.PIPE, text=True)
        for number in range(1, count + 1)
    ]
    errors = [process.communicate(timeout=60)[1] for process in running]
    assert [process.returncode for process in running] == [0] * count, errors
    store = SqliteStore(path)
    assert texts(listed(store, sight_on(HOME))) == [f"number {number}" for number in range(1, count + 1)]
    assert sorted(item.number for item in listed(store, sight_on(HOME))) == list(range(1, count + 1))
    chain = chain_of_space(HOME)
    assert verify_chain(chain, store.links(chain), [], store.keys.public)[::2] == (count, None)
    store.close()
