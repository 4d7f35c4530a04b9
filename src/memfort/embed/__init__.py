"""Text to vector, and how well a text answers a query: the two ports, the word table that ships with the package, and
other models to choose from. Nothing here knows a memory, a store or a policy."""

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
