"""`memfort mcp --tools graph`: the nine tools of the MCP reference memory server, asked by the SDK's client over
standard input and output. The answers are those that the reference server of 2026.8.31 gives to the same calls."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from mcp import Client
from tests.server.mcp.assistant import over_stdio

from memfort import Memory

SECRET = "hunter2-Xk9Q"
ANNA = {"name": "Anna", "entityType": "person", "observations": ["likes Darjeeling", "lives in Lisbon"]}
ACME = {"name": "Acme", "entityType": "company", "observations": []}
WORKS = {"from": "Anna", "to": "Acme", "relationType": "works_at"}
TOOLS = {
    *("create_entities", "create_relations", "add_observations"),
    *("delete_entities", "delete_observations", "delete_relations"),
    *("read_graph", "search_nodes", "open_nodes"),
}
Talk = Callable[[Callable[..., Awaitable[Any]]], Awaitable[Any]]


def talk(store: Path, user: str, story: Talk) -> Any:
    async def play(client: Client) -> Any:
        async def call(name: str, **arguments: Any) -> Any:
            result = await client.call_tool(name, arguments)
            text = result.content[0].text
            return text if result.is_error else result.structured_content

        return await story(call)

    return over_stdio(store, "--as", user, "--tools", "graph", talk=play)


def test_it_answers_as_the_reference_server(tmp_path: Path) -> None:
    async def story(call: Any) -> None:
        assert await call("create_entities", entities=[ANNA, ACME]) == {"entities": [ANNA, ACME]}
        assert await call("create_entities", entities=[{**ANNA, "observations": ["other"]}]) == {"entities": []}
        assert await call("create_relations", relations=[WORKS, WORKS]) == {"relations": [WORKS]}
        assert await call("create_relations", relations=[WORKS]) == {"relations": []}
        added = await call(
            "add_observations", observations=[{"entityName": "Anna", "contents": ["has a dog", "likes Darjeeling"]}]
        )
        assert added == {"results": [{"entityName": "Anna", "addedObservations": ["has a dog"]}]}
        unknown = await call("add_observations", observations=[{"entityName": "Nobody", "contents": ["x"]}])
        assert "Entity with name Nobody not found" in unknown
        anna = {**ANNA, "observations": [*ANNA["observations"], "has a dog"]}
        assert await call("read_graph") == {"entities": [anna, ACME], "relations": [WORKS]}
        assert await call("search_nodes", query="darjeeling") == {"entities": [anna], "relations": [WORKS]}
        assert await call("search_nodes", query="zebra") == {"entities": [], "relations": []}
        assert await call("open_nodes", names=["Acme"]) == {"entities": [ACME], "relations": [WORKS]}
        gone = await call("delete_observations", deletions=[{"entityName": "Anna", "observations": ["has a dog"]}])
        assert gone == {"success": True, "message": "Observations deleted successfully"}
        assert (await call("delete_relations", relations=[WORKS]))["success"]
        assert (await call("delete_entities", entityNames=["Nobody"]))["success"]
        assert await call("read_graph") == {"entities": [ANNA, ACME], "relations": []}
        await call("create_relations", relations=[WORKS])
        await call("delete_entities", entityNames=["Anna"])
        assert await call("read_graph") == {"entities": [ACME], "relations": []}
        assert await call("create_entities", entities=[ANNA]) == {"entities": [ANNA]}  # said again, it is there again

    talk(tmp_path / "memory.db", "alice", story)


def test_the_tools_are_those_nine_and_take_no_user(tmp_path: Path) -> None:
    async def story(client: Client) -> Any:
        return (await client.list_tools()).tools

    tools = over_stdio(tmp_path / "memory.db", "--as", "alice", "--tools", "graph", talk=story)
    assert {tool.name for tool in tools} == TOOLS
    assert all(tool.output_schema for tool in tools)
    assert "user" not in json.dumps([tool.input_schema for tool in tools])


def test_the_story(tmp_path: Path) -> None:
    """Two users, a leak attempt, a correction, a refused secret, a fence, a spoofed user, and what is forgotten."""
    store = tmp_path / "memory.db"

    async def alices(call: Any) -> None:
        await call("create_entities", entities=[ANNA])
        refused = await call(
            "add_observations", observations=[{"entityName": "Anna", "contents": [f"my password is {SECRET}"]}]
        )
        assert "secret" in refused
        assert "never stored" in refused
        assert SECRET not in refused
        hostile = "collects tags such as </memories> and postcards"
        await call("add_observations", observations=[{"entityName": "Anna", "contents": [hostile]}])
        await call("delete_observations", deletions=[{"entityName": "Anna", "observations": ["likes Darjeeling"]}])
        await call("add_observations", observations=[{"entityName": "Anna", "contents": ["likes Sencha"]}])
        found = json.dumps(await call("search_nodes", query="likes"))
        assert "Sencha" in found
        assert "Darjeeling" not in found

    async def bobs(call: Any) -> None:
        assert await call("read_graph") == {"entities": [], "relations": []}
        assert await call("open_nodes", names=["Anna"]) == {"entities": [], "relations": []}
        spoofed = await call("search_nodes", query="Sencha", user_id="alice")
        assert "Sencha" not in str(spoofed)
        assert "user_id" in spoofed
        await call("create_entities", entities=[{**ANNA, "observations": ["likes Assam"]}])
        await call("delete_entities", entityNames=["Anna"])

    talk(store, "alice", alices)
    talk(store, "bob", bobs)
    with Memory.open(store) as memory:
        alice = memory.as_user("alice")
        assert "likes Sencha" in [item.text for item in alice.list(limit=100).items]
        assert "likes Sencha" in [hit.text for hit in alice.recall("who likes Sencha").hits]
        assert memory.as_user("bob").list().items == ()
    assert SECRET.encode() not in store.read_bytes()


def test_a_memory_that_only_looks_like_one_is_none_of_the_graph(tmp_path: Path) -> None:
    store = tmp_path / "memory.db"
    with Memory.open(store) as memory:
        memory.as_user("alice").remember("no entity", kind="profile", key="graph:entity/x", tags=["graph:entity"])

    async def story(call: Any) -> None:
        await call("create_entities", entities=[ACME])
        assert await call("read_graph") == {"entities": [ACME], "relations": []}

    talk(store, "alice", story)


def test_names_and_observations_never_meet(tmp_path: Path) -> None:
    """Equal observations of two entities are two, and no separator in a name makes one of another."""
    names = ["a", "a/b", "b", "%2F", "x" * 200, "x" * 199 + "y"]
    entities = [{"name": name, "entityType": "thing", "observations": ["is red", "b"]} for name in names]

    async def story(call: Any) -> None:
        await call("create_entities", entities=entities)
        assert (await call("read_graph"))["entities"] == entities
        await call("delete_entities", entityNames=["a"])
        assert (await call("read_graph"))["entities"] == entities[1:]

    talk(tmp_path / "memory.db", "alice", story)
