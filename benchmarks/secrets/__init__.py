# ruff: noqa: A005 - nobody imports this by the bare name
"""How much is found, how much is found wrongly, and how fast: `python -m benchmarks.secrets`."""
