"""Read many statements or interactions from a file: one text per line, or one JSON object per line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from memfort.errors import InvalidInput


def batch_of(text: str, shared: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    """The fields of each line, which override the shared ones. `name` is the field that a plain text line fills. All
    lines are texts, or all are JSON objects; a mixture is most likely a mistake."""
    # Not `splitlines`: a JSON text may hold the other characters that divide lines for it.
    lines = [(number, line.rstrip("\r")) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    if not lines:
        raise InvalidInput("file", "it has no lines", "give one text per line, or one JSON object per line")
    if lines[0][1].lstrip().startswith("{"):
        return [{**shared, **_json_line(number, line)} for number, line in lines]
    for number, line in lines:
        if _json_object(line) is not None:
            problem = f"line {number} is a JSON object, and line {lines[0][0]} is a text"
            raise InvalidInput("file", problem, "make all lines the one or the other; nothing was done")
    return [{**shared, name: line} for _, line in lines]


def _json_line(number: int, line: str) -> dict[str, Any]:
    value = _json_object(line)
    if value is None:
        problem = f"line {number} is not a JSON object"
        raise InvalidInput("file", problem, "fix it: if the first line is a JSON object, all must be; nothing was done")
    return value


def _json_object(line: str) -> dict[str, Any] | None:
    try:
        value = json.loads(line) if line.lstrip().startswith("{") else None
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
