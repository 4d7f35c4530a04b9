"""openclaw: the memory plugin for OpenClaw. The plugin itself is the npm package in `memfort/integrations/openclaw`."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import click

from memfort.errors import InvalidInput
from memfort.surfaces.cli.commands.hermes import local_user, senders_of
from memfort.surfaces.cli.options import Verbs
from memfort.surfaces.cli.session import Session


@click.group("openclaw", cls=Verbs)
def openclaw_command() -> None:
    """Be the memory of OpenClaw."""


@openclaw_command.command("install")
@click.option("--key-file", type=click.Path(), help="A file with a key of an agent that may act for others.")
@click.option("--server", metavar="URL", help="The address of `memfort serve`; http://127.0.0.1:8642 if not given.")
@click.option("--sender", multiple=True, metavar="SENDER=USER", help="Who is who, as `telegram:123=alice`; repeat it.")
@click.option("--chat", multiple=True, metavar="GROUP=CHAT", help="A group with a memory, as `telegram:-100=team`.")
@click.option("--program", default="openclaw", show_default=True, metavar="PATH", help="The program.")
@click.option("--print", "only_print", is_flag=True, help="Print the commands, and run none.")
@click.option("--undo", is_flag=True, help="Take it out again, and give OpenClaw back its own memory.")
@click.pass_obj
def install_openclaw(session: Session, /, only_print: bool, undo: bool, program: str, **options: Any) -> None:
    """Put the plugin into OpenClaw, let it hear conversations, and switch off `memory-core` beside it.

    --as says who sits at the machine, --sender who a sender is, --chat which groups have a memory. Anybody else has
    none. The plugin asks a server: `memfort serve`, with a key of an agent that has the scope `act_for`.
    """
    from memfort.surfaces.cli import agent_programs

    steps = (
        agent_programs.OPENCLAW_UNDO
        if undo
        else agent_programs.openclaw_steps(agent_programs.openclaw_folder(), _config(session, options))
    )
    if not only_print:
        agent_programs.run_openclaw(program, steps)
    lines = [shlex.join([program, *words]) for words in steps]
    session.output.answer({"commands": lines, "ran": not only_print}, *lines)


def _config(session: Session, options: dict[str, Any]) -> dict[str, Any]:
    if options["key_file"] is None:
        remedy = "make one: `memfort keys create --agent openclaw --scopes read,write,act_for --to FILE`"
        raise InvalidInput("key_file", "the plugin needs a key", remedy)
    config: dict[str, Any] = {
        "server": options["server"] or session.server or "http://127.0.0.1:8642",
        "keyFile": str(Path(options["key_file"]).absolute()),
        "senders": senders_of(options["sender"]),
        "chats": senders_of(options["chat"]),
    }
    user = local_user(session)
    return config if user is None else {**config, "localUser": user}
