"""Nothing but the credential says who asks: every route, with somebody else named in every part of a request, gives the
answer that it gives without, or refuses."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from tests.conftest import NOW
from tests.server.client import Answer, Client, Service

from memfort.clock import FixedClock
from memfort.model.people.actor import ActorKind
from memfort.model.people.directory import Principal
from memfort.operations.requests import fields_of
from memfort.operations.table import TABLE, Http
from memfort.store.memory import MemoryStore
from memfort.surfaces.http import verbs
from memfort.testing import REFERENCE_KEYS

ROUTES = [
    *(("POST", row.path) for row in TABLE.values() if isinstance(row.http, Http)),
    ("POST", "/v1/memories"),
    ("POST", "/v1/memories/search"),
    ("GET", "/v1/memories/{id}"),
    ("DELETE", "/v1/memories/{id}"),
]
NAMES = ("user", "user_id", "as", "actor", "requester", "requester_id", "acting_for", "owner_of_caller", "sub")
HEADERS = (
    "x-requester-id",
    "x-user-id",
    "x-forwarded-user",
    "x-remote-user",
    "remote-user",
    "x-agent-id",
    "x-auth-request-user",
    "from",
)
PLACES_OF_ALICE = ("user=alice", "chat=c1", "project=apollo", "team=whales", "session=s1, user=alice")
SECRET = "the walrus codename is Lobster"


class Scene:
    """Mallory asks; Alice is the one she would like to be. Every route is asked with a body that it can use."""

    def __init__(self, service: Service) -> None:
        self.service = service
        memory = service.memory
        memory.agent.register("helper", owner="alice")
        memory.member.add({"project": "apollo"}, user="alice", trust="owner")
        memory.member.add({"team": "whales"}, user="alice", trust="owner")
        memory.chat.register("c1", kind="group", participants=["alice", "bob"])
        self.secret = memory.as_user("alice").remember(SECRET).id
        self.share = memory.as_user("alice").share(user="bob").id
        self.person = memory.as_user("alice").people.add("Walrus").id
        self.trace = memory.as_user("alice").recall("walrus").trace
        self.mallory = service.user("mallory", "read", "write", "review")

    def body(self, path: str) -> dict[str, object]:
        """Values for every required field, that name what is Alice's."""
        if path == "/v1/memories":
            return {"messages": "walrus", "agent_id": "helper"}
        if path == "/v1/memories/search":
            return {"query": "walrus codename", "agent_id": "helper"}
        row = next((row for row in TABLE.values() if row.path == path), None)
        if row is None:
            return {}
        return {field.name: self._value(row.name, field) for field in fields_of(row.request) if field.required}

    def _value(self, verb: str, field: object) -> object:
        name = field.name
        if name == "ids":
            return [self.secret]
        if name in {"id", "keep", "gone", "person", "other"}:
            if verb.startswith("people."):
                return self.person
            return {"revoke": self.share, "trace.show": self.trace, "keys.revoke": "key_x"}.get(verb, self.secret)
        if name in {"persons", "memories", "aliases"}:
            return ["@alice"]
        if name in {"to", "group", "space"}:
            return {"project": "apollo"}
        if name == "data":
            return "e30K"
        values = {"verb": "recall", "kind": "group", "term": "wife", "policy": "default", "before": "default"}
        return values.get(name, "default" if name == "after" else "walrus codename")

    def ask(
        self, client: Client, method: str, path: str, body: dict[str, object] | None = None, query: str = ""
    ) -> Answer:
        filled = path.replace("{id}", self.secret)
        sent = None if method != "POST" else {**self.body(path), **(body or {})}
        return client.request(method, f"{filled}{query}", sent)


@pytest.fixture(scope="module")
def scene(tmp_path_factory) -> Iterator[Scene]:
    service = Service(tmp_path_factory.mktemp("spoof") / "memory.db", requests_per_minute=10**6)
    yield Scene(service)
    service.close()


