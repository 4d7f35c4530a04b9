"""The remote client has the verbs of the embedded one: one story gives the same results through all four of them."""

from __future__ import annotations

import asyncio
import inspect
import json
import re
import socket
import threading
import warnings
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest
from tests.server.client import RUN_TOKEN, Service
from tests.server.running import running

import memfort
from memfort import (
    AsyncMemory,
    Candidate,
    Changed,
    Denied,
    InvalidInput,
    Memory,
    NotFound,
    Outcome,
    Policy,
    Recall,
    ServerFailed,
    SubjectCopy,
    Undone,
)
from memfort.client.remote import transport
from memfort.client.remote.decode import reader_of
from memfort.clock import FixedClock
from memfort.model.value import Value, plain
from memfort.operations.table import TABLE, NotOnHttp

NOON = int(datetime(2026, 1, 1, 12, tzinfo=UTC).timestamp() * 1_000_000)


class Awaited:
    """A memory whose verbs can be awaited, whichever kind it is. It notes which were called."""

    called: ClassVar[set[str]] = set()

    def __init__(self, memory: Any, group: str = "") -> None:
        self._memory, self._group = memory, group

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._memory, name)
        if not callable(found):
            return Awaited(found, f"{name}.")

        async def call(*args: Any, **fields: Any) -> Any:
            self.called.add(f"{self._group}{name.rstrip('_')}")
            result = found(*args, **fields)
            if inspect.isawaitable(result):
                return await result
            if isinstance(result, AsyncIterator):
                return [one async for one in result]
            return list(result) if isinstance(result, Iterator) else result

        return call


async def story(memory: Any) -> list[Any]:
    """What two people and an agent do; every result, in order."""
    results: list[Any] = []

    async def note(awaitable: Any) -> Any:
        try:
            result = await awaitable
        except memfort.MemfortError as error:
            result = (type(error).__name__, str(error))
        results.append(result)
        return result

    store = Awaited(memory)
    await note(store.agent.register("helper", owner="alice"))
    await note(store.chat.register("c1", kind="group", participants=["alice", "bob"]))
    await note(store.member.add({"project": "apollo"}, user="alice", trust="owner"))
    alice, bob = Awaited(memory.as_user("alice", project="apollo", chat="c1")), Awaited(memory.as_user("bob"))
    kept = await note(alice.remember("I live in Berlin", tags=["home"], expires_at=datetime(2030, 1, 1, tzinfo=UTC)))
    await note(alice.remember("I live in Berlin"))
    await note(alice.remember("the token is ghp_" + "a1B2" * 9))
    await note(alice.remember("bob owns it", space={"user": "bob"}))
    await note(
        alice.remember_many(["tea is hot", Candidate(text="ice is cold", tags=("cold",)), {"text": "air is thin"}])
    )
    await note(alice.recall("where do I live", explain=True))
    await note(alice.context("where do I live", budget_tokens=200))
    await note(bob.recall("where does Alice live"))
    await note(bob.get(kept.id))
    await note(bob.forget(kept.id))
    await note(alice.get(kept.id))
    await note(alice.list(limit=2))
    await note(alice.remember("green tea", kind="profile", key="drink"))
    await note(alice.get(key="drink"))
    await note(alice.list(keys=["drink"]))
    await note(alice.correct(kept.id, "I live in Rome"))
    await note(alice.history(kept.id))
    await note(alice.explain(kept.id))
    await note(Awaited(memory.as_user("alice")).compare("where do I live", viewers=["alice", "bob"]))
    await note(alice.check("forget", id=kept.id))
    await note(alice.people.add("Ann", aliases=["Annie"], relation="sister"))
    await note(alice.people.list())
    await note(alice.people.get("per_nobody"))
    await note(alice.share(user="bob"))
    await note(bob.recall("where does Alice live"))
    await note(alice.shares())
    await note(alice.standings())
    await note(alice.remember("it may be so", confidence=0.1))
    await note(alice.extraction.list())
    await note(alice.extraction.retry())
    await note(alice.extraction.drop())
    await note(alice.review.list())
    await note(alice.phase.start("a new year", space={"project": "apollo"}))
    await note(alice.phase.list({"project": "apollo"}))
    await note(alice.remember(""))
    await note(alice.recall("x", limit=0))
    await note(alice.used(kept.id))
    await note(alice.policy.simulate("chat"))
    await note(alice.erase(kept.id, dry_run=True))
    await note(alice.erase(kept.id))
    await note(alice.erasures())
    await note(alice.export())
    await note(alice.trace.list())
    await note(alice.trail.list(action="undo", limit=5))  # none: others name the credential that asked
    await note(store.policy.show())
    await note(store.policy.use(Policy.of("default"), dry_run=True))
    await note(store.store.info())
    await note(store.trail.verify())
    await note(store.keys.list())
    agent = memory.as_agent("helper")
    helper = Awaited(await agent if inspect.isawaitable(agent) else agent)
    await note(helper.remember("Python has a GIL", visibility="public"))
    await note(helper.spaces())
    alone = Awaited(memory.as_user("alice", project="apollo"))
    await tell_the_rest(store, alice, alone, bob, note)
    return results


