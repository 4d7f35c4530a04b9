"""phase: start, list, diff."""

from __future__ import annotations

import click

from memfort.cli.options import Verbs, space_option
from memfort.cli.output import Table
from memfort.cli.reading import words
from memfort.cli.session import Session, space_from


@click.group("phase", cls=Verbs)
def phase_command() -> None:
    """Begin, list and compare the phases of a space.

    The space is your own unless --space names another.
    """


@phase_command.command("start")
@click.argument("reason", nargs=-1, required=True)
@click.option("--name", help="What to call it, for people.")
@space_option
@click.pass_obj
def start_phase(session: Session, reason: tuple[str, ...], name: str | None, space: tuple[str, ...]) -> None:
    """Begin a new phase. What was before is history from now on.

    REASON says why, in a few words that stay in the trail.
    """
    from memfort.cli.documents import phase_document

    with session.bound() as memory:
        phase = memory.start_phase(words(reason, "reason"), space=space_from(space), name=name)
    session.output.answer({"phase": phase_document(phase)}, f"{phase.id} has begun")


@phase_command.command("list")
@space_option
@click.pass_obj
def list_phases(session: Session, space: tuple[str, ...]) -> None:
    """List the phases of a space, the oldest first."""
    from memfort.cli.documents import phase_document, when

    with session.bound() as memory:
        found = memory.phases(space_from(space))
    rows = [(one.id, one.name or "", one.reason, when(one.began) or "with the first memory") for one in found]
    document = {"phases": [phase_document(one) for one in found]}
    session.output.answer(document, Table(("id", "name", "reason", "began"), rows))


@phase_command.command("diff")
@click.argument("earlier", metavar="FROM")
@click.argument("later", metavar="[TO]", required=False)
@space_option
@click.pass_obj
def diff_phases(session: Session, earlier: str, later: str | None, space: tuple[str, ...]) -> None:
    """Show what changed from the end of one phase to the end of a later one, or until now.

    FROM and TO are ids such as `phase-1`.
    """
    from memfort.cli.documents import phase_diff_document

    with session.bound() as memory:
        found = memory.diff_phases(earlier, later, space=space_from(space))
    lines = []
    for change in found.changes:
        lines.append(f"{change.kind} {change.item.id}: {change.item.text}")
        lines += [] if change.replaces is None else [f"  before, {change.replaces.id}: {change.replaces.text}"]
    session.output.answer(phase_diff_document(found), *lines, *found.summary_lines)
