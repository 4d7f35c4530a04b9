"""spaces. Hand-written, because it shows the answers of two verbs: the spaces, and the standings below them."""

from __future__ import annotations

import click

from memfort.model.reason import explanation
from memfort.model.space import Space
from memfort.model.value import plain
from memfort.surfaces.cli.options import Verb
from memfort.surfaces.cli.output.console import Table
from memfort.surfaces.cli.session import Session


@click.command("spaces", cls=Verb)
@click.pass_obj
def spaces_command(session: Session) -> None:
    """Show the spaces in sight, in the order of recall.

    Then your standing at each of your places, and why.
    """
    with session.bound() as memory:
        spaces, held = memory.spaces(), memory.standings()
    rows = [(number, Space.of(space)) for number, space in enumerate(spaces, start=1)]
    why = [(str(one.coordinate), one.reach.name.lower(), f"{explanation(one.reason)} ({one.reason})") for one in held]
    session.output.answer(
        {"spaces": spaces, "standings": plain(held)},
        Table(("", "space"), rows),
        Table(("place", "reach", "why"), why),
    )
