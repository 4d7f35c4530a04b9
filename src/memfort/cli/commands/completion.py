"""completion: the script that teaches a shell our words."""

from __future__ import annotations

import click

from memfort.cli.options import Verb
from memfort.cli.session import Session


@click.command("completion", cls=Verb)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_obj
def completion_command(session: Session, shell: str) -> None:
    """Print the completion script for a shell.

    For example `memfort completion bash >> ~/.bashrc`, or for fish, `memfort completion fish | source`.
    """
    from click.shell_completion import get_completion_class

    from memfort.cli.root import root

    made = get_completion_class(shell)
    assert made is not None
    # Not `source()`: that starts the shell to ask its version, and the script works without it.
    complete = made(root, {}, "memfort", "_MEMFORT_COMPLETE")
    script = complete.source_template % complete.source_vars()
    session.output.answer({"shell": shell, "script": script}, *script.splitlines())
