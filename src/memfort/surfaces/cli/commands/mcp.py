"""mcp: the verbs for an assistant over standard input and output, and the settings of the programs that start it. The
server is in `memfort.surfaces.mcp`, which needs `memfort[server]`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from memfort.errors import InvalidInput
from memfort.surfaces.cli.input.completion import OneOf
from memfort.surfaces.cli.options import Verbs
from memfort.surfaces.cli.session import Session

_ALL_TOOLS = "read,write"
_GRAPH = "graph"  # the tools of the MCP reference memory server
_CLIENTS = ("claude-code", "claude-desktop", "cursor", "vscode", "codex", "gemini")


@click.group("mcp", cls=Verbs, invoke_without_command=True)
@click.option(
    "--tools",
    default=_ALL_TOOLS,
    show_default=True,
    metavar="SETS",
    help="The sets of tools: read, write or both; or graph, the tools of the MCP reference memory server.",
)
@click.pass_context
def mcp_command(context: click.Context, tools: str) -> None:
    """Give the memory to an assistant over MCP.

    The assistant's host starts this command and speaks to it over standard input and output. Who asks is said here,
    with --as and --at, and by nothing that the assistant sends. A store behind a server works too: give its address as
    --store, and the key in MEMFORT_KEY.
    """
    if context.invoked_subcommand is None:
        session = context.find_object(Session)
        assert session is not None
        session.command = mcp_command
        _serve(session, tools)


def _serve(session: Session, tools: str) -> None:
    try:
        from memfort.surfaces.mcp.graph.server import make_graph_server
        from memfort.surfaces.mcp.server import make_server
        from memfort.surfaces.mcp.standing import Standing, scopes_of
        from memfort.surfaces.mcp.stdio import serve_stdio
    except ImportError as error:
        raise InvalidInput("mcp", "MCP is not installed", "run `pip install memfort[server]`") from error
    from memfort.model.people.access_key import KeyScope

    is_graph = tools == _GRAPH
    scopes = scopes_of(_ALL_TOOLS if is_graph else tools)
    if session.settings["as"] == "system":
        raise InvalidInput("as", "an assistant is not the system", "name a user or an agent")
    session.surface = "mcp"
    with session.bound_with_store(make=not session.is_read_only) as (memory, bound):
        standing = Standing(bound, memory, scopes - {KeyScope.WRITE} if session.is_read_only else scopes)
        serve_stdio(standing, make_graph_server if is_graph else make_server)


@mcp_command.command("install")
@click.option(
    "--client", required=True, type=OneOf(*_CLIENTS), metavar="CLIENT", help="The program: " + ", ".join(_CLIENTS)
)
@click.option(
    "--scope", type=OneOf("user", "project"), default="user", show_default=True, help="For you, or for this project."
)
@click.option("--tools", default=_ALL_TOOLS, show_default=True, metavar="SETS", help="The sets of tools.")
@click.option("--print", "only_print", is_flag=True, help="Print what belongs into its file, and change nothing.")
@click.option("--undo", is_flag=True, help="Take it out of its file again.")
@click.pass_obj
def install_mcp(session: Session, client: str, scope: str, tools: str, only_print: bool, undo: bool) -> None:
    """Tell a program about `memfort mcp`.

    Its settings file gets one entry, `memfort`, with the --as, --at and --store that are given here; everything else in
    the file stays. Restart the program afterwards.
    """
    from memfort.surfaces.cli import hosts

    host = hosts.HOSTS[client]
    path = host.file(scope)
    if undo:
        was_there = hosts.uninstall(host, path)
        done = f"took it out of {path}" if was_there else f"it is not in {path}"
        session.output.answer({"file": str(path), "changed": was_there}, done)
        return
    command = mcp_words(session, tools)
    if only_print:
        text = hosts.snippet(host, command)
        session.output.answer({"file": str(path), "snippet": text}, *text.splitlines())
        return
    changed = hosts.install(host, path, command)
    if scope == "project":
        session.output.note("this file may be shared: it names you, and whoever uses it remembers as you")
    if session.server is not None:
        session.output.note("set MEMFORT_KEY where the program is started; the key is not written into the file")
    session.output.answer({"file": str(path), "changed": changed}, f"{'wrote' if changed else 'is already in'} {path}")


def mcp_words(session: Session, tools: str = _ALL_TOOLS) -> list[str]:
    """The command that a host starts: the program with its whole path, since a host has another `PATH`."""
    return [*program(), "mcp", *standpoint_words(session), *(["--tools", tools] if tools != _ALL_TOOLS else [])]


def program() -> list[str]:
    installed = Path(sys.executable).with_name("memfort")
    return [str(installed)] if installed.exists() else [sys.executable, "-m", "memfort"]


def standpoint_words(session: Session) -> list[str]:
    """The options that say who asks, from where, of which store."""
    settings = session.settings
    if settings["as"] is None and session.server is None:
        raise InvalidInput("as", "no actor is named", "say who asks, as in `--as alice`")
    words = ["--as", settings["as"]] if settings["as"] is not None else []
    for option, value in (("--acting-for", settings["acting_for"]), ("--owner", settings["owner"])):
        words += [option, value] if value is not None else []
    for level, id in settings["at"]:
        words += ["--at", f"{level}={id}"]
    store = settings.found["store"]
    return words if store.origin == "default" else [*words, "--store", str(store.value)]
