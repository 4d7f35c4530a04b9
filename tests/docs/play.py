"""Plays a page: its blocks are run in order, in one folder and one namespace, and what they show is compared.

| Block | What is done with it |
|---|---|
| any, with a title | written to a file of that name |
| any, with an example | compared with the file in `examples/`, which is run elsewhere |
| `python` with `>>>` | run as a doctest |
| `python` | run as a script; `await` works at the top, as in a notebook |
| `console` | each `$ command` is run; what it prints is compared with what is shown |
| `sh` | each line is run, and has to succeed |
| `toml`, `yaml`, `json` | has to parse |

`...` stands for anything in what is shown. Dates do not change from run to run: the clock starts at 2026-01-05.
"""

from __future__ import annotations

import ast
import asyncio
import doctest
import inspect
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml
from click.testing import CliRunner

from memfort import Memory
from memfort.surfaces.cli.root import root

from .pages import NOT_RUN, Block, blocks, name

SHELL_WORDS = re.compile(r"[|<>&;*]|^\w+=|\$\(")  # a command with one of these is for a shell
CHANGES = {
    r"\b\d+\.\d{3}\b": "N",  # scores move whenever a weight is fitted anew
    r"\b[0-9a-f]{16}\b": "DIGEST",  # of a policy, which has a new one with every new key
}


def play(page: Path) -> int:
    """Run every block of a page in the current folder, and say how many were run."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    played = 0
    for block in blocks(page):
        if block.example:
            continue
        if block.title:
            Path(block.title).write_text(block.text, encoding="utf-8")
        elif block.language in _PLAYERS:
            _PLAYERS[block.language](block, namespace, f"{name(page)}:{block.line}")
            played += 1
    for value in namespace.values():  # what a page left open is closed, so that it waits for nothing
        if isinstance(value, Memory):
            value.close()
    for block in blocks(page):  # another page may have a module of the same name
        if Path(block.title).suffix == ".py":
            sys.modules.pop(Path(block.title).stem, None)
    return played


def _python(block: Block, namespace: dict[str, Any], where: str) -> None:
    if ">>> " in block.text:
        _doctest(block, namespace, where)
        return
    code = compile("\n" * block.line + block.text, where, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    if code.co_flags & inspect.CO_COROUTINE:
        asyncio.run(eval(code, namespace))
    else:
        exec(code, namespace)


def _doctest(block: Block, namespace: dict[str, Any], where: str) -> None:
    said: list[str] = []
    session = doctest.DocTestParser().get_doctest(block.text, namespace, where, where, block.line)
    session.globs = namespace  # not a copy: the next block goes on with it
    runner = doctest.DocTestRunner(_Checker(), verbose=False, optionflags=doctest.ELLIPSIS)
    runner.run(session, out=said.append, clear_globs=False)
    assert runner.tries
    assert not runner.failures, "".join(said)


class _Checker(doctest.OutputChecker):
    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        return super().check_output(_steady(want), _steady(got), optionflags)


def _steady(text: str) -> str:
    for pattern, stand_in in CHANGES.items():
        text = re.sub(pattern, stand_in, text)
    return text


def _console(block: Block, _: dict[str, Any], where: str) -> None:
    for run in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, _, expected = run.partition("\n")
        while command.endswith("\\"):
            more, _, expected = expected.partition("\n")
            command = command[:-1] + more.strip()
        if NOT_RUN in command:
            continue
        _, said = _run(command)
        said = re.sub(r"^made a new store: .*\n", "", said, flags=re.MULTILINE)
        shown = _Checker().check_output(expected, said, doctest.ELLIPSIS)
        assert shown, f"{where}\n$ {command}\n{said}\n-- but the page shows\n{expected}"


def _sh(block: Block, _: dict[str, Any], where: str) -> None:
    for command in block.text.replace("\\\n", "").splitlines():
        if command.strip() and not command.startswith("#") and NOT_RUN not in command:
            code, said = _run(command.partition("  # ")[0])
            assert code == 0, f"{where}\n{command}\n{said}"


def _run(command: str) -> tuple[int, str]:
    """In this process where it is nothing but our command, which is much faster; else in a shell."""
    if command.startswith("memfort ") and not SHELL_WORDS.search(re.sub(r"\"[^\"]*\"|'[^']*'", "", command)):
        result = CliRunner().invoke(root, shlex.split(command)[1:])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result.exit_code, result.stdout + result.stderr
    folder = Path(sys.executable).parent
    path = f"{folder}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["/bin/sh", "-c", command], capture_output=True, text=True, check=False, timeout=60,
        env={**os.environ, "PATH": path},
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


def _parses(read: Callable[[str], object]) -> Callable[[Block, dict[str, Any], str], None]:
    def play(block: Block, _: dict[str, Any], where: str) -> None:
        assert read(block.text), where

    return play


_PLAYERS: dict[str, Callable[[Block, dict[str, Any], str], None]] = {
    "python": _python,
    "console": _console,
    "sh": _sh,
    "toml": _parses(tomllib.loads),
    "yaml": _parses(yaml.safe_load),
    "json": _parses(json.loads),
}
