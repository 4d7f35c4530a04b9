"""A store that is copied to a database, and back, is the same store: ids, trail, receipts and answers."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.postgres.conftest import Databases
from tests.postgres.test_histories import _without_figures

from memfort import FixedClock, Memory
from memfort.errors import InvalidInput, KeyMismatch, MemfortError, SchemaMismatch, StoreError
from memfort.policy.sight import maintenance_sight
from memfort.store.copying import copy_store
from memfort.store.opening import open_store
from memfort.store.port.key_text import key_from_text
from memfort.store.postgres.setup import check_store
from memfort.store.sqlite import SqliteStore
from memfort.testing.chat_histories import generate_chat_history
from memfort.testing.histories import History, OpenMemory, World
from memfort.testing.playback import play
from memfort.testing.purge import compare_transcripts
from memfort.testing.space_histories import generate_history

HISTORIES: dict[str, Callable[[], History]] = {
    "spaces": lambda: generate_history(2_400_020),
    "a chat": lambda: generate_chat_history(20),
}
_COPIES = """
import os, sys
from memfort.store.copying import copy_store
left = int(sys.argv[3])
def progress(done, total):
    global left
    left -= 1
    if not left:
        os._exit(9)
copy_store(sys.argv[1], sys.argv[2], progress)
"""


def in_file(path: Path, key_file: Path) -> OpenMemory:
    """Makes a store in a file with the key of the databases, or opens it again."""

    def open_memory(world: World, clock: FixedClock) -> Memory:
        keys = key_from_text(key_file.read_text(), key_file)
        store = SqliteStore(path, keys=keys, ballast_bytes=0)
        shutil.copy(key_file, f"{path}.key")
        return Memory(store, policy=world.policy, clock=clock, memberships=world.memberships)

    return open_memory


def at(address: str) -> OpenMemory:
    return lambda world, clock: Memory(
        open_store(address), policy=world.policy, clock=clock, memberships=world.memberships
    )


def contents(address: str | Path) -> dict[str, object]:
    """What a store has, without any number of its own."""
    store = open_store(address)
    try:
        chains = {chain: (length, head) for chain, length, head in store.chains()}
        sight = maintenance_sight(list(store.spaces()))
        return {
            "records": {space: sorted(store.records(maintenance_sight([space]))) for space in store.spaces()},
            "chains": chains,
            "links": {chain: [(one.body, one.hash) for one in store.links(chain)] for chain in chains},
            "checkpoints": {chain: list(store.checkpoints(chain)) for chain in chains},
            "erasures": list(store.erasures()),
            "queue": store.count_queued_turns(),
            "phases": store.phases(sight),
            "key": store.keys.fingerprint,
        }
    finally:
        store.close()


@pytest.mark.parametrize("name", HISTORIES)
def test_a_copy_goes_on_as_its_source_would(name: str, databases: Databases, tmp_path: Path) -> None:
    history = HISTORIES[name]()
    middle = 2 * len(history.steps) // 3
    before, after = replace(history, steps=history.steps[:middle]), replace(history, steps=history.steps[middle:])
    source, url, back = tmp_path / "a.db", databases.new_url(), tmp_path / "b.db"
    play(before, in_file(source, databases.key_file))
    there = contents(source)
    assert there["records"]
    assert there["links"]
    copied = copy_store(str(source), url)
    assert contents(url) == there
    assert copy_store(url, str(back)) == copied
    assert contents(back) == there
    for address in (url, str(back)):
        with Memory.open(address) as memory:
            assert memory.trail.verify().ok
    goes_on = _without_figures(play(after, at(str(source))))
    for address in (url, str(back)):
        answered = _without_figures(play(after, at(address)))
        assert answered.keys() == goes_on.keys()
        for party, transcript in goes_on.items():
            assert transcript
            assert compare_transcripts(goes_on, answered, party) is None


@pytest.fixture
def filled(databases: Databases, tmp_path: Path) -> Path:
    """A store in a file with a thousand rows in each of its large tables."""
    path = tmp_path / "a.db"
    keys = key_from_text(databases.key_file.read_text(), databases.key_file)
    with Memory(SqliteStore(path, keys=keys, ballast_bytes=0), clock=FixedClock(1_767_603_600_000_000)) as memory:
        shutil.copy(databases.key_file, f"{path}.key")
        alice = memory.as_user("alice")
        alice.remember_many([f"I keep note {number} in drawer {number}" for number in range(1100)])
        receipt = alice.erase(alice.remember("I owned a red bicycle").id)
        assert receipt.pending is None
    return path


def test_a_copy_that_is_killed_goes_on_where_it_was_and_is_opened_by_nobody_before(
    filled: Path, databases: Databases
) -> None:
    name = databases.new()
    url = databases.url(name)
    rows = 0
    for left in (4, 9, 14):
        killed = subprocess.run(
            [sys.executable, "-c", _COPIES, str(filled), url, str(left)], check=False, capture_output=True, text=True
        )
        assert killed.returncode == 9, killed.stderr
        with pytest.raises(SchemaMismatch, match="a copy into this database is not finished"):
            Memory.open(url)
        assert "a copy into this database is not finished" in check_store(url)[0]
        with databases.server.admin(name) as admin:
            (there,) = admin.execute("select count(*) from memfort.item").fetchone() or (0,)
        assert there >= rows
        rows = there
    assert rows == 1100  # before it has gone on for the last time, the memories are there
    copied = copy_store(str(filled), url)
    assert copied.memories == 1100
    assert contents(url) == contents(filled)


def test_a_copy_to_a_file_that_is_killed_leaves_none_under_its_name(filled: Path, tmp_path: Path) -> None:
    target = tmp_path / "copies" / "b.db"
    target.parent.mkdir()
    for left in (5, 11):
        command = [sys.executable, "-c", _COPIES, str(filled), str(target), str(left)]
        assert subprocess.run(command, check=False).returncode == 9
        assert not target.exists()
    assert copy_store(str(filled), str(target)).memories == 1100
    assert contents(target) == contents(filled)
    assert sorted(one.name for one in target.parent.iterdir() if one.suffix in {".db", ".copying"}) == ["b.db"]


def test_a_source_that_has_changed_since_is_not_gone_on_with(
    filled: Path, databases: Databases, tmp_path: Path
) -> None:
    url, target = databases.new_url(), tmp_path / "b.db"
    for address in (url, str(target)):
        command = [sys.executable, "-c", _COPIES, str(filled), address, "9"]
        assert subprocess.run(command, check=False).returncode == 9
    with Memory.open(filled) as memory:
        memory.as_user("bob").remember("I live in Lyon")
    with pytest.raises(StoreError, match="the source has changed since the copy began"):
        copy_store(str(filled), url)
    assert copy_store(str(filled), str(target)).memories == 1101  # what was half made is thrown away
    assert contents(target) == contents(filled)


def test_a_copy_goes_nowhere_where_something_is(filled: Path, databases: Databases, tmp_path: Path) -> None:
    url = databases.new_url()
    with Memory.open(url) as memory:
        memory.as_user("bob").remember("I live in Lyon")
    taken, other = tmp_path / "taken.db", tmp_path / "other.db"
    taken.write_text("a file")
    with Memory.open(other) as memory:
        memory.as_user("bob").remember("I live in Lyon")
    refused: list[tuple[str, str, type[MemfortError], str]] = [
        (str(filled), url, StoreError, "holds something already"),
        (str(filled), str(taken), InvalidInput, "is there already"),
        (str(filled), str(filled), InvalidInput, "is the store to be copied"),
        (str(tmp_path / "absent.db"), url, InvalidInput, "there is no store at"),
        (str(other), databases.new_url(), KeyMismatch, "has another key"),
        (str(filled), "postgresq://localhost/memories", InvalidInput, "there is no engine"),
        (str(filled), str(tmp_path / "absent" / "b.db"), InvalidInput, "there is no directory"),
        (str(filled), "postgresql://memfort@127.0.0.1:1/memories", StoreError, "cannot be reached"),
    ]
    before = sorted(tmp_path.iterdir())
    for source, target, kind, said in refused:
        with pytest.raises(kind, match=said):
            copy_store(source, target)
    assert sorted(tmp_path.iterdir()) == before
    with Memory.open(url) as memory:
        assert len(memory.as_user("bob").list()) == 1


def test_a_damaged_source_makes_no_copy(filled: Path, databases: Databases) -> None:
    import apsw

    with apsw.Connection(str(filled)) as raw:
        raw.execute("update item set created_at = created_at + 1 where no = 7")
    url = databases.new_url()
    with pytest.raises(StoreError, match="the store to be copied is not sound"):
        copy_store(str(filled), url)
    with Memory.open(url) as memory:
        assert memory.store.info().memories == 0
