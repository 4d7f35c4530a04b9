"""mem0 without a language model (`infer=False`), on Chroma: of its local stores the fastest that filters rightly."""
# ruff: noqa: ARG002  # each driver is given all there is, and takes what its system wants

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mem0 import Memory  # type: ignore[import-not-found]  # installed in its own environment
from mem0.embeddings.base import EmbeddingBase  # type: ignore[import-not-found]
from mem0.utils.factory import EmbedderFactory  # type: ignore[import-not-found]

from benchmarks.peers.driver import About, Driver, Entry
from benchmarks.peers.given import GIVEN, Vector


class GivenEmbedder(EmbeddingBase):  # type: ignore[misc]
    """The given vectors, as mem0 wants an embedder."""

    def embed(self, text: str, memory_action: str | None = None) -> Vector:
        return GIVEN([text])[0]


# The provider for embedders of one's own wants a package that is not needed otherwise; its name is taken.
EmbedderFactory.provider_to_class["langchain"] = f"{__name__}.{GivenEmbedder.__name__}"


class Mem0:
    about = About(("mem0ai", "chromadb"))

    def open(self, folder: Path) -> None:
        self._memory = Memory.from_config({
            "vector_store": {"provider": "chroma", "config": {"path": str(folder / "chroma")}},
            "embedder": {"provider": "langchain", "config": {}},
            "llm": {"provider": "openai", "config": {"api_key": "never asked"}},
            "history_db_path": str(folder / "history.db"),
        })  # fmt: skip

    def add(self, user: str, id: str, text: str, vector: Vector) -> None:
        self._memory.add([_message(id, text)], user_id=user, infer=False)

    def add_many(self, user: str, entries: Sequence[Entry]) -> None:
        self._memory.add([_message(entry.id, entry.text) for entry in entries], user_id=user, infer=False)

    def settle(self) -> None:
        """Nothing is left to do."""

    def search(self, user: str, text: str, vector: Vector, limit: int) -> list[str]:
        found = self._memory.search(text, filters={"user_id": user}, top_k=limit)
        return [one["actor_id"] for one in found["results"]]

    def search_unnamed(self, text: str, vector: Vector, limit: int) -> list[str] | None:
        try:
            return [one["actor_id"] for one in self._memory.search(text, top_k=limit)["results"]]
        except ValueError:  # it wants one of its ids among the filters
            return None

    def explain(self, user: str, text: str, vector: Vector) -> list[str]:
        (best,) = self._memory.search(text, filters={"user_id": user}, top_k=1, explain=True)["results"]
        return sorted(best["score_details"])

    def delete_user(self, user: str) -> int | None:
        """It answers with a sentence that is always the same."""
        self._memory.delete_all(user_id=user)
        return None

    def residue(self, user: str) -> int | None:
        return None

    def close(self) -> None:
        self._memory.close()


def _message(id: str, text: str) -> dict[str, Any]:
    """The name is all that mem0 keeps for one message of many; it comes back as the actor's id."""
    return {"role": "user", "content": text, "name": id}


DRIVER: type[Driver] = Mem0
