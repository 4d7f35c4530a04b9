"""sweep, reindex, info. These show nobody any contents, so they ask for no identity."""

from __future__ import annotations

import click

from memfort.cli.options import Verb
from memfort.cli.plain import counted
from memfort.cli.session import Session


@click.command("sweep", cls=Verb)
@click.pass_obj
def sweep_command(session: Session) -> None:
    """Retire everything that has expired.

    Nobody can see it any more as it is; a sweep makes that final.
    """
    with session.memory() as store, session.output.progress("sweeping") as progress:
        swept = store.sweep(progress)
    session.output.answer({"swept": swept}, f"retired {counted(swept, 'expired memory')}")


@click.command("reindex", cls=Verb)
@click.pass_obj
def reindex_command(session: Session) -> None:
    """Write the text index anew."""
    with session.memory() as store, session.output.progress("indexing") as progress:
        count = store.reindex(progress)
    session.output.answer({"memories": count}, f"indexed {counted(count, 'memory')}")


@click.command("info", cls=Verb)
@click.pass_obj
def info_command(session: Session) -> None:
    """Show facts about the store."""
    with session.memory() as store:
        facts = store.info()
    session.output.answer(facts, *(f"{name.replace('_', ' ')}: {value}" for name, value in facts.items()))
