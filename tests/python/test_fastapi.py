"""Handlers that return results, in a real FastAPI application."""

from __future__ import annotations

import subprocess
import sys
from typing import Annotated, Any

import jsonschema
import pytest
from fastapi import Body, FastAPI, Response
from fastapi.testclient import TestClient
from kinds import values_in

from memfort import Context, Item, Memory, Outcome, Page, Recall
from memfort.integrations.fastapi import add_error_handlers, answer
from memfort.model.value import plain
from memfort.operations.table import TABLE


@pytest.fixture
def client(memory: Memory) -> TestClient:
    app = FastAPI()
    alice = memory.as_user("alice")

    @app.post("/remember")
    def remember(text: str) -> Outcome:
        return alice.remember(text)

    @app.get("/recall")
    def recall(query: str) -> Recall:
        return alice.recall(query)

    @app.get("/context", response_model=Context)
    def context(query: str) -> Any:
        return alice.context(query)

    @app.get("/list")
    def everything() -> Page:
        return alice.list()

    @app.get("/about")
    def about() -> list[Item]:
        return alice.about("me")

    @app.get("/untyped/recall")
    def untyped(query: str):  # type: ignore[no-untyped-def]
        return alice.recall(query)

    @app.get("/untyped/list")
    async def untyped_list():  # type: ignore[no-untyped-def]
        return {"page": alice.list(), "items": [*alice.list()]}

    return TestClient(app)


def test_a_handler_returns_a_result(client: TestClient, memory: Memory) -> None:
    answer = client.post("/remember", params={"text": "I like green tea"})
    assert answer.status_code == 200
    item = memory.as_user("alice").get(answer.json()["item"]["id"])
    assert item is not None
    assert answer.json()["item"] == {**item.to_dict()}
    assert answer.json()["item"]["created_at"] == "2026-01-01T00:00:00.000000Z"
    assert client.get("/recall", params={"query": "tea"}).json()["hits"][0]["item"]["text"] == "I like green tea"
    assert "green tea" in client.get("/context", params={"query": "tea"}).json()["text"]
    assert [one["text"] for one in client.get("/list").json()["items"]] == ["I like green tea"]
    assert [one["text"] for one in client.get("/about").json()] == ["I like green tea"]


def test_a_handler_without_types_returns_the_same(client: TestClient) -> None:
    empty = client.get("/untyped/list").json()
    assert empty["page"] == {"items": [], "cursor": None, "damaged": []}
    client.post("/remember", params={"text": "I like green tea"})
    typed, untyped = (client.get(path, params={"query": "tea"}).json() for path in ("/recall", "/untyped/recall"))
    assert untyped["hits"] == typed["hits"] != []
    assert client.get("/untyped/list").json()["items"] == client.get("/list").json()["items"]


def test_ready_answers_and_error_handlers_say_what_became_of_a_statement(memory: Memory) -> None:
    app, alice = FastAPI(), memory.as_user("alice")
    add_error_handlers(app)

    @app.post("/remember")
    def remember(text: Annotated[str, Body(embed=True)]) -> Response:
        return answer(alice.remember(text), status=201)

    @app.post("/forget")
    def forget(id: Annotated[str, Body(embed=True)]) -> str:
        return str(alice.forget(id))

    client = TestClient(app)
    kept, waits, empty, refused = (
        client.post("/remember", json={"text": text})
        for text in ("I like green tea", "My phone number is +49 170 1234567", "", "my password is hunter2")
    )
    assert (kept.status_code, kept.json()["state"]) == (201, "in_force")
    assert (waits.status_code, waits.json()["state"]) == (202, "pending")
    assert (empty.status_code, empty.json()["field"], empty.json()["code"]) == (422, "text", "invalid_input")
    assert (refused.status_code, refused.json()["outcome"]["state"]) == (422, "refused")
    assert "hunter2" not in refused.text
    absent = client.post("/forget", json={"id": "mem_" + "a" * 24})
    assert (absent.status_code, absent.headers["content-type"]) == (404, "application/problem+json")


def test_the_openapi_schema_matches_the_response(client: TestClient) -> None:
    page = client.get("/openapi.json").json()
    schema = page["paths"]["/recall"]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    jsonschema.validate(client.get("/recall", params={"query": "tea"}).json(), schema)
    assert schema["properties"]["hits"]["items"]["properties"]["item"]["properties"]["created_at"] == {
        "type": "string",
        "format": "date-time",
    }


@pytest.mark.parametrize("verb", sorted(TABLE))
def test_every_result_can_be_returned(given: dict[str, list[Any]], verb: str) -> None:
    one = next(values_in(given[verb]), None)
    app = FastAPI()
    if one is None:  # plain data already
        return

    @app.get("/typed", response_model=type(one))
    def typed() -> Any:
        return one

    @app.get("/untyped")
    def untyped():  # type: ignore[no-untyped-def]
        return one

    @app.get("/any")
    def any_type() -> dict[str, Any]:
        return {"one": one}

    client = TestClient(app)
    assert client.get("/typed").json() == client.get("/untyped").json() == plain(one)
    assert client.get("/any").json() == {"one": plain(one)}


def test_pydantic_is_not_imported_by_memfort() -> None:
    code = "import sys, memfort; memfort.Memory.open(':memory:').as_user('a').remember('tea').to_json()\n"
    code += "print('pydantic' in sys.modules, 'fastapi' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False", "False"]