async def tell_the_rest(store: Any, alice: Any, alone: Any, bob: Any, note: Any) -> None:
    """The verbs that the story does not need."""
    tea = await note(alice.remember("Ann drinks green tea", subjects=["Ann"]))
    await note(alice.about("Ann"))
    await note(alice.related(tea.id))
    await note(alice.edges(tea.id))
    await note(alice.promote(tea.id, {"project": "apollo"}))
    await note(alice.correct(tea.id, "Ann drinks black tea"))
    await note(alice.restore(tea.id))
    await note(alice.window(conversation="c1"))
    await note(alice.observe([{"role": "user", "content": "My cat is called Tom."}]))
    rows = [{"user_id": "alice", "kind": "preference", "content": "the sea is salty", "scope_type": "global"}]
    await note(alice.import_(json.dumps(rows).encode(), filename="rows.json"))
    [source] = await note(alone.sources())
    # What was imported is not said in the chat that alice stands in, so it is taken back outside it.
    await note(alone.undo(source=source.id, dry_run=True))
    undone = await note(alone.undo(source=source.id))
    await note(alone.undo(undone.id))
    for text, decide in (("it is blue", alice.review.approve), ("it is red", alice.review.reject)):
        waiting = await note(alice.remember(text, confidence=0.1))
        await note(decide(waiting.id))
    waiting = await note(alice.remember("it is green", confidence=0.1))
    await note(alice.review.edit(waiting.id, "it is grey"))
    bea = await note(alice.people.add("Bea"))
    ben = await note(alice.people.add("Ben"))
    await note(alice.people.find("Bea"))
    await note(alice.people.update(bea.id, name="Beate"))
    await note(alice.people.alias(bea.id, "Trixi"))
    await note(alice.people.relate("me", "sister", bea.id))
    await note(alice.people.relations(bea.id))
    await note(alice.people.unrelate("me", "sister", bea.id))
    await note(alice.people.merge(bea.id, ben.id))
    await note(alice.people.forget(bea.id))
    await note(alice.people.drop(bea.id))
    carl = await note(alice.people.add("Carl"))
    await note(alice.people.link(carl.id, user="carl"))
    await note(alice.phase.diff("phase-1", "phase-2", space={"project": "apollo"}))
    [share] = await note(alice.shares())
    await note(alice.revoke(share.id))
    await note(bob.share_changes())
    receipt = await note(alice.erase(tea.id))
    await note(alice.verify_erasure(receipt.id))
    await note(alice.trace.show("trc_absent"))
    await note(store.agent.get("helper"))
    await note(store.chat.get("c1"))
    await note(store.member.list({"project": "apollo"}))
    made = await note(store.keys.create(user="carol"))
    again = await note(store.keys.rotate(made.key.id))
    await note(store.keys.revoke(again.key.id))
    await note(store.policy.diff("default", "chat"))
    await note(store.policy.presets())
    await note(store.finish_erasures())
    for verb in ("gc", "reindex", "reembed", "reembed_status", "judge", "judge_status", "relearn", "quarantine"):
        await note(getattr(store.store, verb)())
    await note(alice.doctor())
    await note(alice.trail.export())
    await note(store.trail.checkpoint())
    await note(alice.subject.export("me"))
    await note(alice.subject.erase("me", dry_run=True))
    await note(alice.subject.erase("me"))
    await note(alice.subject.export("me"))
    await note(store.member.remove({"project": "apollo"}, user="alice"))


