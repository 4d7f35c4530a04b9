"""hermes: the provider of memory for Hermes Agent. The provider itself is in `memfort.integrations.hermes`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from memfort.errors import InvalidInput
from memfort.surfaces.cli.options import Verbs
from memfort.surfaces.cli.session import Session


@click.group("hermes", cls=Verbs)
def hermes_command() -> None:
    """Be the memory of Hermes Agent."""


@hermes_command.command("install")
@click.option("--home", type=click.Path(), help="Hermes' folder; HERMES_HOME or ~/.hermes if not given.")
@click.option("--sender", multiple=True, metavar="SENDER=USER", help="Who is who, as `telegram:123=alice`; repeat it.")
@click.option("--key-file", type=click.Path(), help="The key of a server, of an agent that may act for others.")
@click.option("--undo", is_flag=True, help="Take it out again, and give Hermes back its own memory.")
@click.pass_obj
def install_hermes(
    session: Session, home: str | None, sender: tuple[str, ...], key_file: str | None, undo: bool
) -> None:
    """Put the provider into Hermes, and switch off what Hermes remembers by itself.

    --as says who sits at the machine; --sender says who a sender of a direct chat is. Anybody else has no memory there,
    and neither has a group: Hermes does not name its speakers. Hermes' own Python needs `pip install memfort`.
    """
    from memfort.surfaces.cli import agent_programs

    folder = agent_programs.hermes_home() if home is None else Path(home)
    if undo:
        was_there = agent_programs.uninstall_hermes(folder)
        done = f"took it out of {folder}" if was_there else f"it is not in {folder}"
        session.output.answer({"home": str(folder), "changed": was_there}, done)
        return
    settings: dict[str, Any] = {"store": str(session.server or session.store_file.absolute())}
    settings |= {"senders": senders_of(sender)} | ({"local_user": user} if (user := local_user(session)) else {})
    if session.server is not None and key_file is None:
        raise InvalidInput("key_file", "the store is behind a server", "name the file with a key for it")
    if key_file is not None:
        settings["key_file"] = str(Path(key_file).absolute())
    written = agent_programs.install_hermes(folder, settings)
    session.output.answer({"files": [str(one) for one in written]}, *(f"wrote {one}" for one in written))


def senders_of(given: tuple[str, ...]) -> dict[str, str]:
    """Who is who, from options like `telegram:123=alice`."""
    found: dict[str, str] = {}
    for one in given:
        sender, equals, user = one.partition("=")
        if not equals or ":" not in sender or not user:
            raise InvalidInput("sender", f"`{one}` names no sender and user", "write it like `telegram:123=alice`")
        found[sender] = user
    return found


def local_user(session: Session) -> str | None:
    """Who sits at the machine, if that is said: a user."""
    named: str | None = session.settings["as"]
    if named is not None and (named == "system" or named.startswith("agent:")):
        raise InvalidInput("as", f"`{named}` is no user", "name who sits at the machine")
    return None if named is None else named.removeprefix("user:")
