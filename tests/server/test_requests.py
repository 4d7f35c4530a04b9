"""What holds for every request: media types, sizes, hosts, rates, versions, cursors, keys of requests, streams."""

from __future__ import annotations

import asyncio
import fcntl
import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.server.client import Answer, Service

from memfort import Memory
from memfort.clock import FixedClock
from memfort.surfaces.http.limits import RateLimit, check_nesting
from memfort.surfaces.http.logs import LOGGER
from memfort.surfaces.http.problems import HttpProblem
from memfort.surfaces.http.settings import ServerSettings

# -- bodies ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "headers", "status", "code"),
    [
        (b"{", {}, 400, "invalid_json"),
        (b"[]", {}, 400, "invalid_json"),
        (b'{"query": "x", "query": "y"}', {}, 400, "invalid_json"),
        (b'{"query": "x", "\\u0071uery": "y"}', {}, 400, "invalid_json"),
        (b'{"query": "x", "space": {"user": "alice", "user": "bob"}}', {}, 400, "invalid_json"),
        (b'"x"', {}, 400, "invalid_json"),
        (b'{"query": "\xff"}', {}, 400, "invalid_json"),
        (b'{"query": "\\ud800"}', {}, 400, "invalid_json"),
        (b'{"query": "x"}', {"content_type": "text/plain"}, 415, "not_json"),
        (b"query=x", {"content_type": "application/x-www-form-urlencoded"}, 415, "not_json"),
        (b'{"query": "x"}', {"content_type": None}, 415, "not_json"),
        (b"[" * 100, {}, 400, "too_deep"),
        (b'{"query":' * 40 + b"1" + b"}" * 40, {}, 400, "too_deep"),
        (b"x" * 2000, {}, 413, "too_large"),
        (b"x", {"content_length": "999999"}, 413, "too_large"),
        (b"x", {"content_length": "-1"}, 413, "too_large"),
        (b'{"query": 3}', {}, 422, "invalid_input"),
        (b'{"query": "x", "limit": 0}', {}, 422, "invalid_input"),
        (b'{"query": "x", "limit": 10000000000000000000000}', {}, 422, "invalid_input"),
        (b'{"query": "x", "nonsense": 1}', {}, 422, "invalid_input"),
        (b'{"query": ["x"]}', {}, 422, "invalid_input"),
    ],
)
def test_a_body_that_cannot_be_used_is_a_problem(tmp_path: Path, raw, headers, status, code):
    service = Service(tmp_path / "memory.db", max_body_bytes=1000)
    answer = service.user("alice").request("POST", "/v1/recall", raw=raw, **headers)
    assert (answer.status, answer.code) == (status, code)
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json["status"] == status
    assert answer.json["type"] == f"urn:memfort:problem:{code}"
    service.close()


@pytest.mark.parametrize("path", ["/mcp", "/a2a/helper/rpc"])
def test_no_protocol_reads_a_name_that_is_given_twice(service: Service, path: str):
    headers = {"accept": "application/json, text/event-stream", "a2a_version": "1.0"}
    alice = service.user("alice")
    raw = b'{"jsonrpc": "2.0", "id": 1, "method": "ListTasks", "params": {}%s}'
    assert alice.request("POST", path, raw=raw % b', "method": "tools/list"', **headers).code == "invalid_json"
    assert alice.request("POST", path, raw=raw % b"", **headers).headers["content-type"] == "application/json"


def test_equal_names_of_different_objects_and_colons_in_texts_are_fine(service: Service):
    memories = [{"text": 'He said: "\\": {"a": 1}', "meta": {"text": {"text": [{"a": 1}, {"a": 2}]}}}, {"text": "b: c"}]
    made = service.user("alice").post("/v1/remember-many", {"memories": memories})
    assert made.status == 200


def test_brackets_in_a_text_are_no_nesting(service: Service):
    alice = service.user("alice")
    assert alice.post("/v1/recall", {"query": '[{"' * 100 + "\\"}).status == 200
    with pytest.raises(HttpProblem):
        check_nesting(b'{"a": "x", "b": ' + b"[" * 40, ServerSettings())


