"""demo: the story is in `memfort.surfaces.cli.demo`, and what Studio shows of it in `demo_studio`."""

from __future__ import annotations

import tempfile
from pathlib import Path

import click

from memfort.surfaces.cli.options import Verb
from memfort.surfaces.cli.session import Session


@click.command("demo", cls=Verb)
@click.option("--studio", is_flag=True, help="Show the store of the demonstration in Studio, in a browser.")
@click.option("--port", type=click.IntRange(1, 65535), default=8643, show_default=True, help="The port of Studio.")
@click.pass_obj
def demo_command(session: Session, studio: bool, port: int) -> None:
    """Run a short demonstration on a temporary store.

    Two users and a project, a secret that is refused, a correction that wins, and the reasons. Your own store is not
    touched. With `--studio` the same store, and a team that plans a launch, can be looked at in a browser until you
    stop it.
    """
    if studio:
        _show_in_studio(session, port)
        return
    from memfort.surfaces.cli import demo

    demo.run(session.output.console, as_json=session.output.as_json)


def _show_in_studio(session: Session, port: int) -> None:
    from memfort.surfaces.cli import demo_studio
    from memfort.surfaces.cli.commands import studio

    with tempfile.TemporaryDirectory(prefix="memfort-demo-") as folder:
        store = Path(folder) / "memory.db"
        demo_studio.fill(store)
        session.output.note("the store of the demonstration is made; it goes when you stop Studio")
        studio.start(session, store, port, looks_as=demo_studio.LOOKS_AS, at=demo_studio.LOOKS_FROM)
