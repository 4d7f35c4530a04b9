"""MCP at `/mcp` of a running server: the credential says who asks, a header says from where."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from mcp import Client
from tests.server.client import Service
from tests.server.mcp.assistant import ERAS, over_http, text_of
from tests.server.running import running

eras = pytest.mark.parametrize("era", ERAS)
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
HEADERS = {"accept": "application/json, text/event-stream", "mcp_protocol_version": "2025-11-25"}


@pytest.fixture(scope="module")
def served(tmp_path_factory) -> Iterator[tuple[Service, str]]:
    made = Service(tmp_path_factory.mktemp("mcp") / "memory.db")
    made.memory.member.add({"project": "apollo"}, user="alice", trust="contributor")
    with running(made) as url:
        yield made, url
    made.close()


def key(service: Service, user: str, *scopes: str, **fields: Any) -> str:
    return service.memory.keys.create(user=user, scopes=scopes or ("read", "write"), **fields).token


@eras
def test_an_assistant_remembers_and_recalls_with_a_bearer_token(served, era):
    service, url = served

    async def talk(client: Client) -> str:
        await client.call_tool("remember", {"text": f"The {era} kettle is green", "origin": "user"})
        return text_of(await client.call_tool("recall", {"query": f"{era} kettle"}))

    assert f"The {era} kettle is green" in over_http(url, key(service, "alice"), talk, era)
    assert service.memory.as_user("alice").recall(f"{era} kettle").hits
    other = over_http(url, key(service, "bob"), lambda c: c.call_tool("recall", {"query": "kettle"}), era)
    assert other.structured_content["items"] == []


@eras
def test_the_place_comes_from_a_header(served, era):
    service, url = served
    alice = key(service, "alice")
    service.memory.as_user("alice", project="apollo").remember(
        "the launch pad is repainted", space={"project": "apollo"}
    )

    def found(**headers: str) -> list[Any]:
        answer = over_http(url, alice, lambda c: c.call_tool("recall", {"query": "launch pad"}), era, **headers)
        return answer.structured_content["items"]

    assert found() == []
    assert [one["level"] for one in found(memfort_at="project=apollo")] == ["project"]


@eras
def test_a_key_without_the_scope_does_not_see_the_tools(served, era):
    service, url = served

    async def names(client: Client) -> set[str]:
        return {tool.name for tool in (await client.list_tools()).tools}

    assert "remember" not in over_http(url, key(service, "alice", "read"), names, era)
    assert over_http(url, key(service, "alice", "write"), names, era) == {"remember", "correct", "forget"}
    assert over_http(url, key(service, "alice", "review"), names, era) == set()


def test_a_key_for_one_space_reaches_no_more_than_it(service: Service):
    service.memory.member.add({"project": "apollo"}, user="alice", trust="contributor")
    service.memory.as_user("alice").remember("my own kettle is red")
    bound = service.user("alice", "read", "write", space={"project": "apollo"}).at(memfort_at="project=apollo")
    names = {tool["name"] for tool in mcp(bound, LIST)["result"]["tools"]}
    assert "explain" not in names  # it may reach beyond the spaces of the key
    assert "recall" in names
    call = {"name": "recall", "arguments": {"query": "kettle"}}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    assert mcp(bound, asked)["result"]["structuredContent"]["items"] == []
    assert mcp(service.user("alice"), asked)["result"]["structuredContent"]["items"] != []


def mcp(client: Any, message: dict[str, Any]) -> dict[str, Any]:
    answer = client.post("/mcp", message, **HEADERS)
    assert answer.status == 200, answer.body
    return json.loads(answer.body)


def test_the_trail_says_what_was_asked_by_mcp(service: Service):
    """Reads and writes, also refused ones; what is asked over HTTP alone says so."""
    alice = service.user("alice")
    for tool, arguments in (
        ("remember", {"text": "the kettle is red", "origin": "user"}),
        ("remember", {"text": "the code is ghp_" + "a1B2" * 9}),
        ("recall", {"query": "kettle"}),
        ("list_memories", {}),
    ):
        params = {"name": tool, "arguments": arguments}
        mcp(alice, {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    alice.post("/v1/recall", {"query": "kettle"})
    events = [line["event"] for line in service.memory.as_system().trail.export()]
    asked = [(event["action"], event["surface"]) for event in events if event["actor"].get("id") == "alice"]
    assert [one for one in asked if one[0] == "remember"] == [("remember", "mcp")] * 2
    assert [one for one in asked if one[0] == "recall"] == [("recall", "mcp"), ("recall", "http")]
    assert ("list", "mcp") in asked


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"authorization": None}, 401),
        ({"authorization": "Bearer mf_wrong"}, 401),
        ({"authorization": "Basic YTpi"}, 401),
        ({"memfort-at": "chat=elsewhere"}, 404),
        ({"memfort-at": "nonsense"}, 400),
        ({"x-requester-id": "bob"}, 403),
        ({"host": "evil.example"}, 421),
        ({"origin": "https://evil.example"}, 403),
    ],
    ids=str,
)
def test_a_request_is_refused_before_the_protocol_sees_it(service: Service, headers, status):
    alice = service.user("alice", "read")
    for origin in (None, "http://127.0.0.1:8642"):  # the positive control, and the server itself
        assert alice.post("/mcp", LIST, **HEADERS, origin=origin).status == 200
    refused = alice.request("POST", "/mcp", LIST, **HEADERS, **headers)
    assert refused.status == status
    assert "problem" in refused.headers["content-type"]


def test_there_is_no_session_to_listen_to_or_to_take_over(service: Service):
    alice = service.user("alice", "read")
    for method in ("GET", "DELETE"):
        assert alice.request(method, "/mcp", **HEADERS, mcp_session_id="x").status == 405
    answer = alice.post("/mcp", {**LIST, "method": "ping"}, **HEADERS, mcp_session_id="of-somebody")
    assert "mcp-session-id" not in answer.headers


def test_deep_and_large_bodies_are_refused_unread(service: Service):
    alice = service.user("alice", "read")
    assert alice.request("POST", "/mcp", raw=b"[" * 100 + b"]" * 100, **HEADERS).status == 400
    assert alice.request("POST", "/mcp", raw=b"x" * 11_000_000, **HEADERS).status == 413


def test_the_rates_of_a_caller_count_here_too(tmp_path):
    service = Service(tmp_path / "memory.db", requests_per_minute=4, charged_seconds=3600)
    alice = service.user("alice", "read")
    assert [alice.post("/mcp", LIST, **HEADERS).status for _ in range(3)] == [200, 200, 429]
    service.close()


def test_a_gateway_acts_for_a_user_and_the_trail_has_both_names(service: Service):
    gateway = service.user("gateway", "read", "write", "act_for").at(x_requester_id="alice")
    call = {"name": "remember", "arguments": {"text": "the kettle is green"}}
    mcp(gateway, {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})
    [event] = [
        one["event"]
        for one in service.memory.as_system().trail.export()
        if one.get("event", {}).get("action") == "remember"
    ]
    assert event["actor"]["id"] == "alice"
    assert "user:gateway" in event["via"]
