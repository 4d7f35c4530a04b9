"""restore: hand-written, because it makes the store that other commands open."""

from __future__ import annotations

from pathlib import Path

import click

from memfort.model.value import count_noun
from memfort.surfaces.cli.failure import Exit
from memfort.surfaces.cli.options import Verb
from memfort.surfaces.cli.session import Session


@click.command("restore", cls=Verb)
@click.argument("backup", metavar="FILE", type=click.Path())
@click.option(
    "--erased",
    metavar="FILE",
    type=click.Path(),
    help="The list of erased memories (`memory.db.erased`); the one beside the new store is used too.",
)
@click.option(
    "--key", metavar="FILE", type=click.Path(), help="The key file, if the backup is without it and it is not there."
)
@click.pass_obj
def store_restore_command(session: Session, backup: str, erased: str | None, key: str | None) -> int:
    """Make a store from a backup.

    FILE is what `memfort store backup` wrote; `--store` says where the new store goes, and nothing that is there is
    overwritten. What was erased after the backup was made is erased again, with a receipt, before anybody can read it.
    Without the list of erased memories that cannot be promised, and it says so. The store is checked before it gets
    its name.
    """
    from memfort.client import Memory

    with session.output.progress("restoring") as progress:
        report = Memory.restore(
            Path(backup), session.store_file, key=key, erased=erased, surface="cli", progress=progress
        )
    lines = [f"restored and checked {report.path}: {count_noun(report.memories, 'memory')}"]
    if report.receipt is not None:
        lines.append(f"erased again: {count_noun(report.erased, 'memory')}, receipt {report.receipt}")
    session.output.answer(report.to_dict(), *lines)
    for line in report.not_promised:
        session.output.note(f"not promised: {line}")
    return Exit.OK
