"""Who is asking: keys, tokens of an identity provider, the token of a run, and acting for somebody else."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import threading
import time
from collections.abc import Iterator

import pytest
from joserfc import jwt
from joserfc.jwk import ECKey, KeySet, RSAKey
from starlette.requests import Request
from tests.server.client import RUN_TOKEN, Service

from memfort import InvalidInput, Memory
from memfort.clock import FixedClock, SystemClock
from memfort.store.port import Scope
from memfort.surfaces.http.entry import address_of
from memfort.surfaces.http.key_sets import KeySets
from memfort.surfaces.http.problems import HttpProblem
from memfort.surfaces.http.settings import JwtSettings
from memfort.surfaces.http.tokens import TokenChecker

SECOND = 1_000_000


def test_without_a_credential_nothing_is_answered(service: Service):
    answer = service.anonymous.post("/v1/recall", {"query": "x"})
    assert (answer.status, answer.code) == (401, "unauthenticated")
    assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize(
    "authorization",
    ["", "Bearer", "Bearer  ", "Basic YTpi", "Bearer mfk_x_y", "Bearer mfk_" + "a" * 24 + "_" + "b" * 52, "Token x"],
)
def test_a_wrong_credential_is_refused(service: Service, authorization: str):
    assert service.anonymous.post("/v1/recall", {"query": "x"}, authorization=authorization).status == 401


def test_a_credential_in_the_query_a_cookie_or_the_body_counts_for_nothing(service: Service):
    key = service.memory.keys.create(user="alice").token
    asked = service.anonymous
    assert asked.post(f"/v1/recall?access_token={key}", {"query": "x"}).status == 401
    assert asked.post("/v1/recall", {"query": "x"}, cookie=f"authorization={key}").status == 401
    assert asked.post("/v1/recall", {"query": "x", "authorization": key}).status == 401


def test_a_key_with_another_secret_is_refused(service: Service):
    first, second = (service.memory.keys.create(user="alice").token for _ in range(2))
    assert service.with_credential(first).post("/v1/spaces").status == 200
    mixed = first.rpartition("_")[0] + "_" + second.rpartition("_")[2]
    assert service.with_credential(mixed).post("/v1/spaces").status == 401


def test_revoked_rotated_and_expired_keys_are_refused_at_once(tmp_path):
    clock = FixedClock(1_000 * SECOND)
    service = Service(tmp_path / "memory.db", clock=clock)
    keys = service.memory.keys
    made = [keys.create(user="alice"), keys.create(user="alice"), keys.create(user="alice", expires_at=1_010 * SECOND)]
    clients = [service.with_credential(one.token) for one in made]
    assert [client.post("/v1/spaces").status for client in clients] == [200, 200, 200]
    keys.revoke(made[0].key.id)
    new = keys.rotate(made[1].key.id)
    clock.advance(seconds=10)
    assert [client.post("/v1/spaces").status for client in clients] == [401, 401, 401]
    assert service.with_credential(new.token).post("/v1/spaces").status == 200
    service.close()


def test_the_last_use_of_a_key_is_noted(service: Service):
    alice = service.user("alice")
    assert service.memory.keys.list()[0].last_used_at is None
    alice.post("/v1/spaces")
    service.server.key_uses.write()
    assert service.memory.keys.list()[0].last_used_at is not None
    assert service.memory.trail.verify().ok


def test_the_last_use_is_written_before_a_server_stops(tmp_path):
    service = Service(tmp_path / "memory.db")
    service.user("alice").post("/v1/spaces")
    service.close()
    with Memory.open(tmp_path / "memory.db") as memory:
        assert memory.keys.list()[0].last_used_at is not None


def test_a_first_read_does_not_wait_for_anybodys_write(service: Service):
    alice, bob = service.user("alice"), service.user("bob")
    assert alice.post("/v1/spaces").status == 200
    with service.memory.store_in_use.writing(Scope()):
        assert bob.post("/v1/spaces").status == 200
    service.server.key_uses.write()
    assert all(key.last_used_at is not None for key in service.memory.keys.list())


# -- wrong ones of the same address ------------------------------------------------------------------------------------


def test_wrong_credentials_keep_no_valid_one_of_the_same_address_out(tmp_path):
    service = Service(tmp_path / "memory.db", failures_per_minute=10)
    guess, alice = service.with_credential("mfk_" + "a" * 24 + "_" + "b" * 52), service.user("alice")
    assert [guess.post("/v1/spaces").status for _ in range(7)] == [401] * 5 + [429] * 2
    assert alice.post("/v1/spaces").status == 200
    service.close()


@pytest.mark.parametrize(
    ("trusted", "forwarded", "address"),
    [
        ((), "192.0.2.9", "127.0.0.1"),
        (("10.0.0.0/8",), "192.0.2.9", "127.0.0.1"),
        (("127.0.0.1",), "192.0.2.9", "192.0.2.9"),
        (("127.0.0.1",), "198.51.100.1, 192.0.2.9", "192.0.2.9"),
        (("127.0.0.1", "10.0.0.0/8"), "198.51.100.1, 192.0.2.9, 10.1.2.3", "192.0.2.9"),
        (("127.0.0.1", "10.0.0.0/8"), "10.9.9.9, 10.1.2.3", "10.9.9.9"),
        (("127.0.0.1",), None, "127.0.0.1"),
        (("127.0.0.1",), "", "127.0.0.1"),
    ],
)
def test_only_a_trusted_proxy_says_where_a_request_comes_from(trusted, forwarded, address):
    headers = [] if forwarded is None else [(b"x-forwarded-for", forwarded.encode())]
    request = Request({"type": "http", "client": ("127.0.0.1", 1), "headers": headers})
    assert address_of(request, trusted) == address


def test_failures_behind_a_trusted_proxy_count_for_their_own_address(tmp_path):
    service = Service(tmp_path / "memory.db", failures_per_minute=2, trusted_proxies=("127.0.0.1",))
    guess = service.with_credential("mfk_" + "a" * 24 + "_" + "b" * 52)
    statuses = [guess.post("/v1/spaces", x_forwarded_for=one).status for one in ("192.0.2.1", "192.0.2.1", "192.0.2.2")]
    assert statuses == [401, 429, 401]
    service.close()


@pytest.mark.parametrize(
    ("scopes", "allowed"),
    [
        (("read",), {"/v1/recall"}),
        (("write",), {"/v1/remember"}),
        (("review",), {"/v1/review/list"}),
        (("admin",), {"/v1/store/info"}),
        (("act_for",), set()),
        (("read", "write", "review", "admin"), {"/v1/recall", "/v1/remember", "/v1/review/list", "/v1/store/info"}),
    ],
)
def test_a_scope_opens_its_verbs_and_no_others(service: Service, scopes, allowed):
    client = service.user("alice", *scopes)
    bodies = {"/v1/recall": {"query": "x"}, "/v1/remember": {"text": "tea is hot"}, "/v1/review/list": {}}
    for path in ("/v1/recall", "/v1/remember", "/v1/review/list", "/v1/store/info"):
        answer = client.post(path, bodies.get(path))
        assert answer.status < 300 if path in allowed else (answer.status, answer.code) == (403, "scope_missing")


def test_a_key_for_one_space_reaches_that_space_alone(service: Service):
    alice = service.memory.as_user("alice")
    service.memory.member.add({"project": "apollo"}, user="alice")
    for space in ({"user": "alice"}, {"project": "apollo"}):
        alice_there = service.memory.as_user("alice", project="apollo")
        assert alice_there.remember(f"whales swim in {next(iter(space))}", space=space).kept
    bound = service.user("alice", "read", "write", space={"project": "apollo"}).at(memfort_at="project=apollo")
    hits = bound.post("/v1/recall", {"query": "whales swim"}).json["hits"]
    assert [hit["item"]["text"] for hit in hits] == ["whales swim in project"]
    assert bound.post("/v1/spaces").json == [{"project": "apollo"}]
    [own] = [item.id for item in alice.list() if item.space.to_dict() == {"user": "alice"}]
    assert bound.post("/v1/get", {"id": own}).status == 404
    assert bound.post("/v1/correct", {"id": own, "text": "no"}).status == 404
    assert bound.post("/v1/remember", {"text": "to be kept at home"}).status == 403
    assert bound.post("/v1/remember", {"text": "to be kept there", "space": {"project": "apollo"}}).status == 201
    for path in ("/v1/export", "/v1/review/list", "/v1/about", "/v1/forget"):
        assert bound.post(path).status == 403


# -- acting for somebody else ------------------------------------------------------------------------------------------


def test_the_requester_header_is_refused_without_the_scope(service: Service):
    answer = service.user("alice").post("/v1/recall", {"query": "x"}, x_requester_id="bob")
    assert (answer.status, answer.code, answer.json["field"]) == (403, "scope_missing", "X-Requester-Id")


def test_the_callers_own_name_in_the_header_is_no_request(service: Service):
    for name in ("alice", "user:alice"):
        assert service.user("alice").post("/v1/spaces", x_requester_id=name).status == 200


@pytest.mark.parametrize("name", ["", " ", "*", "user:", "agent:", "%ff", "a" * 600])
def test_a_header_that_names_nobody_is_refused(service: Service, name: str):
    answer = service.user("gateway", "read", "act_for").post("/v1/spaces", x_requester_id=name)
    assert (answer.status, answer.code) == (400, "invalid_header")


def test_both_names_are_in_the_trail(service: Service):
    gateway = service.user("gateway", "read", "write", "act_for").at(x_requester_id="alice")
    assert gateway.post("/v1/remember", {"text": "I live in Berlin"}).status == 201
    assert gateway.post("/v1/recall", {"query": "Berlin"}).json["hits"]
    service.memory._engine.flush()
    events = [line["event"] for line in service.memory.as_system().trail.export()]
    key = service.memory.keys.list()[0].id
    made = [event for event in events if event["action"] in {"remember", "recall"}]
    assert [(event["actor"]["id"], event["via"]) for event in made] == [("alice", f"user:gateway {key}")] * 2
    assert service.memory.trail.verify().ok


def test_an_agent_that_acts_for_a_user_is_in_the_trail_with_both_names(service: Service):
    service.memory.agent.register("helper", owner="alice")
    helper = service.agent("helper", "read", "write", "act_for")
    assert helper.post("/v1/remember", {"text": "Bob lives in Rome"}, x_requester_id="bob").status == 201
    [event] = [line["event"] for line in service.memory.as_system().trail.export() if line["event"]["item"]]
    assert (event["actor"]["id"], event["actor"]["acting_for"]) == ("helper", "bob")


def test_an_administrators_name_is_in_the_trail(service: Service):
    admin = service.user("root", "admin")
    assert admin.post("/v1/agent/register", {"id": "helper", "owner": "alice"}).status == 201
    [event] = [
        line["event"]
        for line in service.memory.as_system().trail.export()
        if line["event"]["action"] == "register_agent"
    ]
    assert event["via"].startswith("user:root key_")


def test_an_owner_registers_agents_of_their_own(service: Service):
    alice = service.user("alice")
    assert alice.post("/v1/agent/register", {"id": "helper", "owner": "alice"}).status == 201
    refused = alice.post("/v1/agent/register", {"id": "spy", "owner": "bob"})
    assert (refused.status, refused.json["reason"]) == (403, "not_your_identity")


# -- the token of a run ------------------------------------------------------------------------------------------------


def test_the_token_of_a_run_is_the_operators(service: Service):
    operator = service.operator
    assert operator.post("/v1/store/info").status == 200
    assert operator.post("/v1/remember", {"text": "I like tea"}, x_requester_id="alice").status == 201
    assert service.with_credential(RUN_TOKEN[:-1]).post("/v1/store/info").status == 401


# -- tokens of an identity provider ------------------------------------------------------------------------------------

ISSUER, AUDIENCE = "https://id.example", "memfort"


@pytest.fixture
def provider(tmp_path):
    """A service that takes tokens of one issuer, and a function that makes them."""
    key, other = RSAKey.generate_key(2048, {"kid": "k1"}), RSAKey.generate_key(2048, {"kid": "k1"})
    keys = tmp_path / "keys.json"
    keys.write_text(json.dumps(KeySet([key]).as_dict(private=False)))
    service = Service(tmp_path / "memory.db", jwt=JwtSettings(ISSUER, AUDIENCE, str(keys)), failures_per_minute=1000)

    def token(signed_by=key, algorithm="RS256", **claims):
        known = {"iss": ISSUER, "aud": AUDIENCE, "sub": "alice", "exp": int(time.time()) + 600}
        claims = {**known, "scope": "openid memfort:read memfort:write", **claims}
        return jwt.encode(
            {"alg": algorithm, "kid": "k1"},
            {name: value for name, value in claims.items() if value is not None},
            signed_by,
            algorithms=[algorithm],
        )

    yield service, token, key, other
    service.close()


def test_a_token_of_the_issuer_says_who_asks(provider):
    service, token, _, _ = provider
    alice = service.with_credential(token())
    assert {"user": "alice"} in alice.post("/v1/spaces").json
    assert alice.post("/v1/remember", {"text": "I live in Berlin"}).status == 201
    assert alice.post("/v1/store/info").status == 403
    assert service.with_credential(token(aud=["other", AUDIENCE])).post("/v1/spaces").status == 200


@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "https://elsewhere.example"},
        {"iss": None},
        {"aud": "other"},
        {"aud": None},
        {"aud": []},
        {"exp": 1},
        {"exp": None},
        {"exp": "soon"},
        {"nbf": 99_999_999_999},
        {"sub": None},
        {"sub": ""},
        {"sub": "*"},
        {"sub": ["alice"]},
    ],
)
def test_a_token_with_wrong_claims_is_refused(provider, claims):
    service, token, _, _ = provider
    assert service.with_credential(token(**claims)).post("/v1/spaces").status == 401


def test_a_token_without_our_scopes_may_do_nothing(provider):
    service, token, _, _ = provider
    for scope in (None, "openid", "read write", "memfort:everything"):
        assert service.with_credential(token(scope=scope)).post("/v1/spaces").status == 403


def with_shared_secret(body: str, secret: bytes) -> str:
    """A token that takes the issuer's public key for a shared secret."""
    head = base64.urlsafe_b64encode(b'{"alg":"HS256","kid":"k1"}').decode().rstrip("=")
    signature = hmac.new(secret, f"{head}.{body}".encode(), hashlib.sha256).digest()
    return f"{head}.{body}.{base64.urlsafe_b64encode(signature).decode().rstrip('=')}"