def comparable(results: list[Any]) -> list[Any]:
    """The results without what the key of a store, its path or the surface decides."""
    texts = [re.sub(r"(trc|shr|rcp|era|key)_[a-z2-7]{24}", r"\1_x", str(plain(result))) for result in results]
    texts = [re.sub(r"\b[0-9a-f]{16,}\b|mfk_\w+", "digest", text) for text in texts]
    texts = [re.sub(r"'surface': '\w+'(, 'via': '[^']*')?", "surface", text) for text in texts]
    texts = [re.sub(r"/[^']*/memory.db", "memory.db", text) for text in texts]
    return [re.sub(r"'(bytes|key|cursor)': [^,}]+", r"'\1'", text) for text in texts]


def served(tmp_path: Path) -> Service:
    return Service(tmp_path / "memory.db", clock=FixedClock(NOON))


def run_embedded(tmp_path: Path) -> list[Any]:
    with Memory.open(tmp_path / "memory.db", memberships="registered", clock=FixedClock(NOON)) as memory:
        return asyncio.run(story(memory))


def run_embedded_async(tmp_path: Path) -> list[Any]:
    async def run() -> list[Any]:
        opened = AsyncMemory.open(tmp_path / "memory.db", memberships="registered", clock=FixedClock(NOON))
        async with opened as memory:
            return await story(memory)

    return asyncio.run(run())


def run_remote(tmp_path: Path) -> list[Any]:
    service = served(tmp_path)
    with running(service) as url, memfort.connect(url, RUN_TOKEN) as memory:
        results = asyncio.run(story(memory))
    service.close()
    return results


def run_remote_async(tmp_path: Path) -> list[Any]:
    async def run(url: str) -> list[Any]:
        async with memfort.connect_async(url, RUN_TOKEN) as memory:
            return await story(memory)

    service = served(tmp_path)
    with running(service) as url:
        results = asyncio.run(run(url))
    service.close()
    return results


@pytest.fixture
def connect() -> Iterator[Any]:
    """`memfort.connect`, whose connections are closed after the test."""
    made = []

    def connected(*given: Any, **options: Any) -> memfort.RemoteMemory:
        made.append(memfort.connect(*given, **options))
        return made[-1]

    yield connected
    for memory in made:
        memory.close()


def test_one_story_is_the_same_through_every_client(tmp_path: Path):
    runs = {}
    for name, run in {
        "embedded": run_embedded,
        "embedded async": run_embedded_async,
        "remote": run_remote,
        "remote async": run_remote_async,
    }.items():
        (tmp_path / name).mkdir()
        runs[name] = run(tmp_path / name)
    on_http = {name for name, row in TABLE.items() if not isinstance(row.http, NotOnHttp)}
    assert on_http <= Awaited.called  # the story has every verb
    expected = runs["embedded"]
    assert sum(isinstance(one, Outcome) for one in expected) >= 5  # the story does something
    assert any(isinstance(one, Recall) and one for one in expected)
    undone = [(one.counts["memories"], one.counts["back"]) for one in expected if isinstance(one, Undone)]
    assert undone == [(1, 0), (1, 0), (0, 1)]
    before, after = (len(one.items) for one in expected if isinstance(one, SubjectCopy))
    assert before > after == 0
    for name, results in runs.items():
        kinds = [type(one) for one in results]
        assert kinds == [type(one) for one in expected], name
        for was, found in zip(comparable(expected), comparable(results), strict=True):
            assert found == was, name


def test_what_is_sent_and_read_back_is_equal(tmp_path: Path):
    """Every result of the story: plain data, as JSON, and the same value again."""
    results = run_embedded(tmp_path)
    seen = set()
    for result in results:
        for one in result if isinstance(result, list) else [result]:
            if isinstance(one, Value):
                seen.add(type(one))
                again = reader_of(type(one))(json.loads(one.to_json()))
                assert again == one
                assert plain(again) == plain(one)
    assert len(seen) > 15


@pytest.mark.parametrize("row", TABLE.values(), ids=list(TABLE))
def test_a_verb_that_a_server_does_not_offer_says_why(row):
    remote = memfort.connect("http://127.0.0.1:9", "key", retries=0)
    if isinstance(row.http, NotOnHttp):
        with pytest.raises(InvalidInput) as refused:
            remote.run(row, {})
        assert refused.value.remedy == row.http.reason
    else:
        for name in row.http.leaves_out:
            with pytest.raises(InvalidInput):
                remote.run(row, {name: "x"})


