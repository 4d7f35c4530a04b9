"""Measurements. Each writes one JSON per run to benchmarks/results and prints what it measured."""
