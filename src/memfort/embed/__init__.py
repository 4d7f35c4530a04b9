"""What a text means, as a vector, and how well it answers a query: the two ports that say it, the table that ships with
the package, and others to choose from."""

from memfort.embed.port import Embedder, Packed, Reranker, log_odds, mark_of, named, named_reranker, packed

__all__ = ["Embedder", "Packed", "Reranker", "log_odds", "mark_of", "named", "named_reranker", "packed"]
