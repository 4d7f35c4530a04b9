"""Clients that mean harm, at a real socket: each is refused within the limits, and others are served meanwhile."""

from __future__ import annotations

import http.client
import json
import resource
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from tests.server.client import Service
from tests.server.processes import ask, key_of, served
from tests.server.running import running

HEAD_SECONDS, BODY_SECONDS = 1.0, 1.0
IDLE_CONNECTIONS = 5000
PATIENCE_SECONDS = 60.0  # of a test, on a busy machine: without its limits a server would wait for ever


class Target:
    """A running server, and a caller who must be served all the time."""

    def __init__(self, service: Service, url: str) -> None:
        self.service = service
        self.address = ("127.0.0.1", int(url.rpartition(":")[2]))
        self.key = service.memory.keys.create(user="alice").token

    def head(self, *lines: str, path: str = "/v1/recall") -> bytes:
        given = [f"POST {path} HTTP/1.1", "Host: 127.0.0.1", f"Authorization: Bearer {self.key}", *lines, "", ""]
        return "\r\n".join(given).encode()

    def connect(self) -> socket.socket:
        return socket.create_connection(self.address, timeout=PATIENCE_SECONDS)

    def is_served(self) -> bool:
        connection = http.client.HTTPConnection(*self.address, timeout=PATIENCE_SECONDS)
        headers = {"authorization": f"Bearer {self.key}", "content-type": "application/json"}
        connection.request("POST", "/v1/recall", json.dumps({"query": "x"}), headers)
        status = connection.getresponse().status
        connection.close()
        return status == 200


@pytest.fixture(scope="module")
def target(tmp_path_factory) -> Iterator[Target]:
    path: Path = tmp_path_factory.mktemp("hostile") / "memory.db"
    limits = {"header_seconds": HEAD_SECONDS, "body_seconds": BODY_SECONDS, "max_body_bytes": 100_000}
    service = Service(path, requests_per_minute=10**6, **limits)
    with running(service) as url:
        yield Target(service, url)
    service.close()


def answer(sock: socket.socket) -> bytes:
    """Everything that the server sends until it closes the connection, or the first answer."""
    data = b""
    while b"\r\n\r\n" not in data:
        more = sock.recv(65536)
        if not more:
            break
        data += more
    return data


def is_closed_within(sock: socket.socket, seconds: float) -> bool:
    sock.settimeout(seconds)
    try:
        while sock.recv(65536):
            pass
    except TimeoutError:
        return False
    except OSError:
        return True
    return True


def test_a_head_that_never_ends_is_cut_off(target: Target):
    with target.connect() as sock:
        sock.sendall(b"POST /v1/recall HTTP/1.1\r\nHost: 127.0.0.1\r\n")
        assert target.is_served()
        assert is_closed_within(sock, PATIENCE_SECONDS)


def test_a_head_that_comes_drop_by_drop_is_cut_off(target: Target):
    with target.connect() as sock:
        assert drip(sock, PATIENCE_SECONDS) < PATIENCE_SECONDS


def drip(sock: socket.socket, most_seconds: float) -> float:
    """How many seconds one could send drop by drop."""
    started = time.monotonic()
    while (seconds := time.monotonic() - started) < most_seconds:
        try:
            sock.sendall(b"X-A: b\r\n")
        except OSError:
            break
        time.sleep(0.05)
    return seconds


def test_an_idle_connection_is_closed_also_after_an_answer(target: Target):
    with target.connect() as sock:
        sock.sendall(target.head("Content-Type: application/json", "Content-Length: 14") + b'{"query": "x"}')
        assert answer(sock).startswith(b"HTTP/1.1 200")
        sock.sendall(b"POST /v1/re")
        assert is_closed_within(sock, PATIENCE_SECONDS)


def test_a_body_that_never_comes_is_a_408(target: Target):
    with target.connect() as sock:
        sock.sendall(target.head("Content-Type: application/json", "Content-Length: 50") + b'{"query"')
        assert target.is_served()
        assert answer(sock).startswith(b"HTTP/1.1 408")


def test_a_body_that_is_declared_too_large_is_not_read(target: Target):
    with target.connect() as sock:
        sock.sendall(target.head("Content-Type: application/json", "Content-Length: 1000000000"))
        assert answer(sock).startswith(b"HTTP/1.1 413")


