"""Ways in for people and programs. A surface parses, authenticates and renders; it decides nothing."""
