"""How much memory and time the import of a large archive takes."""
