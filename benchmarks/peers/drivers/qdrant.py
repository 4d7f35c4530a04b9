"""Qdrant's local mode: the client alone, on the disk, one collection for all users and a filter on the payload."""
# ruff: noqa: ARG002  # each driver is given all there is, and takes what its system wants

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from uuid import NAMESPACE_OID, uuid5

from qdrant_client import QdrantClient, models  # type: ignore[import-not-found]  # installed in its own environment

from benchmarks.peers.driver import About, Driver, Entry
from benchmarks.peers.given import DIMENSIONS, Vector

COLLECTION = "memories"


class Qdrant:
    about = About(("qdrant-client",))

    def open(self, folder: Path) -> None:
        self._client = QdrantClient(path=str(folder))
        if not self._client.collection_exists(COLLECTION):
            vectors = models.VectorParams(size=DIMENSIONS, distance=models.Distance.COSINE)
            self._client.create_collection(COLLECTION, vectors_config=vectors)

    def add(self, user: str, id: str, text: str, vector: Vector) -> None:
        self.add_many(user, [Entry(id, text, vector)])

    def add_many(self, user: str, entries: Sequence[Entry]) -> None:
        self._client.upsert(COLLECTION, [_point(user, entry) for entry in entries])

    def settle(self) -> None:
        """Nothing is left to do."""

    def search(self, user: str, text: str, vector: Vector, limit: int) -> list[str]:
        found = self._client.query_points(COLLECTION, query=vector, query_filter=_of(user), limit=limit)
        return [point.payload["id"] for point in found.points]

    def search_unnamed(self, text: str, vector: Vector, limit: int) -> list[str] | None:
        found = self._client.query_points(COLLECTION, query=vector, limit=limit)
        return [point.payload["id"] for point in found.points]

    def explain(self, user: str, text: str, vector: Vector) -> list[str]:
        (best,) = self._client.query_points(COLLECTION, query=vector, query_filter=_of(user), limit=1).points
        return ["score"] if best.score is not None else []

    def delete_user(self, user: str) -> int | None:
        self._client.delete(COLLECTION, points_selector=models.FilterSelector(filter=_of(user)))
        return None

    def residue(self, user: str) -> int | None:
        return None

    def close(self) -> None:
        self._client.close()


def _point(user: str, entry: Entry) -> models.PointStruct:
    """Its own ids are numbers or UUIDs, so ours is in the payload."""
    payload = {"id": entry.id, "user": user, "text": entry.text}
    return models.PointStruct(id=str(uuid5(NAMESPACE_OID, entry.id)), vector=entry.vector, payload=payload)


def _of(user: str) -> models.Filter:
    return models.Filter(must=[models.FieldCondition(key="user", match=models.MatchValue(value=user))])


DRIVER: type[Driver] = Qdrant
