"""Threads, processes and forks on one SQLite file."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from memfort.errors import StoreBusy, StoreError
from memfort.model.item import EVERYONE, Kind
from memfort.model.people.actor import ActorKind, Standpoint
from memfort.model.people.directory import Principal, Share
from memfort.model.space import Coordinate, Level
from memfort.store.port import DropShare, Erase, PutShare
from memfort.store.sqlite import SqliteStore
from memfort.testing.conformance import (
    ALICE,
    BOB,
    EVERYTHING,
    HOME,
    NOW,
    in_another_thread,
    listed,
    memory,
    put,
    sight_on,
    texts,
)
from memfort.testing.conformance.inspection import partitions
from memfort.trail.event import chain_of_space

AT_BOB = Standpoint(BOB, (Coordinate(Level.USER, "bob"),))
SHARE = Share("shr_1", HOME, Principal(ActorKind.USER, "bob"), ALICE, NOW)


@pytest.fixture
def other(store: SqliteStore, path: Path) -> Iterator[SqliteStore]:
    """A second store on the same file, with connections, caches and locks of its own."""
    made = SqliteStore(path, ballast_bytes=0, wait_seconds=0.3)
    yield made
    made.close()


def run(script: str, path: Path) -> str:
    done = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


# -- settings ---------------------------------------------------------------------------------------------------------


def settings_of(connection: apsw.Connection) -> dict[str, Any]:
    names = ("journal_mode", "synchronous", "secure_delete", "temp_store", "trusted_schema", "cell_size_check")
    return {name: connection.pragma(name) for name in names}


def test_every_connection_is_durable_and_wipes_deleted_data(store: SqliteStore, other: SqliteStore) -> None:
    expected = {"journal_mode": "wal", "synchronous": 2, "secure_delete": 1, "temp_store": 2, "trusted_schema": 0,
                "cell_size_check": 1}  # fmt: skip
    assert settings_of(store._connection.raw) == expected
    assert settings_of(other._connection.raw) == expected
    assert in_another_thread(lambda: settings_of(store._connection.raw)) == expected
    with store.writing():
        assert settings_of(store._connection.raw) == expected
        assert store._connection.raw.in_transaction


def test_a_thread_that_ended_leaves_no_connection_behind(store: SqliteStore) -> None:
    for _ in range(20):
        in_another_thread(lambda: listed(store, sight_on(HOME)))
    assert len(store._connections._readers) <= 2
    assert len(in_another_thread(lambda: list(store.spaces()))) == 0


# -- closed -----------------------------------------------------------------------------------------------------------


def test_a_closed_store_raises_at_every_entry_point(store: SqliteStore) -> None:
    put(store, memory())
    store.close()
    store.close()
    sight = sight_on(HOME)
    doors = {
        "reading": lambda: store.reading().__enter__(),
        "writing": lambda: store.writing().__enter__(),
        "apply": lambda: store.apply([], []),
        "facts": lambda: store.facts(AT_BOB),
        "agent": lambda: store.agent("x"),
        "chat": lambda: store.chat("x"),
        "members": lambda: store.members(Coordinate(Level.ORG, "x")),
        "shares_of": lambda: store.shares_of([HOME]),
        "directory": lambda: store.directory(),
        "columns": lambda: partitions(store, sight, ["tea"], NOW),
        "positions": lambda: store.positions(sight, [1]),
        "items_by_handle": lambda: store.items_by_handle(sight, [1]),
        "items": lambda: store.items(sight, ["x"]),
        "page": lambda: store.page(sight, EVERYTHING, None, 1, NOW),
        "rivals": lambda: store.rivals(sight, HOME, EVERYONE, b""),
        "rejected_value": lambda: store.rejected_value(sight, HOME, EVERYONE, b""),
        "next_number": lambda: store.next_number(sight, HOME, EVERYONE, b"", Kind.SEMANTIC),
        "derived": lambda: store.derived(sight, ["x"]),
        "overdue": lambda: store.overdue(sight, NOW),
        "sources": lambda: store.sources(sight),
        "damaged": lambda: store.damaged(sight),
        "quarantined": lambda: store.quarantined(sight),
        "all_damaged": lambda: store.all_damaged(),
        "spaces": lambda: store.spaces(),
        "chains": lambda: store.chains(),
        "links": lambda: list(store.links(chain_of_space(HOME))),
        "checkpoints": lambda: store.checkpoints(chain_of_space(HOME)),
        "erasures": lambda: store.erasures(),
        "scrub": lambda: store.scrub(),
        "residue": lambda: store.residue(),
        "checkup": lambda: store.checkup(),
        "info": lambda: store.info(),
    }
    for name, door in doors.items():
        with pytest.raises(StoreError, match="the store is closed; open it again"):
            pytest.fail(f"{name} answered {door()!r}")


# -- side by side -----------------------------------------------------------------------------------------------------


def test_two_stores_on_one_file_see_each_others_writes(store: SqliteStore, other: SqliteStore) -> None:
    put(store, memory(text="one"))
    put(other, memory(text="two", number=2))
    assert texts(listed(store, sight_on(HOME))) == texts(listed(other, sight_on(HOME))) == ["one", "two"]
    assert [link.number for link in store.links(chain_of_space(HOME))] == [1, 2]


def test_a_reader_does_not_keep_a_writer_waiting(store: SqliteStore, other: SqliteStore) -> None:
    put(store, memory(text="one"))
    with store.reading():
        assert texts(listed(store, sight_on(HOME))) == ["one"]
        put(other, memory(text="two", number=2))
        assert texts(listed(other, sight_on(HOME))) == ["one", "two"]
        assert texts(listed(store, sight_on(HOME))) == ["one"]
    assert texts(listed(store, sight_on(HOME))) == ["one", "two"]


def test_a_writer_does_not_keep_a_reader_waiting(store: SqliteStore, other: SqliteStore) -> None:
    put(store, memory(text="one"))
    with store.writing():
        put(store, memory(text="two", number=2))
        assert texts(listed(other, sight_on(HOME))) == ["one"]
    assert texts(listed(other, sight_on(HOME))) == ["one", "two"]


def test_a_second_writer_waits_and_then_says_that_it_is_busy(store: SqliteStore, other: SqliteStore) -> None:
    with store.writing():
        put(store, memory(text="one"))
        with pytest.raises(StoreBusy, match="try again"):
            put(other, memory(text="two", number=2))
    put(other, memory(text="two", number=2))
    assert texts(listed(store, sight_on(HOME))) == ["one", "two"]


REVOKING = """
import sys
from memfort.store.port import DropShare
from memfort.store.sqlite import SqliteStore
store = SqliteStore(sys.argv[1])
store.apply([DropShare("shr_1")], [])
store.close()
"""


def test_a_share_revoked_in_another_process_ends_with_the_next_read(store: SqliteStore, path: Path) -> None:
    put(store, memory())
    store.apply([PutShare(SHARE)], [])
    with store.reading():
        assert store.facts(AT_BOB).shared == (HOME,)
        run(REVOKING, path)
        assert store.facts(AT_BOB).shared == (HOME,)
    assert store.facts(AT_BOB).shared == ()


def test_an_older_view_leaves_nothing_behind_for_a_newer_one(store: SqliteStore) -> None:
    """Facts are kept from read to read; a thread that still reads the past must not hand them to the present."""
    store.apply([PutShare(SHARE)], [])
    began, revoked, looked, done = (threading.Event() for _ in range(4))
    seen: list[tuple[Any, ...]] = []

    def look_at_the_past() -> None:
        with store.reading():
            store.spaces()
            began.set()
            revoked.wait(10)
            seen.append(store.facts(AT_BOB).shared)
            looked.set()
            done.wait(10)

    thread = threading.Thread(target=look_at_the_past)
    thread.start()
    began.wait(10)
    store.apply([DropShare("shr_1")], [])
    assert store.facts(AT_BOB).shared == ()
    revoked.set()
    looked.wait(10)
    assert store.facts(AT_BOB).shared == ()
    done.set()
    thread.join()
    assert seen == [(HOME,)]


def test_a_half_read_trail_does_not_stop_a_scrub_for_good(store: SqliteStore) -> None:
    put(store, memory(), memory(number=2))
    links = store.links(chain_of_space(HOME))
    next(links)
    links.close()
    store.apply([Erase(HOME, memory().id)], [])
    assert store.scrub().pending is None


# -- forks ------------------------------------------------------------------------------------------------------------

FORKING = """
import os, sys
from memfort import Memory

