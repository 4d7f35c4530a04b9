"""The worker and the queue of the extractor on the command line: a real process, a real server, real signals."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading

import pytest

from completion_server import CompletionServer, statement

KEY = "sk-not-a-real-key"
SAID = "Third marathon done, knees complaining"
RAN = statement(1, "The user has run three marathons.", "Third marathon done")


@pytest.fixture
def server():
    with CompletionServer(lambda _: [RAN]).running() as server:
        yield server


@pytest.fixture
def learning(cli, server, monkeypatch):
    """A project whose policy lets turns leave, with one turn in the queue."""
    monkeypatch.setenv("MEMFORT_EXTRACTOR_KEY", KEY)
    work = cli.folder / "work"
    (work / "policy.toml").write_text(
        '[conversation]\nstatements = "nothing"\n'
        '[extraction]\nsend = ["public", "personal"]\ndebounce_seconds = 0\nattempts = 1\n'
    )
    (work / "memfort.toml").write_text(f'extractor = "{server.url}#small"\npolicy = "policy.toml"\n')
    cli.ok("--as", "alice", "observe", "-", stdin=json.dumps({"role": "user", "content": SAID}))
    return cli


def statements(cli) -> list[str]:
    return [one["text"] for one in cli.json("--as", "alice", "list")["items"] if one["kind"] != "short_term"]


def test_a_worker_reads_what_waits_and_says_what_came_of_it(learning, server):
    (queued,) = learning.json("--as", "alice", "extraction", "list")
    assert queued["attempts"] == 0
    assert SAID not in str(queued)
    done = learning.json("worker", "--once")
    assert (done["read"], done["kept"], done["left"], done["extractor"]) == (1, 1, 0, "remote:small")
    assert statements(learning) == ["The user has run three marathons."]
    assert "no turn waits" in learning.ok("--as", "alice", "extraction", "list").err
    assert "read 0 turns, kept 0 statements" in learning.ok("worker", "--once").out
    assert {headers["Authorization"] for headers, _ in server.requests} == {f"Bearer {KEY}"}
    assert KEY not in learning.ok("config", "show").out


def test_a_failure_is_shown_and_can_be_tried_again(learning, server):
    server.otherwise = lambda _: (500, {}, {})
    failed = learning("worker", "--once")
    assert failed.code == 1
    assert "answered 500" in failed.out
    listed = learning.ok("--as", "alice", "extraction", "list", "--given-up").out
    assert "tried once, given up" in listed
    assert "answered 500" in listed
    doctor = learning("doctor")
    assert doctor.code == 1
    assert "1 turn could not be read by the extractor" in doctor.out
    assert "memfort extraction retry" in doctor.out
    server.otherwise = lambda _: None
    assert learning("--as", "bob", "extraction", "retry").out == ""
    assert "waits again: mem_" in learning.ok("--as", "alice", "extraction", "retry").out
    learning.ok("worker", "--once")
    assert len(statements(learning)) == 1
    assert learning("doctor").code == 0


def test_without_an_extractor_a_worker_says_what_is_missing(cli):
    answer = cli("worker", "--once")
    assert answer.code == 1
    assert "no extractor is set" in answer.out


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_worker_that_is_stopped_finishes_its_request(learning, server, number):
    asked, go = threading.Event(), threading.Event()

    def think(_: object) -> None:
        asked.set()
        go.wait(30)

    server.otherwise = think
    command = [sys.executable, "-m", "memfort", "worker", "--every", "0.1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert asked.wait(120)
            process.send_signal(number)
            go.set()
            process.communicate(timeout=120)
        finally:
            go.set()
            process.kill()
    assert process.returncode == 0
    assert statements(learning) == ["The user has run three marathons."]


def test_a_worker_that_is_killed_loses_nothing(learning, server):
    asked, go = threading.Event(), threading.Event()

    def think(_: object) -> None:
        asked.set()
        go.wait(30)

    server.otherwise = think
    with subprocess.Popen([sys.executable, "-m", "memfort", "worker"], stderr=subprocess.PIPE) as process:
        try:
            assert asked.wait(120)
        finally:
            process.kill()
            go.set()
    (queued,) = learning.json("--as", "alice", "extraction", "list")
    assert queued["attempts"] == 1
    assert statements(learning) == []
    learning.ok("--as", "alice", "extraction", "retry", queued["id"])
    server.otherwise = lambda _: None
    assert learning.json("worker", "--once")["kept"] == 1
