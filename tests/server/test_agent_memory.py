"""The memory of an agent over HTTP: its owner reads, writes and deletes in both spaces; others read what is public."""

from __future__ import annotations

import pytest
from tests.server.client import Client, Service

PRIVATE, PUBLIC = "Alice prefers concise responses", "The GIL limits true parallelism in Python"


def statement(visibility: str) -> str:
    return PRIVATE if visibility == "private" else PUBLIC


def write(client: Client, visibility: str | None, text: str, agent: str = "helper"):
    body = {"messages": text, "agent_id": agent}
    return client.post("/v1/memories", body if visibility is None else {**body, "visibility": visibility})


def search(client: Client, query: str, agent: str = "helper"):
    return client.post("/v1/memories/search", {"query": query, "agent_id": agent})


def texts(answer) -> list[str]:
    assert answer.status == 200, answer
    return [hit["item"]["text"] for hit in answer.json["hits"]]


REQUESTERS = {
    "owner": lambda service: service.user("alice"),
    "other user": lambda service: service.user("bob"),
    "other agent": lambda service: service.agent("other"),
}
# By hand, from the table of access rules: 3 requesters x 2 spaces x (read, write, delete) = 18 cells.
CELLS = {
    ("owner", "private"): (True, 201, 204),
    ("owner", "public"): (True, 201, 204),
    ("other user", "private"): (False, 403, 404),
    ("other user", "public"): (True, 403, 403),
    ("other agent", "private"): (False, 403, 404),
    ("other agent", "public"): (True, 403, 403),
}


@pytest.mark.parametrize("through", ["key", "requester header"])
@pytest.mark.parametrize(("who", "visibility"), CELLS, ids=["-".join(cell) for cell in CELLS])
def test_the_eighteen_cells(agents: Service, who: str, visibility: str, through: str):
    reads, written, deleted = CELLS[who, visibility]
    owner = agents.user("alice")
    kept = write(owner, visibility, statement(visibility))
    assert kept.status == 201
    assert kept.json["item"]["space"] == {"agent": "helper", "visibility": visibility}
    client = REQUESTERS[who](agents)
    if through == "requester header":  # a gateway that may act for others gets the same answers
        named = {"owner": "alice", "other user": "bob", "other agent": "agent:other"}[who]
        client = agents.user("gateway", "read", "write", "act_for").at(x_requester_id=named)
    assert texts(search(client, statement(visibility))) == ([statement(visibility)] if reads else [])
    assert write(client, visibility, "Mars has two moons").status == written
    id = kept.json["item"]["id"]
    assert client.request("GET", f"/v1/memories/{id}?agent_id=helper").status == (200 if reads else 404)
    assert client.request("DELETE", f"/v1/memories/{id}?agent_id=helper").status == deleted
    still_there = statement(visibility) in texts(search(owner, statement(visibility)))
    assert still_there is (deleted != 204)
    moons = ["Mars has two moons"] if written == 201 else []
    assert texts(search(owner, "moons of Mars")) == moons


def test_the_owner_finds_both_and_others_the_public_one(agents: Service):
    alice = agents.user("alice")
    for visibility in ("private", "public"):
        assert write(alice, visibility, f"The {visibility} fact about whales").status == 201
    assert set(texts(search(alice, "fact about whales"))) == {
        "The private fact about whales",
        "The public fact about whales",
    }
    assert texts(search(agents.user("bob"), "fact about whales")) == ["The public fact about whales"]


@pytest.mark.parametrize("route", ["/v1/remember", "/v1/memories"])
def test_what_waits_for_review_is_accepted_and_not_created(service: Service, route: str):
    alice = service.user("alice")
    field = "text" if route == "/v1/remember" else "messages"
    waits = alice.post(route, {field: "My phone number is +49 170 1234567"}, idempotency_key="once")
    assert (waits.status, waits.json["state"], waits.json["notice"]) == (202, "pending", "waits for review by alice")
    assert waits.json["decision"]["reason"] == "personal_review"
    assert alice.post(route, {field: "My phone number is +49 170 1234567"}, idempotency_key="once").status == 202
    assert texts(alice.post("/v1/recall", {"query": "phone number"})) == []
    kept = alice.post(route, {field: "Whales sing at night"})
    assert (kept.status, kept.json["state"]) == (201, "in_force")
    assert texts(alice.post("/v1/recall", {"query": "whales"})) == ["Whales sing at night"]


def test_only_the_agents_memory_is_searched(agents: Service):
    alice = agents.user("alice")
    assert alice.post("/v1/remember", {"text": "whales sing", "space": {"user": "alice"}}).status == 201
    assert write(alice, "private", "whales dive").status == 201
    assert texts(search(alice, "whales")) == ["whales dive"]
    assert texts(alice.post("/v1/memories/search", {"query": "whales"})) == ["whales sing"]


def test_an_unknown_agent_reads_like_an_empty_one_and_writes_like_anothers(agents: Service):
    bob = agents.user("bob")
    agents.memory.agent.register("empty", owner="alice")
    unknown, empty = (search(bob, "anything", agent) for agent in ("unknown", "empty"))
    assert (unknown.status, unknown.json["hits"]) == (200, [])
    assert {**unknown.json, "trace": ""} == {**empty.json, "trace": ""}
    for visibility in ("private", "public", None):
        first, second = (write(bob, visibility, "x is y", agent) for agent in ("unknown", "empty"))
        assert (first.status, first.body) == (second.status, second.body)
        assert first.status == 403