@contextmanager
def fresh_scene() -> Iterator[Scene]:
    """The same scene each time, to the byte: the same keys, the same time, the same ids of memories."""
    service = Service(store=MemoryStore(REFERENCE_KEYS), clock=FixedClock(NOW), requests_per_minute=10**6)
    try:
        yield Scene(service)
    finally:
        service.close()


def comparable(answer: Answer) -> tuple[int, str, str | None]:
    """An answer without the ids that are drawn at random for each call or share, and what is made from them."""
    text = re.sub(r'"(trc|shr|era|rcp|act)_[a-z2-7]{24}"', r'"\1"', answer.body.decode())
    text = re.sub(r'"(hash|previous|digest|signature)": ?"[0-9a-f]+"', r'"\1"', text)
    return answer.status, text, answer.headers.get("etag")


def is_refused(answer: Answer) -> bool:
    return answer.status in {400, 401, 403, 404, 405, 409, 415, 421, 422}


Spoof = Callable[[Scene], Answer]


def spoofs(method: str, path: str) -> dict[str, Spoof]:
    """The same request with Alice named in one part of it, by part."""
    cookies, query = "; ".join(f"{name}=alice" for name in NAMES), "&".join(f"{name}=alice" for name in NAMES)
    taken = {field.name for row in TABLE.values() if row.path == path for field in fields_of(row.request)}
    found: dict[str, Spoof] = {
        "cookie": lambda scene: scene.ask(scene.mallory.at(cookie=cookies), method, path),
        "query": lambda scene: scene.ask(scene.mallory, method, path, query=f"?{query}"),
        "path": lambda scene: scene.ask(scene.mallory, method, path.replace("/v1/", "/v1/users/alice/")),
    }
    for name in HEADERS:
        found[f"header {name}"] = lambda scene, name=name: scene.ask(scene.mallory.at(**{name: "alice"}), method, path)
    for place in PLACES_OF_ALICE:
        found[f"at {place}"] = lambda scene, place=place: scene.ask(scene.mallory.at(memfort_at=place), method, path)
    for name in set(NAMES) - taken if method == "POST" else ():
        found[f"body {name}"] = lambda scene, name=name: scene.ask(scene.mallory, method, path, {name: "alice"})
    return found


@pytest.mark.parametrize(("method", "path"), ROUTES, ids=[f"{method} {path}" for method, path in ROUTES])
def test_no_part_of_a_request_says_who_asks(method: str, path: str):
    """A spoofed request is refused, or has the answer that the same request has without, from a store that is the same
    to the byte. Requests that are refused share a store; one that is not is put to a fresh one."""
    with fresh_scene() as scene:
        plain = scene.ask(scene.mallory, method, path)
    with fresh_scene() as used:
        refused = {where: is_refused(ask(used)) for where, ask in spoofs(method, path).items()}
    for where, ask in spoofs(method, path).items():
        if refused[where]:
            continue
        with fresh_scene() as scene:
            answer = ask(scene)
            if not is_refused(answer):
                assert comparable(answer) == comparable(plain), where
    assert refused["header x-requester-id"]
    assert refused["at user=alice"]
    assert SECRET.encode() not in plain.body


@pytest.mark.parametrize(("method", "path"), ROUTES, ids=[f"{method} {path}" for method, path in ROUTES])
def test_a_fresh_scene_gives_the_same_answer_twice(method: str, path: str):
    """Otherwise the comparison above would need to forgive more."""
    answers = []
    for _ in range(2):
        with fresh_scene() as scene:
            answers.append(comparable(scene.ask(scene.mallory, method, path)))
    assert answers[0] == answers[1]


def test_a_place_beside_an_agent_shows_nothing_that_is_not_public(scene: Scene):
    """To stand at another's agent is allowed, and shows its public memory: here there is none."""
    for method, path in ROUTES:
        answer = scene.ask(scene.mallory.at(memfort_at="agent=helper"), method, path)
        assert SECRET.encode() not in answer.body, path


