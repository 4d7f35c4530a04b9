"""Behind pgbouncer in transaction mode. `make test-postgres PGBOUNCER=/usr/sbin/pgbouncer` plays these; the package is
one of the system."""

from __future__ import annotations

import os
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.postgres.conftest import LOGIN, Databases
from tests.postgres.server import as_ordinary_user, own

from memfort import Memory

PROGRAM = os.environ.get("MEMFORT_TEST_PGBOUNCER")

if PROGRAM:

    @pytest.fixture
    def pooled(databases: Databases) -> Iterator[str]:
        """The address of a new store, through a pooler with two connections to the server."""
        folder = Path(tempfile.mkdtemp(prefix="memfort-bouncer-"))
        own(folder)
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        (folder / "users").write_text(f'"{LOGIN}" ""\n')
        (folder / "pgbouncer.ini").write_text(
            f"[databases]\n* = host={databases.server.folder}\n[pgbouncer]\npool_mode = transaction\n"
            f"unix_socket_dir = {folder}\nlisten_port = {port}\nauth_type = trust\nauth_file = {folder}/users\n"
            "default_pool_size = 2\nmax_client_conn = 100\nignore_startup_parameters = extra_float_digits\n"
        )
        command = [*as_ordinary_user(), PROGRAM, folder / "pgbouncer.ini"]
        with (folder / "log").open("w") as log, subprocess.Popen(command, stderr=log) as running:
            until = time.monotonic() + 30
            while not (folder / f".s.PGSQL.{port}").exists():
                assert running.poll() is None, (folder / "log").read_text()
                assert time.monotonic() < until
                time.sleep(0.05)
            name = databases.new()
            yield f"postgresql://{LOGIN}@/{name}?host={folder}&port={port}&key_file={databases.key_file}&pgbouncer=on"
            running.terminate()

    def test_many_callers_share_two_connections_and_each_sees_its_own(pooled: str) -> None:
        with Memory.open(pooled) as memory:

            def work(number: int) -> list[str]:
                bound = memory.as_user(f"user{number}")
                for note in range(3):
                    assert bound.remember(f"I keep note {note} of user {number}")
                return sorted(item.text for item in bound.list())

            with ThreadPoolExecutor(8) as pool:
                found = list(pool.map(work, range(16)))
            assert found == [[f"I keep note {note} of user {number}" for note in range(3)] for number in range(16)]
            assert memory.trail.verify().ok
            assert memory.store_in_use.checkup() == []

    def test_an_erasure_waits_for_a_direct_connection(pooled: str, databases: Databases) -> None:
        with Memory.open(pooled) as memory:
            alice = memory.as_user("alice")
            receipt = alice.erase(alice.remember("I keep the lantern in the cellar").id)
            assert "direct connection" in (receipt.pending or "")
        name = pooled.split("@/")[1].split("?", maxsplit=1)[0]
        with Memory.open(databases.url(name)) as memory:
            memory.finish_erasures()
            assert not [one for one in memory.store_in_use.erasures() if one.pending]
