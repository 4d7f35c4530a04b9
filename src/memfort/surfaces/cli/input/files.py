"""Read whole files and standard input, and JSON in options. An error names what cannot be read."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from memfort.errors import InvalidInput

STDIN = "-"


def read_bytes(path: str, field: str = "file") -> bytes:
    """A file's bytes; `-` is standard input."""
    if path == STDIN:
        return sys.stdin.buffer.read()
    try:
        return Path(path).read_bytes()
    except (OSError, ValueError) as error:
        problem = getattr(error, "strerror", None) or "it is not a path"
        raise InvalidInput(field, f"`{path}` cannot be read: {problem}", "name a file, or `-`") from error


def readable_path(path: str, field: str = "file") -> str:
    """The path of a file or a folder that is there. A link is followed: the caller names it."""
    try:
        found = Path(path)
        if found.is_dir():
            return path
        with found.open("rb"):
            return path
    except (OSError, ValueError) as error:
        problem = getattr(error, "strerror", None) or "it is not a path"
        raise InvalidInput(field, f"`{path}` cannot be read: {problem}", "name a file, a folder, or `-`") from error


def read_text(path: str, field: str) -> str:
    try:
        return read_bytes(path, field).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(field, f"byte {error.start} is not UTF-8", "save it as UTF-8") from None


def words(given: tuple[str, ...], field: str) -> str:
    """A text from the words of an argument, or from standard input for `-`, without its last line break."""
    if given == (STDIN,):
        return read_text(STDIN, field).rstrip("\r\n")
    return " ".join(given)


def json_object(text: str | None, field: str, remedy: str = 'write it like {"name": "value"}') -> dict[str, Any] | None:
    """The JSON object in an option. An error does not repeat its contents."""
    if text is None:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidInput(field, "it is not JSON", remedy) from None
    if not isinstance(value, dict):
        raise InvalidInput(field, "it is not a JSON object", remedy)
    return value
