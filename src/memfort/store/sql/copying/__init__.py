"""Copying a whole store into an empty one, of the same engine or another."""
