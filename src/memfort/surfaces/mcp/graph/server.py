"""The nine tools, with the names, arguments and answers of the reference server."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

import mcp_types as types
import msgspec
from mcp.server import Server
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from msgspec import Struct

from memfort import __version__
from memfort.errors import InvalidInput, MemfortError
from memfort.model.people.access_key import KeyScope
from memfort.surfaces.mcp.graph.entities import Entity, Graph, KnowledgeGraph, Relation
from memfort.surfaces.mcp.refusals import refusal_of
from memfort.surfaces.mcp.server import RunInThread, WhoAsks

_INVALID_PARAMS = -32602
_log = logging.getLogger(__name__)


class _Names(Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    names: list[str]


class _EntityNames(Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    entity_names: list[str]


class _Entities(Struct, frozen=True, forbid_unknown_fields=True):
    entities: list[Entity]


class _Relations(Struct, frozen=True, forbid_unknown_fields=True):
    relations: list[Relation]


class _Contents(Struct, frozen=True, rename="camel"):
    entity_name: str
    contents: list[str]


class _Observations(Struct, frozen=True, forbid_unknown_fields=True):
    observations: list[_Contents]


class _Deletion(Struct, frozen=True, rename="camel"):
    entity_name: str
    observations: list[str]


class _Deletions(Struct, frozen=True, forbid_unknown_fields=True):
    deletions: list[_Deletion]


class _Query(Struct, frozen=True, forbid_unknown_fields=True):
    query: str


class _Nothing(Struct, frozen=True, forbid_unknown_fields=True):
    pass


class _Added(Struct, frozen=True, rename="camel"):
    entity_name: str
    added_observations: list[str]


class _Results(Struct, frozen=True):
    results: list[_Added]


class _Done(Struct, frozen=True):
    success: bool
    message: str


class _Tool(Struct, frozen=True):
    description: str
    takes: Any
    gives: Any
    work: Callable[[KnowledgeGraph, Any], Any]
    writes: bool = True


def _add(graph: KnowledgeGraph, given: _Observations) -> _Results:
    added = []
    for one in given.observations:
        new = graph.add_observations(one.entity_name, one.contents)
        if new is None:
            raise InvalidInput("entityName", f"Entity with name {one.entity_name} not found", "create it first")
        added.append(_Added(one.entity_name, new))
    return _Results(added)


def _delete_entities(graph: KnowledgeGraph, given: _EntityNames) -> _Done:
    graph.delete_entities(given.entity_names)
    return _Done(True, "Entities deleted successfully")


def _delete_observations(graph: KnowledgeGraph, given: _Deletions) -> _Done:
    for one in given.deletions:
        graph.delete_observations(one.entity_name, one.observations)
    return _Done(True, "Observations deleted successfully")


def _delete_relations(graph: KnowledgeGraph, given: _Relations) -> _Done:
    graph.delete_relations(given.relations)
    return _Done(True, "Relations deleted successfully")


TOOLS: Mapping[str, _Tool] = {
    "create_entities": _Tool(
        "Create entities. Those whose name exists stay as they are; only new ones are given back.",
        _Entities,
        _Entities,
        lambda graph, given: _Entities(graph.create_entities(given.entities)),
    ),
    "create_relations": _Tool(
        "Create relations between entities, in the active voice. Only new ones are given back.",
        _Relations,
        _Relations,
        lambda graph, given: _Relations(graph.create_relations(given.relations)),
    ),
    "add_observations": _Tool("Add what was observed of entities that exist.", _Observations, _Results, _add),
    "delete_entities": _Tool(
        "Delete entities with their observations and relations.", _EntityNames, _Done, _delete_entities
    ),
    "delete_observations": _Tool("Delete observations of entities.", _Deletions, _Done, _delete_observations),
    "delete_relations": _Tool("Delete relations.", _Relations, _Done, _delete_relations),
    "read_graph": _Tool("Read the whole graph.", _Nothing, Graph, lambda graph, _: graph.read(), writes=False),
    "search_nodes": _Tool(
        "Find entities whose name, type or observations say the query.",
        _Query,
        Graph,
        lambda graph, given: graph.search(given.query),
        writes=False,
    ),
    "open_nodes": _Tool(
        "Read entities by their names.", _Names, Graph, lambda graph, given: graph.open(given.names), writes=False
    ),
}


def make_graph_server(who_asks: WhoAsks, run_in_thread: RunInThread[Any]) -> Server[Any]:
    """An MCP server with these tools alone. The SDK logs nothing: its messages may quote what was sent."""
    logging.getLogger("mcp").setLevel(logging.CRITICAL)

    def offered(ctx: ServerRequestContext[Any]) -> dict[str, _Tool]:
        scopes = who_asks(ctx.request).scopes
        needed = {True: KeyScope.WRITE, False: KeyScope.READ}
        return {name: tool for name, tool in TOOLS.items() if needed[tool.writes] in scopes}

    async def list_tools(
        ctx: ServerRequestContext[Any], _: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_described(name, tool) for name, tool in offered(ctx).items()])

    async def call_tool(ctx: ServerRequestContext[Any], params: types.CallToolRequestParams) -> types.CallToolResult:
        tool, bound = offered(ctx).get(params.name), who_asks(ctx.request).bound
        if tool is None:
            raise MCPError(_INVALID_PARAMS, "there is no such tool")
        try:
            given = _read(tool, params.arguments or {})
            found = await run_in_thread(lambda: tool.work(KnowledgeGraph(bound), given))
        except Exception as error:  # noqa: BLE001  # the outermost place: a model reads every failure of a tool
            if not isinstance(error, MemfortError):
                _log.error("%s failed: %s", params.name, type(error).__name__)
            return types.CallToolResult(content=[_text(refusal_of(error))], is_error=True)
        answer = msgspec.to_builtins(found)
        return types.CallToolResult(content=[_text(_in_words(answer))], structured_content=answer)

    return Server(
        "memory-server",
        version=__version__,
        title="Memfort as a knowledge graph",
        get_tool_input_schema=lambda _: None,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _read(tool: _Tool, arguments: Mapping[str, Any]) -> Any:
    try:
        return msgspec.convert(arguments, tool.takes)
    except msgspec.ValidationError as error:
        raise InvalidInput("arguments", str(error), "see the tool's schema") from None


def _described(name: str, tool: _Tool) -> types.Tool:
    return types.Tool(
        name=name,
        description=tool.description,
        input_schema=_schema(tool.takes),
        output_schema=_schema(tool.gives),
        annotations=types.ToolAnnotations(
            read_only_hint=not tool.writes, destructive_hint=name.startswith("delete"), idempotent_hint=True
        ),
    )


def _schema(kind: Any) -> dict[str, Any]:
    (schema,), parts = msgspec.json.schema_components([kind], ref_template="#/$defs/{name}")
    root = parts.pop(schema["$ref"].rpartition("/")[2])
    return {**root, "$defs": parts} if parts else root


def _in_words(answer: dict[str, Any]) -> str:
    """The text beside the structure: its one list or its message alone, as the reference server has it."""
    if "message" in answer:
        return str(answer["message"])
    shown = next(iter(answer.values())) if len(answer) == 1 else answer
    return msgspec.json.format(msgspec.json.encode(shown), indent=2).decode()


def _text(text: str) -> types.TextContent:
    return types.TextContent(type="text", text=text)
