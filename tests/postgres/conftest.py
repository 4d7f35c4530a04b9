"""A PostgreSQL server for the run, and a database of its own for each test, copied from one that is ready."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.postgres.server import Server, shared_server

from memfort.store.port.key_text import key_from_text
from memfort.store.postgres.address import read_address
from memfort.store.postgres.setup import create_store
from memfort.store.postgres.store import PostgresStore

LOGIN = "memfort_test"
TEMPLATE = "memfort_template"
_PARTITIONS = 2  # enough to have them, and quick to copy
_numbers = itertools.count(1)


class Databases:
    """Makes databases with an empty store in each, and drops them again."""

    def __init__(self, server: Server, key_file: Path) -> None:
        self.server = server
        self.key_file = key_file
        self._made: list[str] = []

    def new(self) -> str:
        """The name of a new one."""
        name = f"test_{os.getpid()}_{next(_numbers)}"
        with self.server.admin() as admin:
            admin.execute(f"create database {name} template {TEMPLATE} strategy file_copy")
        self._made.append(name)
        return name

    def url(self, name: str) -> str:
        """As a program has it that uses the store."""
        return f"{self.server.url(name, LOGIN)}&key_file={self.key_file}"

    def new_url(self) -> str:
        return self.url(self.new())

    def new_store(self) -> PostgresStore:
        keys = key_from_text(self.key_file.read_text(), self.key_file)
        return PostgresStore(read_address(self.new_url()), keys=keys)

    def drop(self) -> None:
        with self.server.admin() as admin:
            for name in self._made:
                admin.execute(f"drop database {name} with (force)")
        self._made = []


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    base = tmp_path_factory.getbasetemp()
    with shared_server(base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) as running:
        yield running


@pytest.fixture(scope="session")
def key_file(server: Server) -> Path:
    """The key of the store in the template, which is that of all its copies."""
    path = server.folder / "template.key"
    with server.admin() as admin:
        admin.execute("select pg_advisory_lock(1)")  # one of the processes makes the template
        if not admin.execute("select 1 from pg_database where datname = %s", (TEMPLATE,)).fetchone():
            admin.execute(f"create database {TEMPLATE}")
            create_store(f"{server.url(TEMPLATE)}&key_file={path}", login=LOGIN, partitions=_PARTITIONS)
    return path


@pytest.fixture
def databases(server: Server, key_file: Path) -> Iterator[Databases]:
    made = Databases(server, key_file)
    yield made
    made.drop()


@pytest.fixture
def new_store(databases: Databases) -> Iterator[Callable[[], PostgresStore]]:
    opened: list[PostgresStore] = []

    def make() -> PostgresStore:
        opened.append(databases.new_store())
        return opened[-1]

    yield make
    for store in opened:
        store.close()
