"""share, shares, revoke."""

from __future__ import annotations

import click

from memfort.cli.options import Verb, space_option
from memfort.cli.output import Table
from memfort.cli.session import Session, space_from


@click.command("share", cls=Verb)
@space_option
@click.option("--with-user", "user", metavar="USER", help="The user who may read it.")
@click.option("--with-agent", "agent", metavar="AGENT", help="The agent that may read it.")
@click.pass_obj
def share_command(session: Session, space: tuple[str, ...], user: str | None, agent: str | None) -> None:
    """Let a user or an agent read a space.

    Exactly that space, and until it is revoked. Only who may write there may share it; unnamed, it is your own.
    """
    from memfort.cli.documents import share_document

    with session.bound() as memory:
        made = memory.share(space_from(space), user=user, agent=agent)
    session.output.answer({"share": share_document(made)}, f"shared {made.space} with {made.reader}: {made.id}")


@click.command("shares", cls=Verb)
@click.pass_obj
def shares_command(session: Session) -> None:
    """List the shares of your spaces."""
    from memfort.cli.documents import share_document, when

    with session.bound() as memory:
        found = memory.shares()
    rows = [(one.id, one.space, one.reader, one.granted_by, when(one.granted_at)) for one in found]
    session.output.answer(
        {"shares": [share_document(one) for one in found]}, Table(("id", "space", "reader", "by", "since"), rows)
    )
    if not found and not session.output.as_json:
        session.output.note("nothing is shared")


@click.command("revoke", cls=Verb)
@click.argument("id")
@click.pass_obj
def revoke_command(session: Session, id: str) -> None:
    """End a share.

    The next read no longer sees through it. ID is the share's.
    """
    with session.bound() as memory:
        memory.revoke(id)
    session.output.answer({"revoked": id}, f"revoked {id}")
