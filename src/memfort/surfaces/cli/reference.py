"""The command line's page of the reference and the table of settings, made from the commands and settings themselves.

`python -m memfort.surfaces.cli.reference docs/reference` writes both; a test fails when they are stale.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from memfort.surfaces.cli.input.settings import SETTINGS
from memfort.surfaces.cli.root import root

_INTRODUCTION = """\
# The command line

Made from the commands' own help by `python -m memfort.surfaces.cli.reference docs/reference`; a test keeps it so.

- The options of `memfort` itself may come before the command or after it. `--as` names the caller; there is no default,
  and no other option is an identity.
- `--json` answers with exactly one JSON document on stdout, also for errors and when it is interrupted: `{"error":
  {"code", "message", "field", "remedy"}}`. Notes and progress go to stderr.
- Exit codes: 0 ok, 1 failure, 2 usage, 3 denied, 4 not found, 130 interrupted. A memory that waits for review is kept,
so the exit code is 0.
- Instead of the whole ID of a memory you can give its beginning, `mem_` and at least four letters, if it begins no
  other memory that you may see; if it does, the error lists those.
- `--trace` prints on stderr what the call did, event by event, as `memfort trace show` does later.
- Only commands that add something create a store: `remember`, `observe`, `import`, `agent register`, `chat register`,
  `member add` and `policy use`.
  All other commands fail with exit code 4 if there is no store, and create nothing; a dry run of `import`
  then uses an empty temporary store.
- Commands that delete ask first. Without a terminal they need `--yes`; `--dry-run` shows what would happen.
- In a pipe, tables are tab-separated and nothing is cut. `NO_COLOR` and `FORCE_COLOR` are honoured.
- `memfort completion bash` (or zsh, fish) prints a script that completes commands, options and values: levels, types,
  statuses, files, and the ids of memories that the caller may see.
- `MEMFORT_DEBUG=1` shows the traceback of an error.

Settings are in [configuration.md](configuration.md).
"""
TABLE_START = "<!-- settings: made by memfort.surfaces.cli.reference -->"
TABLE_END = "<!-- end of settings -->"


def commands(group: click.Group = root, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command with the words that call it, in the order of the help."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield (*path, name), command
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))


def cli_reference() -> str:
    parts = [_INTRODUCTION, _section((), root)]
    parts += [_section(path, command) for path, command in commands()]
    return "\n".join(parts)


def settings_table() -> str:
    """The settings as a table: name, flag, variable, default, meaning."""
    rows = [
        f"| `{one.name}` | {f'`{one.flag}`' if one.flag else ''} | `{one.variable}` | {one.default} | {one.summary} |"
        for one in SETTINGS
    ]
    head = ["| setting | flag | environment | default | meaning |", "|---|---|---|---|---|"]
    return "\n".join([TABLE_START, *head, *rows, TABLE_END])


def replace_table(page: str) -> str:
    """The page with its table regenerated."""
    before, _, rest = page.partition(TABLE_START)
    _, _, after = rest.partition(TABLE_END)
    return before + settings_table() + after


def _section(path: tuple[str, ...], command: click.Command) -> str:
    name = " ".join(("memfort", *path))
    context = click.Context(
        command, info_name=name, terminal_width=100, help_option_names=root.context_settings["help_option_names"]
    )
    return f"## {name}\n\n```\n{command.get_help(context)}\n```\n"


def _write(docs: Path) -> None:
    (docs / "cli.md").write_text(cli_reference(), encoding="utf-8")
    page = docs / "configuration.md"
    page.write_text(replace_table(page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    _write(Path(sys.argv[1]))
