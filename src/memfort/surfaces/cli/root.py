"""The `memfort` command itself: the table of commands, and how errors are reported."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NoReturn

import click

from memfort import __version__
from memfort.errors import MemfortError
from memfort.surfaces.cli.failure import Exit, interrupted, report
from memfort.surfaces.cli.options import shared_options
from memfort.surfaces.cli.session import Session
from memfort.surfaces.cli.verbs import TableGroup

# Commands that are not operations of a memory, so they are hand-written: settings and completion concern only the
# command line, and the demo, `eval` and `policy test` drive a memory of their own, like a host program.
PROGRAM = {
    "policy test": ("policy", "Test a policy against assertion files."),
    "store restore": ("restore", "Make a store from a backup."),
    "store create": ("store", "Make a store in a PostgreSQL database."),
    "store upgrade": ("store", "Bring the store in a PostgreSQL database up to date."),
    "store check": ("store", "Say what keeps a database from being served, and what mends it."),
    "store copy": ("store", "Copy a whole store to another file or database."),
    "worker": ("worker", "Let the extractor read the turns that wait for it."),
    "serve": ("serve", "Give the verbs to programs over HTTP."),
    "studio": ("studio", "Show what is remembered, who may hear it, and why, in a browser."),
    "mcp": ("mcp", "Give the memory to an assistant over MCP."),
    "hermes": ("hermes", "Be the memory of Hermes Agent."),
    "openclaw": ("openclaw", "Be the memory of OpenClaw."),
    "hooks": ("hooks", "Recall when a session begins, and observe it when it ends."),
    "eval": ("eval", "Measure on labelled conversations what is learned, found, let in and deleted."),
    "config": ("config", "Show the settings and where each comes from."),
    "completion": ("completion", "Print the completion script for a shell."),
    "demo": ("demo", "Run a short demonstration on a temporary store."),
}

# Groups of the table of operations, with the purpose of each.
GROUPS = {
    "phase": "Begin, list and compare the phases of a space.",
    "agent": "Register agents with their owners.",
    "chat": "Register chats with their participants.",
    "keys": "Make, list, replace and end API keys for a server.",
    "member": "Manage the members of workspaces, projects, roles, teams and orgs.",
    "people": "Manage the people that memories are about.",
    "extraction": "List, retry or drop turns that wait for the extractor.",
    "review": "Approve, reject or edit memories that wait for review.",
    "policy": "Show, compare, test, simulate and use policies.",
    "store": "Maintain the store: backups, its size, its index, its vectors, and expired memories.",
    "subject": "Copy or erase everything by and about a person.",
    "trace": "Show what your calls did, event by event.",
    "trail": "Verify, export and sign the trail.",
}


# Sections of the help, by the package of operations that a verb is in. The others come last.
SECTIONS = {
    "write": "Remember",
    "capture": "Remember",
    "phase": "Remember",
    "read": "Recall and explain",
    "recall": "Recall and explain",
    "explain": "Recall and explain",
    "people": "People",
    "extraction": "Review",
    "review": "Review",
    "ending": "Forget and erase",
    "transfer": "Export and import",
    "subject": "A person's request",
    "directory": "Agents, chats, members and shares",
    "keys": "API keys",
    "trail": "Trail",
    "policy": "Policy and upkeep",
    "upkeep": "Policy and upkeep",
}


class Root(TableGroup):
    """The top-level group. It reports every error in one line or one JSON document."""

    def main(  # type: ignore[override]  # this one never returns
        self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any
    ) -> NoReturn:
        given = list(sys.argv[1:] if args is None else args)
        sys.exit(self._run(given, prog_name or "memfort", **extra))

    def _run(self, given: list[str], prog_name: str, **extra: Any) -> int:
        _open_closed_streams()
        _tolerate_any_encoding()
        session = Session()
        if _asks_for_json(given):
            session.flags["json"] = True
        try:
            code = super().main(given, prog_name, **{**extra, "standalone_mode": False, "obj": session})
            sys.stdout.flush()
            session.show_trace()
        except (click.Abort, KeyboardInterrupt) as error:
            return interrupted(error, as_json=_answers_in_json(session) and not session.has_answered)
        except BrokenPipeError:
            _let_go_of_stdout()
            return Exit.FAILURE
        except Exception as error:  # noqa: BLE001  # the outermost place: every error is reported here
            code = report(error, as_json=_answers_in_json(session), command=session.command or self)
            session.show_trace()
            return code
        return int(code or Exit.OK)


def _version(context: click.Context, _: click.Parameter, value: bool) -> None:
    if not value or context.resilient_parsing:
        return
    if context.ensure_object(Session).flags.get("json"):
        from memfort.surfaces.cli.output.console import write_document

        write_document({"version": __version__})
    else:
        click.echo(f"memfort {__version__}")
    context.exit()


def _asks_for_json(args: list[str]) -> bool:
    """Whether `--json` is among the options; checked before parsing, since parsing itself can fail."""
    options = args[: args.index("--")] if "--" in args else args
    return "--json" in options


def _answers_in_json(session: Session) -> bool:
    if session.flags.get("json"):
        return True
    try:
        return bool(session.settings["json"])
    except MemfortError:  # the settings themselves are invalid
        return False


def _open_closed_streams() -> None:
    """A process can be started without stdout or stderr. Only its output is then lost."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, PTH123  # until the process ends


def _tolerate_any_encoding() -> None:
    """A terminal that cannot show a character gets its number, not an error."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _let_go_of_stdout() -> None:
    """The reader closed the pipe. Without this, Python would complain again at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


root = Root(
    "memfort",
    written=PROGRAM,
    sections=SECTIONS,
    groups=GROUPS,
    params=[
        *shared_options(hidden=False),
        click.Option(
            ["--version"], is_flag=True, expose_value=False, is_eager=True, callback=_version, help="Show the version."
        ),
    ],
    help="""Governed memory for AI agents: who may know what, and why.

    \b
    memfort --as alice remember "I live in Berlin"
    memfort --as alice recall "where do I live"
    memfort remember --help
    """,
    epilog="Exit codes: 0 ok, 1 failure, 2 usage, 3 denied, 4 not found, 130 interrupted.",
    context_settings={"help_option_names": ["-h", "--help"]},
)
