"""What pages tell a person to type is there: every command that a template names."""

from __future__ import annotations

import re
from pathlib import Path

import click

from memfort.surfaces import studio
from memfort.surfaces.cli.root import root

_TEMPLATES = Path(studio.__file__).parent / "templates"
_COMMAND = re.compile(r"memfort((?: [a-z]+(?:-[a-z]+)*)+)")


def _named() -> set[tuple[str, ...]]:
    texts = (path.read_text() for path in sorted(_TEMPLATES.glob("*.html")))
    return {tuple(found.split()) for text in texts for found in _COMMAND.findall(text)}


def _is_command(words: tuple[str, ...]) -> bool:
    """Whether the words begin with a command that can be run."""
    group: click.Command | None = root
    with click.Context(root) as context:
        for word in words:
            if group is None or not isinstance(group, click.Group):
                break
            group = group.get_command(context, word)
    return group is not None


def test_pages_name_commands() -> None:
    assert len(_named()) > 8
    assert ("trail", "verify") in _named()


def test_every_command_that_a_page_names_is_there() -> None:
    assert [words for words in sorted(_named()) if not _is_command(words)] == []
    assert not _is_command(("audit", "verify"))
