"""promote."""

from __future__ import annotations

import click

from memfort.cli.commands.recall import not_in_force
from memfort.cli.commands.remember import show_outcome
from memfort.cli.completing import levels, memories
from memfort.cli.options import Verb
from memfort.cli.session import Session, space_from
from memfort.errors import NotFound


@click.command("promote", cls=Verb)
@click.argument("id", shell_complete=memories())
@click.option("--to", "to", multiple=True, required=True, metavar="LEVEL=ID", shell_complete=levels,
              help="The space it goes to, one coordinate each; repeat it.")  # fmt: skip
@click.pass_obj
def promote_command(session: Session, id: str, to: tuple[str, ...]) -> int:
    """Take a memory into another space.

    A copy goes there, past every gate, and a tombstone stays here. The policy says which ways there are; where
    members have to agree first, the copy waits for their review and the memory stays until they have.
    """
    space = space_from(to, "to") or {}
    with session.bound() as memory:
        try:
            outcome = memory.promote(id, space)
        except NotFound:
            raise not_in_force(memory, id) from None
    return show_outcome(session, outcome)
