"""What somebody without a valid credential costs: nothing of a body is read, little is thrown away, and neither the
number of connections nor the log grows with them."""

from __future__ import annotations

import asyncio
import http.client
import logging
import resource
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.server.client import Client, Service
from tests.server.running import running

from memfort.store.port import Scope
from memfort.surfaces.http.connections import Connections, GuardedProtocol
from memfort.surfaces.http.limits import BodyMemory, check_nesting
from memfort.surfaces.http.logs import FewOfStrangers
from memfort.surfaces.http.mounts import _Later
from memfort.surfaces.http.problems import HttpProblem
from memfort.surfaces.http.settings import ServerSettings

PATHS = ["/v1/recall", "/v1/memories", "/metrics", "/mcp", "/a2a-server/rpc", "/a2a/helper/rpc", "/nowhere", "/livez"]
WRONG = "mfk_" + "a" * 24 + "_" + "b" * 52
MOST_CONNECTIONS = 8
LARGE = 4 * 1024 * 1024
DRAINED_BYTES = 64 * 1024 + 4096  # and the head of the request


class Counting(GuardedProtocol):
    """The bytes that a connection has taken."""

    taken = 0

    def data_received(self, data: bytes) -> None:
        Counting.taken += len(data)
        super().data_received(data)


@pytest.fixture(scope="module")
def target(tmp_path_factory) -> Iterator[tuple[Service, int]]:
    path: Path = tmp_path_factory.mktemp("strangers") / "memory.db"
    limits = {"header_seconds": 1.0, "max_connections": MOST_CONNECTIONS, "failures_per_minute": 10**6}
    service = Service(path, max_body_bytes=LARGE, requests_per_minute=10**6, **limits)
    with running(service, Counting) as url:
        yield service, int(url.rpartition(":")[2])
    service.close()


def head(port: int, path: str, key: str | None, *lines: str) -> bytes:
    known = [] if key is None else [f"Authorization: Bearer {key}"]
    given = [f"POST {path} HTTP/1.1", f"Host: 127.0.0.1:{port}", "Content-Type: application/json", *known, *lines]
    return "\r\n".join([*given, "", ""]).encode()


def everything(sock: socket.socket) -> bytes:
    """All that the server sends until it closes the connection."""
    data = b""
    with suppress(ConnectionError):
        while more := sock.recv(65536):
            data += more
    return data


def send_large(port: int, path: str, key: str | None, size: int) -> tuple[bytes, int]:
    """The answer to a large body, and how much of it was taken."""
    before = Counting.taken
    with socket.create_connection(("127.0.0.1", port), timeout=60) as sock:
        with suppress(ConnectionError):
            sock.sendall(head(port, path, key, f"Content-Length: {size}") + b"x" * size)
        return everything(sock), Counting.taken - before


# -- bodies ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", [path for path in PATHS if path != "/livez"])
@pytest.mark.parametrize("credential", [None, WRONG])
def test_nothing_of_a_strangers_body_is_read(service: Service, path: str, credential: str | None):
    assert bodies_asked_for(Client(service.app, credential, service.runner), path) == 0


def test_a_callers_body_is_read(service: Service):
    assert bodies_asked_for(service.user("alice"), "/v1/recall") == 1


@pytest.mark.parametrize("path", [path for path in PATHS if path != "/livez"])
def test_a_stranger_costs_at_most_twice_what_an_empty_refused_request_costs(service: Service, path: str):
    """Asked in turn, so that both have the same machine; the body is the one that took seconds."""
    stranger, took = Client(service.app, WRONG, service.runner), [0.0, 0.0]
    stranger.request("POST", path, raw=b"")  # what is loaded by the first request is no part of it
    for number in range(200):
        began = time.process_time()
        stranger.request("POST", path, raw=b'"\\"' + b'\\"' * 20_000 if number % 2 else b"")
        took[number % 2] += time.process_time() - began
    empty, large = took
    assert large < 2 * empty


def bodies_asked_for(client: Client, path: str) -> int:
    asked, app = 0, client._app

    async def counting(scope: Any, receive: Any, send: Any) -> None:
        async def counted() -> Any:
            nonlocal asked
            asked += 1
            return await receive()

        await app(scope, counted, send)

    client._app = counting
    client.request("POST", path, raw=b'{"query": "x"}')
    return asked


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("key", [None, WRONG])
def test_at_most_64_kb_of_a_strangers_body_are_taken(target: tuple[Service, int], path: str, key: str | None):
    answer, taken = send_large(target[1], path, key, LARGE)
    assert taken <= DRAINED_BYTES
    if answer:  # else the client had no time to read it before it was stopped
        assert b"connection: close" in answer.lower()


def test_a_stranger_is_told_so_and_the_connection_ends(target: tuple[Service, int]):
    answer, _ = send_large(target[1], "/v1/recall", WRONG, 20_000)
    assert answer.startswith(b"HTTP/1.1 401")
    assert b"connection: close" in answer.lower()


