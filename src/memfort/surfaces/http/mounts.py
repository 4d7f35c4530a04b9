"""The routes of MCP and A2A. Their SDKs are imported when the first request comes for them: they take longer to import
than everything else."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, TypeVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from memfort.surfaces.http.identity import credential_of
from memfort.surfaces.http.limits import check_nesting, read_body
from memfort.surfaces.http.server import Server
from memfort.surfaces.http.verbs import Asked

if TYPE_CHECKING:
    from memfort.surfaces.http.agents import A2a
    from memfort.surfaces.http.assistants import Assistants

_Made = TypeVar("_Made")
CARD = "/.well-known/agent-card.json"
KEYS = "/.well-known/agent-card-keys.json"


class _Later(Generic[_Made]):
    """Something that is made in a thread when it is first needed."""

    def __init__(self, server: Server, make: Callable[[], _Made]) -> None:
        self._server, self._make = server, make
        self._made: asyncio.Future[_Made] | None = None

    async def get(self) -> _Made:
        if self._made is None:
            self._made = asyncio.ensure_future(self._server.threads.run(self._make))
        return await asyncio.shield(self._made)


def mounted_routes(server: Server) -> list[Route]:
    return [*_mcp_routes(server), *_a2a_routes(server)]


def _mcp_routes(server: Server) -> list[Route]:
    def make() -> Assistants:
        from memfort.surfaces.http.assistants import Assistants

        return Assistants(server)

    assistants = _Later(server, make)

    async def mcp(request: Request) -> Response:
        asked = await _read(server, request)
        return await (await assistants.get()).answer(asked)

    return [Route("/mcp", mcp, methods=["POST"])]


def _a2a_routes(server: Server) -> list[Route]:
    def make() -> A2a:
        from memfort.surfaces.http.agents import A2a

        return A2a(server)

    a2a = _Later(server, make)

    async def card(request: Request) -> Response:
        return await (await a2a.get()).card(request)

    async def keys(request: Request) -> Response:
        return await (await a2a.get()).keys(request)

    async def answer(request: Request) -> Response:
        asked = await _read(server, request)
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


async def _read(server: Server, request: Request) -> Asked:
    asked = Asked(request, credential_of(request), await read_body(request, server.settings))
    check_nesting(asked.body, server.settings)
    return asked
