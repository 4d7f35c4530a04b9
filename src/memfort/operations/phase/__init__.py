"""Phases of a space: start one, list them, compare two. Rules about which phases count are in `policy.phase` and never
come in."""
