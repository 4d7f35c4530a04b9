"""The routes of Studio, MCP and A2A. The SDKs are imported when the first request comes for them: they take longer to
import than everything else."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Generic, TypeVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from memfort.client.threads import run_alone
from memfort.surfaces.http.entry import Asked, let_in
from memfort.surfaces.http.limits import check_nesting
from memfort.surfaces.http.server import Server

if TYPE_CHECKING:
    from memfort.surfaces.http.agents import A2a
    from memfort.surfaces.http.assistants import Assistants

_Made = TypeVar("_Made")
CARD = "/.well-known/agent-card.json"
KEYS = "/.well-known/agent-card-keys.json"
_CHECKED_HERE_BYTES = 4096  # a larger body is checked in a thread


class _Later(Generic[_Made]):
    """Something that is made when it is first needed, in a thread of its own, for all who wait for it. If that fails,
    the next who needs it tries again."""

    def __init__(self, make: Callable[[], _Made]) -> None:
        self._make = make
        self._made: asyncio.Future[_Made] | None = None

    async def get(self) -> _Made:
        if self._made is None or (self._made.done() and (self._made.cancelled() or self._made.exception())):
            self._made = asyncio.ensure_future(run_alone(self._make))
        return await asyncio.shield(self._made)


def mounted_routes(server: Server) -> list[Route]:
    return [*_mcp_routes(server), *_a2a_routes(server), *_studio_routes(server), *_mem0_routes(server)]


def _studio_routes(server: Server) -> list[Route]:
    if not server.settings.studio:
        return []
    from memfort.surfaces.studio.routes import studio_routes

    return studio_routes(server)


def _mem0_routes(server: Server) -> list[Route]:
    if not server.settings.mem0:
        return []
    from memfort.surfaces.mem0.routes import mem0_routes

    return mem0_routes(server)


def _mcp_routes(server: Server) -> list[Route]:
    def make() -> Assistants:
        from memfort.surfaces.http.assistants import Assistants

        return Assistants(server)

    assistants = _Later(make)

    async def mcp(request: Request) -> Response:
        async with let_message_in(server, request) as asked:
            return await (await assistants.get()).answer(asked)

    return [Route("/mcp", mcp, methods=["POST"])]


def _a2a_routes(server: Server) -> list[Route]:
    def make() -> A2a:
        from memfort.surfaces.http.agents import A2a

        return A2a(server)

    a2a = _Later(make)

    async def card(request: Request) -> Response:
        return await (await a2a.get()).card(request)

    async def keys(request: Request) -> Response:
        return await (await a2a.get()).keys(request)

    async def answer(request: Request) -> Response:
        async with let_message_in(server, request) as asked:
            return await (await a2a.get()).answer(request, asked)

    rest = ["GET", "POST"]
    return [
        Route(CARD, card),
        Route(KEYS, keys),
        Route("/a2a-server/rpc", answer, methods=["POST"]),
        Route("/a2a-server/rest/{rest:path}", answer, methods=rest),
        Route(f"/a2a/{{agent:path}}{CARD}", card),
        Route("/a2a/{agent:path}/rpc", answer, methods=["POST"]),
        Route("/a2a/{agent:path}/rest/{rest:path}", answer, methods=rest),
        Route("/a2a/{agent:path}/", card),
    ]


@asynccontextmanager
async def let_message_in(server: Server, request: Request) -> AsyncIterator[Asked]:
    """A request whose body an SDK will parse: its nesting is checked before."""
    async with let_in(server, request, server.settings.max_message_bytes) as asked:
        if len(asked.body) <= _CHECKED_HERE_BYTES:
            check_nesting(asked.body, server.settings)
        else:
            await server.threads.run(lambda: check_nesting(asked.body, server.settings))
        yield asked