def test_a_server_that_believes_a_header_is_caught(monkeypatch: pytest.MonkeyPatch):
    """The positive control: a header says who asks."""
    monkeypatch.setattr(
        verbs, "requester_of", lambda request, _: Principal(ActorKind.USER, request.headers.get("x-user-id", "mallory"))
    )
    spoof = spoofs("POST", "/v1/recall")["header x-user-id"]
    with fresh_scene() as scene:
        plain = scene.ask(scene.mallory, "POST", "/v1/recall")
    with fresh_scene() as scene:
        spoofed = spoof(scene)
    assert not is_refused(spoofed)
    assert comparable(spoofed) != comparable(plain)


def test_the_owner_does_get_it(scene: Scene):
    """The positive control: the same requests by Alice find what Mallory must not see."""
    alice = scene.service.user("alice")
    found = alice.post("/v1/recall", {"query": "walrus codename"})
    assert SECRET.encode() in found.body
    assert alice.request("GET", f"/v1/memories/{scene.secret}").status == 200
    gateway = scene.service.user("gateway", "read", "act_for")
    assert SECRET.encode() in gateway.post("/v1/recall", {"query": "walrus"}, x_requester_id="alice").body


# -- absent and not yours ----------------------------------------------------------------------------------------------

ABSENT = "mem_" + "a" * 24
ID_VERBS = [
    row.name
    for row in TABLE.values()
    if isinstance(row.http, Http) and {"id", "ids"} & {field.name for field in fields_of(row.request)}
]


@pytest.mark.parametrize("name", ID_VERBS)
def test_absent_and_not_yours_are_the_same_bytes(scene: Scene, name: str):
    row = TABLE[name]
    if name == "check":
        bodies = [{"verb": "get", "id": id} for id in (scene.secret, ABSENT)]
    elif "ids" in row.request.__struct_fields__:
        bodies = [{"ids": [id]} for id in (scene.secret, ABSENT)]
    else:
        bodies = [{**scene.body(row.path), "id": id} for id in (scene.secret, ABSENT)]
    foreign, absent = (scene.mallory.post(row.path, body) for body in bodies)
    assert foreign.status == absent.status
    assert foreign.body.replace(scene.secret.encode(), ABSENT.encode()) == absent.body
    skipped = {"x-request-id"}
    assert {k: v for k, v in foreign.headers.items() if k not in skipped} == {
        k: v for k, v in absent.headers.items() if k not in skipped
    }


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_absent_and_not_yours_are_the_same_resource(scene: Scene, method: str):
    foreign, absent = (scene.mallory.request(method, f"/v1/memories/{id}") for id in (scene.secret, ABSENT))
    assert (foreign.status, foreign.code) == (404, "not_found")
    assert foreign.body.replace(scene.secret.encode(), ABSENT.encode()) == absent.body


def test_an_administrator_lists_a_name_for_another_user_and_nobody_else_does(service: Service):
    listed = {"name": "Robert", "user": "bob", "listed": True}
    refused = service.user("mallory").post("/v1/people/add", listed)
    assert (refused.status, refused.json["reason"]) == (403, "listed_by_themselves")
    assert service.user("carol").post("/v1/people/find", {"reference": "Robert"}).json == []
    admin = service.user("ann", "read", "write", "admin")
    as_mallory = service.user("gate", "read", "write", "admin", "act_for").at(x_requester_id="mallory")
    assert as_mallory.post("/v1/people/add", listed).status == 403
    assert service.user("eve", "admin").post("/v1/people/add", listed).status == 403
    assert admin.post("/v1/people/add", listed).status == 201
    assert [one["id"] for one in service.user("carol").post("/v1/people/find", {"reference": "Robert"}).json] == [
        "@bob"
    ]
    known = admin.post("/v1/people/add", {"name": "Bobby", "user": "bob"})  # for ann alone
    assert known.status == 201
    assert service.user("carol").post("/v1/people/find", {"reference": "Bobby"}).json == []
