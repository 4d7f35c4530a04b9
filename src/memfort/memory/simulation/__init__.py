"""Simulation: stored history decided again under another policy, through the same code that decided it."""
