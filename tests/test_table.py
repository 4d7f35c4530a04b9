"""The table of operations: every row is whole, and what is generated from it is current."""

from __future__ import annotations

import functools
import importlib.util
import inspect
import json
import subprocess
import sys
from collections.abc import Iterator
from inspect import Parameter, signature
from pathlib import Path
from typing import get_origin

import click
import pytest
from msgspec import Struct

from memfort.client import BoundMemory, Memory, _async_methods, _methods
from memfort.engine.transaction import Session, Transaction
from memfort.engine.view import View
from memfort.operations.requests import fields_of
from memfort.operations.table import NOT_TOOLS, TABLE, Cli, Effect, Mcp, NotOnCli, NotOnHttp, NotOnMcp, Operation
from memfort.surfaces.cli.reference import commands
from memfort.surfaces.cli.root import GROUPS, PROGRAM
from memfort.surfaces.http.app import make_app
from memfort.surfaces.http.openapi import openapi_document
from memfort.surfaces.http.server import Server
from memfort.surfaces.http.settings import ServerSettings
from memfort.surfaces.mcp import wording
from memfort.surfaces.mcp.resources import offered_prompts, offered_resources, template_fields
from memfort.surfaces.mcp.tools import offered_tools

ROOT = Path(__file__).parent.parent


