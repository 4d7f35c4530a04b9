"""mcp: the verbs for an assistant, over standard input and output. The server is in `memfort.surfaces.mcp`, which needs
`memfort[server]`."""

from __future__ import annotations

import click

from memfort.errors import InvalidInput
from memfort.surfaces.cli.options import Verb
from memfort.surfaces.cli.session import Session


@click.command("mcp", cls=Verb)
@click.option(
    "--tools", default="read,write", show_default=True, metavar="SETS", help="The sets of tools: read, write or both."
)
@click.pass_obj
def mcp_command(session: Session, tools: str) -> None:
    """Give the memory to an assistant over MCP.

    The assistant's host starts this command and speaks to it over standard input and output. Who asks is said here,
    with --as and --at, and by nothing that the assistant sends. Remote stores work too: give the server's address as
    --store, and its key in MEMFORT_KEY.
    """
    try:
        from memfort.surfaces.mcp.standing import Standing, scopes_of
        from memfort.surfaces.mcp.stdio import serve_stdio
    except ImportError as error:
        raise InvalidInput("mcp", "MCP is not installed", "run `pip install memfort[server]`") from error
    from memfort.model.people.access_key import KeyScope

    scopes = scopes_of(tools)
    if session.settings["as"] == "system":
        raise InvalidInput("as", "an assistant is not the system", "name a user or an agent")
    session.surface = "mcp"
    with session.bound_with_store(make=not session.is_read_only) as (memory, bound):
        writes = frozenset[KeyScope]() if not session.is_read_only else frozenset({KeyScope.WRITE})
        serve_stdio(Standing(bound, memory, scopes - writes))
