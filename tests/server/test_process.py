"""`memfort serve` as a process: what it prints, where it refuses to listen, how it stops, and what a crash leaves."""

from __future__ import annotations

import http.client
import json
import os
import pty
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from tests.server.processes import MEMFORT, WAIT_SECONDS, ask, certificate, free_port, key_of, run_token, served

import memfort
from memfort import Memory, ServerFailed


@pytest.mark.parametrize("workers", ["1", "2"])
def test_without_keys_a_file_has_a_token_for_the_run_and_it_stops_cleanly(tmp_path: Path, workers: str):
    store, file = tmp_path / "memory.db", tmp_path / "memory.db.run-token"
    file.write_text("mfrun_of-a-server-that-was-killed")
    file.chmod(0o644)
    with served(store, "--workers", workers) as (process, port, log):
        assert str(file) in log.read_text()
        assert file.stat().st_mode & 0o777 == 0o600
        token = run_token(store)
        assert ask(port, "POST", "/v1/spaces")[0] == 401
        status, made = ask(port, "POST", "/v1/keys/create", {"user": "alice"}, token)
        assert status == 201
        assert ask(port, "POST", "/v1/remember", {"text": "tea is hot"}, made["token"])[0] == 201
        process.send_signal(signal.SIGTERM)
        process.wait(WAIT_SECONDS)
    assert process.returncode == (-signal.SIGTERM if workers == "1" else 0)
    assert not file.exists()
    assert "mfrun_" not in log.read_text()
    with Memory.open(store) as memory:
        assert memory.as_user("alice").recall("tea").texts == ["tea is hot"]
        assert memory.trail.verify().ok
    lines = [json.loads(line) for line in log.read_text().splitlines() if line.startswith("{")]
    assert {line["route"] for line in lines if line["event"] == "request"} >= {"/v1/remember", "/v1/keys/create"}
    assert "tea is hot" not in log.read_text()
    if workers == "1":
        with served(store):  # there is a key now
            assert not file.exists()


def test_on_a_terminal_it_prints_the_token(tmp_path: Path):
    store, (mine, its) = tmp_path / "memory.db", pty.openpty()
    command = [MEMFORT, "--store", str(store), "serve", "--port", str(free_port())]
    process = subprocess.Popen(command, stdout=its, stderr=its)
    os.close(its)
    try:
        with os.fdopen(mine, "rb", buffering=0) as terminal:
            said = b""
            while b"mfrun_" not in said:
                said += terminal.read(4096)
        assert not store.with_name("memory.db.run-token").exists()
    finally:
        process.kill()
        process.wait(WAIT_SECONDS)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1"])
def test_it_refuses_to_start_without_a_credential_on_another_address(tmp_path: Path, host: str):
    store = tmp_path / "memory.db"
    command = [MEMFORT, "--store", str(store), "serve", "--host", host]
    done = subprocess.run(command, capture_output=True, text=True, timeout=WAIT_SECONDS, check=False)
    assert done.returncode == 2
    assert "memfort keys create" in done.stderr


def test_a_taken_port_is_said_before_anything_is_announced(tmp_path: Path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        command = [MEMFORT, "--store", str(tmp_path / "memory.db"), "serve", "--port", port]
        done = subprocess.run(command, capture_output=True, text=True, timeout=WAIT_SECONDS, check=False)
    assert done.returncode == 1
    assert "cannot listen there" in done.stderr
    assert "--port" in done.stderr
    assert "listening" not in done.stderr + done.stdout


def test_options_that_belong_together_are_needed_together(tmp_path: Path):
    for options in (["--tls-cert", "x.pem"], ["--jwt-issuer", "https://id.example"]):
        command = [MEMFORT, "--store", str(tmp_path / "memory.db"), "serve"]
        done = subprocess.run([*command, *options], capture_output=True, text=True, timeout=WAIT_SECONDS, check=False)
        assert done.returncode == 2


class Writers:
    """Threads that write as fast as they can, and note what was acknowledged."""

    def __init__(self, port: int, key: str, count: int = 4) -> None:
        self.acknowledged: list[str] = []
        self._port, self._key, self._stop = port, key, threading.Event()
        self._threads = [threading.Thread(target=self._write, args=(number,)) for number in range(count)]
        for thread in self._threads:
            thread.start()

    def _write(self, number: int) -> None:
        written = 0
        while not self._stop.is_set():
            text = f"writer {number} counted whale number {written} of the {number} pod"
            try:
                status, _ = ask(self._port, "POST", "/v1/remember", {"text": text, "type": "fact"}, self._key)
            except (OSError, http.client.HTTPException, ValueError):
                return
            if status == 201:
                self.acknowledged.append(text)
            written += 1

    def wait_for(self, count: int) -> None:
        until = time.monotonic() + WAIT_SECONDS
        while len(self.acknowledged) < count and time.monotonic() < until:
            time.sleep(0.01)

    def stop(self) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join(WAIT_SECONDS)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM], ids=["kill", "term"])
