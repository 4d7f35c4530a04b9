"""Overwriting unused bytes in a file in use changes nothing that can be read."""

from __future__ import annotations

import random
from pathlib import Path

import apsw
import pytest
from fault_support import Ledger, contents_of, count, integrity, reopened, seeded, sentence, sound, start_worker, word

from memfort import Memory
from memfort.errors import StoreError
from memfort.store.sqlite import SqliteStore
from memfort.store.sqlite.scrub import dirty_spans, overwrite_unused


def test_scrubbing_beside_readers_and_writers_harms_nothing(tmp_path: Path) -> None:
    for round in range(max(1, count(1) // 20)):
        seeded("scrub", round)
        path, until = tmp_path / f"{round}" / "memory.db", tmp_path / f"until-{round}"
        with reopened(path) as memory:
            writers = [
                start_worker("write", path, tmp_path / f"w{round}-{n}", seed=f"s{round}/{n}", steps=45)
                for n in range(2)
            ]
            reader = start_worker("read_on", path, tmp_path / f"r{round}", until=str(until))
            for worker in (*writers, reader):
                worker.wait_until("ready")
            scrubs = pending = overwritten = 0
            while any(worker.process.poll() is None for worker in writers):
                scrub = memory._engine.store.scrub()
                scrubs, pending = scrubs + 1, pending + (scrub.pending is not None)
                overwritten += scrub.places.get("unused_bytes_overwritten", 0)
            until.touch()
            ledger = Ledger()
            for worker in writers:
                ledger.take(worker.finish())
            report = reader.finish()[-1]
            assert report["problems"] == []
            assert ledger.differences(memory) == []
            memory.finish_erasures()  # some had to wait for the reader
            sound(memory)
        assert integrity(path) == "ok"
        print(
            f"{scrubs} scrubs, {pending} put off, {overwritten} bytes overwritten, {report['rounds']} rounds of reading"
        )
        assert scrubs > pending
        assert overwritten > 0
        assert report["rounds"] > 0


@pytest.mark.parametrize("page_size", [512, 1024, 4096, 65_536])
def test_a_scrub_overwrites_only_unused_bytes(tmp_path: Path, page_size: int) -> None:
    """Any table, index, overflow chain and free list, at any page size: the same rows before and after."""
    overwritten = 0
    for round in range(count(3)):
        rng = seeded("layout", page_size, round)
        path = tmp_path / f"{round}.db"
        rows = _random_database(path, page_size, rng)
        done = overwrite_unused(path)
        zeroed, left = done.overwritten, done.left
        overwritten += zeroed
        assert left == 0
        assert integrity(path) == "ok"
        assert list(dirty_spans(path)) == []
        connection = apsw.Connection(str(path))
        assert connection.execute("select * from t order by id").fetchall() == rows
        assert connection.execute("select count(*) from t indexed by t_text").fetchall() == [(len(rows),)]
        connection.execute("insert into t (text, blob) select text, blob from t")
        connection.close()
        assert integrity(path) == "ok"
    assert overwritten > 0


def _random_database(path: Path, page_size: int, rng: random.Random) -> list[tuple[int, str, bytes]]:
    connection = apsw.Connection(str(path))
    for pragma in (f"page_size = {page_size}", "secure_delete = off", "synchronous = off", "journal_mode = wal"):
        connection.execute(f"pragma {pragma}").fetchall()
    connection.execute("create table t (id integer primary key, text text, blob blob); create index t_text on t (text)")
    connection.execute("create table w (a text, b text, primary key (a, b)) without rowid")
    for _ in range(rng.randint(50, 200)):
        size = rng.choice([1, 20, 200, 3000, 20_000])
        connection.execute(
            "insert into t (text, blob) values (?, ?)", (word(rng, 8) * (size // 16), rng.randbytes(size))
        )
        connection.execute("insert or ignore into w values (?, ?)", (word(rng, 2), sentence(rng, size // 10)))
        if rng.random() < 0.4:
            connection.execute("delete from t where id in (select id from t order by random() limit 2)")
            connection.execute("update t set text = ? where id = (select min(id) from t)", (word(rng, 3),))
            connection.execute("delete from w where a in (select a from w order by random() limit 2)")
    connection.execute("pragma wal_checkpoint(truncate)").fetchall()
    rows = connection.execute("select * from t order by id").fetchall()
    connection.close()
    return rows


def test_a_program_that_does_not_know_our_lock_is_kept_out_while_the_file_is_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with Memory(SqliteStore(path, ballast_bytes=0)) as memory:
        memory.as_user("alice").remember("note of alice")
        shell = apsw.Connection(str(path))
        with (
            memory._engine.store._locked_with_empty_log() as why_not,
            memory._engine.store._connections.standstill() as connection,
        ):
            assert why_not is None
            assert connection is not None
            with pytest.raises(apsw.BusyError):
                shell.execute("begin immediate")
        shell.execute("begin immediate; rollback")
        shell.close()


def test_a_concurrent_write_by_another_program_postpones_the_scrub(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with Memory(SqliteStore(path, ballast_bytes=0)) as memory:
        store = memory._engine.store
        with store._locked_with_empty_log():
            shell = apsw.Connection(str(path))
            shell.execute("insert into meta (name, value) values ('stranger', 1)")
            with store._connections.standstill() as connection:
                assert connection is None
            shell.close()
        assert store.scrub().pending is None


def test_pages_cached_before_a_scrub_do_not_bring_the_bytes_back(tmp_path: Path) -> None:
    """Two connections with warm caches, one of them the eraser's own; then both write to the same pages again."""
    path = tmp_path / "memory.db"
    first, second = (Memory(SqliteStore(path, ballast_bytes=0)) for _ in range(2))
    rng = seeded("cache")
    canaries = []
    for _ in range(12):
        canary = "Kanari" + word(rng, 6)
        canaries.append(canary)
        id = first.as_user("alice").remember(f"note of {canary} {sentence(rng, 30)}").item.id
        for memory in (first, second):
            memory.as_user("alice").remember(f"note beside it {sentence(rng, 30)}")
            memory.as_user("alice").recall("note", limit=1000)
        assert first.as_user("alice").erase(id).state == "complete"
        for memory in (second, first):
            memory.as_user("alice").remember(f"note afterwards {sentence(rng, 60)}")
        content = contents_of(path)
        assert [canary for canary in canaries if canary.encode() in content] == []
        assert b"note afterwards" in content
    sound(first)
    first.close()
    second.close()


def test_a_damaged_page_is_left_as_it_is(tmp_path: Path) -> None:
    """In a page that contradicts itself, what looks unused may be the last copy of something."""
    path = tmp_path / "memory.db"
    with Memory(SqliteStore(path, ballast_bytes=0)) as memory:
        memory.as_user("alice").remember_many([sentence(seeded("page", n), 12) for n in range(60)])
    healthy, refused, harmless = path.read_bytes(), 0, 0
    for page in range(len(healthy) // 4096):
        for at in (3, 5, 1):  # number of cells, start of the cells, first free block
            place = page * 4096 + (100 if page == 0 else 0) + at
            damaged = bytearray(healthy)
            damaged[place] ^= 0x0F
            copy = tmp_path / "copy.db"
            copy.write_bytes(damaged)
            cells = _cells(bytes(damaged), page)
            try:
                overwrite_unused(copy)
            except StoreError:
                refused += 1
                assert copy.read_bytes() == bytes(damaged), "refused, and yet something was overwritten"
                continue
            harmless += 1
            after = copy.read_bytes()
            assert all(after[cell : cell + 4] == damaged[cell : cell + 4] for cell in cells)
    assert refused > 10
    assert harmless > 0


def _cells(content: bytes, page: int) -> list[int]:
    """Where the cells of a healthy b-tree page begin, as its pointers say."""
    start = page * 4096
    header = start + (100 if page == 0 else 0)
    size = {13: 8, 10: 8, 5: 12, 2: 12}.get(content[header], 0)
    number = int.from_bytes(content[header + 3 : header + 5], "big") if size else 0
    pointers = [header + size + 2 * n for n in range(min(number, 600))]
    cells = [start + int.from_bytes(content[at : at + 2], "big") for at in pointers]
    return [cell for cell in cells if start < cell < start + 4092]