def test_a_caller_whose_body_is_too_large_can_send_it_and_reads_413(target: tuple[Service, int]):
    """More than the buffers of the system hold: a server that stops reading breaks the sending."""
    service, port = target
    size = 2 * LARGE - 100_000
    request = head(port, "/v1/recall", service.memory.keys.create(user="alice").token, f"Content-Length: {size}")
    with socket.create_connection(("127.0.0.1", port), timeout=60) as sock:
        sock.sendall(request + b"x" * size)
        assert everything(sock).startswith(b"HTTP/1.1 413")


def test_looking_at_nesting_takes_time_in_proportion():
    """A quadratic reader takes 64 times as long for eight times as much: the first of these texts took one a second for
    each 20 kB."""
    for begin, unit in ((b'"\\"', b'\\"'), (b'"', b"\\\\"), (b"", b'"a'), (b"", b"[]")):
        small, large = (_seconds_of_nesting(begin + unit * number) for number in (12_000, 96_000))
        assert large < 24 * small


def _seconds_of_nesting(body: bytes) -> float:
    """The processor time of this thread, the least of three."""
    took = []
    for _ in range(3):
        began = time.thread_time()
        check_nesting(body, ServerSettings())
        took.append(time.thread_time() - began)
    return min(took)


def test_a_body_of_too_many_parts_is_refused_unparsed():
    for body in (b"[" * 400_000, b'"a"' * 2_000_000, b"1," * 400_000):
        with pytest.raises(HttpProblem):
            check_nesting(body, ServerSettings())


def test_bodies_share_a_bounded_memory():
    memory = BodyMemory(100, 60)
    with memory.of("alice") as alice:
        alice(60)
        with pytest.raises(HttpProblem) as refused, memory.of("alice") as more:
            more(1)
        assert refused.value.problem.code == "overloaded"
        with memory.of("bob") as bob:
            bob(40)
            with pytest.raises(HttpProblem), memory.of("carol") as carol:
                carol(1)
        with memory.of("carol") as carol:
            carol(40)
    assert memory.taken == 0


def test_the_memory_of_a_body_is_given_back_when_it_is_answered(service: Service):
    alice = service.user("alice")
    assert alice.post("/v1/recall", {"query": "x"}).status == 200
    assert alice.request("POST", "/v1/recall", raw=b"{").status == 400
    assert service.server.bodies.taken == 0


# -- what is not HTTP as we speak it -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "raw",
    [
        b"POST /v1/recall HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}",
        b"POST /v1/recall HTTP/1.1\nHost: 127.0.0.1\n\n",
        b"POST /v1/recall HTTP/1.1\r\nHost: 127.0.0.1\nX: y\r\n\r\n",
    ],
)
def test_a_request_that_two_programs_could_read_differently_is_refused(target: tuple[Service, int], raw: bytes):
    for cut in (0, 20, len(raw) - 3):
        with socket.create_connection(("127.0.0.1", target[1]), timeout=60) as sock:
            sock.sendall(raw[:cut])
            with suppress(ConnectionError):
                sock.sendall(raw[cut:])
            assert everything(sock).startswith(b"HTTP/1.1 400")


def test_line_feeds_in_a_body_are_no_lines_of_the_head(target: tuple[Service, int]):
    service, port = target
    body = b'{\n"query":\n"x"\n}'
    request = head(port, "/v1/recall", service.memory.keys.create(user="bob").token, f"Content-Length: {len(body)}")
    for cut in (request.index(b"\r\n\r\n") + 3, len(request) - 1, len(request) + 2):
        with socket.create_connection(("127.0.0.1", port), timeout=60) as sock:
            sock.sendall((request + body)[:cut])
            time.sleep(0.02)
            sock.sendall((request + body)[cut:])
            assert sock.recv(65536).startswith(b"HTTP/1.1 200")


# -- connections -------------------------------------------------------------------------------------------------------


def test_half_open_connections_keep_no_caller_out(target: tuple[Service, int]):
    """Five times as many as there may be, and each asks for nothing: the longest idle goes for the next."""
    service, port = target
    key = service.memory.keys.create(user="carol").token
    idle = [socket.create_connection(("127.0.0.1", port), timeout=60) for _ in range(5 * MOST_CONNECTIONS)]
    try:
        for one in idle[::2]:
            with suppress(OSError):
                one.sendall(b"POST /v1/recall HTTP/1.1\r\nHost")
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        for _ in range(5):
            connection.request("POST", "/v1/spaces", b"{}", {"authorization": f"Bearer {key}"})
            answer = connection.getresponse()
            answer.read()
            assert answer.status in {200, 415}
        connection.close()
    finally:
        for one in idle:
            one.close()


