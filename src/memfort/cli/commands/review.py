"""review: list, approve, reject, edit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memfort.cli.commands.remember import show_outcome
from memfort.cli.completing import memories
from memfort.cli.options import Verbs
from memfort.cli.reading import words
from memfort.cli.session import Session

if TYPE_CHECKING:
    from memfort.model.item import Item


@click.group("review", cls=Verbs)
def review_command() -> None:
    """Approve, reject or edit what waits for review."""


@review_command.command("list")
@click.option("--limit", type=int, default=100, show_default=True, help="How many at most.")
@click.pass_obj
def list_inbox(session: Session, limit: int) -> None:
    """List what waits for review where you may write, with the reason and what would change."""
    from memfort.cli.documents import inbox_document

    with session.bound() as memory:
        entries = memory.inbox(limit)
    lines = []
    for entry in entries:
        lines += [f"{entry.item.id} in {entry.item.space}: {entry.explanation} ({entry.reason})"]
        shown = entry.diff.splitlines() if entry.replaces is not None else entry.item.text.splitlines()
        lines += [f"  {line}" for line in shown]
    session.output.answer({"inbox": [inbox_document(entry) for entry in entries]}, *lines)
    if not entries and not session.output.as_json:
        session.output.note("nothing waits for review")


@review_command.command("approve")
@click.argument("ids", nargs=-1, required=True, metavar="ID...", shell_complete=memories("pending"))
@click.pass_obj
def approve(session: Session, ids: tuple[str, ...]) -> None:
    """Approve pending memories: all of them, or none if one is not there."""
    with session.bound() as memory:
        items = memory.approve(*ids)
    _show(session, "approved", items)


@review_command.command("reject")
@click.argument("ids", nargs=-1, required=True, metavar="ID...", shell_complete=memories("pending"))
@click.pass_obj
def reject(session: Session, ids: tuple[str, ...]) -> None:
    """Reject pending memories. The value does not come back by itself."""
    with session.bound() as memory:
        items = memory.reject(*ids)
    _show(session, "rejected", items)


@review_command.command("edit")
@click.argument("id", shell_complete=memories("pending"))
@click.argument("text", nargs=-1, required=True)
@click.pass_obj
def edit(session: Session, id: str, text: tuple[str, ...]) -> int:
    """Change a pending memory's words and approve it; every gate runs again.

    TEXT may be `-` for standard input.
    """
    statement = words(text, "text")
    with session.bound() as memory:
        outcome = memory.edit(id, statement)
    return show_outcome(session, outcome)


def _show(session: Session, what: str, items: list[Item]) -> None:
    from memfort.cli.documents import memory_document

    document = {what: [memory_document(item) for item in items]}
    session.output.answer(document, *(f"{what} {item.id} in {item.space}" for item in items))
