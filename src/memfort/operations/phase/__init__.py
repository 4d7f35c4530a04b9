"""Phases of a space: start one, list them, compare two."""
