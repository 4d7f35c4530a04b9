"""Somebody stops a command while it runs: a real process, a real SIGINT, and one document all the same."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from embedding_server import EmbeddingServer
from memfort import Memory

from .conftest import ROWS


@contextmanager
def started(*args: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "memfort", *args]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # where this runs it may be ignored
    ) as process:  # fmt: skip
        try:
            yield process
        finally:
            process.kill()


def stopped(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with EmbeddingServer().running() as server:
        yield server


@contextmanager
def thinking(server: EmbeddingServer, after: int) -> Iterator[threading.Event]:
    """The server answers so many requests, the first about a word alone, and then thinks; says when it does."""
    asked, go = threading.Event(), threading.Event()

    def otherwise(_: object) -> None:
        if len(server.requests) > after:
            asked.set()
            go.wait(30)

    server.otherwise = otherwise
    try:
        yield asked
    finally:
        go.set()


def test_reembed_says_in_one_document_how_far_it_came(cli, server):
    for text in ("my car broke down", "I love green tea", "The office is in Rome"):
        cli.kept("alice", text)
    command = ("--embedder", f"{server.url}#words", "store", "reembed", "--batch", "2")
    said = "interrupted: 2 of 3 are done, and stay so; `memfort store reembed` goes on with the rest"
    with thinking(server, after=2) as asked, started("--json", *command) as process:
        assert asked.wait(120)
        code, out, _ = stopped(process)
    assert (code, json.loads(out)["error"]["code"], json.loads(out)["error"]["message"]) == (130, "interrupted", said)
    assert set(json.loads(out)["error"]) == {"code", "message", "field", "remedy"}
    with thinking(server, after=len(server.requests) + 1) as asked, started(*command) as process:
        assert asked.wait(120)
        assert stopped(process)[:2] == (130, "")
    assert cli.json(*command)["done"] == 1  # what was done is done, and the rest is not


def has_opened(process: subprocess.Popen[str], store: Path) -> bool:
    """Whether the process has a file of the store open, be it only the lock."""
    with suppress(FileNotFoundError):  # one that it has closed meanwhile
        return any(str(one.readlink()).startswith(str(store)) for one in Path(f"/proc/{process.pid}/fd").iterdir())
    return False


def wait_for(holds: Callable[[], bool]) -> None:
    for _ in range(3000):
        if holds():
            return
        time.sleep(0.01)
    raise AssertionError("it never came to that")


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="it lists the open files of another process")
@pytest.mark.parametrize(
    "command", [["store", "reindex"], ["--as", "alice", "import", "rows.json"]], ids=["reindex", "import"]
)
def test_a_command_waiting_for_the_store_stops_with_one_document(cli, command):
    Path("rows.json").write_text(json.dumps(ROWS))
    cli.kept("alice", "I love green tea")
    with Memory.open(cli.store) as memory, memory._engine.store.writing(), started("--json", *command) as process:
        wait_for(lambda: has_opened(process, cli.store))
        time.sleep(0.5)  # it is at the door by now, and cannot come in
        assert process.poll() is None
        code, out, _ = stopped(process)
    assert (code, json.loads(out)) == (
        130,
        {"error": {"code": "interrupted", "message": "interrupted", "field": None, "remedy": None}},
    )
    assert cli.json(*command)


def test_stopped_after_its_answer_it_says_nothing_more(cli, monkeypatch):
    """`gc --every` answers and goes on until it is stopped: its answer is the document."""
    monkeypatch.setenv("PYTHONUNBUFFERED", "1")
    cli.kept("alice", "I love green tea")
    with started("--json", "store", "gc", "--every", "60") as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        document = json.loads(first + process.stdout.read())
        assert (process.wait(30), document["expired"]) == (130, 0)


@pytest.mark.parametrize("flags", [["--json"], []])
def test_stopped_before_it_has_begun_it_says_so_too(flags):
    early = (
        "import sys\n"
        "class Stop:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'memfort.surfaces.cli.root':\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Stop())\n"
        "from memfort.surfaces.cli import main\n"
        "main()\n"
    )
    found = subprocess.run(
        [sys.executable, "-c", early, *flags, "store", "info"], capture_output=True, text=True, timeout=60, check=False
    )
    assert found.returncode == 130
    assert (json.loads(found.stdout)["error"]["code"] == "interrupted") if flags else (found.stdout == "")
    assert ("interrupted" in found.stderr) == (not flags)
