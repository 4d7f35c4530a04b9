"""The tools as a client sees them: few, described, without an identity; refusals that a model can act on."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from mcp import Client, MCPError
from tests.server.mcp.assistant import ERAS, EVERY_SCOPE, in_process, text_of

from memfort import Memory
from memfort.model.people.access_key import KeyScope
from memfort.model.reason import Reason
from memfort.operations.table import TABLE
from memfort.surfaces.mcp.tools import offered_tools
from memfort.surfaces.mcp.wording import ADVICE

eras = pytest.mark.parametrize("era", ERAS)
IDENTITIES = {
    "user", "user_id", "actor", "as", "agent", "agent_id", "acting_for", "requester", "owner", "tenant", "viewer",
    "group_id", "space", "spaces", "scope", "visibility", "at", "chat", "project", "access", "readers", "subjects",
    "conversation",
}  # fmt: skip


@pytest.fixture
def memory(open_memory) -> Memory:
    return open_memory()


def ask(memory: Memory, talk: Any, era: str = "auto", user: str = "alice", **more: Any) -> Any:
    return in_process(memory, memory.as_user(user), talk, era=era, **more)


async def tools(client: Client) -> dict[str, Any]:
    return {tool.name: tool for tool in (await client.list_tools()).tools}


@eras
def test_there_are_nine_tools_with_annotations_and_schemas(memory, era):
    found = ask(memory, tools, era)
    assert len(found) == 9
    for name, tool in found.items():
        assert 40 < len(tool.description) < 700, name
        assert tool.title
        assert tool.annotations.open_world_hint is False
        jsonschema.Draft202012Validator.check_schema(tool.input_schema)
        jsonschema.Draft202012Validator.check_schema(tool.output_schema)
        assert tool.input_schema["additionalProperties"] is False
        assert "$ref" not in json.dumps([tool.input_schema, tool.output_schema])  # some hosts resolve none
        for field, schema in tool.input_schema["properties"].items():
            assert schema["description"], (name, field)
    writing = {name for name, tool in found.items() if not tool.annotations.read_only_hint}
    assert writing == {"remember", "correct", "forget"}
    assert {name for name, tool in found.items() if tool.annotations.destructive_hint} == {"forget"}


def test_no_schema_has_an_identity_or_a_space(memory):
    for name, tool in ask(memory, tools).items():
        assert not IDENTITIES & set(tool.input_schema["properties"]), name
    assert "space" in TABLE["recall"].request.__struct_fields__  # the verb does have one


@eras
def test_a_day_with_an_assistant(memory, era):
    """Remember, recall, correct, list, explain, fetch, search, forget: and every answer fits its schema, which the
    SDK's client checks."""

    async def talk(client: Client) -> None:
        described = await tools(client)

        async def call(name: str, **arguments: Any) -> Any:
            answer = await client.call_tool(name, arguments)
            assert not answer.is_error, text_of(answer)
            jsonschema.validate(answer.structured_content, described[name].output_schema)
            return answer

        kept = (await call("remember", text="I live in Berlin", origin="user")).structured_content
        assert (kept["state"], kept["level"]) == ("in_force", "user")
        found = await call("recall", query="where do I live")
        assert kept["id"] in found.structured_content["memories"]
        assert found.structured_content["items"][0]["id"] == kept["id"]
        new = (await call("correct", id=kept["id"], text="I live in Hamburg", origin="user")).structured_content
        assert "Hamburg" in text_of(await call("context", query="where do I live"))
        listed = (await call("list_memories", limit=1)).structured_content
        assert [one["id"] for one in listed["items"]] == [new["id"]]
        explained = (await call("explain", id=new["id"])).structured_content
        assert explained["shown"] is True
        assert "lives in" in explained["explanation"]
        [hit] = json.loads(text_of(await call("search", query="Hamburg")))["results"]
        assert hit["url"] == f"memfort://memories/{new['id']}"
        fetched = json.loads(text_of(await call("fetch", id=hit["id"])))
        assert fetched.keys() == {"id", "title", "text", "url", "metadata"}
        assert "Hamburg" in fetched["text"]
        assert (await call("forget", ids=[new["id"]])).structured_content["ids"] == [new["id"]]
        assert (await call("recall", query="where do I live")).structured_content["items"] == []

    ask(memory, talk, era)


def test_forgetting_an_older_wording_says_what_became_of_the_one_in_force(memory):
    async def talk(client: Client) -> tuple[Any, str]:
        old = (await client.call_tool("remember", {"text": "I live in Berlin", "origin": "user"})).structured_content
        given = {"id": old["id"], "text": "I live in Hamburg", "origin": "user"}
        new = (await client.call_tool("correct", given)).structured_content
        return await client.call_tool("forget", {"ids": [old["id"]]}), new["id"]

    answer, new = ask(memory, talk)
    assert new in answer.structured_content["ids"]
    assert f"superseded by `{new}`, which ends with it" in text_of(answer)