def test_errors_are_the_embedded_ones(connect, tmp_path: Path):
    service = served(tmp_path)
    with running(service) as url:
        alice = connect(url, service.memory.keys.create(user="alice").token).as_user("alice")
        with pytest.raises(NotFound) as absent:
            alice.forget("mem_" + "a" * 24)
        assert (absent.value.what, absent.value.name) == ("memory", "mem_" + "a" * 24)
        assert alice.get("mem_" + "a" * 24) is None
        with pytest.raises(InvalidInput) as wrong:
            alice.recall("x", types=["nonsense"])
        assert wrong.value.field == "nonsense" or wrong.value.problem
        with pytest.raises(Denied) as refused:
            connect(url, "mfk_wrong").as_user("alice").spaces()
        assert refused.value.reason == "unauthenticated"
        with pytest.raises(Denied) as scope:
            connect(url, service.memory.keys.create(user="alice").token).store.info()
        assert scope.value.reason == "scope_missing"
        with pytest.raises(Denied):
            connect(url, service.memory.keys.create(user="alice").token).as_user("bob").spaces()
        with pytest.raises(NotFound) as absent, Memory.open(":memory:") as embedded:
            embedded.keys.revoke("key_absent")
        with pytest.raises(NotFound) as absent_there:
            connect(url, RUN_TOKEN).keys.revoke("key_absent")
        assert absent_there.value.remedy == absent.value.remedy is not None
        assert not alice.remember("the token is ghp_" + "a1B2" * 9).kept
        assert issubclass(Changed, memfort.MemfortError)
    service.close()


def test_progress_is_reported(connect, tmp_path: Path):
    service = served(tmp_path)
    told: list[tuple[int, int]] = []
    with running(service) as url:
        alice = connect(url, service.memory.keys.create(user="alice").token).as_holder()
        outcomes = alice.remember_many(
            [f"fact number {number} of the sea" for number in range(250)],
            progress=lambda done, total: told.append((done, total)),
        )
    assert len(outcomes) == 250
    assert told[-1][1] == 250
    service.close()


def test_the_last_trace_can_be_shown(connect, tmp_path: Path):
    service = served(tmp_path)
    with running(service) as url:
        alice = connect(url, service.memory.keys.create(user="alice").token).as_holder()
        outcome = alice.remember("I live in Berlin")
        assert alice.last_trace == outcome.trace
        assert alice.trace.show(alice.last_trace).events
    service.close()


class DroppingProxy:
    """Passes requests on to a server, and closes the connection instead of giving the first answers back."""

    def __init__(self, url: str, dropped: int) -> None:
        host, port = url.removeprefix("http://").split(":")
        self._server, self._left = (host, int(port)), dropped
        self._sock = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._sock.getsockname()[1]}"
        self.requests = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._sock.accept()
            except OSError:
                return
            threading.Thread(target=self._pass_on, args=(client,), daemon=True).start()

    def _pass_on(self, client: socket.socket) -> None:
        with client, socket.create_connection(self._server) as server:
            while request := self._message(client):
                server.sendall(request)
                answer = self._message(server)
                self.requests += 1
                if self._left > 0:
                    self._left -= 1
                    return  # the server has done it; the answer is lost
                client.sendall(answer)

    @staticmethod
    def _message(sock: socket.socket) -> bytes:
        """A whole request or answer; nothing, if the other side has closed."""
        data = b""
        while True:
            head, end, body = data.partition(b"\r\n\r\n")
            length = re.search(rb"content-length: (\d+)", head.lower())
            if end and len(body) >= (0 if length is None else int(length[1])):
                return data
            more = sock.recv(65536)
            if not more:
                return b""
            data += more

    def close(self) -> None:
        self._sock.close()


