"""Several processes on one database: each sees what the others wrote, nothing is counted twice, and one call has one
effect also when its answer is lost."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest
from tests.postgres.conftest import LOGIN, Databases

from memfort import Memory, connect
from memfort.errors import StoreError
from memfort.store.postgres.transaction import Transaction

_WRITER = """
import sys
from memfort import Memory
url, who, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
with Memory.open(url) as memory:
    own, shared = memory.as_user(who), memory.as_user(who, project="apollo")
    for number in range(count):
        assert own.remember(f"{who} keeps note {number} of colour {number}")
        assert shared.remember(f"{who} tells the project fact {number}", space={"project": "apollo"})
"""
_WRITERS, _EACH = 3, 5


def test_processes_write_at_once_and_lose_nothing(databases: Databases) -> None:
    url = databases.new_url()
    names = [f"writer{number}" for number in range(_WRITERS)]
    with Memory.open(url) as memory:
        memory.as_user("reader").remember("I was here first")
        assert not memory.as_user("reader", project="apollo").list(space={"project": "apollo"})
        running = [subprocess.Popen([sys.executable, "-c", _WRITER, url, name, str(_EACH)]) for name in names]
        assert [one.wait() for one in running] == [0] * _WRITERS
        shared = memory.as_user("reader", project="apollo").list(space={"project": "apollo"}, limit=100)
        assert len({item.text for item in shared}) == _WRITERS * _EACH
        for name in names:
            assert len(memory.as_user(name).list(space={"user": name}, limit=100)) == _EACH
            found = memory.as_user(name).recall(f"colour {_EACH - 1}")
            assert any(f"note {_EACH - 1} " in hit.text for hit in found)
        assert memory.trail.verify().ok
        assert memory._engine.store.checkup() == []


def test_the_next_call_of_another_process_sees_a_write_and_its_end(databases: Databases) -> None:
    url = databases.new_url()
    with Memory.open(url) as here, Memory.open(url) as there:
        for number in range(5):
            kept = here.as_user("alice").remember(f"the code word is zebra{number}")
            assert [hit.text for hit in there.as_user("alice").recall(f"zebra{number}")] == [kept.item.text]
            here.as_user("alice").forget(kept.id)
            assert not there.as_user("alice").recall(f"zebra{number}")


def test_a_revoked_share_shows_nothing_to_the_next_read_of_another_process(databases: Databases) -> None:
    url = databases.new_url()
    with Memory.open(url) as here, Memory.open(url) as there:
        here.as_user("alice").remember("the meeting is at the old mill", sensitivity="public")
        share = here.as_user("alice").share(space={"user": "alice"}, user="bob")
        assert there.as_user("bob").recall("old mill")
        here.as_user("alice").revoke(share.id)
        assert not there.as_user("bob").recall("old mill")


def test_threads_that_write_the_same_spaces_in_another_order_all_finish(databases: Databases) -> None:
    with Memory.open(databases.new_url()) as memory:

        def work(name: str) -> int:
            bound = memory.as_user(name, project="apollo")
            said = [f"{name} says {number}" for number in range(4)]
            return sum(
                bool(bound.remember(text, space={"project": "apollo"}, subjects=["@ann", "@ben"])) for text in said
            )

        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(work, ["ann", "ben", "cid", "dora"])) == [4] * 4
        assert len(memory.as_user("eve", project="apollo").list(space={"project": "apollo"}, limit=100)) == 16
        assert memory._engine.store.checkup() == []


@contextmanager
def answer_lost(monkeypatch: pytest.MonkeyPatch, *, committed: bool) -> Iterator[list[bool]]:
    """The connection breaks at the end of the next write: before the server has committed it, or after."""
    right, lost = Transaction.commit, [False]

    def commit(self: Transaction) -> None:
        if lost[0]:
            right(self)
            return
        lost[0] = True
        if committed:
            right(self)
        self.raw.close()
        raise psycopg.OperationalError("the connection was lost")

    with monkeypatch.context() as patch:
        patch.setattr(Transaction, "commit", commit)
        yield lost


@pytest.mark.parametrize("committed", [True, False], ids=["kept", "not kept"])
def test_a_write_whose_answer_is_lost_is_kept_once_or_not_at_all(
    databases: Databases, monkeypatch: pytest.MonkeyPatch, committed: bool
) -> None:
    with Memory.open(databases.new_url()) as memory:
        alice = memory.as_user("alice")
        alice.remember("I was here first")
        with answer_lost(monkeypatch, committed=committed) as lost:
            if committed:
                assert alice.remember("my locker is number seven")
            else:
                with pytest.raises(StoreError, match="nothing was kept"):
                    alice.remember("my locker is number seven")
            assert lost == [True]
        assert [item.text for item in alice.list()].count("my locker is number seven") == int(committed)
        assert memory.trail.verify().ok


def test_two_servers_on_one_database_answer_the_same(databases: Databases, tmp_path: Path) -> None:
    url = databases.new_url()
    with Memory.open(url) as memory:
        key = memory.keys.create(user="alice", scopes=["read", "write"]).token
    with (
        serving(url, tmp_path / "one.log") as one,
        serving(url, tmp_path / "two.log") as two,
        connect(one, key) as first,
        connect(two, key) as second,
    ):
        first.as_user("alice").remember("my locker is number seven")
        assert [hit.text for hit in second.as_user("alice").recall("locker")] == ["my locker is number seven"]
    assert str(databases.key_file) not in (tmp_path / "one.log").read_text()


@contextmanager
def serving(url: str, log: Path) -> Iterator[str]:
    """The address of `memfort serve` on a database, while it runs."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "memfort", "--store", url, "serve", "--port", str(port)]
    with log.open("wb") as output:
        running = subprocess.Popen(command, stdout=output, stderr=output)
        try:
            until = time.monotonic() + 60
            while running.poll() is None and time.monotonic() < until:
                with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                    break
                time.sleep(0.1)
            assert running.poll() is None, log.read_text()
            yield f"http://127.0.0.1:{port}"
        finally:
            running.terminate()
            running.wait(30)


