"""`memfort` itself: the table of commands, and what becomes of errors."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NoReturn

import click

from memfort import __version__
from memfort.cli.failure import Exit, interrupted, report
from memfort.cli.options import LazyVerbs, shared_options
from memfort.cli.session import Session
from memfort.errors import MemfortError

# The command, the module it lives in, and what it is for. In the order of the help.
COMMANDS: dict[str, tuple[str, str]] = {
    "remember": ("remember", "Keep a statement, if policy admits it."),
    "recall": ("recall", "Find what answers a query."),
    "context": ("recall", "Recall for a prompt, within a budget of tokens."),
    "get": ("recall", "Show one memory."),
    "list": ("recall", "List memories, newest first."),
    "about": ("about", "List what is known about people."),
    "related": ("about", "List the memories that hang together with one."),
    "edges": ("about", "Show how a memory or a person hangs together with others."),
    "history": ("recall", "Show all versions of a memory, oldest first."),
    "correct": ("remember", "Say what is right instead of a memory."),
    "restore": ("remember", "Bring back what a superseded memory said."),
    "used": ("remember", "Say that memories were of use."),
    "observe": ("observe", "Record an interaction, and keep what is worth keeping."),
    "window": ("observe", "Show the recent turns of a conversation."),
    "promote": ("promote", "Take a memory into another space."),
    "phase": ("phase", "Begin, list and compare the phases of a space."),
    "review": ("review", "Approve, reject or edit what waits for review."),
    "forget": ("ending", "Take memories out of every read; a tombstone stays."),
    "erase": ("ending", "Remove memories physically, with a receipt."),
    "verify-erasure": ("ending", "Search for anything an erasure left behind."),
    "erasures": ("ending", "List erasures, and finish those that had to wait."),
    "explain": ("explain", "Say why a memory is or is not shown."),
    "check": ("explain", "Say whether something would be allowed, without doing it."),
    "trace": ("trace", "Tell what one of your calls did, event by event."),
    "spaces": ("explain", "Show the spaces in sight, in the order of recall."),
    "share": ("sharing", "Let a user or an agent read a space."),
    "shares": ("sharing", "List the shares of your spaces."),
    "revoke": ("sharing", "End a share."),
    "export": ("transfer", "Write everything you own as JSON lines."),
    "import": ("transfer", "Read memories from a file; every record passes every gate."),
    "sources": ("transfer", "List what was imported."),
    "agent": ("directory", "Register agents with their owners."),
    "chat": ("directory", "Register chats with their participants."),
    "member": ("directory", "Keep the members of workspaces, projects, roles and orgs."),
    "people": ("people", "Keep the people that memories are about."),
    "audit": ("audit", "Verify, export and sign the trail."),
    "gc": ("upkeep", "Collect what has ended."),
    "reindex": ("upkeep", "Write the text index anew, with the vectors of the embedder in use."),
    "reembed": ("upkeep", "Give every memory a vector of the embedder in use."),
    "info": ("upkeep", "Show facts about the store."),
    "doctor": ("doctor", "Look the store over, and put right what can be put right."),
    "config": ("config", "Show the settings and where each comes from."),
    "policy": ("policy", "Show, compare, test, simulate and use policies."),
    "completion": ("completion", "Print the completion script for a shell."),
    "demo": ("demo", "Tell a short story on a store of its own."),
}


class Root(LazyVerbs):
    """The outermost group. Errors end here, each in one line or one JSON document."""

    def main(  # type: ignore[override]  # this one never returns
        self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any
    ) -> NoReturn:
        given = list(sys.argv[1:] if args is None else args)
        sys.exit(self._run(given, prog_name or "memfort", **extra))

    def _run(self, given: list[str], prog_name: str, **extra: Any) -> int:
        _tolerate_any_encoding()
        session = Session()
        if _asks_for_json(given):
            session.flags["json"] = True
        try:
            code = super().main(given, prog_name, **{**extra, "standalone_mode": False, "obj": session})
            sys.stdout.flush()
            session.tell_trace()
        except (click.Abort, KeyboardInterrupt) as error:
            return interrupted(error, as_json=_answers_in_json(session) and not session.has_answered)
        except BrokenPipeError:
            _let_go_of_stdout()
            return Exit.FAILURE
        except Exception as error:  # noqa: BLE001  # the outermost place: whatever happened is answered here
            code = report(error, as_json=_answers_in_json(session), command=session.command or self)
            session.tell_trace()
            return code
        return int(code or Exit.OK)


def _version(context: click.Context, _: click.Parameter, value: bool) -> None:
    if not value or context.resilient_parsing:
        return
    if context.ensure_object(Session).flags.get("json"):
        from memfort.cli.output import write_document

        write_document({"version": __version__})
    else:
        click.echo(f"memfort {__version__}")
    context.exit()


def _asks_for_json(args: list[str]) -> bool:
    """Whether `--json` is among the options; asked before parsing, since parsing itself can fail."""
    options = args[: args.index("--")] if "--" in args else args
    return "--json" in options


def _answers_in_json(session: Session) -> bool:
    if session.flags.get("json"):
        return True
    try:
        return bool(session.settings["json"])
    except MemfortError:  # the settings are what is wrong
        return False


def _tolerate_any_encoding() -> None:
    """A terminal that cannot show a letter gets its number, not an error."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _let_go_of_stdout() -> None:
    """Whoever read us is gone. Python would complain about it once more when it exits."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


root = Root(
    "memfort",
    table=COMMANDS,
    params=[
        *shared_options(hidden=False),
        click.Option(
            ["--version"], is_flag=True, expose_value=False, is_eager=True, callback=_version, help="Show the version."
        ),
    ],
    help="Governed memory for AI agents: who may know what, and why.",
    epilog="Exit codes: 0 ok, 1 failure, 2 usage, 3 denied, 4 not found, 130 interrupted.",
    context_settings={"help_option_names": ["-h", "--help"]},
)
