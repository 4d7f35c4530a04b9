"""The files of an SQLite store: which engine, whose eyes, whose file, which key."""

from __future__ import annotations

import json
import os
import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from memfort.errors import EngineTooOld, KeyMismatch, MemfortError, SchemaMismatch, StoreBroken
from memfort.store.sqlite import SqliteStore
from memfort.store.sqlite.connection import check_engine
from memfort.testing.conformance import HOME, listed, memory, put, sight_on, texts


@pytest.fixture
def no_umask() -> Iterator[None]:
    """The most careless setting there is: what a store makes is closed by itself or not at all."""
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store with one memory in it, closed."""
    made = tmp_path / "memories.db"
    store = SqliteStore(made)
    put(store, memory(text="tea"))
    store.close()
    return made


def remembered(path: Path) -> list[str]:
    store = SqliteStore(path)
    try:
        return texts(listed(store, sight_on(HOME)))
    finally:
        store.close()


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


# -- the engine -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", ["3.51.2", "3.44.5", "3.50.6", "3.40.1", "3.7.0", "3.45.9", "3.49.2", "3.51.0"])
def test_an_engine_that_can_lose_writes_is_refused(version: str) -> None:
    with pytest.raises(EngineTooOld, match=rf"SQLite {version} is linked.*install `apsw`"):
        check_engine(version)


@pytest.mark.parametrize("version", ["3.51.3", "3.44.6", "3.50.7", "3.54.1", "3.52.0", "3.100.0", "4.0.0"])
def test_a_mended_engine_is_accepted(version: str) -> None:
    check_engine(version)


# -- permissions ------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("no_umask")
def test_a_new_store_is_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "made" / "for" / "this.db"
    store = SqliteStore(path)
    put(store, memory())
    modes = {file.name: mode(file) for file in path.parent.iterdir()}
    store.close()
    assert {"this.db", "this.db-wal", "this.db.key", "this.db.lock", "this.db.ballast"} <= set(modes)
    assert {name: oct(bits) for name, bits in modes.items() if bits != 0o600} == {}
    assert (mode(path.parent), mode(path.parent.parent)) == (0o700, 0o700)


@pytest.mark.usefixtures("no_umask")
def test_a_directory_that_was_there_keeps_its_permissions(tmp_path: Path) -> None:
    directory = tmp_path / "shared"
    directory.mkdir(mode=0o755)
    SqliteStore(directory / "memories.db").close()
    assert mode(directory) == 0o755


def test_a_file_that_others_can_read_is_named(path: Path) -> None:
    store = SqliteStore(path)
    assert store.checkup() == []
    path.chmod(0o644)
    assert [what for what, problem in store.checkup() if str(path) in problem] == ["permissions"]
    store.close()


# -- paths ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["données.db", "記憶.db", "with space.db", "quo'te.db", "a?b=c&d#e%20.db", "👩‍💻.db"])
def test_a_path_is_taken_as_it_is(tmp_path: Path, name: str) -> None:
    path = tmp_path / name / name
    store = SqliteStore(path)
    put(store, memory(text="tea"))
    store.close()
    assert path.is_file()
    assert remembered(path) == ["tea"]


def test_a_path_that_looks_like_a_uri_is_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    SqliteStore("file:x.db?mode=memory").close()
    assert (tmp_path / "file:x.db?mode=memory").is_file()


# -- a foreign file ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "contents", [b"hello", b"not a database at all\n" * 200, b"SQLite format 3\x00" + b"\xff" * 5000]
)
def test_a_file_that_is_not_a_database_is_refused_and_left_unchanged(tmp_path: Path, contents: bytes) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(contents)
    with pytest.raises(MemfortError, match="not a memfort store"):
        SqliteStore(path)
    assert path.read_bytes() == contents
    assert [file.name for file in tmp_path.iterdir()] == ["notes.txt"]


@pytest.mark.parametrize("schema", ["create table notes (text)", "create table migration (id, applied)"])
def test_a_foreign_database_is_refused_and_left_unchanged(tmp_path: Path, schema: str) -> None:
    path = tmp_path / "theirs.db"
    theirs = sqlite3.connect(path)
    theirs.execute(schema)
    theirs.commit()
    theirs.close()
    before = path.read_bytes()
    with pytest.raises(SchemaMismatch, match=r"theirs\.db` is a database, but not a memfort store"):
        SqliteStore(path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["theirs.db"]


def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    path = tmp_path / "empty.db"
    path.touch(mode=0o600)
    assert remembered(path) == []


# -- the key ----------------------------------------------------------------------------------------------------------


def key_of(path: Path) -> Path:
    return path.with_name(path.name + ".key")


def test_a_store_without_its_key_is_refused_until_it_is_back(path: Path) -> None:
    aside = key_of(path).rename(path.with_name("aside"))
    before = path.read_bytes()
    with pytest.raises(KeyMismatch, match="is missing; put it back"):
        SqliteStore(path)
    assert path.read_bytes() == before
    assert not key_of(path).exists()
    aside.rename(key_of(path))
    assert remembered(path) == ["tea"]


def test_a_store_with_another_stores_key_is_refused(path: Path) -> None:
    other = path.with_name("other.db")
    SqliteStore(other).close()
    right, before = key_of(path).read_bytes(), path.read_bytes()
    key_of(path).write_bytes(key_of(other).read_bytes())
    with pytest.raises(KeyMismatch, match="belongs to another store; put the right one back"):
        SqliteStore(path)
    assert path.read_bytes() == before
    key_of(path).write_bytes(right)
    assert remembered(path) == ["tea"]


@pytest.mark.parametrize(
    "garbled",
    [
        b"",
        b"\xff\xfe",
        b"not json",
        b"[]",
        b"{}",
        b'{"secret": 1, "signing": 2}',
        b'{"secret": "zz", "signing": "zz"}',
        b'{"secret": "", "signing": ""}',
        json.dumps({"secret": "ab" * 31, "signing": "ab" * 32}).encode(),
    ],
)
def test_a_garbled_key_is_refused_and_left_alone(path: Path, garbled: bytes) -> None:
    key_of(path).write_bytes(garbled)
    with pytest.raises(KeyMismatch, match=r"the key file .*put the right one back"):
        SqliteStore(path)
    assert key_of(path).read_bytes() == garbled


def test_a_key_is_never_printed(path: Path) -> None:
    store = SqliteStore(path)
    store.close()
    shown = f"{store.keys!r} {store.keys}"
    assert store.keys.fingerprint in shown
    assert store.keys.secret.hex() not in shown
    assert repr(store.keys.secret) not in shown


def test_an_emptied_database_is_not_taken_for_a_new_one(path: Path) -> None:
    path.write_bytes(b"")
    with pytest.raises(StoreBroken, match="had contents once"):
        SqliteStore(path)