def test_a_server_that_drops_idle_connections_is_not_noticed(databases: Databases) -> None:
    name = databases.new()
    with Memory.open(databases.url(name)) as memory:
        memory.as_user("alice").remember("I like tea")
        with databases.server.admin() as admin:
            admin.execute(
                "select pg_terminate_backend(pid) from pg_stat_activity where datname = %s and usename = %s",
                (name, LOGIN),
            )
        threading.Event().wait(0.2)
        assert memory.as_user("alice").recall("tea")
        assert memory.as_user("alice").remember("I like coffee")


def test_an_erased_memory_is_in_no_file_of_the_tables(databases: Databases) -> None:
    name, word = databases.new(), "zebra" + "quark"
    with Memory.open(databases.url(name)) as memory:
        alice = memory.as_user("alice")
        kept = alice.remember(f"I keep the {word} in the cellar", sensitivity="public")
        alice.remember("I live in Lyon")
        assert files_with(databases, name, word), "the server's files are looked through where they are"
        receipt: Any = alice.erase(kept.id)
        assert receipt.pending is None
        assert not files_with(databases, name, word)
        assert alice.recall("Lyon")


def test_an_erasure_waits_for_whoever_reads_an_older_view(databases: Databases) -> None:
    name = databases.new()
    with Memory.open(databases.url(name)) as memory:
        alice = memory.as_user("alice")
        kept = alice.remember("I keep the lantern in the cellar", sensitivity="public")
        with databases.server.admin(name) as reader:
            reader.execute("begin isolation level repeatable read")
            reader.execute("select count(*) from memfort.item")
            assert alice.erase(kept.id).pending is not None
            reader.execute("rollback")
        memory.finish_erasures()
        assert not [one for one in memory._engine.store.erasures() if one.pending]


def files_with(databases: Databases, name: str, word: str) -> list[str]:
    """The files of a database's tables that hold a word."""
    with databases.server.admin(name) as admin:
        admin.execute("checkpoint")
        (folder,) = admin.execute(
            "select oid::text from pg_database where datname = current_database()"
        ).fetchone() or ("",)
    inside = databases.server.folder / "data" / "base" / folder
    return [file.name for file in inside.iterdir() if word.encode() in file.read_bytes()]
