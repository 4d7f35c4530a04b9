"""demo: the story is in `memfort.surfaces.cli.demo`."""

from __future__ import annotations

import click

from memfort.surfaces.cli.options import Verb
from memfort.surfaces.cli.session import Session


@click.command("demo", cls=Verb)
@click.pass_obj
def demo_command(session: Session) -> None:
    """Tell a short story on a store of its own.

    Two users and a project, a secret that is refused, a correction that wins, and why. It touches no store of yours.
    """
    from memfort.surfaces.cli import demo

    demo.run(session.output.console, as_json=session.output.as_json)