def test_a_body_with_very_many_parts_is_refused(service: Service):
    raw = b'{"query": "x", "tags": [' + b"1," * 300_000 + b"1]}"
    assert service.user("alice").request("POST", "/v1/recall", raw=raw).status == 413


def test_an_unknown_route_and_method_are_problems(service: Service):
    alice = service.user("alice")
    assert alice.post("/v1/nothing").code == "no_such_route"
    wrong = alice.request("GET", "/v1/recall")
    assert (wrong.status, wrong.code) == (405, "method_not_allowed")


# -- where requests come from ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "evil.example:8642", "", "localhost@evil"])
def test_another_hosts_name_is_refused(service: Service, host: str):
    answer = service.user("alice").post("/v1/spaces", host=host)
    assert (answer.status, answer.code) == (421, "wrong_host")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:1", "[::1]:8642", "LOCALHOST"])
def test_this_machines_names_are_answered(service: Service, host: str):
    assert service.user("alice").post("/v1/spaces", host=host).status == 200


def test_pages_of_other_origins_may_not_ask(tmp_path: Path):
    service = Service(tmp_path / "memory.db", allowed_origins=("https://ours.example",))
    alice = service.user("alice")
    for origin in ("https://evil.example", "null", "http://ours.example"):
        answer = alice.post("/v1/spaces", origin=origin)
        assert (answer.status, answer.code) == (403, "wrong_origin")
        assert "access-control-allow-origin" not in answer.headers
    ours = alice.post("/v1/spaces", origin="https://ours.example")
    assert (ours.status, ours.headers["access-control-allow-origin"]) == (200, "https://ours.example")
    asked = service.anonymous.request("OPTIONS", "/v1/spaces", origin="https://ours.example")
    assert (asked.status, asked.headers["access-control-allow-origin"]) == (204, "https://ours.example")
    service.close()


def test_the_servers_own_origin_may_ask(tmp_path: Path):
    service = Service(tmp_path / "memory.db", allowed_hosts=("memory.example",))
    alice = service.user("alice")
    for host, origin, status in (
        ("127.0.0.1:8642", "http://127.0.0.1:8642", 200),
        ("127.0.0.1:8642", "http://localhost:8642", 200),
        ("[::1]:8642", "http://[::1]:8642", 200),
        ("memory.example", "https://memory.example", 200),
        ("127.0.0.1:8642", "http://127.0.0.1:3000", 403),  # another server of this machine
        ("127.0.0.1:8642", "http://127.0.0.1", 403),
        ("127.0.0.1:8642", "http://evil.example:8642", 403),
        ("127.0.0.1:8642", "http://127.0.0.1:8642.evil.example", 403),
        ("127.0.0.1:8642", "http://evil@127.0.0.1:8642/x", 403),
        ("127.0.0.1:8642", "file://127.0.0.1:8642", 403),
        ("127.0.0.1:8642", "http://[::1", 403),
        ("evil.example:8642", "http://evil.example:8642", 421),
    ):
        assert alice.post("/v1/spaces", host=host, origin=origin).status == status, origin
    service.close()


# -- rates -------------------------------------------------------------------------------------------------------------


def test_a_caller_that_asks_too_often_waits_and_others_do_not(tmp_path: Path):
    service = Service(tmp_path / "memory.db", requests_per_minute=6, charged_seconds=3600)
    alice, bob = service.user("alice"), service.user("bob")
    statuses = [alice.post("/v1/spaces").status for _ in range(5)]
    assert statuses == [200, 200, 200, 429, 429]
    assert int(alice.post("/v1/spaces").headers["retry-after"]) >= 1
    assert bob.post("/v1/spaces").status == 200
    service.close()


def test_a_rate_fills_up_again_with_time():
    now = [0.0]
    limit = RateLimit(60, clock=lambda: now[0])
    assert [limit.take("a") == 0 for _ in range(31)] == [True] * 30 + [False]
    now[0] = 1.0
    assert limit.take("a") == 0
    assert limit.take("a") > 0