memory = Memory.open(sys.argv[1])
store, alice = memory._engine.store, memory.as_user("alice")
alice.remember("before")
assert len(alice.list().items) == 1
child = os.fork()
if child == 0:
    {first}
    alice.remember("child")
    assert len(alice.list().items) == 2
    memory.close()
    {leave}
_, status = os.waitpid(child, 0)
assert status == 0, status
alice.remember("parent")
print(sorted(item.text for item in alice.list().items), memory.as_system().doctor(checks=["integrity"]).problems)
memory.close()
"""


@pytest.mark.parametrize(
    ("first", "leave"),
    [
        ("pass", "os._exit(0)"),
        ("pass", "sys.exit(0)"),
        ("store.scrub()", "os._exit(0)"),
        ("store.residue()", "os._exit(0)"),
        ("memory.trail.checkpoint()", "os._exit(0)"),
    ],
)
def test_a_store_can_be_used_on_both_sides_of_a_fork(path: Path, first: str, leave: str) -> None:
    answer = run(FORKING.replace("{first}", first).replace("{leave}", leave), path)
    assert answer == "['before', 'child', 'parent'] []"
    reopened = SqliteStore(path)
    assert texts(listed(reopened, sight_on(HOME))) == ["before", "child", "parent"]
    reopened.close()