def test_what_a_model_concludes_does_not_count_as_the_users_word(memory):
    async def talk(client: Client) -> list[str]:
        kept = [
            await client.call_tool("remember", {"text": "My desk is by the window", "origin": "user"}),
            await client.call_tool("remember", {"text": "The printer is on the second floor"}),
            await client.call_tool("remember", {"text": "The bikes are in the yard", "origin": "ai"}),
        ]
        return [one.structured_content["id"] for one in kept]

    said, *concluded = ask(memory, talk)
    alice = memory.as_user("alice")
    assert alice.get(said).authority == "user_asserted"
    assert [alice.get(id).authority for id in concluded] == ["ai_inferred", "ai_inferred"]
    refused = ask(memory, lambda client: client.call_tool("remember", {"text": "It rains", "origin": "tool"}))
    assert refused.is_error  # a model cannot speak for a tool or the system
    assert "origin" in text_of(refused)


@eras
@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("remember", {"text": "my aws key is AKIAIOSFODNN7EXAMPLE"}, "denied (secret)"),
        ("remember", {"text": "tea", "user": "bob"}, "invalid_input: user"),
        ("remember", {"text": "tea", "space": {"user": "bob"}}, "invalid_input: space"),
        ("remember", {"text": " "}, "invalid_input: text"),
        ("recall", {"query": "tea", "limit": 51}, "invalid_input: limit"),
        ("recall", {"query": "tea", "as_of": "yesterday"}, "invalid_input: as_of"),
        ("fetch", {"id": "mem_" + "a" * 24}, "not_found"),
        ("correct", {"id": "mem_" + "a" * 24, "text": "x"}, "not_found"),
        ("forget", {"ids": ["mem_" + "a" * 24]}, "not_found"),
    ],
)
def test_a_refusal_is_a_tool_error_with_a_code_and_advice(memory, era, name, arguments, code):
    answer = ask(memory, lambda client: client.call_tool(name, arguments), era)
    assert answer.is_error
    said = text_of(answer)
    assert said.startswith(code), said
    assert said.endswith((".", "?"))
    assert len(said.partition(":")[2]) > 20
    assert "AKIA" not in said


@eras
def test_the_answer_says_whom_a_statement_waits_for(memory, era):
    said = {"text": "My phone number is +49 170 1234567", "origin": "user"}
    answer = ask(memory, lambda client: client.call_tool("remember", said), era)
    assert answer.structured_content["state"] == "pending"
    assert "It waits for review by alice." in text_of(answer)
    assert memory.as_user("alice").recall("phone number").texts == []


def test_the_advice_is_for_reasons_that_there_are():
    assert set(ADVICE) <= set(Reason)


@eras
def test_a_credential_shows_the_tools_that_it_may_use(memory, era):
    read = frozenset({KeyScope.READ})
    found = ask(memory, tools, era, scopes=read)
    assert set(found) == {"recall", "context", "list_memories", "explain", "search", "fetch"}
    for name in ("remember", "correct", "forget", "no_such_tool"):
        with pytest.raises(MCPError, match="there is no such tool"):
            ask(memory, lambda client, name=name: client.call_tool(name, {}), era, scopes=read)
    assert set(ask(memory, tools, era, scopes=frozenset({KeyScope.WRITE}))) == {"remember", "correct", "forget"}


def test_another_users_memory_looks_like_none(memory):
    secret = memory.as_user("bob").remember("The walrus codename is Lobster").id
    absent = "mem_" + "a" * 24

    async def talk(client: Client, id: str) -> list[str]:
        asked = [("fetch", {"id": id}), ("correct", {"id": id, "text": "x"}), ("forget", {"ids": [id]})]
        asked.append(("explain", {"id": id}))
        answers = [await client.call_tool(name, arguments) for name, arguments in asked]
        return [f"{one.is_error} {text_of(one)}".replace(id, "ID") for one in answers]

    hidden = ask(memory, lambda client: talk(client, secret))
    assert hidden == ask(memory, lambda client: talk(client, absent))
    own = ask(memory, lambda client: talk(client, secret), user="bob")
    assert own != hidden


def test_a_failure_says_nothing_of_itself(memory, monkeypatch):
    def fail(*_: Any) -> None:
        raise RuntimeError("the walrus codename is Lobster")

    monkeypatch.setattr(type(memory.as_user("alice")), "run", fail)
    answer = ask(memory, lambda client: client.call_tool("recall", {"query": "x"}))
    assert answer.is_error
    assert "walrus" not in text_of(answer)


def test_a_long_answer_is_cut_between_memories_and_goes_on(memory):
    alice = memory.as_user("alice")
    ids = {alice.remember(f"note {number} " + f"word{number} " * 6000).id for number in range(8)}

    async def talk(client: Client) -> list[Any]:
        pages, cursor = [], None
        while not pages or cursor is not None:
            arguments = {"limit": 5} | ({} if cursor is None else {"cursor": cursor})
            pages.append((await client.call_tool("list_memories", arguments)).structured_content)
            cursor = pages[-1]["cursor"]
        return pages

    pages = ask(memory, talk)
    assert len(pages) > 2
    assert {one["id"] for page in pages for one in page["items"]} == ids
    assert all(len(page["memories"]) < 120_000 for page in pages)


def test_every_offered_tool_runs_a_row():
    assert all(tool.row is TABLE[tool.row.name] for tool in offered_tools().values())
    assert {tool.row.key_scope for tool in offered_tools().values()} <= EVERY_SCOPE
