"""hooks: memories at the beginning of a session of Claude Code, and the conversation at its end. The program starts
these commands itself, with a JSON document on standard input."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from memfort.errors import InvalidInput
from memfort.surfaces.cli.commands.mcp import program, standpoint_words
from memfort.surfaces.cli.input.completion import OneOf
from memfort.surfaces.cli.options import Verbs
from memfort.surfaces.cli.session import Session

_EVENTS = {"SessionStart": "session-start", "SessionEnd": "session-end"}
_SECONDS = {"SessionStart": 10, "SessionEnd": 60}
_FILES = {"user": (".claude", "settings.json"), "project": (".claude", "settings.local.json")}
_MOST_BYTES = 50_000_000  # of a transcript


@click.group("hooks", cls=Verbs)
def hooks_command() -> None:
    """Recall when a session begins, and observe it when it ends."""


@hooks_command.command("install")
@click.argument("client", type=OneOf("claude-code"), metavar="CLIENT")
@click.option(
    "--scope",
    type=OneOf("user", "project"),
    default="user",
    show_default=True,
    help="For you, or for you in this project.",
)
@click.option("--print", "only_print", is_flag=True, help="Print what belongs into its file, and change nothing.")
@click.option("--undo", is_flag=True, help="Take it out of its file again.")
@click.pass_obj
def install_hooks(session: Session, client: str, scope: str, only_print: bool, undo: bool) -> None:  # noqa: ARG001
    """Let Claude Code recall when a session begins, and observe the conversation when it ends.

    Its settings file gets two hooks, with the --as, --at and --store that are given here; everything else in the file
    stays.
    """
    from memfort.surfaces.cli import hosts

    path = (Path.home() if scope == "user" else Path.cwd()).joinpath(*_FILES[scope])
    if only_print:
        text = hosts.as_json({"hooks": _hooks(session)}).rstrip()
        session.output.answer({"file": str(path), "snippet": text}, *text.splitlines())
        return
    document = hosts.read_json(path)
    before = json.dumps(document)
    _take_out(document)
    if not undo:
        for event, entries in _hooks(session).items():
            document.setdefault("hooks", {}).setdefault(event, []).extend(entries)
    changed = json.dumps(document) != before
    if changed:
        hosts.write_text(path, hosts.as_json(document))
    done = {(True, True): "took it out of", (True, False): "it is not in", (False, True): "wrote"}
    session.output.answer(
        {"file": str(path), "changed": changed}, f"{done.get((undo, changed), 'is already in')} {path}"
    )


def _hooks(session: Session) -> dict[str, Any]:
    return {event: [{"hooks": [_hook(session, event)]}] for event in _EVENTS}


def _hook(session: Session, event: str) -> dict[str, Any]:
    words = [*program(), "hooks", _EVENTS[event], *standpoint_words(session)]
    return {"type": "command", "command": shlex.join(words), "timeout": _SECONDS[event]}


def _take_out(document: dict[str, Any]) -> None:
    """Take our hooks out of the settings, and what is empty without them."""
    hooks = document.get("hooks")
    if not isinstance(hooks, dict):
        return
    for event in _EVENTS:
        groups = [group for group in hooks.get(event, []) if not _is_ours(group)]
        hooks[event] = groups
        if not groups:
            del hooks[event]
    if not hooks:
        del document["hooks"]


def _is_ours(group: Any) -> bool:
    commands = [str(one.get("command", "")) for one in group.get("hooks", [])] if isinstance(group, dict) else []
    return bool(commands) and all(
        "memfort" in command and f" hooks {name} " in f"{command} "
        for command in commands
        for name in [next((name for name in _EVENTS.values() if f" hooks {name}" in command), "?")]
    )


# -- what the program starts ------------------------------------------------------------------------------------------


@hooks_command.command("session-start")
@click.option("--budget-tokens", type=click.IntRange(1), default=1000, show_default=True, help="About how many tokens.")
@click.pass_obj
def start_session(session: Session, budget_tokens: int) -> None:
    """Print a briefing on the user, fenced as data. Claude Code puts it before the conversation."""
    _given()
    if not session.has_store:  # there is nothing to recall yet
        return
    with session.bound() as memory:
        found = memory.context("", budget_tokens=budget_tokens)
    if found.text:
        click.echo(found.text)


@hooks_command.command("session-end")
@click.pass_obj
def end_session(session: Session) -> None:
    """Observe the conversation in the transcript that Claude Code names."""
    given = _given()
    path, conversation = given.get("transcript_path"), given.get("session_id")
    if not isinstance(path, str) or not isinstance(conversation, str):
        raise InvalidInput("stdin", "it names no transcript", "let Claude Code start this command")
    messages = list(_messages(Path(path).expanduser()))
    if messages:
        with session.bound(make=True) as memory:
            seen = memory.observe(messages, conversation=conversation)
        session.output.note(f"observed {len(messages)} messages; kept {len(seen.kept)}")


def _given() -> dict[str, Any]:
    text = "" if sys.stdin is None or sys.stdin.isatty() else sys.stdin.read()
    try:
        document = json.loads(text or "{}")
    except ValueError:
        document = None
    if not isinstance(document, dict):
        raise InvalidInput("stdin", "it is not a JSON document", "let Claude Code start this command")
    return document


def _messages(path: Path) -> Iterator[dict[str, Any]]:
    """What the user and the assistant said in a transcript of Claude Code, one JSON document a line. Results of tools,
    thoughts and what a part of the assistant said to another are left out."""
    if not path.is_file() or path.stat().st_size > _MOST_BYTES:
        raise InvalidInput(
            "transcript_path", "it is not a transcript", "check that the file is there, and not too large"
        )
    with path.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            try:
                entry = json.loads(line)
            except ValueError:
                continue  # a line that is half written
            if (message := _message(entry)) is not None:
                yield message


def _message(entry: Any) -> dict[str, Any] | None:
    if not isinstance(entry, dict) or entry.get("type") not in {"user", "assistant"}:
        return None
    if entry.get("isMeta") or entry.get("isSidechain"):
        return None
    said = entry.get("message")
    text = _text(said.get("content") if isinstance(said, dict) else None)
    if not text.strip():
        return None
    more = {"id": entry.get("uuid"), "at": entry.get("timestamp")}
    return {"role": entry["type"], "content": text, **{name: one for name, one in more.items() if isinstance(one, str)}}


def _text(content: Any) -> str:
    if isinstance(content, str):
        return "" if content.startswith("<") else content  # a command or a reminder of the program's own
    parts = [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    return "\n".join(str(part.get("text", "")) for part in parts if part.get("type") == "text")
