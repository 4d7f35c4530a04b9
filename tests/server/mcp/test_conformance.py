"""The official conformance suite, in both eras: as the server is, and with the tools, resources and prompts that its
scenarios look for, behind the same code."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator
from typing import Any

import mcp_types as types
import pytest
import uvicorn
from mcp.server import Server
from tests.server.client import Service
from tests.server.mcp.node import run_node

from memfort.surfaces.http import assistants
from memfort.surfaces.mcp.server import make_server

LEGACY, MODERN = "2025-11-25", "2026-07-28"
# Scenarios that any server can pass as it is.
GENERIC = {
    LEGACY: {
        "server-initialize", "server-session-lifecycle", "ping", "tools-list", "resources-list", "prompts-list",
        "server-sse-multiple-streams", "dns-rebinding-protection",
    },
    MODERN: {
        "tools-list", "resources-list", "prompts-list", "server-sse-multiple-streams", "dns-rebinding-protection",
        "sep-2164-resource-not-found", "caching", "http-header-validation",
    },
}  # fmt: skip
# Scenarios that look for something of their own.
WITH_FIXTURES = {
    "tools-call-simple-text", "tools-call-image", "tools-call-audio", "tools-call-embedded-resource",
    "tools-call-mixed-content", "tools-call-error", "resources-read-text", "resources-read-binary",
    "resources-templates-read", "prompts-get-simple", "prompts-get-with-args", "prompts-get-embedded-resource",
    "prompts-get-with-image", "json-schema-2020-12",
}  # fmt: skip
# Of the scenario about requests without a session, the checks that need what this server does not have: tools that ask
# the client for something, and logs.
NOT_HERE = {
    "sep-2575-server-rejects-undeclared-capability",
    "sep-2575-missing-capability-http-400",
    "sep-2575-http-server-no-independent-requests-on-stream",
    "sep-2575-server-no-log-without-loglevel",
}
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
SOUND = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA="
SCHEMA = json.loads("""{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
 "$defs": {"address": {"$anchor": "addressDef", "type": "object",
  "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
 "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"},
  "contactMethod": {"type": "string", "enum": ["phone", "email"]}, "phone": {"type": "string"},
  "email": {"type": "string"}},
 "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
 "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
 "then": {"required": ["phone"]}, "else": {"required": ["email"]}, "additionalProperties": false}""")


class WithKey:
    """The application with a key in every request: the suite sends none."""

    def __init__(self, app: Any, key: str) -> None:
        self._app, self._header = app, (b"authorization", f"Bearer {key}".encode())

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            scope = {**scope, "headers": [*scope["headers"], self._header]}
        await self._app(scope, receive, send)


@pytest.fixture(scope="module", params=["as it is", "with fixtures"])
def server(request, tmp_path_factory) -> Iterator[tuple[str, str]]:
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "with fixtures":
            patch.setattr(assistants, "make_server", lambda *given: with_fixtures(make_server(*given)))
        sock = socket.create_server(("127.0.0.1", 0))
        service = Service(tmp_path_factory.mktemp("conformance") / "memory.db", requests_per_minute=10**6)
        key = service.memory.keys.create(user="alice", scopes=["read", "write", "review"]).token
        with serving(WithKey(service.app, key), sock):
            yield request.param, f"http://127.0.0.1:{sock.getsockname()[1]}/mcp"
        service.close()


class serving:  # noqa: N801  # it is used like a function
    def __init__(self, app: Any, sock: socket.socket) -> None:
        import threading

        self._server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="off"))
        self._thread = threading.Thread(target=lambda: self._server.run(sockets=[sock]), daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join(10)


def passed(url: str, version: str) -> set[str]:
    """The scenarios of the suite for this version that pass."""
    suite = "all" if version == MODERN else "active"
    done = run_node("conformance", "server", "--url", url, "--spec-version", version, "--suite", suite)
    summary = done.stdout.partition("=== SUMMARY ===")[2]
    assert summary, done.stdout + done.stderr
    return set(re.findall(r"✓ ([\w-]+):", summary))


@pytest.mark.parametrize("version", [LEGACY, MODERN])
def test_the_scenarios_of_the_suite_pass(server, version):
    kind, url = server
    found = passed(url, version)
    assert GENERIC[version] <= found
    if kind == "with fixtures":
        assert WITH_FIXTURES - ({"json-schema-2020-12"} if version == LEGACY else set()) <= found
    else:
        assert not WITH_FIXTURES & found  # the positive control: they do look for something


def test_requests_without_a_session_keep_to_the_rules(server):
    kind, url = server
    done = run_node("conformance", "server", "--url", url, "--spec-version", MODERN, "--scenario", "server-stateless")
    checks = dict(re.findall(r"\[(sep-2575[\w-]+) *\] (?:\x1b\[\d+m)*(\w+)", done.stdout))
    assert len(checks) > 20, done.stdout
    assert {name for name, status in checks.items() if status == "FAILURE"} == NOT_HERE, kind


# -- what the scenarios look for --------------------------------------------------------------------------------------


def with_fixtures(server: Server[Any]) -> Server[Any]:
    """The server of the surface, with the tools, resources and prompts of the suite beside its own."""
    _beside(server, "tools/list", types.PaginatedRequestParams, _list_tools)
    _instead(server, "tools/call", types.CallToolRequestParams, lambda params: TOOLS.get(params.name))
    _instead(server, "resources/read", types.ReadResourceRequestParams, lambda params: _resource(str(params.uri)))
    _instead(server, "prompts/get", types.GetPromptRequestParams, _prompt)
    return server


def _beside(server: Server[Any], method: str, kind: Any, more: Any) -> None:
    own = server.get_request_handler(method).handler

    async def handle(ctx: Any, params: Any) -> Any:
        return more(await own(ctx, params))

    server.add_request_handler(method, kind, handle)


def _instead(server: Server[Any], method: str, kind: Any, find: Any) -> None:
    own = server.get_request_handler(method).handler

    async def handle(ctx: Any, params: Any) -> Any:
        found = find(params)
        return await own(ctx, params) if found is None else found

    server.add_request_handler(method, kind, handle)


def _list_tools(own: types.ListToolsResult) -> types.ListToolsResult:
    empty = {"type": "object", "properties": {}}
    more = [types.Tool(name=name, description="For the suite.", input_schema=empty) for name in TOOLS]
    schema = types.Tool(name="json_schema_2020_12_tool", description="For the suite.", input_schema=SCHEMA)
    return types.ListToolsResult(tools=[*own.tools, *more, schema])


def _text(text: str) -> types.TextContent:
    return types.TextContent(type="text", text=text)


def _embedded(uri: str, media_type: str, text: str) -> types.EmbeddedResource:
    contents = types.TextResourceContents(uri=uri, mime_type=media_type, text=text)
    return types.EmbeddedResource(type="resource", resource=contents)


IMAGE = types.ImageContent(type="image", data=PIXEL, mime_type="image/png")
TOOLS = {
    "test_simple_text": types.CallToolResult(content=[_text("This is a simple text response for testing.")]),
    "test_image_content": types.CallToolResult(content=[IMAGE]),
    "test_audio_content": types.CallToolResult(
        content=[types.AudioContent(type="audio", data=SOUND, mime_type="audio/wav")]
    ),
    "test_embedded_resource": types.CallToolResult(
        content=[_embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")]
    ),
    "test_multiple_content_types": types.CallToolResult(
        content=[
            _text("Multiple content types test:"),
            IMAGE,
            _embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
        ]
    ),
    "test_error_handling": types.CallToolResult(
        content=[_text("This tool intentionally returns an error for testing")], is_error=True
    ),
}


def _resource(uri: str) -> types.ReadResourceResult | None:
    template = re.fullmatch(r"test://template/([^/]+)/data", uri)
    contents: Any = None
    if uri == "test://static-text":
        text = "This is the content of the static text resource."
        contents = types.TextResourceContents(uri=uri, mime_type="text/plain", text=text)
    elif uri == "test://static-binary":
        contents = types.BlobResourceContents(uri=uri, mime_type="image/png", blob=PIXEL)
    elif template is not None:
        said = {"id": template[1], "templateTest": True, "data": f"Data for ID: {template[1]}"}
        contents = types.TextResourceContents(uri=uri, mime_type="application/json", text=json.dumps(said))
    return None if contents is None else types.ReadResourceResult(contents=[contents])


def _prompt(params: types.GetPromptRequestParams) -> types.GetPromptResult | None:
    given = params.arguments or {}
    said: dict[str, list[Any]] = {
        "test_simple_prompt": [_text("This is a simple prompt for testing.")],
        "test_prompt_with_arguments": [
            _text(f"Prompt with arguments: arg1='{given.get('arg1')}', arg2='{given.get('arg2')}'")
        ],
        "test_prompt_with_embedded_resource": [
            _embedded(
                str(given.get("resourceUri", "test://x")), "text/plain", "Embedded resource content for testing."
            ),
            _text("Please process the embedded resource above."),
        ],
        "test_prompt_with_image": [IMAGE, _text("Please analyze the image above.")],
    }
    found = said.get(params.name)
    messages = [types.PromptMessage(role="user", content=one) for one in found or ()]
    return None if found is None else types.GetPromptResult(messages=messages)
