# ruff: noqa: A005 - this is never imported by the bare name
"""Recall, false positives and speed of secret detection: `python -m benchmarks.secrets`. No real credential comes in:
samples are generated."""