def test_a_forged_token_is_refused(provider):
    service, token, key, other = provider
    public = key.as_pem(private=False)
    head, body, signature = token().split(".")
    none = "eyJhbGciOiJub25lIn0"
    forged = [
        token(signed_by=other),
        with_shared_secret(body, public),
        token(signed_by=ECKey.generate_key("P-256", {"kid": "k1"}), algorithm="ES256"),
        f"{none}.{body}.",
        f"{none}.{body}.{signature}",
        f"{head}.{body}.",
        f"{head}.{body}.{signature[:-4]}AAAA",
        f"{head}.{body}",
        "..",
        "a.b.c",
    ]
    assert [service.with_credential(one).post("/v1/spaces").status for one in forged] == [401] * len(forged)


class Provider:
    """An identity provider whose key set a test publishes, takes away, or lets hang."""

    def __init__(self) -> None:
        self.published = [RSAKey.generate_key(2048, {"kid": "old"})]
        self.fetched, self.is_away, self.now = 0, False, 1000.0
        self.answers = threading.Event()
        self.answers.set()
        self.checker = TokenChecker(JwtSettings(ISSUER, AUDIENCE, "https://id.example/keys"), SystemClock())
        self.checker._sets = KeySets(self.checker._settings, self.fetch, lambda: self.now)

    def fetch(self, _: str) -> bytes:
        self.fetched += 1
        self.answers.wait(20)
        if self.is_away:
            raise OSError("it is away")
        return json.dumps(KeySet(self.published).as_dict(private=False)).encode()

    def token(self, kid: str = "old") -> str:
        claims = {"iss": ISSUER, "aud": AUDIENCE, "sub": "alice", "exp": int(time.time()) + 600}
        key = next((one for one in self.published if one.kid == kid), self.published[0])
        return jwt.encode({"alg": "RS256", "kid": kid}, claims, key)

    async def user(self, token: str) -> str | None:
        keys = await self.checker.keys_for(token)
        claims = None if keys is None else self.checker.claims(token, keys)
        return None if claims is None else claims.user