def test_what_costs_more_than_one_request_counts_as_several():
    now = [0.0]
    limit = RateLimit(60, clock=lambda: now[0])
    assert limit.take("a") == 0
    limit.charge("a", 40)
    assert limit.take("a") > 0  # of 30, 1 and 40 are taken
    assert limit.take("b") == 0
    now[0] = 13.0
    assert limit.take("a") == 0


def test_a_debt_is_at_most_as_much_again():
    now = [0.0]
    limit = RateLimit(60, clock=lambda: now[0])
    limit.charge("a", 10**9)
    assert 0 < limit.take("a") <= 31


@pytest.mark.parametrize(
    ("charged_seconds", "verb", "fields", "status"),
    [(3600, "forget", {"ids": ["y" * 500] * 1000}, 404), (1e-9, "recall", {"query": "x"}, 200)],
    ids=["large body", "long work"],
)
def test_a_large_body_or_long_work_counts_as_several_requests(
    tmp_path: Path, charged_seconds: float, verb: str, fields: dict[str, Any], status: int
):
    service = Service(tmp_path / "memory.db", requests_per_minute=60, charged_seconds=charged_seconds)
    alice, bob = service.user("alice"), service.user("bob")
    statuses = [alice.post(f"/v1/{verb}", fields).status for _ in range(2)]
    others = bob.post("/v1/spaces").status
    service.close()
    assert (statuses, others) == ([status, 429], 200)


# -- versions ----------------------------------------------------------------------------------------------------------


def test_an_edit_with_the_version_that_was_read_is_made_once(service: Service):
    alice = service.user("alice")
    made = alice.post("/v1/remember", {"text": "I live in Berlin"})
    id, tag = made.json["item"]["id"], made.headers["etag"]
    assert alice.request("GET", f"/v1/memories/{id}").headers["etag"] == tag
    fixed = alice.post("/v1/correct", {"id": id, "text": "I live in Rome"}, if_match=tag)
    assert fixed.status == 200
    late = alice.post("/v1/correct", {"id": id, "text": "I live in Oslo"}, if_match=tag)
    assert (late.status, late.code) == (412, "changed")
    texts = [hit["item"]["text"] for hit in alice.post("/v1/recall", {"query": "where do I live"}).json["hits"]]
    assert texts == ["I live in Rome"]
    for wrong in ("three", '"', 'W/"1"', "9" * 30):
        assert alice.post("/v1/correct", {"id": id, "text": "x"}, if_match=wrong).status == 400
    assert alice.post("/v1/correct", {"id": "mem_" + "a" * 24, "text": "x"}, if_match='"1"').status == 404


# -- cursors -----------------------------------------------------------------------------------------------------------


def test_a_cursor_is_its_callers_alone(service: Service):
    alice, bob = service.user("alice"), service.user("bob")
    for number in range(5):
        for client in (alice, bob):
            client.post("/v1/remember", {"text": f"the number of the day is {number} thousand"})
    first = alice.post("/v1/list", {"limit": 2}).json
    second = alice.post("/v1/list", {"limit": 2, "cursor": first["cursor"]}).json
    assert not {one["id"] for one in first["items"]} & {one["id"] for one in second["items"]}
    inside = service.memory.as_user("alice").list(limit=2).cursor
    tampered = first["cursor"][:-1] + ("0" if first["cursor"][-1] != "0" else "1")
    for client, cursor in ((bob, first["cursor"]), (alice, inside), (alice, tampered), (alice, "x"), (alice, "ü.ü")):
        answer = client.post("/v1/list", {"limit": 2, "cursor": cursor})
        assert (answer.status, answer.code) == (400, "invalid_cursor")


# -- one effect --------------------------------------------------------------------------------------------------------


def count(service: Service, action: str) -> int:
    return sum(line["event"]["action"] == action for line in service.memory.as_system().trail.export())


