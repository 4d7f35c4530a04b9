"""demo: the story is in `memfort.surfaces.cli.demo`."""

from __future__ import annotations

import click

from memfort.surfaces.cli.options import Verb
from memfort.surfaces.cli.session import Session


@click.command("demo", cls=Verb)
@click.pass_obj
def demo_command(session: Session) -> None:
    """Run a short demonstration on a temporary store.

    Two users and a project, a secret that is refused, a correction that wins, and the reasons. Your own store is not
    touched.
    """
    from memfort.surfaces.cli import demo

    demo.run(session.output.console, as_json=session.output.as_json)
