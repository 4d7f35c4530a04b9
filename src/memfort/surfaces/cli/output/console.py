"""Where answers go: one JSON document, or lines and tables for people. Notes and progress go to stderr."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, TextIO

from msgspec import Struct

from memfort.surfaces.cli.output.escape import escape, escape_json, shorten

if TYPE_CHECKING:
    from rich.console import Console

Progress = Callable[[int, int], None]


class Table(Struct, frozen=True):
    """Rows for people: in columns on a terminal, tab-separated and uncut in a pipe."""

    headers: Sequence[str]
    rows: Sequence[Sequence[object]]
    brief: bool = False  # cut long cells, on a terminal


class Output:
    """Prints what a command answers. Every text for people passes `escape`."""

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json
        self.has_answered = False

    def answer(self, document: Any, *parts: str | Table) -> None:
        """Print the answer: the document if JSON was asked for, else the lines and tables."""
        self.has_answered = True
        if self.as_json:
            write_document(document)
            return
        for part in parts:
            if isinstance(part, Table):
                self._table(part)
            else:
                _write(sys.stdout, escape(part))

    def note(self, text: str) -> None:
        """Print a note beside the answer."""
        _write(sys.stderr, escape(text))

    @contextmanager
    def progress(self, label: str) -> Iterator[Progress | None]:
        """A progress bar for a long operation, on a terminal."""
        if self.as_json or not sys.stderr.isatty():
            yield None
            return
        from rich.progress import Progress as Bar

        with Bar(console=_console(stderr=True), transient=True) as bar:
            task = bar.add_task(label, total=None)
            yield lambda done, total: bar.update(task, completed=done, total=total)

    @cached_property
    def console(self) -> Console:
        """A rich console on stdout, for our own texts; stored texts go through `answer`."""
        return _console(stderr=False)

    def _table(self, table: Table) -> None:
        if not is_fancy():
            for row in table.rows:
                _write(sys.stdout, "\t".join(escape(cell) for cell in row))
            return
        from rich.table import Table as RichTable
        from rich.text import Text

        made = RichTable(box=None, header_style="bold", pad_edge=False, show_edge=False)
        for header in table.headers:
            made.add_column(header, style="cyan" if header == "id" else "", no_wrap=header == "id", overflow="fold")
        for row in table.rows:
            cells = (escape(cell) for cell in row)
            made.add_row(*(Text(shorten(cell) if table.brief else cell) for cell in cells))
        self.console.print(made)


def write_document(document: Any) -> None:
    """Write one JSON document to stdout."""
    ascii_only = (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"
    _write(sys.stdout, escape_json(json.dumps(document, ensure_ascii=ascii_only, indent=2, default=_plain)))


def write_json_line(file: TextIO, document: Any) -> None:
    """Write one line of JSON lines, in canonical order and safe to show."""
    file.write(escape_json(json.dumps(document, ensure_ascii=False, sort_keys=True, default=_plain)) + "\n")


def is_fancy() -> bool:
    """Whether stdout is a terminal, or is to be treated as one."""
    return sys.stdout.isatty() or bool(os.environ.get("FORCE_COLOR"))


def _console(*, stderr: bool) -> Console:
    from rich.console import Console

    colour: Any = None if os.environ.get("NO_COLOR") else "auto"
    return Console(stderr=stderr, highlight=False, color_system=colour)


def _write(file: TextIO, line: str) -> None:
    file.write(line + "\n")


def _plain(value: Any) -> Any:
    """Encode what JSON does not know: sets in order, immutable mappings, enums and paths as text."""
    if isinstance(value, set | frozenset):
        return sorted(value)
    return dict(value) if hasattr(value, "keys") else str(value)
