"""The statements in an engine's `queries.sql`, by name."""

from __future__ import annotations

from importlib import resources


def load_queries(package: str) -> dict[str, str]:
    text = resources.files(package).joinpath("queries.sql").read_text()
    blocks = text.split("-- name: ")[1:]
    return {name.strip(): body.strip() for name, body in (block.split("\n", 1) for block in blocks)}
