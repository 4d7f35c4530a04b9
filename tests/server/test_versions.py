"""`If-Match`: nothing is changed or ended unless the memory has the version that the caller read."""

from __future__ import annotations

import pytest
from tests.server.client import Answer, Client, Service

PENDING = {"status": "pending"}
CHANGES = {  # each verb that changes or ends a memory: what it is asked, and what is remembered before
    "/v1/correct": (lambda name: {"id": name, "text": "I live in Rome"}, {}),
    "/v1/promote": (lambda name: {"id": name, "to": {"user": "alice"}}, {}),
    "/v1/used": (lambda name: {"ids": [name]}, {}),
    "/v1/forget": (lambda name: {"ids": [name]}, {}),
    "/v1/erase": (lambda name: {"ids": [name]}, {}),
    "/v1/review/approve": (lambda name: {"ids": [name]}, PENDING),
    "/v1/review/reject": (lambda name: {"ids": [name]}, PENDING),
    "/v1/review/edit": (lambda name: {"id": name, "text": "I live in Rome"}, PENDING),
    "DELETE": (None, {}),
}


def ask(alice: Client, path: str, id: str, **headers: str) -> Answer:
    if path == "DELETE":
        return alice.request("DELETE", f"/v1/memories/{id}", **headers)
    return alice.post(path, CHANGES[path][0](id), **headers)


@pytest.mark.parametrize("path", CHANGES)
def test_nothing_changes_or_ends_unless_the_memory_has_the_version_that_is_named(service: Service, path: str):
    alice = service.user("alice")
    place = {"space": {"user": "alice", "session": "s1"}} if path == "/v1/promote" else {}
    at = alice.at(memfort_at="session=s1") if place else alice
    made = at.post("/v1/remember", {"text": "I live in Berlin", **CHANGES[path][1], **place})
    id, tag = made.json["item"]["id"], made.headers["etag"]
    before = at.request("GET", f"/v1/memories/{id}").json
    for wrong in ({}, {"idempotency_key": "k1"}):
        refused = ask(at, path, id, if_match='"7"', **wrong)
        assert (refused.status, refused.code) == (412, "changed")
        assert at.request("GET", f"/v1/memories/{id}").json == before
    for wrong in ("three", 'W/"1"', '"1", "2"'):
        assert ask(at, path, id, if_match=wrong).status == 400
    done = ask(at, path, id, if_match=tag, idempotency_key="k1")
    assert done.status in (200, 202, 204)
    again = ask(at, path, id, if_match=tag, idempotency_key="k1")  # it was done, so it has another version by now
    assert (again.status, again.body, again.headers["idempotency-replayed"]) == (done.status, done.body, "true")


def test_restoring_compares_the_version_too(service: Service):
    alice = service.user("alice")
    id = alice.post("/v1/remember", {"text": "I live in Berlin"}).json["item"]["id"]
    alice.post("/v1/correct", {"id": id, "text": "I live in Rome"})
    old = alice.post("/v1/history", {"id": id}).json[0]
    tag = f'"{old["version"]}"'
    assert alice.post("/v1/restore", {"id": id}, if_match='"7"').status == 412
    assert alice.post("/v1/restore", {"id": id}, if_match=tag).status == 200


def test_a_version_is_of_one_memory_and_is_refused_elsewhere(service: Service):
    alice = service.user("alice")
    ids = [alice.post("/v1/remember", {"text": text}).json["item"]["id"] for text in ("I like tea", "I like jam")]
    for path, body in (
        ("/v1/forget", {"ids": ids}),
        ("/v1/forget", {"query": "tea"}),
        ("/v1/erase", {"scope": {"user": "alice"}}),
        ("/v1/remember", {"text": "I like milk"}),
        ("/v1/people/forget", {"person": "me"}),
        ("/v1/undo", {"source": "imp_x"}),
    ):
        refused = alice.post(path, body, if_match='"1"')
        assert (refused.status, refused.code, refused.json["field"]) == (400, "invalid_header", "If-Match")
    assert len(alice.post("/v1/list", {}).json["items"]) == 2
    assert alice.post("/v1/list", {}, if_match='"1"').status == 200  # a read changes nothing
    assert alice.post("/v1/forget", {"ids": ids[:1]}, if_match="*").status == 200


def test_the_version_of_what_a_caller_cannot_see_tells_nothing(service: Service):
    alice, mallory = service.user("alice"), service.user("mallory")
    id = alice.post("/v1/remember", {"text": "I live in Berlin"}).json["item"]["id"]
    for path in ("/v1/correct", "/v1/forget", "/v1/erase", "DELETE"):
        for tag in ('"1"', '"7"'):
            foreign = ask(mallory, path, id, if_match=tag)
            absent = ask(mallory, path, "mem_" + "a" * 24, if_match=tag)
            assert foreign.status == absent.status == 404
            assert foreign.body.replace(id.encode(), b"ID") == absent.body.replace(b"mem_" + b"a" * 24, b"ID")


def test_a_version_holds_for_the_beginning_of_an_id(service: Service):
    alice = service.user("alice")
    id = alice.post("/v1/remember", {"text": "I live in Berlin"}).json["item"]["id"]
    assert alice.post("/v1/forget", {"ids": [id[:14]]}, if_match='"7"').status == 412
    assert alice.post("/v1/forget", {"ids": [id[:14]]}, if_match='"1"').status == 200


def test_a_dry_run_compares_the_version(service: Service):
    alice = service.user("alice")
    id = alice.post("/v1/remember", {"text": "I live in Berlin"}).json["item"]["id"]
    for path in ("/v1/forget", "/v1/erase"):
        assert alice.post(path, {"ids": [id], "dry_run": True}, if_match='"7"').status == 412
        assert alice.post(path, {"ids": [id], "dry_run": True}, if_match='"1"').status == 200
