"""Many lines of JSON, to a file or to stdout."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterator
from contextlib import closing
from typing import Any

from memfort.errors import InvalidInput
from memfort.model.value import count_noun
from memfort.surfaces.cli.output.console import Output, write_json_line


def stream(
    output: Output,
    lines: Iterator[dict[str, Any]],
    path: str | None,
    *,
    overwrite: bool,
    what: str,
    counts: str | None = None,
) -> None:
    """Write the lines as they come, and report how many there were; with `counts`, only lines with that key are
    counted."""
    with closing(_closable(lines)) as lines:  # they read from an open store
        if path is not None:
            count = _to_file(lines, path, counts, overwrite=overwrite)
            thing = counts or what.removesuffix("s")
            output.answer({"file": path, what: count}, f"wrote {count_noun(count, thing)} to {path}")
        elif output.as_json:
            output.answer(list(lines))
        else:
            for line in lines:
                write_json_line(sys.stdout, line)


def _closable(lines: Iterator[dict[str, Any]]) -> Generator[dict[str, Any], None, None]:
    yield from lines


def _to_file(lines: Iterator[dict[str, Any]], path: str, counts: str | None, *, overwrite: bool) -> int:
    """Write to a file that only its owner can read. It gets its name when it is complete, so a failure leaves no
    partial file."""
    if not path or os.path.isdir(path):  # noqa: PTH112  # a path as it was given, of any bytes
        raise InvalidInput("output", f"`{path}` is not a file", "name the file to write")
    if not overwrite and os.path.lexists(path):
        raise InvalidInput("output", f"`{path}` is already there", "pass --overwrite, or name another file")
    temporary = f"{path}.{os.getpid()}.part"
    count = 0
    try:
        with os.fdopen(_create(temporary, path), "w", encoding="utf-8") as file:
            for line in lines:
                write_json_line(file, line)
                count += counts is None or counts in line
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)  # noqa: PTH105  # a path as it was given, of any bytes
    except BaseException:
        if os.path.lexists(temporary):
            os.unlink(temporary)  # noqa: PTH108
        raise
    return count


def _create(temporary: str, path: str) -> int:
    """A new temporary file. Errors name the path that was given."""
    try:
        return os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except (OSError, ValueError) as error:
        problem = getattr(error, "strerror", None) or "it is not a path"
        remedy = "name a file in an existing directory of yours"
        raise InvalidInput("output", f"`{path}` cannot be written: {problem}", remedy) from error
