"""trail export. Hand-written, because it streams: to a file, to stdout, or as one JSON list."""

from __future__ import annotations

import click

from memfort.operations.table import TABLE
from memfort.operations.trail.export import TrailFormat
from memfort.surfaces.cli.input.completion import OneOf
from memfort.surfaces.cli.options import Verb
from memfort.surfaces.cli.output.stream import stream
from memfort.surfaces.cli.session import Session


@click.command("export", cls=Verb)
@click.option(
    "--format",
    type=OneOf(*(one.value for one in TrailFormat)),
    metavar="FORMAT",
    default="jsonl",
    show_default=True,
    help="How to write an event: jsonl, cloudevents or ocsf.",
)
@click.option(
    "--source", metavar="URI", help="The store's name in the other formats; derived from its key if not given."
)
@click.option("--output", "path", metavar="FILE", help="Write to this file instead of stdout.")
@click.option("--overwrite", is_flag=True, help="Overwrite an existing file.")
@click.pass_obj
def trail_export_command(session: Session, format: str, source: str | None, path: str | None, overwrite: bool) -> None:
    """Export the trail as JSON lines: your own calls; for the system actor, all of it.

    The trail holds no contents. A line is an event as it is stored (jsonl), a CloudEvent 1.0 (cloudevents) or a
    Datastore Activity of OCSF 1.6.0 (ocsf). With --json it is one JSON list.
    """
    with session.bound() as memory:
        lines = memory.run(TABLE["trail.export"], {"format": format, "source": source})
        stream(session.output, lines, path, overwrite=overwrite, what="events")
