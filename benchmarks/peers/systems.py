"""The compared systems, in the order of the tables."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.peers.environments import OWN


@dataclass(frozen=True, slots=True)
class System:
    """A system, named like its driver, and its environment."""

    name: str
    title: str
    environment: str
    color: str
    most: int | None = None  # memories that it is meant for, by its own documentation


SYSTEMS = (
    System("memfort", "Memfort", OWN, "#1d4ed8"),
    System("langgraph_sqlite", "LangGraph SqliteStore", "langgraph", "#15803d"),
    System("langgraph_memory", "LangGraph InMemoryStore", "langgraph", "#4d7c0f"),
    System("chroma", "Chroma", "chroma", "#c2410c"),
    System("lancedb", "LanceDB", "lancedb", "#7c3aed"),
    System("qdrant", "Qdrant, local", "qdrant", "#be185d", most=20_000),
    System("mem0", "mem0, on Chroma", "mem0", "#92400e"),
)
