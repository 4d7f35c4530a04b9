"""The server of the official SDK, with the tools, resources and prompts of the table. It speaks both eras of the
protocol; who asks comes with each message from the transport."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import mcp_types as types
import msgspec
from mcp.server import Server
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from memfort import __version__
from memfort.errors import InvalidInput, MemfortError, NotFound
from memfort.surfaces.mcp.answers import text_of
from memfort.surfaces.mcp.refusals import refusal_of
from memfort.surfaces.mcp.resources import find_resource, offered_prompts, offered_resources
from memfort.surfaces.mcp.standing import Standing
from memfort.surfaces.mcp.tools import offered_tools
from memfort.surfaces.mcp.wording import INSTRUCTIONS, PROMPTS

_Answer = TypeVar("_Answer")
RunInThread = Callable[[Callable[[], _Answer]], Awaitable[_Answer]]
WhoAsks = Callable[[Any], Standing]  # of the HTTP request, which is `None` elsewhere
_INVALID_PARAMS, _INTERNAL, _NO_RESOURCE = -32602, -32603, -32002
_log = logging.getLogger(__name__)


def make_server(who_asks: WhoAsks, run_in_thread: RunInThread[Any]) -> Server[Any]:
    """An MCP server. Verbs run in threads, so that no transaction crosses an await. The SDK logs nothing from now on:
    its messages may quote what was sent."""
    logging.getLogger("mcp").setLevel(logging.CRITICAL)
    handlers = _Handlers(who_asks, run_in_thread)
    return Server(
        "memfort",
        version=__version__,
        title="Memfort",
        description="Governed memory for AI agents: who may know what, and why.",
        instructions=INSTRUCTIONS,
        get_tool_input_schema=lambda _: None,  # no tool takes an argument from a header
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_resource_templates,
        on_read_resource=handlers.read_resource,
        on_list_prompts=handlers.list_prompts,
        on_get_prompt=handlers.get_prompt,
    )


class _Handlers:
    """The requests of the protocol. What a credential does not reach is not listed, and called, it does not exist."""

    def __init__(self, who_asks: WhoAsks, run_in_thread: RunInThread[Any]) -> None:
        self._who_asks, self._run = who_asks, run_in_thread

    async def list_tools(
        self, ctx: ServerRequestContext[Any], _: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        standing = self._who_asks(ctx.request)
        return types.ListToolsResult(
            tools=[tool.described for tool in offered_tools().values() if standing.may_use(tool.row)]
        )

    async def call_tool(
        self, ctx: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        standing, tool = self._who_asks(ctx.request), offered_tools().get(params.name)
        if tool is None or not standing.may_use(tool.row):
            raise MCPError(_INVALID_PARAMS, "there is no such tool")
        try:
            answer = await self._run(lambda: tool.call(standing, params.arguments or {}))
        except Exception as error:  # noqa: BLE001  # the outermost place: a model reads every failure of a tool
            _note_failure(error, params.name)
            return types.CallToolResult(content=[_text(refusal_of(error))], is_error=True)
        return types.CallToolResult(content=[_text(text_of(answer))], structured_content=msgspec.to_builtins(answer))

    async def list_resources(
        self, ctx: ServerRequestContext[Any], _: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        standing = self._who_asks(ctx.request)
        found = [one for one in offered_resources() if not one.is_template and standing.may_use(one.row)]
        return types.ListResourcesResult(resources=[one.described() for one in found])

    async def list_resource_templates(
        self, ctx: ServerRequestContext[Any], _: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        standing = self._who_asks(ctx.request)
        found = [one for one in offered_resources() if one.is_template and standing.may_use(one.row)]
        return types.ListResourceTemplatesResult(resource_templates=[one.described_template() for one in found])

    async def read_resource(
        self, ctx: ServerRequestContext[Any], params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        standing, uri = self._who_asks(ctx.request), str(params.uri)
        found = find_resource(uri)
        if found is None or not standing.may_use(found[0].row):
            raise _no_resource(ctx, uri)
        resource, fields = found
        try:
            media_type, text = await self._run(lambda: resource.read(standing, fields))
        except NotFound:
            raise _no_resource(ctx, uri) from None
        except Exception as error:  # noqa: BLE001  # the outermost place
            raise _failure(error, uri) from None
        return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, mime_type=media_type, text=text)])

    async def list_prompts(
        self, ctx: ServerRequestContext[Any], _: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        standing = self._who_asks(ctx.request)
        found = [one.described() for one in offered_prompts().values() if standing.may_use(one.row)]
        return types.ListPromptsResult(prompts=found)

    async def get_prompt(
        self, ctx: ServerRequestContext[Any], params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        standing, prompt = self._who_asks(ctx.request), offered_prompts().get(params.name)
        if prompt is None or not standing.may_use(prompt.row):
            raise MCPError(_INVALID_PARAMS, "there is no such prompt")
        try:
            text = await self._run(lambda: prompt.fill(standing, params.arguments or {}))
        except Exception as error:  # noqa: BLE001  # the outermost place
            raise _failure(error, params.name) from None
        message = types.PromptMessage(role="user", content=_text(text))
        return types.GetPromptResult(description=PROMPTS[params.name].description, messages=[message])


def _text(text: str) -> types.TextContent:
    return types.TextContent(type="text", text=text)


def _no_resource(ctx: ServerRequestContext[Any], uri: str) -> MCPError:
    """Absent, not visible and not reached by the credential are the same answer."""
    code = _INVALID_PARAMS if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS else _NO_RESOURCE
    return MCPError(code, "there is no such resource that you can see", {"uri": uri})


def _failure(error: Exception, name: str) -> MCPError:
    _note_failure(error, name)
    return MCPError(_INVALID_PARAMS if isinstance(error, InvalidInput) else _INTERNAL, refusal_of(error))


def _note_failure(error: Exception, name: str) -> None:
    """Log a failure that is not an answer, without its message, which may quote contents."""
    if not isinstance(error, MemfortError):
        _log.error("%s failed: %s", name, type(error).__name__)
