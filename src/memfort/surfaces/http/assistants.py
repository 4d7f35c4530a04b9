"""MCP at `/mcp`: the credential of each request says who asks, its header `Memfort-At` from where. There are no
sessions: each message stands for itself, so that any worker process can answer it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from mcp.server import Server as McpServer
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from memfort.surfaces.http.identity import credential_of, places_of, requester_of, stand
from memfort.surfaces.http.limits import check_nesting, read_body
from memfort.surfaces.http.server import Server
from memfort.surfaces.http.verbs import Asked, admit
from memfort.surfaces.mcp.server import make_server
from memfort.surfaces.mcp.standing import Standing

PATH = "/mcp"
_STANDING = "memfort_standing"


def mcp_routes(server: Server) -> list[Route]:
    """The route of MCP. A server without sessions has nothing to listen to and nothing to end, so it takes `POST`."""
    logging.getLogger("mcp").setLevel(logging.WARNING)  # it announces every request
    mcp = make_server(_standing_of, server.threads.run)
    return [Route(PATH, _endpoint(server, mcp), methods=["POST"])]


def _standing_of(request: Any) -> Standing:
    standing: Standing = getattr(request.state, _STANDING)
    return standing


def _endpoint(server: Server, mcp: McpServer[Any]) -> Callable[[Request], Any]:
    async def endpoint(request: Request) -> Response:
        asked = Asked(request, credential_of(request), await read_body(request, server.settings))
        check_nesting(asked.body, server.settings)
        standing = await server.threads.run(lambda: _identify(server, asked))
        setattr(request.state, _STANDING, standing)
        return _Handled(mcp, asked, server.settings.max_body_bytes)

    return endpoint


def _identify(server: Server, asked: Asked) -> Standing:
    caller = admit(server, asked)
    requester = requester_of(asked.request, caller)
    bound = stand(server.memory, caller, requester, places_of(asked.request))
    return Standing(bound, server.memory, caller.scopes, bool(caller.within), caller.name)


class _Handled(Response):
    """The answer of the SDK to a request whose body is read already."""

    def __init__(self, mcp: McpServer[Any], asked: Asked, most_bytes: int) -> None:
        super().__init__()
        self._mcp, self._asked, self._most_bytes = mcp, asked, most_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_read = False

        async def receive_again() -> Message:
            nonlocal is_read
            if is_read:
                return await receive()
            is_read = True
            return {"type": "http.request", "body": self._asked.body, "more_body": False}

        manager = StreamableHTTPSessionManager(
            self._mcp, stateless=True, json_response=True, max_request_body_size=self._most_bytes
        )
        async with manager.run():
            await manager.handle_request(scope, receive_again, send)
