"""Benchmarks. Each writes one JSON per run to benchmarks/results and prints its results. Product code never comes in,
and never imports this package."""