def test_a_log_does_not_grow_with_strangers():
    now = [0.0]
    few = FewOfStrangers(per_minute=10, now=lambda: now[0])

    def is_written(**fields: Any) -> bool:
        record = logging.LogRecord("memfort.http", logging.INFO, "", 0, "request", None, None)
        record.fields = fields
        written = few.filter(record)
        left_out.append(record.fields.get("left_out_before"))
        return written

    left_out: list[int | None] = []
    assert sum(is_written(status=401, caller=None) for _ in range(1000)) == 10
    assert all(is_written(status=status, caller="user:alice key_a") for status in (200, 404, 429) * 20)
    assert is_written(status=500, caller=None)
    now[0] = 61.0
    assert is_written(status=401, caller=None)
    assert [one for one in left_out if one is not None] == [990]


# -- the end of the wait -----------------------------------------------------------------------------------------------


def test_work_that_nobody_waits_for_is_not_begun(tmp_path: Path):
    """While a caller's first writes wait for the lock, the next wait for the first; their client hangs up."""
    service = Service(tmp_path / "memory.db", requests_per_minute=10**6, header_seconds=10)
    key = service.memory.keys.create(user="alice").token
    with running(service) as url:
        port = int(url.rpartition(":")[2])
        with service.memory.store_in_use.writing(Scope()):
            socks = [_remember(port, key, f"whale number {number} sings") for number in range(6)]
            _until(lambda: service.server.threads.calls == 6)
            for sock in socks:
                sock.close()
            _until(lambda: service.server.threads.calls <= 2)  # those that wait for the lock in their threads
        _until(lambda: service.server.threads.calls == 0)
        assert service.memory.as_user("alice").recall("whale").texts == []
        with _remember(port, key, "the last whale sings") as sock:
            assert sock.recv(65536).startswith(b"HTTP/1.1 201")
    assert service.memory.as_user("alice").recall("whale").texts == ["the last whale sings"]
    assert service.memory.trail.verify().ok
    service.close()


def _remember(port: int, key: str, text: str) -> socket.socket:
    body = b'{"text": "%s"}' % text.encode()
    sock = socket.create_connection(("127.0.0.1", port), timeout=60)
    sock.sendall(head(port, "/v1/remember", key, f"Content-Length: {len(body)}") + body)
    return sock


def _until(is_true: Any) -> None:
    until = time.monotonic() + 60
    while not is_true() and time.monotonic() < until:
        time.sleep(0.005)
    assert is_true()


def test_one_caller_cannot_take_all_threads(service: Service):
    """Alice's writes wait for a lock; bob reads meanwhile. With all threads hers, he would wait for it too."""
    alice, bob = service.user("alice"), service.user("bob")
    threads = service.server.settings.threads

    async def play() -> None:
        with service.memory.store_in_use.writing(Scope()):
            body = {"text": "tea is hot"}
            hers = [asyncio.ensure_future(alice.ask("POST", "/v1/remember", body)) for _ in range(2 * threads)]
            while service.server.threads.calls < len(hers):
                await asyncio.sleep(0)
            assert (await bob.ask("POST", "/v1/recall", {"query": "x"})).status == 200
            assert not any(one.done() for one in hers)
        assert {(await one).status for one in hers} == {201}

    service.runner.run(play())


# -- MCP and A2A -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("path", "method"), [("/mcp", "tools/list"), ("/a2a-server/rpc", "ListTasks")])
def test_protocols_recover_after_an_overload(tmp_path: Path, path: str, method: str):
    service = Service(tmp_path / "memory.db", threads=1, max_waiting=0)
    alice, bob = service.user("alice"), service.user("bob")
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {}}

    async def ask() -> int:
        headers = {"accept": "application/json, text/event-stream", "a2a-version": "1.0"}
        return (await bob.ask("POST", path, message, **headers)).status

    async def play() -> None:
        with service.memory.store_in_use.writing(Scope()):
            write = asyncio.ensure_future(alice.ask("POST", "/v1/remember", {"text": "tea is hot"}))
            while not service.server.threads.calls:
                await asyncio.sleep(0)
            during = await ask()
        assert (await write).status == 201
        assert (during, await ask()) in {(503, 200), (200, 200)}

    service.runner.run(play())
    service.close()


def test_what_failed_to_load_is_loaded_by_the_next_who_needs_it():
    made = iter([OSError("no room"), "loaded"])

    def make() -> str:
        if isinstance(one := next(made), OSError):
            raise one
        return one

    async def play() -> None:
        later = _Later(make)
        first = await asyncio.gather(later.get(), later.get(), return_exceptions=True)
        assert [type(one) for one in first] == [OSError, OSError]
        assert [await later.get(), await later.get()] == ["loaded", "loaded"]

    asyncio.run(play())


def test_a_process_may_open_as_many_files_as_it_takes_connections():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (300, hard))
    try:
        most = Connections(ServerSettings(max_connections=1000)).most
        assert 1 <= most < resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        assert most == 1000 or hard < 1000
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
