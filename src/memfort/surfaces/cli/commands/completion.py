"""completion: the completion script for a shell."""

from __future__ import annotations

import click

from memfort.surfaces.cli.input.completion import OneOf
from memfort.surfaces.cli.options import Verb
from memfort.surfaces.cli.session import Session

# An id follows `project=`, so bash and zsh must add no space; fish does so by itself.
_NO_SPACE = {
    "COMPREPLY+=($value)": "COMPREPLY+=($value); [[ $value == *= ]] && compopt -o nospace",
    'completions+=("$key")': """[[ $key == *= ]] && compadd -U -S '' -- "$key" || completions+=("$key")""",
}


@click.command("completion", cls=Verb)
@click.argument("shell", type=OneOf("bash", "zsh", "fish"), metavar="{bash|zsh|fish}")
@click.pass_obj
def completion_command(session: Session, shell: str) -> None:
    """Print the completion script for a shell.

    For example `memfort completion bash >> ~/.bashrc`, or for fish, `memfort completion fish | source`.
    """
    from click.shell_completion import get_completion_class

    from memfort.surfaces.cli.root import root

    made = get_completion_class(shell)
    assert made is not None
    # Not `source()`: that starts the shell to ask its version, and the script works without it.
    complete = made(root, {}, "memfort", "_MEMFORT_COMPLETE")
    script = complete.source_template % complete.source_vars()
    for words, joined in _NO_SPACE.items():
        script = script.replace(words, joined)
    session.output.answer({"shell": shell, "script": script}, *script.splitlines())
