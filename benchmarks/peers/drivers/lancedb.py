"""LanceDB in a folder: one table for all users, filtered before the search, with no index but what it makes itself."""
# ruff: noqa: ARG002  # each driver is given all there is, and takes what its system wants

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import lancedb  # type: ignore[import-not-found]  # installed in its own environment
import pyarrow  # type: ignore[import-not-found]

from benchmarks.peers.driver import About, Driver, Entry
from benchmarks.peers.embedding import DIMENSIONS
from benchmarks.peers.given import Vector

SCHEMA = pyarrow.schema([
    ("id", pyarrow.string()),
    ("user", pyarrow.string()),
    ("text", pyarrow.string()),
    ("vector", pyarrow.list_(pyarrow.float32(), DIMENSIONS)),
])  # fmt: skip


class LanceDB:
    about = About(("lancedb", "pyarrow"))

    def open(self, folder: Path) -> None:
        self._table = lancedb.connect(folder).create_table("memories", schema=SCHEMA, exist_ok=True)

    def add(self, user: str, id: str, text: str, vector: Vector) -> None:
        self.add_many(user, [Entry(id, text, vector)])

    def add_many(self, user: str, entries: Sequence[Entry]) -> None:
        columns = {
            "id": [entry.id for entry in entries],
            "user": [user] * len(entries),
            "text": [entry.text for entry in entries],
            "vector": [entry.vector for entry in entries],
        }
        self._table.add(pyarrow.table(columns, schema=SCHEMA))

    def search(self, user: str, text: str, vector: Vector, limit: int) -> list[str]:
        nearest = self._table.search(vector).distance_type("cosine").where(_of(user)).select(["id", "text"])
        return [row["id"] for row in nearest.limit(limit).to_list()]

    def delete_user(self, user: str) -> None:
        self._table.delete(_of(user))

    def close(self) -> None:
        """A table is not closed: every change is in its files when the call returns."""


def _of(user: str) -> str:
    quoted = user.replace("'", "''")
    return f"user = '{quoted}'"


DRIVER: type[Driver] = LanceDB
