"""`python -m memfort`: the command line."""

from __future__ import annotations

from memfort.surfaces.cli import main

main()
