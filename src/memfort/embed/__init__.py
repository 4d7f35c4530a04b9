"""Embedders and rerankers: the two ports, the word table that ships with the package, and other models to choose from.
Memories, stores and policy never come in."""

from memfort.embed.port import (
    Embedder,
    Packed,
    Reranker,
    embedder_tag,
    log_odds,
    named_embedder,
    named_reranker,
    pack_vector,
)

__all__ = [
    "Embedder",
    "Packed",
    "Reranker",
    "embedder_tag",
    "log_odds",
    "named_embedder",
    "named_reranker",
    "pack_vector",
]
