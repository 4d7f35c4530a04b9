"""MCP at `/mcp`: the credential of each request says who asks, its header `Memfort-At` from where. There are no
sessions: each message stands for itself, so that any worker process can answer it."""

from __future__ import annotations

from typing import Any

from mcp.server import Server as McpServer
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from memfort.surfaces.http.entry import Asked
from memfort.surfaces.http.identity import places_of, requester_of, stand
from memfort.surfaces.http.repeated_names import check_unread
from memfort.surfaces.http.server import Server
from memfort.surfaces.mcp.server import make_server
from memfort.surfaces.mcp.standing import SURFACE, Standing

_STANDING = "memfort_standing"


class Assistants:
    """The MCP server behind the credentials of HTTP. Without sessions it has nothing to listen to and nothing to end,
    so it takes `POST` alone."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._mcp = make_server(_standing_of, server.threads.run)

    async def answer(self, asked: Asked) -> Response:
        """Answer a request whose body is read already."""
        standing = await self._server.threads.run(lambda: self._identify(asked))
        setattr(asked.request.state, _STANDING, standing)
        return _Handled(self._mcp, asked, self._server.settings.max_message_bytes)

    def _identify(self, asked: Asked) -> Standing:
        check_unread(asked.body)
        memory, caller = self._server.memory, asked.caller
        bound = stand(memory, caller, requester_of(asked.request, caller), places_of(asked.request), SURFACE)
        return Standing(bound, memory, caller.scopes, bool(caller.within), caller.name)


def _standing_of(request: Any) -> Standing:
    standing: Standing = getattr(request.state, _STANDING)
    return standing


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