def test_a_request_that_is_sent_again_has_one_effect(service: Service):
    alice = service.user("alice")
    first, *again = [alice.post("/v1/phase/start", {"reason": "new"}, idempotency_key="k1") for _ in range(5)]
    assert first.status == 201
    assert [(one.status, one.body) for one in again] == [(201, first.body)] * 4
    assert [one.headers.get("idempotency-replayed") for one in (first, again[0])] == [None, "true"]
    assert count(service, "start_phase") == 1
    assert alice.post("/v1/phase/start", {"reason": "new"}, idempotency_key="k2").body != first.body
    assert count(service, "start_phase") == 2


def test_requests_at_the_same_time_have_one_effect(tmp_path: Path):
    service = Service(tmp_path / "memory.db")
    alice = service.user("alice")

    async def send() -> list[Answer]:
        body = {"text": "whales sing at night"}
        return await asyncio.gather(*(alice.ask("POST", "/v1/remember", body, idempotency_key="k") for _ in range(8)))

    answers = service.runner.run(send())
    assert {answer.status for answer in answers} == {201}
    assert len({answer.body for answer in answers}) == 1
    assert count(service, "remember") == 1
    service.close()


def test_a_request_that_is_still_being_carried_out_is_said_to_be(tmp_path: Path):
    service = Service(tmp_path / "memory.db")
    alice = service.user("alice")

    async def send() -> tuple[Answer, Answer]:
        ask = [alice.ask("POST", "/v1/phase/start", {"reason": "new"}, idempotency_key="k") for _ in range(2)]
        with another_writer(tmp_path / "memory.db.lock"):  # whichever comes first waits for it
            done, waiting = await asyncio.wait(map(asyncio.ensure_future, ask), return_when=asyncio.FIRST_COMPLETED)
        return done.pop().result(), await waiting.pop()

    early, made = service.runner.run(send())
    assert (early.status, early.code, early.headers["retry-after"]) == (409, "in_progress", "1")
    assert made.status == 201
    again = alice.post("/v1/phase/start", {"reason": "new"}, idempotency_key="k")
    assert (again.status, again.body, count(service, "start_phase")) == (201, made.body, 1)
    service.close()


