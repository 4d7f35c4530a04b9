"""A store notes what the words of its index were made by, and says so when that is no longer how they are made."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from memfort import FixedClock
from memfort.client import Memory
from memfort.language import words
from memfort.model.moment import Moment
from memfort.operations.upkeep.rekey import renew_key
from memfort.policy.settings.policy import Policy
from memfort.store.port import ANALYZER
from memfort.store.sqlite import SqliteStore

TEXTS = ("PROJ-1235 is blocked", "PROJ-1236 is open", "gate A-12 is shut")


def opened(path: Path) -> Memory:
    return Memory(SqliteStore(path, ballast_bytes=0), clock=FixedClock(Moment(1_767_225_600_000_000)))


def words_noted(path: Path) -> list[str]:
    connection = apsw.Connection(str(path))
    try:
        return [value for (value,) in connection.execute("select value from meta where name = 'words'")]
    finally:
        connection.close()


@pytest.fixture
def old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store as the analyzer before this one left it: no codes in its index, and no note."""
    path = tmp_path / "memory.db"
    with monkeypatch.context() as before:
        before.setattr(words, "_find_codes", lambda _: [])
        with opened(path) as memory:
            memory.as_user("alice").remember_many(list(TEXTS))
    connection = apsw.Connection(str(path))
    connection.execute("delete from meta where name = 'words'")
    connection.close()
    return path


def test_a_new_store_has_the_words_of_today(tmp_path: Path) -> None:
    with opened(tmp_path / "memory.db") as memory:
        assert memory.store.info().words == ANALYZER
    assert words_noted(tmp_path / "memory.db") == [ANALYZER]


def test_an_outdated_index_answers_and_is_reported_until_rebuilt(old: Path) -> None:
    with opened(old) as memory:
        alice = memory.as_user("alice")
        assert memory.store.info().words == "words-2"
        assert memory.as_system().doctor(checks=["integrity"]).problems == []
        assert alice.recall("PROJ-1235").texts == [TEXTS[0]], "by its parts, of which no other memory has all"
        assert alice.recall("gate").texts == [TEXTS[2]]
        assert alice.recall("A-12").texts == []
        alice.remember("PROJ-1237 is new")
        assert alice.recall("PROJ-1237").texts == ["PROJ-1237 is new"]
    with opened(old) as memory:
        assert memory.store.info().words == "words-2", (
            "opening it and writing to it make no other words for what was there"
        )
        memory.store.reindex()
        assert memory.store.info().words == ANALYZER
        assert memory.as_user("alice").recall("A-12").texts == [TEXTS[2]]
        assert memory.as_user("alice").recall("PROJ-1235").texts == [TEXTS[0]]


def test_a_new_key_rebuilds_the_index_too(old: Path) -> None:
    old.with_name("memory.db.key").unlink()
    renew_key(old, policy=Policy(), surface="test")
    assert words_noted(old) == [ANALYZER]
