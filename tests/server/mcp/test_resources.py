"""Resources and prompts: what a person puts into a conversation."""

from __future__ import annotations

from typing import Any

import pytest
from mcp import Client, MCPError
from tests.server.mcp.assistant import ERAS, in_process

from memfort.model.people.access_key import KeyScope
from memfort.surfaces.mcp.wording import INSTRUCTIONS

eras = pytest.mark.parametrize("era", ERAS)
NO_RESOURCE = {"auto": -32602, "legacy": -32002}  # each era has its own code


async def read(client: Client, uri: str) -> str:
    [content] = (await client.read_resource(uri)).contents
    return content.text


@eras
def test_every_resource_is_listed_and_can_be_read(memory, era):
    alice = memory.as_user("alice", project="apollo")
    old = alice.remember("I live in Berlin")
    new = alice.correct(old.id, "I live in Hamburg")

    async def talk(client: Client) -> dict[str, str]:
        listed = {str(one.uri): one for one in (await client.list_resources()).resources}
        templates = {one.uri_template for one in (await client.list_resource_templates()).resource_templates}
        assert set(listed) == {"memfort://context", "memfort://spaces", "memfort://policy"}
        assert templates == {
            "memfort://context/{query}",
            "memfort://memories/{id}",
            "memfort://memories/{id}/history",
        }
        named = [
            f"memfort://memories/{new.id}",
            f"memfort://memories/{new.id}/history",
            "memfort://context/in%20which%20city%20do%20I%20live%3F",
        ]
        return {uri: await read(client, uri) for uri in [*listed, *named]}

    found = in_process(memory, alice, talk, era=era)
    assert "Hamburg" in found["memfort://context"]
    assert '"user=alice"' in found["memfort://spaces"]
    assert 'name = "default"' in found["memfort://policy"]
    assert "Hamburg" in found["memfort://context/in%20which%20city%20do%20I%20live%3F"]
    assert "Berlin" not in found[f"memfort://memories/{new.id}"]
    history = found[f"memfort://memories/{new.id}/history"]
    assert history.index("Berlin") < history.index("Hamburg")
    for uri, text in found.items():
        assert text.startswith("<memories>\n") or uri == "memfort://policy"


@eras
def test_absent_and_not_yours_and_unknown_are_the_same_error(memory, era):
    secret = memory.as_user("bob").remember("The walrus codename is Lobster").id

    def error_of(uri: str, **more: Any) -> tuple[int, str]:
        with pytest.raises(MCPError) as found:
            in_process(memory, memory.as_user("alice"), lambda client: read(client, uri), era=era, **more)
        assert found.value.data == {"uri": uri}
        return found.value.code, found.value.message

    absent = error_of("memfort://memories/mem_" + "a" * 24)
    assert absent[0] == NO_RESOURCE[era]
    for uri in (
        secret_uri := f"memfort://memories/{secret}",
        f"{secret_uri}/history",
        "memfort://nothing",
        "file:///etc/passwd",
    ):
        assert error_of(uri) == absent
    assert error_of("memfort://policy", scopes=frozenset({KeyScope.READ})) == absent  # administrators alone
    assert "Lobster" in in_process(memory, memory.as_user("bob"), lambda client: read(client, secret_uri), era=era)


@eras
def test_prompts_recall_and_review(memory, era):
    alice = memory.as_user("alice")
    alice.remember("I live in Hamburg")
    waiting = alice.remember("I may move to Rome", status="pending").id

    async def talk(client: Client) -> tuple[str, str]:
        prompts = {one.name: one for one in (await client.list_prompts()).prompts}
        assert [one.name for one in prompts["recall"].arguments] == ["topic"]
        recalled = await client.get_prompt("recall", {"topic": "where I live"})
        review = await client.get_prompt("review", {})
        assert {one.role for one in (*recalled.messages, *review.messages)} == {"user"}
        return recalled.messages[0].content.text, review.messages[0].content.text

    recalled, review = in_process(memory, alice, talk, era=era)
    assert "Hamburg" in recalled
    assert waiting in review
    assert '"I may move to Rome"' in review
    reading = frozenset({KeyScope.READ})
    assert [
        one.name for one in in_process(memory, alice, lambda c: c.list_prompts(), era=era, scopes=reading).prompts
    ] == ["recall"]
    for name, arguments in [("review", {}), ("nothing", {}), ("recall", {}), ("recall", {"topic": "x", "user": "bob"})]:
        with pytest.raises(MCPError) as refused:
            in_process(memory, alice, lambda c, n=name, a=arguments: c.get_prompt(n, a), era=era, scopes=reading)
        assert refused.value.code == -32602


@eras
def test_instructions_reach_the_client_and_say_what_matters(memory, era):
    async def talk(client: Client) -> str:
        return client.instructions

    said = in_process(memory, memory.as_user("alice"), talk, era=era)
    assert said == INSTRUCTIONS
    for word in ("recall", "remember", "correct", "forget", "secrets", "data"):
        assert word in said.lower()
    assert len(said) < 2000
