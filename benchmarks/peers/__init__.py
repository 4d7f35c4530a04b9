"""Comparison with other memories for agents: the same texts and questions on one machine, each system in its own
environment."""
