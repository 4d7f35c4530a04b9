"""Every entry point that can create or change a memory is tried, or says why it cannot carry words into force."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable, Mapping
from pathlib import Path

import click
import pytest
from tests.entry_points import listed
from tests.entry_points.attempts import ATTEMPTS, FILES, NOT_POSSIBLE, verb_of
from tests.entry_points.scene import RIGHT, WRONG

import memfort.capture.importers
import memfort.operations
import memfort.surfaces
from memfort import AsyncMemory, Memory
from memfort.capture.importers.formats import FORMATS, OWN
from memfort.client import BoundMemory
from memfort.client.async_memory import AsyncBoundMemory
from memfort.client.remote.memory import AsyncRemoteBoundMemory, AsyncRemoteMemory, RemoteBoundMemory, RemoteMemory
from memfort.model.item import Status
from memfort.operations.table import TABLE, Cli, Effect, Http, Mcp
from memfort.surfaces.cli.reference import commands
from memfort.surfaces.http.app import make_app
from memfort.surfaces.http.server import Server
from memfort.surfaces.http.settings import ServerSettings

TRIED = {verb_of(attempt) for attempt in ATTEMPTS}
HOW_TO_ADD = "add an attempt in attempts.py, or a reason in listed.py"


def compare(found: Iterable[str], reasons: Mapping[str, str]) -> None:
    """What is found is what is listed, each with a reason."""
    names = set(found)
    missing, stale = names - set(reasons), set(reasons) - names
    assert not missing, f"new entry points: {sorted(missing)}; {HOW_TO_ADD}"
    assert not stale, f"reasons for entry points that there are not: {sorted(stale)}"
    assert all(len(reason) >= len(listed.READS) for reason in reasons.values())


def test_every_verb_that_writes_is_tried_or_has_a_reason() -> None:
    writing = {name for name, row in TABLE.items() if row.effect is not Effect.READ or row.writes_with}
    assert writing >= TRIED, "an attempt for a verb that does not write"
    compare(writing - TRIED, listed.VERBS)


def test_every_format_of_imports_is_tried() -> None:
    assert {OWN, *(format.platform for format in FORMATS)} <= set(FILES), f"{HOW_TO_ADD}: FILES"
    assert {OWN, *listed.READERS.values()} == set(FILES), f"{HOW_TO_ADD}: FILES and READERS"


def test_every_module_of_importers_is_a_reader_that_is_tried_or_has_a_reason() -> None:
    [folder] = memfort.capture.importers.__path__
    found = {str(path.relative_to(folder).with_suffix("")) for path in Path(folder).rglob("*.py")}
    compare(found - set(listed.READERS), listed.NOT_READERS)
    assert set(listed.READERS) <= found


def test_every_command_is_a_verb_or_has_a_reason() -> None:
    found = {path for path, command in commands() if _runs(command)}
    verbs = {row.command for row in TABLE.values() if isinstance(row.cli, Cli)}
    compare((" ".join(path) for path in found - verbs), listed.COMMANDS)


def _runs(command: click.Command) -> bool:
    """Whether it does something by itself, and is not only a group of commands."""
    return not isinstance(command, click.Group) or command.invoke_without_command


def test_every_route_is_a_verb_or_has_a_reason() -> None:
    with Memory.open(":memory:", memberships="registered") as memory:
        routes = {route.path for route in make_app(Server(memory, ServerSettings())).routes}
        found = {path for path in routes if not f"{path}/".startswith("/studio/")}  # pages: tests/studio/test_parity.py
    compare(found - {row.path for row in TABLE.values() if isinstance(row.http, Http)}, listed.ROUTES)


def test_every_tool_that_writes_is_tried_or_has_a_reason() -> None:
    """A tool is tried if it has the name of a verb that is."""
    forms = {name: row.on_mcp for name, row in TABLE.items() if row.effect is not Effect.READ}
    tools = {tool: name for name, form in forms.items() if isinstance(form, Mcp) for tool in form.tools}
    compare({tool for tool, verb in tools.items() if tool != verb or verb not in TRIED}, listed.TOOLS)


CLIENTS = (
    Memory, BoundMemory, AsyncMemory, AsyncBoundMemory,
    RemoteMemory, RemoteBoundMemory, AsyncRemoteMemory, AsyncRemoteBoundMemory,
)  # fmt: skip


def test_every_method_of_the_clients_is_a_verb_or_has_a_reason() -> None:
    verbs = {row.method for row in TABLE.values() if not row.group}
    bound = {BoundMemory, AsyncBoundMemory, RemoteBoundMemory, AsyncRemoteBoundMemory}
    found = {name for client in CLIENTS for name in _methods(client) if client not in bound or name not in verbs}
    compare(found - {row.method for row in TABLE.values() if row.effect is Effect.ADMIN}, listed.METHODS)


def _methods(client: type) -> set[str]:
    """Its public methods; properties give groups of verbs, or what is known of it."""
    members = {name: inspect.getattr_static(client, name) for name in dir(client) if not name.startswith("_")}
    return {name for name, member in members.items() if not isinstance(member, property)}


def test_every_package_of_surfaces_has_a_reason() -> None:
    [folder] = memfort.surfaces.__path__
    compare((path.parent.name for path in Path(folder).glob("*/__init__.py")), listed.PACKAGES)


def test_every_module_that_can_put_a_memory_in_force_says_what_decides() -> None:
    [folder] = memfort.operations.__path__
    found = {str(path.relative_to(folder)) for path in Path(folder).rglob("*.py") if _puts_in_force(path.read_text())}
    compare((path for path in found if not path.startswith("policy/simulation/")), listed.MODULES)


def _puts_in_force(code: str) -> bool:
    """Whether it names a status that may be `approved`, or `None` for when a memory was deleted, as the value of such a
    field."""
    for node in ast.walk(ast.parse(code)):
        named: list[tuple[str | None, ast.expr]] = []
        if isinstance(node, ast.Call):
            named = [(one.arg, one.value) for one in node.keywords]
        elif isinstance(node, ast.Dict):
            keys = [one.value if isinstance(one, ast.Constant) else None for one in node.keys]
            named = list(zip(keys, node.values, strict=True))
        if any(_brings_back(name, value) for name, value in named):
            return True
    return False


def _brings_back(name: str | None, value: ast.expr) -> bool:
    if name == "deleted_at_us":
        return isinstance(value, ast.Constant) and value.value is None
    ends = {f"Status.{one.name}" for one in Status if one is not Status.APPROVED}
    return name == "status" and ast.unparse(value) not in ends


def test_what_an_attempt_cannot_do_names_an_attempt() -> None:
    assert {attempt for attempt, _ in NOT_POSSIBLE} <= set(ATTEMPTS)
    assert {write for _, write in NOT_POSSIBLE} <= {*RIGHT, *WRONG}


def test_an_entry_point_that_is_not_listed_fails() -> None:
    """The positive control."""
    with pytest.raises(AssertionError, match="new entry points: \\['dream'\\]"):
        compare({*listed.VERBS, "dream"}, listed.VERBS)
    with pytest.raises(AssertionError, match="reasons for entry points that there are not"):
        compare(set(listed.VERBS) - {"share"}, listed.VERBS)
