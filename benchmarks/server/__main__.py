"""`python -m benchmarks.server`: the processor time of a recall over HTTP beside the embedded call, and 64 connections
that recall and remember for a while, with one worker process and with two. With `--mcp`: the processor time of a tool
call beside both, and how long a host waits for the first answer of `memfort mcp`. With `--beside`: how long others wait
beside the largest requests of one caller, and how long alone."""

from __future__ import annotations

import asyncio
import http.client
import json
import random
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
import psutil

from benchmarks.server import assistants
from benchmarks.server import beside as besides
from benchmarks.speed.__main__ import BENCHMARKS, surroundings
from benchmarks.speed.corpus import Corpus
from benchmarks.speed.report import placed
from benchmarks.speed.stores import fill, name_of
from benchmarks.speed.timing import percentiles
from memfort import Memory

READY_SECONDS = 60.0
WARM = 100  # recalls before the first that counts
RECALLS_OF_TEN = 8  # the others remember
Ask = Callable[[http.client.HTTPConnection, str, str], None]  # a recall with this key, for this query


@click.command(help=__doc__)
@click.option("--memories", default=1000, help="How many memories the asking user has.")
@click.option("--times", default=1000, help="How many recalls the processor time is taken of.")
@click.option("--connections", default=64)
@click.option("--seconds", default=60.0, help="How long the load lasts.")
@click.option("--mcp", is_flag=True, help="The cost of tool calls of MCP, in place of the load.")
@click.option("--beside", is_flag=True, help="Others beside the largest requests of one caller, in place of all else.")
@click.option("--rate", default=6000, help="With `--beside`: what one caller may ask for in a minute.")
@click.option("--publish", is_flag=True, help="Keep the run as the published one.")
def main(
    memories: int, times: int, connections: int, seconds: float, mcp: bool, beside: bool, rate: int, publish: bool
) -> None:
    kind = "server-beside" if beside else "server-mcp" if mcp else "server"
    found: dict[str, Any] = {"benchmark": kind, **surroundings(), "load_average": list(psutil.getloadavg())}
    settings = {"memories": memories, "times": times, "connections": connections, "seconds": seconds}
    found["settings"] = settings
    with tempfile.TemporaryDirectory(prefix="memfort-server-") as folder:
        path = Path(folder) / "memory.db"
        fill(path, memories, 1, lambda _: None)
        with Memory.open(path) as memory:
            key, other = (memory.keys.create(user=name).token for name in (name_of(0), "other"))
            if beside:
                memory.as_user("other").remember_many(Corpus(seed=-7).statements(100))
        if beside:
            with served(path, 1, rate) as (_, port):
                found["beside"] = besides.beside(port, key, other, seconds)
            click.echo(besides.table(found))
        else:
            found["cost"] = cost(path, key, times, recall)
        if mcp:
            found["mcp"] = cost(path, key, times, assistants.recall)
            found["start"] = assistants.start(path, name_of(0))
        elif not beside:
            found["load"] = {str(workers): load(path, key, workers, connections, seconds) for workers in (1, 2)}
    name = f"published-{kind}" if publish else f"{kind}-{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}"
    results = BENCHMARKS / "results"
    results.mkdir(exist_ok=True)
    (results / f"{name}.json").write_text(json.dumps(found, indent=1) + "\n")
    if publish and beside:
        page = BENCHMARKS / "README.md"
        page.write_text(placed(page.read_text(), besides.table(found), besides.BEGIN))
    click.echo(json.dumps(found, indent=1))


@contextmanager
def served(path: Path, workers: int, rate: int = 100_000_000) -> Iterator[tuple[psutil.Process, int]]:
    """A server for the store, and its port."""
    port, log = _free_port(), path.with_suffix(".log")
    program = str(Path(sys.executable).with_name("memfort"))
    options = ["--port", str(port), "--workers", str(workers), "--rate", str(rate)]
    with log.open("w") as out:
        process = subprocess.Popen([program, "--store", str(path), "serve", *options], stdout=out, stderr=out)
    try:
        _wait_until_ready(process, port, log)
        yield psutil.Process(process.pid), port
    finally:
        process.terminate()
        process.wait(60)


