"""The statements in an engine's `queries.sql`, by name."""

from __future__ import annotations

from pathlib import Path


def load_queries(path: Path) -> dict[str, str]:
    text = path.read_text(encoding="utf-8")
    blocks = text.split("-- name: ")[1:]
    return {name.strip(): body.strip() for name, body in (block.split("\n", 1) for block in blocks)}