@contextmanager
def another_writer(lock: Path) -> Iterator[None]:
    """Another process that writes to the store."""
    with lock.open("rb+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def test_a_key_for_another_request_is_refused_and_others_keys_are_their_own(service: Service):
    alice, bob = service.user("alice"), service.user("bob")
    assert alice.post("/v1/remember", {"text": "whales sing"}, idempotency_key="k").status == 201
    other = alice.post("/v1/remember", {"text": "whales dive"}, idempotency_key="k")
    assert (other.status, other.code) == (409, "key_reused")
    elsewhere = alice.post("/v1/people/add", {"name": "Ann"}, idempotency_key="k")
    assert (elsewhere.status, elsewhere.code) == (409, "key_reused")
    assert bob.post("/v1/remember", {"text": "whales sing"}, idempotency_key="k").json["item"]["author"]["id"] == "bob"


def test_what_was_refused_may_be_asked_for_again(service: Service):
    alice = service.user("alice")
    missing = {"ids": ["mem_" + "a" * 24]}
    assert [alice.post("/v1/forget", missing, idempotency_key="k").status for _ in range(2)] == [404, 404]


def test_a_kept_answer_goes_with_what_is_erased(tmp_path: Path):
    service = Service(tmp_path / "memory.db")
    alice = service.user("alice")
    body = {"text": "the walrus is called Ottokar"}
    kept = alice.post("/v1/remember", body, idempotency_key="k")
    assert b"Ottokar" in alice.post("/v1/remember", body, idempotency_key="k").body
    other = alice.post("/v1/remember", {"text": "the seal is called Robbie"}, idempotency_key="other")
    assert alice.post("/v1/erase", {"ids": [kept.json["item"]["id"]]}).status == 200
    again = alice.post("/v1/remember", body, idempotency_key="k")
    assert (again.status, again.code) == (409, "not_repeated")
    same = alice.post("/v1/remember", {"text": "the seal is called Robbie"}, idempotency_key="other")
    assert same.body == other.body
    service.close()
    for file in tmp_path.iterdir():
        assert b"Ottokar" not in file.read_bytes()


def test_kept_answers_cannot_be_read_in_the_files_and_end_after_a_day(tmp_path: Path):
    clock = FixedClock(10**15)
    service = Service(tmp_path / "memory.db", clock=clock)
    alice = service.user("alice")
    token = "ghp_" + "a1B2" * 9
    refused = alice.post("/v1/remember", {"text": f"it is {token}"}, idempotency_key="k")
    assert refused.status == 422
    store = service.memory.store_in_use
    clock.advance(24 * 3600 + 1)
    assert alice.post("/v1/remember", {"text": "whales sing"}, idempotency_key="k2").status == 201
    assert alice.post("/v1/remember", {"text": "whales dive"}, idempotency_key="k").status == 201
    assert store is service.memory.store_in_use
    service.close()


def test_a_new_key_is_not_kept(service: Service):
    answer = service.operator.post("/v1/keys/create", {"user": "alice"}, idempotency_key="k")
    assert (answer.status, answer.json["field"]) == (400, "Idempotency-Key")
    assert service.operator.post("/v1/keys/create", {"user": "alice"}).status == 201


def test_the_key_of_a_request_has_a_limit(service: Service):
    alice = service.user("alice")
    for key in ("", "x" * 256):
        assert alice.post("/v1/remember", {"text": "x"}, idempotency_key=key).status == 400
    assert alice.post("/v1/recall", {"query": "x"}, idempotency_key="k").status == 200


# -- streams -----------------------------------------------------------------------------------------------------------


def events(body: bytes) -> list[tuple[str, dict]]:
    blocks = [block for block in body.decode().split("\n\n") if block and not block.startswith(":")]
    named = [dict(line.split(": ", 1) for line in block.split("\n")) for block in blocks]
    return [(one["event"], json.loads(one["data"])) for one in named]


def test_long_work_tells_its_progress(service: Service):
    memories = [f"fact number {number} about the sea" for number in range(300)]
    alice = service.user("alice").at(accept="text/event-stream")
    answer = alice.post("/v1/remember-many", {"memories": memories})
    assert answer.headers["content-type"].startswith("text/event-stream")
    told = events(answer.body)
    assert told[0][0] == "progress"
    assert told[-1][0] == "result"
    assert len(told[-1][1]) == 300


def test_long_work_that_fails_tells_the_problem(service: Service):
    alice = service.user("alice").at(accept="text/event-stream")
    told = events(alice.post("/v1/erase", {"ids": ["mem_" + "a" * 24]}).body)
    assert [(name, data["code"]) for name, data in told] == [("problem", "not_found")]
    assert alice.post("/v1/erase", {"nonsense": 1}).status == 200


def test_an_export_is_lines_of_json(service: Service):
    alice = service.user("alice")
    alice.post("/v1/remember", {"text": "I live in Berlin"})
    answer = alice.post("/v1/export")
    assert answer.headers["content-type"] == "application/x-ndjson"
    lines = [json.loads(line) for line in answer.body.splitlines()]
    assert len(lines) > 1
    assert any("I live in Berlin" in str(line) for line in lines)


# -- the server itself -------------------------------------------------------------------------------------------------


def test_health_is_open_and_numbers_are_for_administrators(service: Service):
    for path in ("/livez", "/readyz"):
        assert service.anonymous.request("GET", path).status == 200
    assert service.anonymous.request("GET", "/metrics").status == 401
    assert service.user("alice").request("GET", "/metrics").status == 403
    numbers = service.operator.request("GET", "/metrics").body.decode()
    assert 'memfort_http_requests_total{route="/metrics",status="401"} 1.0' in numbers
    assert "alice" not in numbers


def test_a_server_that_is_stopped_is_not_ready(service: Service):
    service.server.is_stopping = True
    assert service.anonymous.request("GET", "/readyz").status == 503
    service.server.is_stopping = False


@pytest.fixture
def logged(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    """All that the server logs, whatever a server that was started in this process before has set up."""
    monkeypatch.setattr(LOGGER, "handlers", [])
    monkeypatch.setattr(LOGGER, "propagate", True)
    caplog.set_level(logging.DEBUG)
    caplog.set_level(logging.DEBUG, LOGGER.name)
    return caplog


def test_logs_have_no_contents(service: Service, logged):
    alice = service.user("alice")
    with logged.at_level(logging.INFO, logger=LOGGER.name):
        made = alice.post("/v1/remember", {"text": "the walrus is called Ottokar"}, x_request_id="r-1")
        alice.request("GET", f"/v1/memories/{made.json['item']['id']}?agent_id=ottokar")
        alice.post("/v1/recall", {"query": "Ottokar", "nonsense": "Ottokar"})
    told = [record.fields for record in logged.records if record.name == LOGGER.name]
    assert [one["route"] for one in told] == ["/v1/remember", "/v1/memories/{id}", "/v1/recall"]
    assert told[0]["request_id"] == "r-1"
    assert told[0]["caller"].startswith("user:alice key_")
    assert "ttokar" not in str(told)


def test_a_failure_that_is_not_ours_says_nothing_of_itself(service: Service, monkeypatch, logged):
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("the walrus is called Ottokar")

    monkeypatch.setattr(service.server.rates, "check", fail)
    answer = service.user("alice").post("/v1/recall", {"query": "x"})
    assert (answer.status, answer.code) == (500, "internal")
    assert b"Ottokar" not in answer.body
    assert "Ottokar" not in logged.text
    assert "RuntimeError" in str([vars(record) for record in logged.records])


def test_request_ids_come_back(service: Service):
    alice = service.user("alice")
    assert alice.post("/v1/spaces", x_request_id="abc-1").headers["x-request-id"] == "abc-1"
    for odd in ("", "x" * 65, "a b", "<b>"):
        made = alice.post("/v1/spaces", x_request_id=odd).headers["x-request-id"]
        assert made != odd
        assert made.isalnum()


def test_a_request_id_that_looks_like_a_secret_is_not_repeated(service: Service, logged):
    key = service.memory.keys.create(user="alice", scopes=("read",)).token
    for secret in ("gh" + "p_" + "a1B2" * 9, "AKIA" + "Q3EGRVFJ7WKPZT5M", key):
        answer = service.user("alice").post("/v1/spaces", x_request_id=secret)
        assert answer.status == 200
        assert secret not in str(answer.headers)
        assert answer.headers["x-request-id"].isalnum()
        assert secret not in logged.text + str([vars(record) for record in logged.records])
    assert [record.fields["route"] for record in logged.records if record.name == LOGGER.name] == ["/v1/spaces"] * 3


def test_the_store_is_full_or_busy_and_it_says_so(service: Service, monkeypatch):
    from memfort import Overloaded, StoreBusy, StoreFull

    alice = service.user("alice")
    for error, status, code in (
        (StoreFull("full"), 507, "store_full"),
        (StoreBusy("busy"), 503, "store_busy"),
        (Overloaded("many"), 503, "overloaded"),
    ):

        def fail(*_: object, error=error, **__: object) -> None:
            raise error

        monkeypatch.setattr(service.server.rates, "check", fail)
        answer = alice.post("/v1/remember", {"text": "x"})
        assert (answer.status, answer.code) == (status, code)


def test_a_policy_is_never_read_from_the_servers_files(service: Service, tmp_path: Path):
    file = tmp_path / "policy.toml"
    file.write_text('name = "from a file"\n')
    for given in (str(file), "/etc/passwd", "policy.toml", "../policy.toml"):
        answer = service.operator.post("/v1/policy/use", {"policy": given, "dry_run": True})
        assert (answer.status, answer.json["field"]) == (422, "policy")
    sent = service.operator.post("/v1/policy/use", {"policy": file.read_text(), "dry_run": True})
    assert (sent.status, sent.json["name"]) == (200, "from a file")
    assert service.operator.post("/v1/policy/use", {"policy": "chat", "dry_run": True}).status == 200


def test_memberships_are_registered_ones(service: Service):
    assert isinstance(service.memory, Memory)
    answer = service.user("alice").post("/v1/remember", {"text": "x is y", "space": {"project": "apollo"}})
    assert (answer.status, answer.json["reason"]) == (403, "border_write")
