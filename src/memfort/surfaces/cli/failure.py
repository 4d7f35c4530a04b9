"""Report an error once: an exit code, and a line for people or one JSON document."""

from __future__ import annotations

import os
import re
import sys
from contextlib import suppress
from enum import IntEnum
from pathlib import Path
from typing import Any

import click

from memfort.errors import Denied, InvalidInput, MemfortError, ModelFailed, NotFound, StoreReadOnly
from memfort.surfaces.cli.wording import in_commands


class Exit(IntEnum):
    """The exit codes, which scripts may rely on."""

    OK = 0
    FAILURE = 1
    USAGE = 2
    DENIED = 3
    NOT_FOUND = 4
    INTERRUPTED = 130


class NoStore(NotFound):
    """A command needs an existing store and there is none."""

    def __init__(self, path: Path, origin: str) -> None:
        named = origin.removeprefix("flag ").removeprefix("environment ")
        check = "say where it is with `--store`" if origin == "default" else f"check `{named}`"
        super().__init__("store", str(path), f"{check}, or make one with `memfort remember`")

    @property
    def problem(self) -> str:
        return f"there is no store at `{self.name}`"


# Phrases of the facade that name Python syntax, and their command-line form. A test looks for each in the facade.
PYTHON_WORDS = {
    "name its owner, or register it first": "name its owner with `--owner`, or use `memfort agent register`",
    "register it with `agent.register`": "register it with `memfort agent register`",
    "write it as {'system': ''}": "write it as `system=`",
    "add visibility: private or public": "add `visibility=private` or `visibility=public`",
    "add the `user` or `agent` it belongs to": "add the `user=` or `agent=` it belongs to",
    "give either `user` or `agent`": "give either `{user}` or `{agent}`",
    "`ttl_seconds` is given too": "`--ttl` is given too",
    "`as_of` is given too": "`--as-of` is given too",
    "leave it out, or give `expires_at`": "leave it out, or give `--expires-at`",
    "say what was asked for, as in explain(id, query=…)": "say what was asked for with `--query`",
}
# Fields of the facade that no option of a command is called after.
_FLAGS = {"access": "--reader-user", "level": "group", "reader": "--with-user", "filename": "file", "path": "--store"}


def translate_error(error: InvalidInput, command: click.Command | None) -> InvalidInput:
    """The error in command-line terms: option names instead of fields, remedies without Python."""
    options = [] if command is None else [one for one in command.params if isinstance(one, click.Option)]
    named = {name: one.opts[0] for one in options for name in (str(one.name), one.opts[0].strip("-"))}
    flags = {**_FLAGS, **named}
    problem, remedy = (
        PYTHON_WORDS[text].format_map(flags) if text in PYTHON_WORDS else text for text in (error.problem, error.remedy)
    )
    return InvalidInput(flags.get(error.field.partition(".")[0], error.field), problem, remedy)


def report(error: Exception, *, as_json: bool, command: click.Command | None = None) -> Exit:
    """Print an error and return its exit code. The traceback is printed only if it was asked for."""
    if os.environ.get("MEMFORT_DEBUG"):
        import traceback

        traceback.print_exception(error)
    from memfort.surfaces.cli.output.escape import escape

    if isinstance(error, InvalidInput):
        error = translate_error(error, command)
    code, document = _understood(error)
    document |= {name: in_commands(document[name]) for name in ("message", "remedy") if document[name] is not None}
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        line = error.format_message()
    else:
        line = f"memfort: {escape(_line(error, document))}"
    _say(document, line, as_json=as_json)
    return code


def interrupted(error: BaseException, *, as_json: bool) -> Exit:
    """Report an interruption, with the progress so far where the command knows it. Click turns the signal into an
    abort."""
    cause = error.__cause__ or error
    said = (isinstance(cause, KeyboardInterrupt) and str(cause)) or "interrupted"
    _say(error_document("interrupted", said), f"memfort: {said}", as_json=as_json)
    return Exit.INTERRUPTED


def _say(document: dict[str, Any], line: str, *, as_json: bool) -> None:
    """Write an error to stdout as JSON or to stderr as a line; also as a line where stdout takes nothing, because its
    disk is full or its reader is gone."""
    if as_json:
        from memfort.surfaces.cli.output.console import write_document

        with suppress(OSError):
            write_document({"error": document})
            sys.stdout.flush()
            return
    with suppress(OSError):
        sys.stderr.write(line + "\n")