def test_an_endless_chunked_body_is_cut_off(target: Target):
    before = psutil.Process().memory_info().rss
    with target.connect() as sock:
        sock.sendall(target.head("Content-Type: application/json", "Transfer-Encoding: chunked"))
        chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
        try:
            for _ in range(2000):
                sock.sendall(chunk)
        except OSError:
            pass  # it was closed
        else:
            raise AssertionError("128 MB were taken")
    assert psutil.Process().memory_info().rss - before < 64 * 1024 * 1024
    assert target.is_served()


@pytest.mark.parametrize(
    "raw",
    [
        b"zz\r\n{}\r\n0\r\n\r\n",
        b"-1\r\n{}\r\n0\r\n\r\n",
        b"2\r\n{}x\r\n0\r\n\r\n",
        b"fffffffffffffffff\r\n{}",
    ],
)
def test_broken_chunks_are_refused(target: Target, raw: bytes):
    with target.connect() as sock:
        sock.sendall(target.head("Content-Type: application/json", "Transfer-Encoding: chunked") + raw)
        assert answer(sock)[:12] in {b"HTTP/1.1 400", b"HTTP/1.1 413", b"HTTP/1.1 408", b""}
    assert target.is_served()


@pytest.mark.parametrize(
    "raw",
    [
        b"\x16\x03\x01\x02\x00\x01\x00",
        b"GET / HTTP/9.9\r\n\r\n",
        b"POST /v1/recall HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"POST /v1/recall HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\nHost: 127.0.0.1\r\n\r\n",
        b"POST /v1/recall HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"a" * 100_000 + b"\r\n\r\n",
        b"\r\n" * 100,
        bytes(range(256)) * 4,
    ],
)
def test_what_is_not_http_is_refused(target: Target, raw: bytes):
    with target.connect() as sock:
        sock.sendall(raw)
        status = answer(sock)[9:12]
        assert status in {b"400", b"401", b"421", b"431", b""}, status
    assert target.is_served()


def test_5000_idle_connections_do_not_keep_others_out(tmp_path: Path):
    """All open at the same time, at a server in a process of its own, before the first of them is closed as idle."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = IDLE_CONNECTIONS + 500
    assert hard == resource.RLIM_INFINITY or hard >= needed, f"this needs `ulimit -n {needed}`"
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, needed), hard))  # the server inherits it
    store, idle = tmp_path / "memory.db", []
    key = key_of(store)
    try:
        with served(store, "--max-connections", str(needed)) as (process, port, _):
            before = psutil.Process(process.pid).memory_info().rss
            idle = [
                socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS) for _ in range(IDLE_CONNECTIONS)
            ]
            assert [ask(port, "POST", "/v1/recall", {"query": "x"}, key)[0] for _ in range(10)] == [200] * 10
            held = sum(one.status == "ESTABLISHED" for one in psutil.Process(process.pid).net_connections("tcp"))
            grown = psutil.Process(process.pid).memory_info().rss - before
            assert held > IDLE_CONNECTIONS * 0.9
            assert grown < IDLE_CONNECTIONS * 32 * 1024
            for sock in idle:
                sock.close()
            assert ask(port, "POST", "/v1/recall", {"query": "x"}, key)[0] == 200
    finally:
        for sock in idle:
            sock.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_client_that_hangs_up_leaves_a_whole_write_or_none(target: Target):
    """Some hang up at once, some later, one waits for the answer."""
    for number, delay in enumerate((0, 0.001, 0.002, 0.005, 0.01, 0.02, None)):
        body = json.dumps({"text": f"the hung up whale number {number} sings"}).encode()
        head = target.head("Content-Type: application/json", f"Content-Length: {len(body)}", path="/v1/remember")
        with target.connect() as sock:
            sock.sendall(head + body)
            if delay is None:
                assert answer(sock).startswith(b"HTTP/1.1 201")
            else:
                time.sleep(delay)
    until = time.monotonic() + 10
    while target.service.server.threads.calls and time.monotonic() < until:
        time.sleep(0.01)
    kept = {item.id: item.text for item in target.service.memory.as_user("alice").list() if "hung up" in item.text}
    events = [line["event"] for line in target.service.memory.as_system().trail.export()]
    assert "the hung up whale number 6 sings" in kept.values()
    assert kept.keys() == {one["item"] for one in events if one["action"] == "remember"}
    assert target.service.memory.trail.verify().ok
