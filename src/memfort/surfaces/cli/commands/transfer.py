"""export: hand-written, because it writes line by line, to a file or to stdout."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from memfort.surfaces.cli.failure import Exit
from memfort.surfaces.cli.options import Verb
from memfort.surfaces.cli.output.stream import stream
from memfort.surfaces.cli.session import Session


@click.command("export", cls=Verb)
@click.option("--output", "path", metavar="FILE", type=click.Path(), help="Write to this file instead of stdout.")
@click.option("--overwrite", is_flag=True, help="Overwrite an existing file.")
@click.pass_obj
def export_command(session: Session, path: str | None, overwrite: bool) -> int:
    """Export everything you own as JSON lines.

    A header, then your memories, oldest first; `memfort import` reads them back. With --json it is one JSON list,
    which `import` reads too. Exit code 1 if a memory is damaged and therefore missing; the header names it.
    """
    damaged: list[str] = []
    with session.bound() as memory:
        lines = _note_damaged(memory.export(), damaged)
        stream(session.output, lines, path, overwrite=overwrite, what="memories", counts="memory")
    for id in damaged:
        session.output.note(f"`{id}` is damaged and is missing here; run `memfort doctor`")
    return Exit.FAILURE if damaged else Exit.OK


def _note_damaged(lines: Iterator[dict[str, Any]], damaged: list[str]) -> Iterator[dict[str, Any]]:
    """The lines; on the way the damaged memories that the header names are collected."""
    for line in lines:
        damaged += line.get("damaged", ())
        yield line
