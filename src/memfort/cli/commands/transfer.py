"""export, import, sources."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from memfort.cli.failure import Exit
from memfort.cli.options import Verb
from memfort.cli.output import Table
from memfort.cli.reading import STDIN, read_bytes
from memfort.cli.session import Session
from memfort.cli.streaming import stream


@click.command("export", cls=Verb)
@click.option("--output", "path", metavar="FILE", type=click.Path(), help="Write to this file instead of stdout.")
@click.option("--overwrite", is_flag=True, help="Write over a file that is there.")
@click.pass_obj
def export_command(session: Session, path: str | None, overwrite: bool) -> int:
    """Write everything you own as JSON lines.

    A header, then your memories, oldest first; `memfort import` reads them back. With --json it is one JSON list,
    which `import` reads too. Exit code 1 if a memory is damaged and therefore missing; the header names it.
    """
    damaged: list[str] = []
    with session.bound() as memory:
        lines = _noting(memory.export(), damaged)
        stream(session.output, lines, path, overwrite=overwrite, what="memories", counts="memory")
    for id in damaged:
        session.output.note(f"`{id}` is damaged and is missing here; run `memfort doctor`")
    return Exit.FAILURE if damaged else Exit.OK


@click.command("import", cls=Verb)
@click.argument("file", type=click.Path())
@click.option("--dry-run", is_flag=True, help="Say what would happen, and keep nothing.")
@click.option("--platform", metavar="NAME", help="Where it came from; kept as provenance, never used to filter.")
@click.pass_obj
def import_command(session: Session, file: str, dry_run: bool, platform: str | None) -> int:
    """Read memories from a file; every record passes every gate.

    FILE is an export, or records of a known format; `-` is standard input. The same bytes again are a no-op. Exit
    code 3 if a record was denied, 2 if one could not be used.
    """
    from memfort.cli.documents import import_document

    data = read_bytes(file)
    filename = None if file == STDIN else Path(file).name
    output = session.output
    opened = session.rehearsing() if dry_run else session.bound(make=True)
    with opened as memory, output.progress("importing") as progress:
        report = memory.import_(data, filename=filename, platform=platform, dry_run=dry_run, progress=progress)
    lines = [f"{count} {name.replace('_', ' ')}" for name, count in report.counts.items()]
    head = "already imported, nothing to do" if report.already_imported else ", ".join(lines)
    source = f"source {report.source}: " if report.source is not None else "dry run: "
    output.answer(import_document(report, dry_run=dry_run), source + head, *report.problems)
    if report.counts.get("denied"):
        return Exit.DENIED
    return Exit.USAGE if report.counts.get("invalid") else Exit.OK


@click.command("sources", cls=Verb)
@click.pass_obj
def sources_command(session: Session) -> None:
    """List what was imported."""
    from memfort.cli.documents import source_document, when

    with session.bound() as memory:
        found = memory.sources()
    rows = [
        (one.id, one.space, one.platform, one.filename or "", when(one.imported_at), one.counts.get("kept", 0))
        for one in found
    ]
    session.output.answer(
        {"sources": [source_document(one) for one in found]},
        Table(("id", "space", "platform", "file", "imported", "kept"), rows),
    )
    if not found and not session.output.as_json:
        session.output.note("nothing was imported")


def _noting(lines: Iterator[dict[str, Any]], damaged: list[str]) -> Iterator[dict[str, Any]]:
    """The lines, while the damaged memories that the header names are noted."""
    for line in lines:
        damaged += line.get("damaged", ())
        yield line
