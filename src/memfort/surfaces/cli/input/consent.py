"""Ask before something is deleted: once, on a terminal; elsewhere `--yes` is required."""

from __future__ import annotations

import sys

import click

from memfort.errors import InvalidInput
from memfort.surfaces.cli.output.console import Output
from memfort.surfaces.cli.output.escape import escape


def has_consent(output: Output, question: str, *, yes: bool) -> bool:
    """Whether to go on. Without a terminal and without `--yes` it is an error, not a no."""
    if yes:
        return True
    if output.as_json or not sys.stdin.isatty():
        raise InvalidInput("yes", "there is no terminal to ask on", "pass --yes to do it, or --dry-run to look first")
    return click.confirm(escape(question), err=True)