def error_document(code: str, message: str, *, field: str | None = None, remedy: str | None = None) -> dict[str, Any]:
    return {"code": code, "message": message, "field": field, "remedy": remedy}


def _understood(error: Exception) -> tuple[Exit, dict[str, Any]]:
    if isinstance(error, InvalidInput):
        field = error.field.removeprefix("--")
        return Exit.USAGE, error_document("invalid_input", error.problem, field=field, remedy=error.remedy)
    if isinstance(error, Denied):
        return Exit.DENIED, {**error_document("denied", error.explanation), "reason": str(error.reason)}
    if isinstance(error, NotFound):
        return Exit.NOT_FOUND, error_document("not_found", error.problem, field=error.what, remedy=error.remedy)
    if isinstance(error, ModelFailed):
        problem, code = f"{error.what} `{error.name}`: {error.problem}", _snake(type(error).__name__)
        return Exit.FAILURE, error_document(code, problem, field=error.what, remedy=error.remedy)
    if isinstance(error, StoreReadOnly):
        remedy = "leave `--read-only` out to change it"
        return Exit.FAILURE, error_document("store_read_only", error.problem, field=error.field, remedy=remedy)
    if isinstance(error, MemfortError):
        return Exit.FAILURE, error_document(_snake(type(error).__name__), str(error))
    if isinstance(error, click.UsageError):
        return Exit.USAGE, error_document("usage", _usage(error), field=_field(error), remedy=_help_hint(error))
    if isinstance(error, click.ClickException):
        return Exit.FAILURE, error_document("failure", error.format_message())
    if isinstance(error, OSError):
        place = f": `{error.filename}`" if error.filename else ""
        return Exit.FAILURE, error_document("failure", f"{error.strerror or type(error).__name__}{place}")
    # The message of an unexpected error could quote text that must not be shown, so only its type is named.
    hint = "set MEMFORT_DEBUG=1 to see where, and please report it"
    return Exit.FAILURE, error_document("unexpected", f"unexpected {type(error).__name__}", remedy=hint)


def _line(error: Exception, document: dict[str, Any]) -> str:
    if isinstance(error, MemfortError) and not isinstance(error, StoreReadOnly):
        return in_commands(str(error))
    remedy = f"; {document['remedy']}" if document["remedy"] else ""
    return f"{document['message']}{remedy}"


def _usage(error: click.UsageError) -> str:
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        return "a command is missing"
    # A text that begins with a dash is taken for an option. It may be a secret, so it is not repeated.
    if isinstance(error, click.NoSuchOption) and not re.fullmatch(r"--?[A-Za-z][A-Za-z-]{0,24}", error.option_name):
        return "an argument begins with `-`; write `--` before it"
    if isinstance(error, click.exceptions.NoSuchCommand) and not re.fullmatch(r"[a-z-]{1,24}", error.command_name):
        return "the first word is not a command"
    if isinstance(error, click.NoSuchOption | click.exceptions.NoSuchCommand):
        kind, name = (
            ("option", error.option_name) if isinstance(error, click.NoSuchOption) else ("command", error.command_name)
        )
        return f"there is no {kind} `{name}`"
    message = error.format_message().rstrip(".")
    for theirs, ours in (("a valid integer", "a whole number"), ("a valid float", "a number")):
        message = message.replace(theirs, ours)
    message = re.sub(r"is not in the range x>(\S+)", r"is not more than \1", message)
    return message[:1].lower() + re.sub("'([^']*)'", r"`\1`", message[1:])


def _field(error: click.UsageError) -> str | None:
    if isinstance(error, click.NoSuchOption | click.BadOptionUsage):
        return None if error.option_name.startswith("---") else error.option_name[:32]
    return error.param.name if isinstance(error, click.BadParameter) and error.param is not None else None


def _help_hint(error: click.UsageError) -> str:
    if isinstance(error, click.NoSuchOption | click.exceptions.NoSuchCommand) and error.possibilities:
        return f"did you mean `{error.possibilities[0]}`?"
    if isinstance(error, click.NoSuchOption) and not error.option_name.startswith("--"):
        return f"options begin with two dashes; see `{_command_path(error)} --help`"
    return f"see `{_command_path(error)} --help`"


def _command_path(error: click.UsageError) -> str:
    return error.ctx.command_path if error.ctx is not None else "memfort"


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