def test_without_a_visibility_the_rules_and_heuristics_decide(agents: Service):
    alice = agents.user("alice")
    for text, visibility in {
        "JWT tokens should be validated on every request": "public",
        "Alice prefers concise responses": "private",
    }.items():
        kept = write(alice, None, text)
        assert kept.status == 201
        assert kept.json["item"]["space"]["visibility"] == visibility


def test_an_agent_acting_for_its_owner_writes_and_for_another_it_does_not(agents: Service):
    helper = agents.agent("helper", "read", "write", "act_for")
    assert write(helper, "private", "Alice likes tea").status == 201
    assert write(helper.at(x_requester_id="alice"), "public", "Tea is brewed").status == 201
    assert write(helper.at(x_requester_id="bob"), "public", "Bob was here").status == 403
    assert texts(search(helper.at(x_requester_id="bob"), "tea")) == ["Tea is brewed"]


def test_a_list_of_messages_is_observed(agents: Service):
    alice = agents.user("alice")
    body = {
        "agent_id": "helper",
        "messages": [
            {"role": "user", "content": "I prefer window seats."},
            {"role": "assistant", "content": "Noted."},
            {"role": "tool", "name": "clock", "content": "12:00"},
        ],
    }
    answer = alice.post("/v1/memories", body)
    assert answer.status == 201
    assert [one["turn"]["item"] is not None for one in answer.json["messages"]][:2] == [True, True]
    assert "I prefer window seats." in texts(search(alice, "window seats"))
    assert texts(search(agents.user("bob"), "window seats")) == []


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"agent_id": "helper"}, "messages"),
        ({"messages": ""}, "text"),
        ({"messages": []}, "messages"),
        ({"messages": [{"role": "boss", "content": "x"}]}, "messages[0].role"),
        ({"messages": 3}, "messages"),
        ({"messages": "x", "agent_id": "helper", "visibility": "secret"}, "visibility"),
        ({"messages": "x", "agent_id": "helper", "visibility": "shared"}, "visibility"),
        ({"messages": "x", "agent_id": "*"}, "agent_id"),
        ({"messages": "x", "user_id": "bob"}, "user_id"),
        ({"messages": "x", "metadata": 3}, "metadata"),
    ],
)
def test_a_request_that_cannot_be_used_names_the_field(agents: Service, body, field):
    answer = agents.user("alice").post("/v1/memories", body)
    assert (answer.status, answer.json["field"]) == (422, field)
    assert answer.json["remedy"]
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(("limit", "status"), [(0, 422), (1, 200), (100, 200), (101, 422), ("5", 422)])
def test_a_limit_is_between_1_and_100(agents: Service, limit, status):
    answer = agents.user("alice").post("/v1/memories/search", {"query": "x", "limit": limit})
    assert answer.status == status


def test_metadata_is_kept_with_the_statement(agents: Service):
    body = {"messages": "Tea is brewed hot", "agent_id": "helper", "visibility": "public", "metadata": {"page": 3}}
    assert agents.user("alice").post("/v1/memories", body).json["item"]["meta"] == {"page": 3}


def test_a_secret_is_refused_with_the_decision(agents: Service):
    token = "ghp_" + "a1B2" * 9
    answer = write(agents.user("alice"), "private", f"the token is {token}")
    assert (answer.status, answer.code, answer.json["reason"]) == (422, "refused", "secret")
    assert token.encode() not in answer.body
    assert answer.json["outcome"]["decision"]["verdict"] == "denied"


def test_the_routes_are_at_the_root_too(agents: Service):
    alice = agents.user("alice")
    body = {"messages": "Whales sing", "agent_id": "helper", "visibility": "private"}
    made = alice.post("/memories", body)
    assert made.status == 201
    assert texts(alice.post("/memories/search", {"query": "whales", "agent_id": "helper"})) == ["Whales sing"]
    id = made.json["item"]["id"]
    assert alice.request("GET", f"/memories/{id}").json["text"] == "Whales sing"
    assert alice.request("DELETE", f"/memories/{id}").status == 204
    assert alice.request("GET", f"/memories/{id}").status == 404


@pytest.mark.parametrize("visibility", ["private", "public"])
def test_an_owner_ends_a_memory_by_its_id_alone(agents: Service, visibility: str):
    alice = agents.user("alice")
    id = write(alice, visibility, statement(visibility)).json["item"]["id"]
    for other in [ask(agents) for who, ask in REQUESTERS.items() if who != "owner"]:
        refused, absent = (other.request("DELETE", f"/v1/memories/{one}") for one in (id, "mem_none"))
        assert (refused.status, refused.json["code"]) == (absent.status, absent.json["code"]) == (404, "not_found")
    assert texts(search(alice, statement(visibility))) == [statement(visibility)]
    assert alice.request("DELETE", f"/v1/memories/{id}").status == 204
    assert texts(search(alice, statement(visibility))) == []
