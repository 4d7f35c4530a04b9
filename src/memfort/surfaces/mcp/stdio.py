"""MCP over standard input and output, for one caller: the one that the command line names."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from mcp.server import Server
from mcp.server.stdio import stdio_server

from memfort.client.threads import Threads
from memfort.surfaces.mcp.server import make_server
from memfort.surfaces.mcp.standing import Standing

_THREADS, _MAX_WAITING = 2, 64


def serve_stdio(standing: Standing, make: Callable[..., Server[Any]] = make_server) -> None:
    """Answer until the input ends. `make` gives the server with its tools."""
    asyncio.run(_serve(standing, make))


async def _serve(standing: Standing, make: Callable[..., Server[Any]]) -> None:
    threads = Threads(_THREADS, _MAX_WAITING)
    server = make(lambda _: standing, threads.run)
    try:
        async with stdio_server() as (read_stream, write_stream):
            await server.run(read_stream, write_stream, server.create_initialization_options())
    finally:
        await threads.close(lambda: None)