def _free_port() -> int:
    """A port below those that the system gives to outgoing connections: one of these could take it meanwhile."""
    while True:
        port = random.randrange(20_000, 32_000)
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


def _wait_until_ready(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    until = time.monotonic() + READY_SECONDS
    while time.monotonic() < until and process.poll() is None:
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            connection.request("GET", "/readyz")
            if connection.getresponse().status == 200:
                connection.close()
                return
        except OSError:
            time.sleep(0.1)
    raise click.ClickException(f"the server does not start: {log.read_text()}")


def _processor_seconds(process: psutil.Process) -> float:
    family = [process, *process.children(recursive=True)]
    return float(sum(sum(one.cpu_times()[:2]) for one in family))


def _resident_bytes(process: psutil.Process) -> int:
    return sum(one.memory_info().rss for one in [process, *process.children(recursive=True)])


def cost(path: Path, key: str, times: int, ask: Ask) -> dict[str, float]:
    """Milliseconds of the processor for one recall: embedded, and of the server that is asked for the same recall. In
    turns, one each, so that a busy moment slows both and neither finds the processor's caches warmer than the other."""
    questions = Corpus(seed=-4).questions(times + WARM)
    embedded = begun_at_server = 0.0
    with Memory.open(path, memberships="registered") as memory, served(path, 1) as (process, port):
        bound, connection = memory.as_user(name_of(0)), http.client.HTTPConnection("127.0.0.1", port)
        for number, question in enumerate(questions):
            if number == WARM:
                embedded, begun_at_server = 0.0, _processor_seconds(process)
            begun = time.process_time()
            bound.recall(question)
            embedded += time.process_time() - begun
            ask(connection, key, question)
        over_http = _processor_seconds(process) - begun_at_server
        connection.close()
    return {
        "embedded_ms": round(embedded / times * 1000, 3),
        "server_ms": round(over_http / times * 1000, 3),
        "ratio": round(over_http / embedded, 2),
    }


def recall(connection: http.client.HTTPConnection, key: str, query: str) -> None:
    headers = {"authorization": f"Bearer {key}", "content-type": "application/json"}
    connection.request("POST", "/v1/recall", json.dumps({"query": query}), headers)
    answer = connection.getresponse()
    answer.read()
    assert answer.status == 200, answer.status


def load(path: Path, key: str, workers: int, connections: int, seconds: float) -> dict[str, Any]:
    with served(path, workers) as (process, port):
        asyncio.run(_load(port, key, connections, 2.0))  # warm
        before = _resident_bytes(process)
        taken, errors = asyncio.run(_load(port, key, connections, seconds))
        after = _resident_bytes(process)
    everything = [one for times in taken.values() for one in times]
    return {
        "a_second": round(len(everything) / seconds, 1),
        "errors": errors,
        **{name: asdict(percentiles(times)) for name, times in taken.items()},
        "resident_mb": [round(before / 2**20), round(after / 2**20)],
    }


async def _load(port: int, key: str, connections: int, seconds: float) -> tuple[dict[str, list[float]], int]:
    taken: dict[str, list[float]] = {"recall": [], "remember": []}
    errors = 0
    until = time.perf_counter() + seconds

    async def client(number: int) -> None:
        nonlocal errors
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        corpus, sent = Corpus(seed=int(time.time()) * 1000 + number), number
        while time.perf_counter() < until:
            sent += 1
            verb = "recall" if sent % 10 < RECALLS_OF_TEN else "remember"
            fields = {"query": corpus.questions(1)[0]} if verb == "recall" else {"text": corpus.statements(1)[0]}
            begun = time.perf_counter()
            status = await _ask(reader, writer, verb, key, fields)
            taken[verb].append((time.perf_counter() - begun) * 1000)
            errors += status not in {200, 201}
        writer.close()

    await asyncio.gather(*(client(number) for number in range(connections)))
    return taken, errors


async def _ask(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, verb: str, key: str, fields: dict[str, str]
) -> int:
    body = json.dumps(fields).encode()
    head = f"POST /v1/{verb} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer {key}\r\n"
    writer.write(f"{head}content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n".encode() + body)
    status = int((await reader.readline()).split()[1])
    length = 0
    while (line := await reader.readline()) != b"\r\n":
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    await reader.readexactly(length)
    return status


if __name__ == "__main__":
    main()
