"""A PostgreSQL server for the run, and a database of its own for each test, copied from one that is ready."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.postgres.server import Server, shared_server

from memfort.store.port import new_keys
from memfort.store.postgres.schema import make_roles, migrate, shipped_migrations
from memfort.store.postgres.store import PostgresStore
from memfort.store.postgres.address import read_address

LOGIN = "memfort_test"
TEMPLATE = "memfort_template"
_PARTITIONS = 2  # enough to have them, and quick to copy
_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    base = tmp_path_factory.getbasetemp()
    with shared_server(base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) as running:
        yield running


def make_template(server: Server) -> None:
    with server.admin() as admin:
        if admin.execute("select 1 from pg_database where datname = %s", (TEMPLATE,)).fetchone():
            return
        admin.execute(f"create role {LOGIN} login")
        make_roles(admin, LOGIN)
        admin.execute(f"create database {TEMPLATE}")
    with server.admin(TEMPLATE) as admin:
        migrate(admin, shipped_migrations(), _PARTITIONS)


@pytest.fixture(scope="session")
def new_database(server: Server) -> Iterator[Callable[[], str]]:
    """Makes a database with an empty store; gives its name."""
    with server.admin() as admin:
        admin.execute("select pg_advisory_lock(1)")  # one of the processes makes the template
        make_template(server)
        admin.execute("select pg_advisory_unlock(1)")

    def make() -> str:
        name = f"test_{os.getpid()}_{next(_numbers)}"
        with server.admin() as admin:
            admin.execute(f"create database {name} template {TEMPLATE} strategy file_copy")
        return name

    return make


@pytest.fixture
def new_store(server: Server, new_database: Callable[[], str]) -> Iterator[Callable[[], PostgresStore]]:
    made: list[tuple[str, PostgresStore]] = []

    def make() -> PostgresStore:
        name = new_database()
        store = PostgresStore(read_address(server.url(name, LOGIN)), keys=new_keys.make_keys())
        made.append((name, store))
        return store

    yield make
    for _, store in made:
        store.close()
    with server.admin() as admin:
        for name, _ in made:
            admin.execute(f"drop database {name} with (force)")
