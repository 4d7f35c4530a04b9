"""What went wrong, said once and clearly: an exit code, a line for people, or one JSON document."""

from __future__ import annotations

import os
import re
import sys
from enum import IntEnum
from typing import Any

import click

from memfort.errors import Denied, InvalidInput, MemfortError, NotFound


class Exit(IntEnum):
    """The exit codes, which scripts may rely on."""

    OK = 0
    FAILURE = 1
    USAGE = 2
    DENIED = 3
    NOT_FOUND = 4
    INTERRUPTED = 130


def report(error: Exception, *, as_json: bool) -> Exit:
    """Show an error and say which exit code it has. A traceback only where it was asked for."""
    if os.environ.get("MEMFORT_DEBUG"):
        import traceback

        traceback.print_exception(error)
    from memfort.cli.output import write_document
    from memfort.cli.plain import visible

    code, document = _understood(error)
    if as_json:
        write_document({"error": document})
    elif isinstance(error, click.exceptions.NoArgsIsHelpError):
        sys.stderr.write(error.format_message() + "\n")
    else:
        sys.stderr.write(f"memfort: {visible(_line(error, document))}\n")
    return code


def error_document(code: str, message: str, *, field: str | None = None, remedy: str | None = None) -> dict[str, Any]:
    return {"code": code, "message": message, "field": field, "remedy": remedy}


def _understood(error: Exception) -> tuple[Exit, dict[str, Any]]:
    if isinstance(error, InvalidInput):
        return Exit.USAGE, error_document("invalid_input", error.problem, field=error.field, remedy=error.remedy)
    if isinstance(error, Denied):
        return Exit.DENIED, {**error_document("denied", error.explanation), "reason": str(error.reason)}
    if isinstance(error, NotFound):
        return Exit.NOT_FOUND, error_document("not_found", str(error), field=error.what)
    if isinstance(error, MemfortError):
        return Exit.FAILURE, error_document(_snake(type(error).__name__), str(error))
    if isinstance(error, click.UsageError):
        return Exit.USAGE, error_document("usage", _usage(error), field=_field(error), remedy=_help_hint(error))
    if isinstance(error, click.ClickException):
        return Exit.FAILURE, error_document("failure", error.format_message())
    if isinstance(error, OSError):
        place = f": `{error.filename}`" if error.filename else ""
        return Exit.FAILURE, error_document("failure", f"{error.strerror or type(error).__name__}{place}")
    # The message of an error nobody expected could quote what may not be shown, so only its kind is named.
    hint = "set MEMFORT_DEBUG=1 to see where, and please report it"
    return Exit.FAILURE, error_document("unexpected", f"unexpected {type(error).__name__}", remedy=hint)


def _line(error: Exception, document: dict[str, Any]) -> str:
    if isinstance(error, MemfortError):
        return str(error)
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
    message = error.format_message().rstrip(".")
    return message[:1].lower() + message[1:]


def _field(error: click.UsageError) -> str | None:
    if isinstance(error, click.NoSuchOption | click.BadOptionUsage):
        return None if error.option_name.startswith("---") else error.option_name[:32]
    return error.param.name if isinstance(error, click.BadParameter) and error.param is not None else None


def _help_hint(error: click.UsageError) -> str:
    return f"see `{error.ctx.command_path if error.ctx is not None else 'memfort'} --help`"


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