def generator():
    spec = importlib.util.spec_from_file_location("generate", ROOT / "tools" / "generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_generated_methods_are_current():
    """Stale: run `make generate`."""
    made = generator()
    for style in made.STYLES:
        assert style.path.read_text() == made.methods(style)


def test_the_tables_of_the_telemetry_page_are_current():
    """Stale: run `make generate`."""
    made = generator()
    assert made.TELEMETRY.read_text() == made.telemetry_page(made.TELEMETRY.read_text())


rows = pytest.mark.parametrize("row", TABLE.values(), ids=list(TABLE))


@rows
def test_a_handlers_scope_matches_its_effect(row: Operation):
    assert row.scope in ({View, Session} if row.effect is Effect.READ else {Transaction, Session, View})
    assert issubclass(row.request, Struct)
    assert row.request.__struct_config__.frozen
    assert row.request.__struct_config__.forbid_unknown_fields


@rows
def test_a_verb_with_a_transaction_says_what_it_touches(row: Operation):
    """One with a session names it in each of its writes, which have no default."""
    if row.scope is Transaction:
        assert list(signature(row.touches).parameters) == ["session", "request"]
    assert signature(Session.write).parameters["reach"].default is Parameter.empty


@rows
def test_every_field_is_documented(row: Operation):
    for field in fields_of(row.request):
        assert field.doc.endswith("."), f"{row.name}: {field.name}"


@rows
def test_no_request_takes_an_identity(row: Operation):
    identities = {"actor", "acting_for", "standpoint", "principal"}
    assert not identities & {field.name for field in fields_of(row.request)}


@rows
def test_a_verb_missing_on_the_command_line_gives_a_reason(row: Operation):
    assert not isinstance(row.cli, NotOnCli) or len(row.cli.reason) > 20


@rows
def test_a_summary_is_a_sentence(row: Operation):
    assert row.summary[0].isupper()
    assert row.summary.endswith(".")


# -- the surfaces have what the table has -----------------------------------------------------------------------------


@rows
def test_python_has_every_verb_with_its_parameters(row: Operation):
    owner = Memory if row.effect is Effect.ADMIN else BoundMemory
    group = getattr(_methods, f"{'Store' if owner is Memory else 'Bound'}{row.group.title()}") if row.group else owner
    parameters = list(inspect.signature(getattr(group, row.method)).parameters)
    extra = {"self", "progress"} if row.reports_progress else {"self"}
    assert set(parameters) - extra == {field.name for field in fields_of(row.request)}


@rows
def test_async_python_has_every_verb_with_the_same_parameters(row: Operation):
    kind = "Store" if row.effect is Effect.ADMIN else "Bound"
    name = f"{kind}{row.group.title()}" if row.group else f"{kind}Methods"
    plain, awaited = (
        getattr(getattr(_methods, name), row.method),
        getattr(getattr(_async_methods, f"Async{name}"), row.method),
    )
    expected, found = inspect.signature(plain).parameters, inspect.signature(awaited).parameters
    assert [(one.name, one.kind, one.default) for one in expected.values()] == [
        (one.name, one.kind, one.default) for one in found.values()
    ]
    is_iterator = "AsyncIterator" in str(inspect.signature(awaited).return_annotation)
    assert inspect.iscoroutinefunction(awaited) is not is_iterator
    assert is_iterator is (get_origin(row.result) is Iterator)


@rows
def test_the_command_line_has_every_verb_with_its_options_or_says_why_not(row: Operation):
    found = {path: command for path, command in commands() if path == row.command}
    if isinstance(row.cli, NotOnCli):
        assert not found
        return
    command = found[row.command]
    names = {
        str(parameter.name).rstrip("_")
        for parameter in command.get_params(click.Context(command, help_option_names=["-h", "--help"]))
    }
    offered = {name.removesuffix("_users") for name in names}  # a reader list is two options
    fields = {field.name for field in fields_of(row.request)}
    assert fields - offered == set(row.cli.leaves_out), "a field is missing, or a reason is stale"
    assert all(len(reason) > 5 for reason in row.cli.leaves_out.values())


@rows
def test_the_documents_have_every_verb(row: Operation):
    name = " ".join(("memfort", *row.command))
    page = (ROOT / "docs" / "reference" / "cli.md").read_text()
    assert (f"## {name}\n" in page) is not isinstance(row.cli, NotOnCli)


def test_every_group_is_documented():
    assert set(GROUPS) == {row.group for row in TABLE.values() if row.group and isinstance(row.cli, Cli)}


@rows
def test_http_has_every_verb_or_says_why_not(row: Operation):
    document = json.loads(openapi_document())
    routes = {route.path for route in http_routes() if "POST" in route.methods}
    if isinstance(row.http, NotOnHttp):
        assert len(row.http.reason) > 20
        assert row.path not in routes
        assert row.path not in document["paths"]
        return
    assert row.path in routes
    described = document["paths"][row.path]["post"]
    assert described["operationId"] == row.name
    schema = described["requestBody"]["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
    fields = set(document["components"]["schemas"][schema].get("properties", {}))
    left_out = row.http.leaves_out
    assert fields == {field.name for field in fields_of(row.request)} - left_out.keys()
    assert left_out.keys() <= {field.name for field in fields_of(row.request)}  # a stale reason fails
    for field in (row.http.cursor, row.http.edits):
        assert not field or field in row.request.__struct_fields__


def test_http_has_no_route_that_nothing_stands_for():
    paths = {route.path for route in http_routes()}
    known = {row.path for row in TABLE.values()}
    at_the_root = {"/memories", "/memories/search", "/memories/{id}"}  # as platforms of agents call them
    by_hand = at_the_root | {f"/v1{path}" for path in at_the_root}
    about_itself = {"/openapi.json", "/docs", "/livez", "/readyz", "/metrics"}
    other_protocols = {path for path in paths if path.startswith(("/mcp", "/a2a", "/.well-known/agent-card"))}
    assert len(other_protocols) == 9
    pages = {path for path in paths if path == "/studio" or path.startswith("/studio/")}
    assert "/studio/sign-in" in pages
    assert paths - known == by_hand | about_itself | other_protocols | pages
    described = set(json.loads(openapi_document())["paths"])
    assert described == paths - {"/openapi.json", "/docs"} - other_protocols - at_the_root - pages


@functools.cache
def http_routes():
    with Memory.open(":memory:", memberships="registered") as memory:
        return make_app(Server(memory, ServerSettings())).routes


@rows
def test_mcp_has_every_verb_or_says_why_not(row: Operation):
    form = row.on_mcp
    if isinstance(form, NotOnMcp):
        assert len(form.reason) > 20
        return
    fields = {field.name for field in fields_of(row.request)}
    taken = {name for takes in form.tools.values() for name in takes}
    assert taken <= fields
    assert {*form.choices, *form.defaults, *form.most} <= taken  # a stale one fails
    assert set(form.prompt_takes.values()) <= fields
    for name, takes in form.tools.items():
        described = offered_tools()[name].described
        assert set(described.input_schema["properties"]) == set(takes)
        required = {field.name for field in fields_of(row.request) if field.required} | set(form.requires)
        assert set(described.input_schema["required"]) == required & set(takes) == required
    assert form.tools or form.resources or form.prompt


def test_mcp_offers_nothing_that_nothing_stands_for():
    forms = [row.on_mcp for row in TABLE.values() if isinstance(row.on_mcp, Mcp)]
    tools = [name for form in forms for name in form.tools]
    assert sorted(tools) == sorted(offered_tools()) == sorted(wording.TOOLS)
    assert len(tools) <= 9
    resources = [name for form in forms for name in form.resources.values()]
    assert sorted(resources) == sorted(one.name for one in offered_resources()) == sorted(wording.RESOURCES)
    assert all(one.address.count("{") == len(template_fields(one)) for one in offered_resources())
    assert [form.prompt for form in forms if form.prompt] == list(offered_prompts()) == list(wording.PROMPTS)
    assert {name for form in forms for name in form.prompt_takes} == set(wording.PROMPT_ARGUMENTS)


def test_no_reason_against_mcp_is_stale():
    used = {row.package for row in TABLE.values() if row.mcp is None}
    assert used == set(NOT_TOOLS)


def test_no_command_is_written_by_hand_that_the_table_has():
    assert not PROGRAM.keys() & {row.command[0] for row in TABLE.values()}


def test_help_loads_no_verb():
    code = "import sys; from memfort.surfaces.cli.root import root; root.get_help(__import__('click').Context(root)); "
    code += "print(*[name for name in sys.modules if name.startswith('memfort.operations.')])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(run.stdout.split()) <= {f"memfort.operations.{name}" for name in ("table", "requests", "limits")}
