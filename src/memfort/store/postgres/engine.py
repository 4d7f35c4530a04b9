"""PostgreSQL as an engine of stores: one database each, made by `memfort store create`. Its library is imported when a
store is opened, and is no part of a plain installation."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from importlib.util import find_spec
from types import MappingProxyType
from typing import TYPE_CHECKING

from memfort.errors import InvalidInput, StoreError
from memfort.model.moment import Moment
from memfort.store.port import Backups, Capability, Keyed, Progress, Store, StoreEngine

if TYPE_CHECKING:
    from memfort.store.postgres.store import PostgresStore

_REMEDIES = {
    Capability.BACKUP: "copy it with `memfort store copy`, or dump the database, and keep its key file with it",
    Capability.SCRUB: "its server writes the files; see the documentation about what an erasure there reaches",
    Capability.REKEY: "copy its memories with `export` and `import` into a store that has a new key",
}


class PostgresEngine:
    capabilities: frozenset[Capability] = frozenset()
    remedies: Mapping[Capability, str] = MappingProxyType(_REMEDIES)
    backups: Backups | None = None

    def open(self, address: str, *, read_only: bool) -> PostgresStore:
        if read_only:
            raise InvalidInput("read_only", "a database records who reads from it", "leave it out")
        check_installed()
        from memfort.store.postgres.setup import open_store

        return open_store(address)

    def open_source(self, address: str) -> PostgresStore:
        return self.open(address, read_only=False)

    def new_copy(self, address: str, source: Store) -> AbstractContextManager[PostgresStore]:
        check_installed()
        from memfort.store.postgres.setup import new_copy

        return new_copy(address, source)

    def version(self) -> str:
        check_installed()
        import psycopg

        return f"psycopg {psycopg.__version__}, libpq {psycopg.pq.version()}"

    def check(self) -> None:
        check_installed()

    def renew_key(self, address: str, keyed: Keyed, at: Moment, progress: Progress | None) -> int:  # noqa: ARG002
        raise StoreError(f"this store cannot get a new key; {_REMEDIES[Capability.REKEY]}")


def check_installed() -> None:
    if find_spec("psycopg") is None or find_spec("psycopg_pool") is None:
        problem = "what speaks to PostgreSQL is not installed"
        raise InvalidInput("store", problem, "run `pip install memfort[postgres]`")


ENGINE: StoreEngine = PostgresEngine()
