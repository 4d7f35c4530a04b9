"""Answers about imports."""

from __future__ import annotations

from collections.abc import Sequence

from memfort.model.results import ImportReport, Source
from memfort.operations.table import Operation
from memfort.surfaces.cli.failure import Exit
from memfort.surfaces.cli.output.console import Table
from memfort.surfaces.cli.output.lines import format_moment
from memfort.surfaces.cli.render.rendered import Rendered

MOST_PLACES = 5  # of records that share a problem; --json names all of them


def _import(_: Operation, report: ImportReport) -> Rendered:
    counts = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in report.counts.items())
    head = "already imported, nothing to do" if report.already_imported else counts
    source = f"source {report.source}: " if report.source is not None else "dry run: "
    exit = Exit.USAGE if report.counts.get("invalid") else Exit.OK
    exit = Exit.DENIED if report.counts.get("denied") else exit
    skipped = [f"skipped {line}" for line in _fold(report.skipped)]
    return Rendered([*_fold(report.problems), *skipped, source + head], exit=exit)


def _fold(lines: Sequence[str]) -> list[str]:
    """Lines that say the same of several records as one line, in the order of the first: `record 2, record 5: …`."""
    places: dict[str, list[str]] = {}
    for line in lines:
        place, divider, said = line.partition(": ")
        places.setdefault(said if divider else line, []).append(place if divider else "")
    return [f"{_some(named)}: {said}" if any(named) else said for said, named in places.items()]


def _some(places: Sequence[str]) -> str:
    more = len(places) - MOST_PLACES
    return ", ".join(places[:MOST_PLACES]) + (f" and {more} more" if more > 0 else "")


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
    return Rendered([table], () if found else ("nothing was imported",))


RENDERERS = {
    ImportReport: _import,
    ("list", Source): _sources,
}