def test_a_lost_answer_is_asked_for_again_with_one_effect(connect, tmp_path: Path, monkeypatch):
    monkeypatch.setattr(transport, "_wait", lambda *_: None)
    service = served(tmp_path)
    with running(service) as url:
        proxy = DroppingProxy(url, dropped=2)
        alice = connect(proxy.url, service.memory.keys.create(user="alice").token, retries=3).as_holder()
        phase = alice.phase.start("a new year")
        assert proxy.requests == 3
        assert [one.id for one in alice.phase.list()] == ["phase-1", phase.id]
        starts = [e for e in service.memory.as_system().trail.export() if e["event"]["action"] == "start_phase"]
        assert len(starts) == 1
        proxy.close()
    service.close()


class _StillWorking(BaseHTTPRequestHandler):
    """A server that still carries a request out, so many times as it is asked, and then has its answer."""

    left = 2
    keys: ClassVar[list[str]] = []

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.keys.append(self.headers["idempotency-key"])
        is_done, type(self).left = not self.left, self.left - 1
        problem = {"status": 409, "code": "in_progress", "detail": "it is still being carried out"}
        body = json.dumps([] if is_done else problem).encode()
        self.send_response(200 if is_done else 409)
        self.send_header("content-length", str(len(body)))
        if not is_done:
            self.send_header("retry-after", "1")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.mark.parametrize(("left", "timeout"), [(5, 60.0), (10**9, 0.3)])
def test_an_answer_in_progress_is_asked_for_again_until_all_attempts_would_be_over(connect, left, timeout, monkeypatch):
    monkeypatch.setattr(transport, "_wait", lambda *_: None)
    handler = type("_Working", (_StillWorking,), {"left": left, "keys": []})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever).start()
        alice = connect(f"http://127.0.0.1:{server.server_port}", "key", retries=0, timeout=timeout).as_holder()
        try:
            if left == 5:
                assert alice.used("mem_" + "a" * 24) == []
            else:
                with pytest.raises(ServerFailed, match="in_progress"):
                    alice.phase.start("a new year")
        finally:
            server.shutdown()
    assert len(handler.keys) > 1
    assert len(set(handler.keys)) == 1


def test_what_cannot_be_repeated_is_sent_once(connect, tmp_path: Path, monkeypatch):
    monkeypatch.setattr(transport, "_wait", lambda *_: None)
    service = served(tmp_path)
    with running(service) as url:
        proxy = DroppingProxy(url, dropped=1)
        with pytest.raises(ServerFailed):
            connect(proxy.url, RUN_TOKEN, retries=3).keys.create(user="alice")
        assert proxy.requests == 1
        proxy.close()
    service.close()


def test_a_server_that_is_not_there_is_said_so(connect, monkeypatch):
    monkeypatch.setattr(transport, "_wait", lambda *_: None)
    with pytest.raises(ServerFailed, match="does not answer"):
        connect("http://127.0.0.1:9", "key", retries=1).as_holder().spaces()


@pytest.mark.parametrize(
    ("url", "key"), [("ftp://x", "k"), ("x", "k"), ("http://", "k"), ("http://x?y", "k"), ("http://x", "")]
)
def test_an_address_or_a_key_that_cannot_be_one_is_refused(url: str, key: str):
    with pytest.raises(InvalidInput):
        memfort.connect(url, key)


def test_a_version_that_has_changed_ends_nothing(service: Service, connect: Any):
    key = service.memory.keys.create(user="alice").token
    with running(service) as url:
        alice = connect(url, key).as_holder()
        item = alice.remember("I live in Berlin").item
        alice.used(item.id)
        forget, fields = TABLE["forget"], {"ids": [item.id]}
        with pytest.raises(Changed):
            alice.run(forget, fields, expected_version=(item.id, item.version))
        assert alice.get(item.id) is not None
        with pytest.raises(InvalidInput, match="name it alone"):
            alice.run(TABLE["remember"], {"text": "I like tea"}, expected_version=(item.id, 2))
        assert alice.run(forget, fields, expected_version=(item.id, item.version + 1)).items


@pytest.mark.parametrize("url", ["http://memory.example", "http://192.0.2.1:8642"])
def test_a_key_that_would_travel_unencrypted_is_warned_of(url: str):
    with pytest.warns(UserWarning, match="unencrypted; use https"):
        memfort.connect(url, "key").close()


@pytest.mark.parametrize(
    "url", ["https://memory.example", "http://127.0.0.1:8642", "http://localhost", "http://[::1]:1"]
)
def test_on_this_machine_or_over_tls_there_is_no_warning(url: str):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        memfort.connect(url, "key").close()
