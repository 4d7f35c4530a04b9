"""How well instruction-like text is told from ordinary text: `make bench-injection`."""
