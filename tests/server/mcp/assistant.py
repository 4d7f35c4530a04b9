"""The SDK's own client, in this process, over stdio and over HTTP, in both eras of the protocol."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from memfort import Memory
from memfort.client import BoundMemory
from memfort.client.threads import Threads
from memfort.model.people.access_key import KeyScope
from memfort.surfaces.mcp.server import make_server
from memfort.surfaces.mcp.standing import Standing

ERAS = ("auto", "legacy")
EVERY_SCOPE = frozenset(KeyScope)
PROGRAM = str(Path(sys.executable).with_name("memfort"))
Talk = Callable[[Client], Awaitable[Any]]


def _run(work: Coroutine[Any, Any, Any]) -> Any:
    """What the work gives, or the one error in it: task groups wrap errors in groups."""
    try:
        return asyncio.run(work)
    except BaseExceptionGroup as group:
        error: BaseException = group
        while isinstance(error, BaseExceptionGroup):
            [error] = error.exceptions
        raise error from None


def in_process(
    memory: Memory, bound: BoundMemory, talk: Talk, *, era: str = "auto", scopes: frozenset[KeyScope] = EVERY_SCOPE
) -> Any:
    async def run() -> Any:
        threads = Threads(1, 16)
        server = make_server(lambda _: Standing(bound, memory, scopes), threads.run)
        async with Client(server, mode=era) as client:
            answer = await talk(client)
        await threads.close(lambda: None)
        return answer

    return _run(run())


def over_stdio(store: Path, *words: str, talk: Talk, era: str = "auto") -> Any:
    """`memfort mcp` as a host starts it, with these words."""

    async def run() -> Any:
        program = StdioServerParameters(command=PROGRAM, args=["--store", str(store), "mcp", *words])
        async with Client(program, mode=era) as client:
            return await talk(client)

    return _run(run())


@asynccontextmanager
async def http_client(url: str, key: str | None, era: str = "auto", **headers: str) -> AsyncIterator[Client]:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    if key is not None:
        sent["authorization"] = f"Bearer {key}"
    async with (
        httpx2.AsyncClient(headers=sent) as http,
        Client(streamable_http_client(f"{url}/mcp", http_client=http), mode=era) as client,
    ):
        yield client


def over_http(url: str, key: str | None, talk: Talk, era: str = "auto", **headers: str) -> Any:
    async def run() -> Any:
        async with http_client(url, key, era, **headers) as client:
            return await talk(client)

    return _run(run())


def text_of(answer: Any) -> str:
    [content] = answer.content
    text: str = content.text
    return text
