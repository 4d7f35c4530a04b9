"""One driver per system, all with the interface of `benchmarks.peers.driver`. A driver imports only its own system and
the standard library."""
