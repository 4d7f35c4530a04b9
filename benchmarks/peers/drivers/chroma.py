"""Chroma on the disk: one collection for all users, and a `where` filter."""
# ruff: noqa: ARG002  # each driver is given all there is, and takes what its system wants

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import chromadb  # type: ignore[import-not-found]  # installed in its own environment

from benchmarks.peers.driver import About, Driver, Entry
from benchmarks.peers.given import Vector


class Chroma:
    about = About(("chromadb",))

    def open(self, folder: Path) -> None:
        settings = chromadb.Settings(anonymized_telemetry=False)
        self._client = chromadb.PersistentClient(folder, settings)
        self._collection = self._client.get_or_create_collection(
            "memories", configuration={"hnsw": {"space": "cosine"}}, embedding_function=None
        )

    def add(self, user: str, id: str, text: str, vector: Vector) -> None:
        self._collection.add(ids=[id], documents=[text], embeddings=[vector], metadatas=[{"user": user}])

    def add_many(self, user: str, entries: Sequence[Entry]) -> None:
        self._collection.add(
            ids=[entry.id for entry in entries],
            documents=[entry.text for entry in entries],
            embeddings=[entry.vector for entry in entries],
            metadatas=[{"user": user}] * len(entries),
        )

    def settle(self) -> None:
        """Nothing is left to do."""

    def search(self, user: str, text: str, vector: Vector, limit: int) -> list[str]:
        return self._found(vector, limit, {"user": user})

    def search_unnamed(self, text: str, vector: Vector, limit: int) -> list[str] | None:
        return self._found(vector, limit, None)

    def explain(self, user: str, text: str, vector: Vector) -> list[str]:
        found = self._collection.query(
            query_embeddings=[vector], n_results=1, where={"user": user}, include=["distances"]
        )
        return ["distance"] * len(found["distances"][0])

    def delete_user(self, user: str) -> int | None:
        return int(self._collection.delete(where={"user": user})["deleted"])

    def residue(self, user: str) -> int | None:
        return None

    def close(self) -> None:
        self._client.close()

    def _found(self, vector: Vector, limit: int, where: dict[str, str] | None) -> list[str]:
        found = self._collection.query(query_embeddings=[vector], n_results=limit, where=where, include=["documents"])
        return list(found["ids"][0])


DRIVER: type[Driver] = Chroma
