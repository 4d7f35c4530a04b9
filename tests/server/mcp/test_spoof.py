"""Nothing but the credential says who asks: every argument of every tool, resource and prompt, with somebody else named
in it, beside it and around it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from tests.server.client import Answer, Client, Service

from memfort.surfaces.mcp.resources import offered_prompts, offered_resources
from memfort.surfaces.mcp.tools import offered_tools

SECRET = "the walrus codename is Lobster"
NAMES = (
    "user", "user_id", "as", "actor", "requester", "requester_id", "acting_for", "owner", "agent_id", "sub", "tenant",
    "space", "viewer", "scope", "visibility", "access", "_meta", "at", "subjects",
)  # fmt: skip
HEADERS = (
    "x-requester-id", "x-user-id", "x-forwarded-user", "remote-user", "x-agent-id", "mcp-param-user", "mcp-session-id",
    "from",
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    "alice", "user:alice", "@alice", "../alice", "user=alice", "alice\n", "memfort://memories/{id}", "{id}", "*", "",
    {"user": "alice"}, ["alice"], True, 0, None,
)  # fmt: skip
WIRE = {"accept": "application/json, text/event-stream", "mcp_protocol_version": "2025-11-25"}


class Scene:
    """Mallory asks; Alice is the one she would like to be."""

    def __init__(self, service: Service) -> None:
        self.service, memory = service, service.memory
        memory.agent.register("helper", owner="alice")
        memory.chat.register("c1", kind="group", participants=["alice", "bob"])
        self.secret = memory.as_user("alice").remember(SECRET).id
        memory.as_user("alice").remember(SECRET + " too", status="pending")
        memory.as_user("mallory").remember("I keep a walrus, and its codename is Tusk")
        self.mallory = service.user("mallory", "read", "write", "review")
        self.alice = service.user("alice", "read", "write", "review")

    def ask(self, client: Client, method: str, params: Any, **headers: str) -> Answer:
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return client.post("/mcp", message, **WIRE, **headers)

    def plain(self, name: str) -> dict[str, Any]:
        """Arguments that a tool can use, and that name what is Alice's where they name something."""
        values = {"query": "walrus codename", "id": self.secret, "ids": [self.secret], "text": "walrus"}
        return {field: values[field] for field in offered_tools()[name].takes if field in values}


@pytest.fixture(scope="module")
def scene(tmp_path_factory) -> Iterator[Scene]:
    service = Service(tmp_path_factory.mktemp("spoof") / "memory.db", requests_per_minute=10**6)
    yield Scene(service)
    service.close()


def is_clean(answer: Answer) -> bool:
    return b"Lobster" not in answer.body


@pytest.mark.parametrize("name", offered_tools())
def test_no_argument_of_a_tool_says_who_asks(scene: Scene, name: str):
    takes = offered_tools()[name].takes

    def call(arguments: dict[str, Any], client: Client | None = None, meta: Any = None, **headers: str) -> Answer:
        params = {"name": name, "arguments": arguments} | ({} if meta is None else {"_meta": meta})
        return scene.ask(client or scene.mallory, "tools/call", params, **headers)

    def is_error(answer: Answer) -> bool:
        document = json.loads(answer.body)
        return "error" in document or document["result"]["isError"]

    usual = scene.plain(name)
    assert is_clean(call(usual))
    for other in set(NAMES) - set(takes):  # one that the tool does not have is refused
        for value in ("alice", {"user": "alice"}):
            answer = call({**usual, other: value})
            assert is_clean(answer)
            assert is_error(answer), other
    for field in takes:  # one that it has says nothing about who asks, whatever it says
        for value in VALUES:
            given = value.replace("{id}", scene.secret) if isinstance(value, str) else value
            assert is_clean(call({**usual, field: given})), (field, value)
    for header in HEADERS:
        assert is_clean(call(usual, **{header: "alice"}))
    assert is_clean(call(usual, meta=dict.fromkeys(NAMES, "alice")))
    for place in ("user=alice", "chat=c1", "agent=helper"):
        answer = call(usual, memfort_at=place)
        assert is_clean(answer)


@pytest.mark.parametrize("resource", offered_resources(), ids=lambda one: one.address)
def test_no_address_says_who_asks(scene: Scene, resource: Any):
    values = [scene.secret, "walrus codename", *(value for value in VALUES if isinstance(value, str))]
    for value in values:
        given = value.replace("{id}", scene.secret)
        for written in (quote(given, safe=""), given):
            uri = resource.address.replace("{id}", written).replace("{query}", written)
            for more in ("", "?user=alice", "#alice", "/alice", "/../../alice"):
                assert is_clean(scene.ask(scene.mallory, "resources/read", {"uri": uri + more})), uri
    for host in ("alice@", "alice."):
        uri = resource.address.replace("memfort://", f"memfort://{host}").replace("{id}", scene.secret)
        assert is_clean(scene.ask(scene.mallory, "resources/read", {"uri": uri}))


@pytest.mark.parametrize("name", offered_prompts())
def test_no_argument_of_a_prompt_says_who_asks(scene: Scene, name: str):
    usual = {"topic": "walrus codename"} if name == "recall" else {}
    assert is_clean(scene.ask(scene.mallory, "prompts/get", {"name": name, "arguments": usual}))
    for other in NAMES:
        answer = scene.ask(scene.mallory, "prompts/get", {"name": name, "arguments": {**usual, other: "alice"}})
        assert is_clean(answer)
        assert "error" in json.loads(answer.body)
    for value in (value for value in VALUES if isinstance(value, str)):
        given = {field: value.replace("{id}", scene.secret) for field in usual}
        assert is_clean(scene.ask(scene.mallory, "prompts/get", {"name": name, "arguments": given}))


def test_the_owner_does_get_it(scene: Scene):
    """The positive control: the same requests by Alice find what Mallory must not see."""
    found = {
        name: scene.ask(scene.alice, "tools/call", {"name": name, "arguments": scene.plain(name)})
        for name in ("recall", "context", "search", "fetch", "list_memories")
    }
    assert [name for name, answer in found.items() if is_clean(answer)] == []
    for uri in ("memfort://context/walrus%20codename", f"memfort://memories/{scene.secret}"):
        assert not is_clean(scene.ask(scene.alice, "resources/read", {"uri": uri}))
    for name, arguments in (("recall", {"topic": "walrus codename"}), ("review", {})):
        assert not is_clean(scene.ask(scene.alice, "prompts/get", {"name": name, "arguments": arguments}))
    scene.service.memory.keys.create(user="gateway", scopes=["read", "act_for"])
    gateway = scene.service.user("gateway", "read", "act_for")
    params = {"name": "recall", "arguments": {"query": "walrus codename"}}
    assert not is_clean(scene.ask(gateway, "tools/call", params, x_requester_id="alice"))