@pytest.fixture
def changing() -> Iterator[Provider]:
    made = Provider()
    yield made
    made.answers.set()


def test_keys_of_the_issuer_are_kept_and_a_new_one_is_learned(changing: Provider):
    async def play() -> None:
        assert [await changing.user(changing.token()) for _ in range(3)] == ["alice"] * 3
        assert changing.fetched == 1
        changing.published.append(RSAKey.generate_key(2048, {"kid": "new"}))
        assert await changing.user(changing.token("new")) is None  # the set was fetched just now
        changing.now += 31
        assert await changing.user(changing.token("new")) == "alice"
        assert changing.fetched == 2

    asyncio.run(play())


def test_a_key_set_is_fetched_once_for_all_who_wait(changing: Provider):
    async def play() -> None:
        changing.answers.clear()
        asked = [asyncio.ensure_future(changing.user(changing.token())) for _ in range(12)]
        await asyncio.sleep(0)
        asyncio.get_running_loop().call_later(0.05, changing.answers.set)
        assert await asyncio.gather(*asked) == ["alice"] * 12
        assert changing.fetched == 1

    asyncio.run(play())


def test_a_provider_that_is_away_is_not_asked_again_at_once_and_its_last_keys_count(changing: Provider):
    async def play() -> None:
        assert await changing.user(changing.token()) == "alice"
        changing.is_away = True
        changing.now += 301
        assert [await changing.user(changing.token()) for _ in range(5)] == ["alice"] * 5
        assert changing.fetched == 2
        changing.now += 6
        assert await changing.user(changing.token()) == "alice"
        assert changing.fetched == 3
        changing.now += 25 * 3600
        with pytest.raises(HttpProblem) as refused:
            await changing.user(changing.token())
        assert (refused.value.problem.status, refused.value.problem.code) == (503, "provider_away")

    asyncio.run(play())


