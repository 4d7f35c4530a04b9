"""Answers about imports."""

from __future__ import annotations

from memfort.model.results import ImportReport, Source
from memfort.operations.table import Operation
from memfort.surfaces.cli.failure import Exit
from memfort.surfaces.cli.output.console import Table
from memfort.surfaces.cli.output.documents import format_moment, import_document, source_document
from memfort.surfaces.cli.render.rendered import Rendered


def _import(_: Operation, report: ImportReport) -> Rendered:
    counts = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in report.counts.items())
    head = "already imported, nothing to do" if report.already_imported else counts
    source = f"source {report.source}: " if report.source is not None else "dry run: "
    exit = Exit.USAGE if report.counts.get("invalid") else Exit.OK
    exit = Exit.DENIED if report.counts.get("denied") else exit
    return Rendered(
        import_document(report),
        [source + head, *report.problems, *(f"skipped {line}" for line in report.skipped)],
        exit=exit,
    )


def _sources(_: Operation, found: list[Source]) -> Rendered:
    rows = [
        (
            one.id,
            one.space,
            one.platform,
            one.filename or "",
            format_moment(one.imported_at_us),
            one.counts.get("kept", 0),
        )
        for one in found
    ]
    table = Table(("id", "space", "platform", "file", "imported", "kept"), rows)
    document = {"sources": [source_document(one) for one in found]}
    return Rendered(document, [table], () if found else ("nothing was imported",))


RENDERERS = {
    ImportReport: _import,
    ("list", Source): _sources,
}
