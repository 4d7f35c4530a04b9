"""about, related, edges."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memfort.cli.completing import memories, types
from memfort.cli.options import Verb
from memfort.cli.output import Table
from memfort.cli.session import Session

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memfort.model.item import Item


@click.command("about", cls=Verb)
@click.argument("person", nargs=-1, required=True)
@click.option("--limit", type=int, default=50, show_default=True, help="How many at most.")
@click.option("--type", "types", multiple=True, metavar="TYPE", shell_complete=types, help="Only this type.")
@click.pass_obj
def about_command(session: Session, person: tuple[str, ...], limit: int, types: tuple[str, ...]) -> None:
    """List what is known about people.

    PERSON is `me`, `@bob`, an id, a name, or words such as `my wife`. What you see is listed, and of those who are here
    also what others know and may be told: stand in a chat with `--at chat=ID`, and who takes part in it is here.
    """
    with session.bound() as memory:
        found = memory.about(*person, limit=limit, types=types or None)
    _show(session, found)


@click.command("related", cls=Verb)
@click.argument("id", shell_complete=memories())
@click.option("--hops", type=int, default=1, show_default=True, help="How far to go, at most 2.")
@click.option("--limit", type=int, default=20, show_default=True, help="How many at most.")
@click.pass_obj
def related_command(session: Session, id: str, hops: int, limit: int) -> None:
    """List the memories that hang together with one.

    They do over the people they are about; the nearest comes first.
    """
    with session.bound() as memory:
        found = memory.related(id, hops=hops, limit=limit)
    _show(session, found)


@click.command("edges", cls=Verb)
@click.argument("id")
@click.pass_obj
def edges_command(session: Session, id: str) -> None:
    """Show how a memory or a person hangs together with others."""
    with session.bound() as memory:
        found = memory.edges(id)
    rows = [(edge.source, f"{edge.kind} {edge.term}".rstrip(), edge.target) for edge in found]
    document = {"edges": [{"kind": edge.kind.value, "source": edge.source, "target": edge.target,
                           "term": edge.term} for edge in found]}  # fmt: skip
    session.output.answer(document, Table(("from", "is", "to"), rows)) if rows else session.output.answer(document)
    if not rows and not session.output.as_json:
        session.output.note("nothing here")


def _show(session: Session, found: Sequence[Item]) -> None:
    from memfort.cli.documents import memory_document, memory_table

    output, document = session.output, {"memories": [memory_document(item) for item in found]}
    output.answer(document, memory_table(found)) if found else output.answer(document)
    if not found and not output.as_json:
        output.note("nothing here")