def test_junk_fetches_nothing(changing: Provider):
    others = jwt.encode(
        {"alg": "RS256", "kid": "old"},
        {"iss": "https://elsewhere.example", "aud": AUDIENCE, "exp": int(time.time()) + 600},
        changing.published[0],
    )

    async def play() -> None:
        assert [await changing.user(one) for one in ("x", "a.b.c", "..", others)] == [None] * 4
        assert changing.fetched == 0
        assert await changing.user(changing.token()) == "alice"

    asyncio.run(play())


def test_a_hanging_provider_keeps_no_api_key_waiting(tmp_path, changing: Provider):
    service = Service(tmp_path / "memory.db", jwt=JwtSettings(ISSUER, AUDIENCE, "https://id.example/keys"))
    service.server.identity._tokens = changing.checker
    alice, tokens = service.user("alice"), [service.with_credential(changing.token()) for _ in range(12)]
    changing.answers.clear()

    async def play() -> None:
        waiting = [asyncio.ensure_future(one.ask("POST", "/v1/spaces")) for one in tokens]
        while not changing.fetched:
            await asyncio.sleep(0)
        assert (await alice.ask("POST", "/v1/spaces")).status == 200
        assert not any(one.done() for one in waiting)
        changing.answers.set()
        assert {(await one).status for one in waiting} == {403}  # they are known, and have no scopes

    service.runner.run(play())
    service.close()


