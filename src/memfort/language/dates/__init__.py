"""Days that a text names, as ordinal numbers."""
