"""Other memories for agents, asked the same of the same texts on one machine, each in its own environment."""
