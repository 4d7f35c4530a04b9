"""The statements in `queries.sql`, by name."""

from __future__ import annotations

from importlib import resources


def _load() -> dict[str, str]:
    text = resources.files(__package__).joinpath("queries.sql").read_text()
    blocks = text.split("-- name: ")[1:]
    return {name.strip(): body.strip() for name, body in (block.split("\n", 1) for block in blocks)}


QUERIES = _load()
