"""What a text means, as a vector: the one port that says it, the table that ships with the package, and others to
choose from."""

from memfort.embed.port import Embedder, Packed, Reranker, mark_of, named, packed

__all__ = ["Embedder", "Packed", "Reranker", "mark_of", "named", "packed"]
