"""Nothing but the credential says who asks: every route, with somebody else named in every part of a request, gives the
answer that it gives without, or refuses."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from tests.server.client import Answer, Client, Service

from memfort.operations.requests import fields_of
from memfort.operations.table import TABLE, Http

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
SECRET = "the walrus codename is Lobster"


class Scene:
    """Mallory asks; Alice is the one she would like to be. Every route is asked with a body that it can use."""

    def __init__(self, service: Service) -> None:
        self.service = service
        memory = service.memory
        memory.agent.register("helper", owner="alice")
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


def comparable(answer: Answer) -> tuple[int, str]:
    """An answer without what is different each time: traces, times, new ids and numbers."""
    text = answer.body.decode()
    text = re.sub(r'"(trc|mem|per|rel|shr|key|src|era|rcp)_[a-z2-7]{24}"', '"id"', text)
    text = re.sub(r"\d{4}-\d\d-\d\dT[0-9:.]+Z|\b\d{9,}\b", "time", text)
    text = re.sub(r'"(number|version|created_tick|events|unanchored|uses|length|hash|verdict)":[^,}\]]+', r'"\1"', text)
    return answer.status, text


def is_refused(answer: Answer) -> bool:
    return answer.status in {400, 401, 403, 404, 405, 409, 415, 421, 422}


@pytest.mark.parametrize(("method", "path"), ROUTES, ids=[f"{method} {path}" for method, path in ROUTES])
def test_no_part_of_a_request_says_who_asks(scene: Scene, method: str, path: str):
    mallory = scene.mallory
    plain = scene.ask(mallory, method, path)
    assert SECRET.encode() not in plain.body
    spoofed = {f"header {name}": scene.ask(mallory.at(**{name: "alice"}), method, path) for name in HEADERS}
    cookies = "; ".join(f"{name}=alice" for name in NAMES)
    spoofed["cookie"] = scene.ask(mallory.at(cookie=cookies), method, path)
    spoofed["query"] = scene.ask(mallory, method, path, query="?" + "&".join(f"{name}=alice" for name in NAMES))
    spoofed["path"] = scene.ask(mallory, method, path.replace("/v1/", "/v1/users/alice/"))
    taken = {field.name for row in TABLE.values() if row.path == path for field in fields_of(row.request)}
    if method == "POST":
        for name in set(NAMES) - taken:
            spoofed[f"body {name}"] = scene.ask(mallory, method, path, {name: "alice"})
    for place in ("user=alice", "chat=c1", "agent=helper"):
        spoofed[f"at {place}"] = scene.ask(mallory.at(memfort_at=place), method, path)
    for where, answer in spoofed.items():
        assert SECRET.encode() not in answer.body, where
        if not where.startswith("at "):
            assert is_refused(answer) or _is_repeated(plain, answer), (where, plain, answer)
    assert spoofed["header x-requester-id"].status in {403, 404}


def _is_repeated(plain: Answer, answer: Answer) -> bool:
    """The same answer; a write that is repeated may say that it is a duplicate."""
    first, second = comparable(plain), comparable(answer)
    return first == second or (plain.status == answer.status and answer.status in {200, 201} and _is_mallorys(answer))


def _is_mallorys(answer: Answer) -> bool:
    """Whether everything that the answer says was written by somebody was written by Mallory."""
    text = answer.body.decode()
    authors = re.findall(r'"(?:author|granted_by|created_by|by)":(\{[^}]*\})', text)
    return all(json.loads(one)["id"] == "mallory" for one in authors) and '"user":"alice"' not in text


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