def test_every_acknowledged_write_is_there_after_the_process_ended(tmp_path: Path, how: signal.Signals):
    store = tmp_path / "memory.db"
    key = key_of(store)
    with served(store) as (process, port, _):
        writers = Writers(port, key)
        writers.wait_for(60)
        os.kill(process.pid, how)
        writers.stop()
        process.wait(WAIT_SECONDS)
    assert len(writers.acknowledged) >= 60
    with Memory.open(store) as memory:
        alice = memory.as_user("alice")
        events = [line["event"] for line in memory.as_system().trail.export()]
        kept = {item.text: item.id for page in pages(alice) for item in page}
        assert set(writers.acknowledged) <= kept.keys()
        assert memory.trail.verify().ok
        ids = [event["item"] for event in events if event["action"] == "remember" and event["decision"] == "allowed"]
        assert {ids.count(kept[text]) for text in writers.acknowledged} == {1}  # each is in the trail exactly once
        assert sorted(ids) == sorted(kept.values())  # and nothing is in the trail that did not happen
    with served(store) as (_, port, _):
        assert ask(port, "POST", "/v1/recall", {"query": "whale number 3"}, key)[1]["hits"]


def pages(bound: Any) -> Iterator[Any]:
    cursor = None
    while True:
        page = bound.list(limit=1000, cursor=cursor, statuses=["approved", "superseded", "pending"])
        yield page
        if (cursor := page.cursor) is None:
            return


def test_two_workers_serve_one_store(tmp_path: Path):
    store = tmp_path / "memory.db"
    key = key_of(store)
    with (
        served(store, "--workers", "2") as (process, port, _),
        memfort.connect(f"http://127.0.0.1:{port}", key) as remote,
    ):
        alice = remote.as_holder()
        for number in range(20):
            assert alice.remember(f"whale number {number} was seen").kept
        assert len(alice.list(limit=100)) == 20
        process.send_signal(signal.SIGTERM)
        process.wait(WAIT_SECONDS)


def test_workers_end_when_their_parent_was_killed(tmp_path: Path):
    store = tmp_path / "memory.db"
    key = key_of(store)
    with served(store, "--workers", "2") as (process, port, log):
        assert ask(port, "POST", "/v1/remember", {"text": "tea is hot"}, key)[0] == 201
        workers = [one for one in psutil.Process(process.pid).children() if "--multiprocessing-fork" in one.cmdline()]
        assert len(workers) == 2
        process.kill()
        process.wait(WAIT_SECONDS)
        _, left = psutil.wait_procs(workers, WAIT_SECONDS)
        for one in left:
            one.kill()
        assert left == []
    assert "Traceback" not in log.read_text()
    with Memory.open(store) as memory:
        assert memory.as_user("alice").recall("tea").texts == ["tea is hot"]


def test_a_worker_that_starts_slowly_is_not_replaced(tmp_path: Path):
    """A busy machine takes long to load a process: killing it and starting again would never end."""
    delay = "import sys, time\nif 'multiprocessing.spawn' in ' '.join(sys.orig_argv): time.sleep(11)\n"
    (tmp_path / "sitecustomize.py").write_text(delay)
    store = tmp_path / "memory.db"
    key = key_of(store)
    with served(store, "--workers", "2", PYTHONPATH=str(tmp_path)) as (_, port, _):
        assert ask(port, "POST", "/v1/spaces", {}, key)[0] == 200


def test_workers_share_the_limit_of_a_caller(tmp_path: Path):
    """Of 60 requests a minute, half may come at once: 30, however many workers there are."""
    store = tmp_path / "memory.db"
    key = key_of(store)
    begun = time.monotonic()
    with served(store, "--workers", "3", "--rate", "60") as (_, port, _):
        statuses = [ask(port, "POST", "/v1/spaces", {}, key)[0] for _ in range(90)]
        seconds = time.monotonic() - begun
    assert set(statuses) == {200, 429}
    assert statuses.count(200) <= 30 + seconds + 1


def test_doctor_checks_a_server_from_outside(tmp_path: Path):
    store = tmp_path / "memory.db"
    key = key_of(store)
    with served(store) as (_, port, _):
        command = [MEMFORT, "doctor", "--json", "--server"]
        for given, code in ((key, 0), (key[:-4] + "aaaa", 1)):
            done = subprocess.run(
                [*command, f"http://127.0.0.1:{port}"],
                capture_output=True,
                text=True,
                timeout=WAIT_SECONDS,
                check=False,
                env={**os.environ, "MEMFORT_KEY": given},
            )
            assert done.returncode == code, done.stdout
            names = [check["check"] for check in json.loads(done.stdout)["checks"]]
            assert names == ["server", "store", "connection", "version", "clock", "key"]
    done = subprocess.run([*command, "http://127.0.0.1:9"], capture_output=True, text=True, check=False)
    assert done.returncode == 1


def test_tls_without_a_proxy(tmp_path: Path):
    """Clients of a certificate that they do not know are kept from sending their key."""
    store = tmp_path / "memory.db"
    key, (chain, secret) = key_of(store), certificate(tmp_path)
    port = free_port()
    command = [MEMFORT, "--store", str(store), "serve", "--port", str(port)]
    process = subprocess.Popen(
        [*command, "--tls-cert", str(chain), "--tls-key", str(secret)], stderr=subprocess.DEVNULL
    )
    url = f"https://127.0.0.1:{port}"
    try:
        with memfort.connect(url, key, ca_file=str(chain), retries=9) as remote:
            assert remote.as_holder().remember("tea is hot").kept
        with memfort.connect(url, key, retries=0) as stranger, pytest.raises(ServerFailed):
            stranger.as_holder().spaces()
        done = subprocess.run(
            [MEMFORT, "--store", url, "recall", "tea"],
            capture_output=True,
            text=True,
            check=False,
            timeout=WAIT_SECONDS,
            env={**os.environ, "MEMFORT_KEY": key, "SSL_CERT_FILE": str(chain)},
        )
        assert "tea is hot" in done.stdout, done.stderr
    finally:
        process.terminate()
        process.wait(WAIT_SECONDS)
