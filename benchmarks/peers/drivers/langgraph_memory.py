"""LangGraph's `InMemoryStore`, and what is the same for every store of LangGraph: a namespace for each user."""
# ruff: noqa: ARG002  # each driver is given all there is, and takes what its system wants

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from langgraph.store.base import PutOp
from langgraph.store.memory import InMemoryStore

from benchmarks.peers.driver import BATCH, About, Driver, Entry
from benchmarks.peers.given import DIMENSIONS, GIVEN, Vector

# The fields are documented under their first name; `SqliteStore` looks for them under the second.
INDEX = {"dims": DIMENSIONS, "embed": GIVEN, "fields": ["text"], "text_fields": ["text"]}


_ALL = ("memories",)


class StoreDriver:
    """All of a driver but opening and closing."""

    _store: Any

    def add(self, user: str, id: str, text: str, vector: Vector) -> None:
        self._store.put(_namespace(user), id, {"text": text})

    def add_many(self, user: str, entries: Sequence[Entry]) -> None:
        self._store.batch([PutOp(_namespace(user), entry.id, {"text": entry.text}) for entry in entries])

    def settle(self) -> None:
        """Nothing is left to do."""

    def search(self, user: str, text: str, vector: Vector, limit: int) -> list[str]:
        return [item.key for item in self._store.search(_namespace(user), query=text, limit=limit)]

    def search_unnamed(self, text: str, vector: Vector, limit: int) -> list[str] | None:
        return [item.key for item in self._store.search(_ALL, query=text, limit=limit)]

    def explain(self, user: str, text: str, vector: Vector) -> list[str]:
        (best,) = self._store.search(_namespace(user), query=text, limit=1)
        return ["score"] if best.score is not None else []

    def delete_user(self, user: str) -> int | None:
        """There is no call that deletes a namespace: its items are listed, and deleted in batches."""
        while items := self._store.search(_namespace(user), limit=BATCH):
            self._store.batch([PutOp(item.namespace, item.key, None) for item in items])
        return None

    def residue(self, user: str) -> int | None:
        return None


class LangGraphMemory(StoreDriver):
    about = About(("langgraph-checkpoint", "numpy"), keeps=False)

    def open(self, folder: Path) -> None:
        self._store = InMemoryStore(index=INDEX)

    def close(self) -> None:
        """It is gone with the process."""


def _namespace(user: str) -> tuple[str, ...]:
    return (*_ALL, user)


DRIVER: type[Driver] = LangGraphMemory