def test_shared_secrets_and_no_signature_cannot_be_configured(tmp_path):
    for algorithms in (("HS256",), ("none",), ()):
        with pytest.raises(InvalidInput):
            TokenChecker(JwtSettings(ISSUER, AUDIENCE, "keys", algorithms), SystemClock())
    with pytest.raises(InvalidInput):
        TokenChecker(JwtSettings(ISSUER, "", "keys"), SystemClock())


# -- where the caller stands -------------------------------------------------------------------------------------------


def test_a_place_that_is_not_ones_own_answers_like_one_that_does_not_exist(service: Service):
    service.memory.member.add({"project": "apollo"}, user="bob")
    service.memory.chat.register("c1", kind="group", participants=["bob", "carol"])
    alice, bob = service.user("alice"), service.user("bob")
    for level, id in (("project", "apollo"), ("chat", "c1")):
        own = bob.post("/v1/recall", {"query": "x"}, memfort_at=f"{level}={id}")
        assert own.status == 200
        for path, body in (("/v1/recall", {"query": "x"}), ("/v1/remember", {"text": "y"}), ("/v1/list", {})):
            foreign = alice.post(path, body, memfort_at=f"{level}={id}")
            absent = alice.post(path, body, memfort_at=f"{level}=nowhere")
            assert (foreign.status, foreign.code) == (404, "not_found")
            assert foreign.body.replace(id.encode(), b"nowhere") == absent.body


def test_names_with_any_character_are_written_in_percent_form(service: Service):
    service.memory.member.add({"project": "größe, x=1"}, user="alice")
    at = "project=gr%C3%B6%C3%9Fe%2C%20x%3D1"
    assert {"project": "größe, x=1"} in service.user("alice").post("/v1/spaces", memfort_at=at).json


@pytest.mark.parametrize(
    "at", ["project", "user=bob", "system=", "nowhere=x", "project=a, project=b", "chat=%ff", "=x"]
)
def test_places_that_cannot_be_read_are_refused(service: Service, at: str):
    answer = service.user("alice").post("/v1/spaces", memfort_at=at)
    assert (answer.status, answer.code, answer.json["field"]) == (400, "invalid_header", "Memfort-At")
