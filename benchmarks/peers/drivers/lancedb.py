"""LanceDB in a folder: one table for all users, filtered before the search by an indexed column."""
# ruff: noqa: ARG002  # each driver is given all there is, and takes what its system wants

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import lancedb  # type: ignore[import-not-found]  # installed in its own environment
import pyarrow  # type: ignore[import-not-found]
from lancedb.index import Bitmap  # type: ignore[import-not-found]

from benchmarks.peers.driver import About, Driver, Entry
from benchmarks.peers.given import DIMENSIONS, Vector

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

    def settle(self) -> None:
        """An index on what is filtered by, of the kind for few distinct values, and fragments put together."""
        self._table.create_index("user", config=Bitmap(), replace=True)
        self._table.optimize()

    def search(self, user: str, text: str, vector: Vector, limit: int) -> list[str]:
        return [row["id"] for row in self._nearest(vector, limit).where(_of(user)).to_list()]

    def search_unnamed(self, text: str, vector: Vector, limit: int) -> list[str] | None:
        return [row["id"] for row in self._nearest(vector, limit).to_list()]

    def explain(self, user: str, text: str, vector: Vector) -> list[str]:
        (best,) = self._nearest(vector, 1).where(_of(user)).to_list()
        return [name for name in best if name.startswith("_")]

    def delete_user(self, user: str) -> int | None:
        return int(self._table.delete(_of(user)).num_deleted_rows)

    def residue(self, user: str) -> int | None:
        return None

    def close(self) -> None:
        """A table is not closed: every change is in its files when the call returns."""

    def _nearest(self, vector: Vector, limit: int) -> Any:
        columns = ["id", "text", "_distance"]
        return self._table.search(vector).distance_type("cosine").select(columns).limit(limit)


def _of(user: str) -> str:
    quoted = user.replace("'", "''")
    return f"user = '{quoted}'"


DRIVER: type[Driver] = LanceDB
