"""LangGraph's `PostgresStore` with its vector index on pgvector, in the database that `BENCH_POSTGRES` names."""

from __future__ import annotations

import os
from pathlib import Path

from langgraph.store.postgres import PostgresStore

from benchmarks.peers.driver import About, Driver
from benchmarks.peers.drivers.langgraph_memory import INDEX, StoreDriver


class LangGraphPostgres(StoreDriver):
    about = About(("langgraph-checkpoint", "langgraph-checkpoint-postgres", "psycopg"))

    def open(self, folder: Path) -> None:  # noqa: ARG002  # nothing lies beside a database
        self._opened = PostgresStore.from_conn_string(os.environ["BENCH_POSTGRES"], index=INDEX)
        self._store = self._opened.__enter__()
        self._store.setup()

    def close(self) -> None:
        self._opened.__exit__(None, None, None)


DRIVER: type[Driver] = LangGraphPostgres
