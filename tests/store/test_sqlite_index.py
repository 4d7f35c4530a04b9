"""The text index: no words in it, no trace after it, and a cost that depends on what the caller sees."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from memfort import FixedClock, Memory
from memfort.model.space import Space
from memfort.store.port import Erase
from memfort.store.sqlite import SqliteStore
from memfort.testing.conformance import ALICE, HOME, NOW, found, memory, put, sight_on
from memfort.testing.conformance.inspection import partitions

WORDS = "zyxwvu qponml kjihgf"


def occurrences(directory: Path, word: str) -> int:
    return sum(file.read_bytes().count(word.encode()) for file in directory.iterdir())


def test_a_word_is_stored_only_in_its_memory(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "memories.db")
    put(store, memory(text=WORDS), memory(text="other", number=2))
    assert found(store, sight_on(HOME), "zyxwvu") == [WORDS]
    assert store.scrub().pending is None
    assert [occurrences(tmp_path, word) for word in WORDS.split()] == [1, 1, 1]
    store.apply([Erase(HOME, memory().id)], [])
    assert store.scrub().pending is None
    assert [occurrences(tmp_path, word) for word in WORDS.split()] == [0, 0, 0]
    assert occurrences(tmp_path, "other") == 1
    store.close()


def test_index_entries_are_numbers_that_need_the_key(tmp_path: Path) -> None:
    terms, change_keys = [], []
    for name in ("one.db", "two.db"):
        store = SqliteStore(tmp_path / name, ballast_bytes=0)
        put(store, memory(text=WORDS))
        rows = store._connection.raw.execute("select terms, counts, change_keys from entry").fetchall()
        assert [tuple(map(len, row)) for row in rows] == [(3 * 8, 3 * 2, 8)]
        terms.append({rows[0][0][at : at + 8] for at in range(0, 24, 8)})
        change_keys.append(rows[0][2])
        store.close()
    assert len(terms[0]) == len(terms[1]) == 3
    assert not terms[0] & terms[1]
    assert change_keys[0] != change_keys[1]


def test_there_is_no_index_over_all_users(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "memories.db", ballast_bytes=0)
    schema = "\n".join(sql or "" for (sql,) in store._connection.raw.execute("select sql from sqlite_schema"))
    store.close()
    assert "TABLE entry" in schema
    assert "fts" not in schema.lower()
    assert "virtual" not in schema.lower()


# -- cost -------------------------------------------------------------------------------------------------------------


def steps(store: SqliteStore, work: Callable[[], object]) -> int:
    """How many steps SQLite's machine takes for some reads."""
    taken = []
    connection = store._connection.raw
    connection.trace_v2(
        apsw.SQLITE_TRACE_PROFILE, lambda event: taken.append(event["stmt_status"]["SQLITE_STMTSTATUS_VM_STEP"])
    )
    try:
        work()
    finally:
        connection.trace_v2(0, None)
    assert taken
    return sum(taken)


def filled(path: Path, strangers: int) -> SqliteStore:
    """Alice's fifty memories, among those of strangers who use the same words, one of them in the same project."""
    store = SqliteStore(path, ballast_bytes=0)
    places = [HOME, Space.of({"project": "apollo"})]
    places += [Space.of({"user": f"stranger {n}", "project": "apollo"}) for n in range(strangers)]
    put(
        store,
        *(
            memory(place, f"tea number {n} with milk", number=n, at=NOW + n, author=ALICE)
            for place in places
            for n in range(1, 51)
        ),
    )
    return store


def test_the_cost_of_a_read_depends_only_on_what_the_caller_sees(tmp_path: Path) -> None:
    few, many = filled(tmp_path / "few.db", 2), filled(tmp_path / "many.db", 80)
    costs = {}
    for store in (few, many):
        memory_ = Memory(store, clock=FixedClock(NOW))
        alice = memory_.as_user("alice", project="apollo")
        some_id = alice.list(limit=1).items[0].id
        verbs: dict[str, Callable[[], object]] = {
            "recall": lambda alice=alice: alice.recall("tea milk", limit=5),
            "recall-nothing": lambda alice=alice: alice.recall("coffee"),
            "list": lambda alice=alice: alice.list(limit=10),
            "get": lambda alice=alice, some_id=some_id: alice.get(some_id),
            "sources": lambda alice=alice: alice.sources(),
        }
        assert len(alice.recall("tea milk", limit=5).hits) == 5
        costs[store] = {verb: steps(store, work) for verb, work in verbs.items()}
    ratios = {verb: costs[many][verb] / costs[few][verb] for verb in costs[few]}
    assert ratios == pytest.approx(dict.fromkeys(ratios, 1.0), abs=0.02)
    for store in (few, many):
        store.close()


def test_the_cost_of_a_read_grows_with_what_the_caller_sees(tmp_path: Path) -> None:
    """The control of the test before: the measure does measure."""
    store = filled(tmp_path / "memories.db", 4)
    one, both = sight_on(HOME), sight_on(HOME, Space.of({"project": "apollo"}))
    narrow = steps(store, lambda: partitions(store, one, ["tea"], NOW))
    wide = steps(store, lambda: partitions(store, both, ["tea"], NOW))
    store.close()
    assert wide > 1.5 * narrow
