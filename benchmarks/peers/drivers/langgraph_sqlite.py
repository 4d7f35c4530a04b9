"""LangGraph's `SqliteStore` with its vector index, a namespace for each user."""

from __future__ import annotations

import sys
from pathlib import Path

import pysqlite3  # type: ignore[import-not-found]  # installed in its own environment

# The store loads an extension into SQLite, which many Pythons' own module cannot.
sys.modules["sqlite3"] = pysqlite3

from langgraph.store.sqlite import SqliteStore  # noqa: E402

from benchmarks.peers.driver import About, Driver  # noqa: E402
from benchmarks.peers.drivers.langgraph_memory import INDEX, StoreDriver  # noqa: E402


class LangGraphSqlite(StoreDriver):
    about = About(("langgraph-checkpoint", "langgraph-checkpoint-sqlite", "sqlite-vec", "pysqlite3-binary"))

    def open(self, folder: Path) -> None:
        self._opened = SqliteStore.from_conn_string(str(folder / "store.db"), index=INDEX)
        self._store = self._opened.__enter__()
        self._store.setup()

    def close(self) -> None:
        self._opened.__exit__(None, None, None)


DRIVER: type[Driver] = LangGraphSqlite
