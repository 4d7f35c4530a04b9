"""`python -m memfort`: the command line."""

from __future__ import annotations

from memfort.cli import main

main()
