"""The documents say what the commands and settings are. Stale: run `make generate`."""

from __future__ import annotations

from pathlib import Path

import click

from memfort.surfaces.cli.input.settings import SETTINGS
from memfort.surfaces.cli.reference import cli_reference, commands, replace_table
from memfort.surfaces.cli.root import root

DOCS = Path(__file__).parents[2] / "docs" / "reference"


def test_the_cli_reference_matches_the_commands():
    assert (DOCS / "cli.md").read_text(encoding="utf-8") == cli_reference()


def test_every_command_has_a_section():
    page = (DOCS / "cli.md").read_text(encoding="utf-8")
    for path, _ in commands():
        assert f"## memfort {' '.join(path)}\n" in page


def test_every_setting_is_documented_with_its_default():
    page = (DOCS / "configuration.md").read_text(encoding="utf-8")
    assert page == replace_table(page)
    for setting in SETTINGS:
        row = next(line for line in page.splitlines() if line.startswith(f"| `{setting.name}` |"))
        assert setting.variable in row
        assert setting.default in row


def test_command_summaries_match_their_help():
    for path, command in commands():
        if len(path) == 1:
            said = (command.help or "").partition("\n")[0]
            assert root.summaries[path[0]] == said


def test_every_command_and_option_has_a_help():
    for path, command in commands():
        assert command.help, path
        for parameter in command.params:
            assert not isinstance(parameter, click.Option) or parameter.help, (path, parameter.name)
