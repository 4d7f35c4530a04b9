"""One file per system, all with the interface that `benchmarks.peers.driver` describes."""
