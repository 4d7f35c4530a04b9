"""Asking before something is destroyed: on a terminal, once; elsewhere `--yes` has to say so."""

from __future__ import annotations

import sys

import click

from memfort.errors import InvalidInput
from memfort.surfaces.cli.output.console import Output
from memfort.surfaces.cli.output.escape import escape


def has_consent(output: Output, question: str, *, yes: bool) -> bool:
    """Whether to go on. Where nobody can be asked, and nobody has said yes, it is an error and not a no."""
    if yes:
        return True
    if output.as_json or not sys.stdin.isatty():
        raise InvalidInput("yes", "nobody is there to be asked", "pass --yes to do it, or --dry-run to look first")
    return click.confirm(escape(question), err=True)
