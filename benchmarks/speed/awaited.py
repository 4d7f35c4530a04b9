"""`python -m benchmarks.speed.awaited`: the cost of an awaited call compared with the sync call, and the recalls per
second of one event loop with one task or many."""

from __future__ import annotations

import asyncio
import json
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple, Self

import click
import trio

from benchmarks.speed.__main__ import BENCHMARKS, in_its_own_process, surroundings
from benchmarks.speed.corpus import Corpus
from benchmarks.speed.report import duration, placed
from benchmarks.speed.stores import fill, name_of
from benchmarks.speed.timing import Action, median_ratio, percentiles
from memfort import AsyncMemory, Memory
from memfort.client.async_memory import THREADS

BEGIN = "<!-- `python -m benchmarks.speed.awaited --publish` writes from here -->\n"
TASKS = (1, 8, 64)
ROUNDS = 10
_WARM_UP = 50

Awaited = Callable[[], Awaitable[object]]


@click.command(help=__doc__)
@click.option("--memories", default=1000, help="How many memories the asking user has.")
@click.option("--times", default=1000, help="How often each call is made.")
@click.option("--publish", is_flag=True, help="Keep the run, and put its tables into the README.")
def main(memories: int, times: int, publish: bool) -> None:
    found = run(memories, times)
    name = "published-awaited" if publish else f"awaited-{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}"
    write(found, BENCHMARKS, name, with_page=publish)
    click.echo(render(found))


def run(memories: int, times: int) -> dict[str, Any]:
    found: dict[str, Any] = {"benchmark": "awaited", **surroundings()}
    found["settings"] = {"memories": memories, "times": times, "threads": THREADS}
    with tempfile.TemporaryDirectory(prefix="memfort-awaited-") as folder:
        path = Path(folder) / "memory.db"
        fill(path, memories, 1, lambda _: None)
        found["cost"] = {
            "asyncio": in_its_own_process(cost_in_asyncio, path, times),
            "trio": in_its_own_process(cost_in_trio, path, times),
        }
        found["throughput"] = in_its_own_process(throughput, path, times)
    return found


def write(found: dict[str, Any], folder: Path, name: str, *, with_page: bool) -> None:
    results = folder / "results"
    results.mkdir(exist_ok=True)
    (results / f"{name}.json").write_text(json.dumps(found, indent=1) + "\n")
    if with_page:
        page = folder / "README.md"
        page.write_text(placed(page.read_text(), render(found), BEGIN))


# -- measurements ----------------------------------------------------------------------------------------------------


def cost_in_asyncio(path: Path, times: int) -> dict[str, Any]:
    return asyncio.run(_cost(path, times))


def cost_in_trio(path: Path, times: int) -> dict[str, Any]:
    return trio.run(_cost, path, times)


async def _cost(path: Path, times: int) -> dict[str, Any]:
    """The same call in sync and awaited, in turns, on one memory."""
    with Memory.open(path) as plain:
        memory = AsyncMemory(plain)
        sync, awaited = plain.as_user(name_of(0)), memory.as_user(name_of(0))
        questions, statements = Corpus(seed=-4).questions(times), Corpus(seed=-5).statements(2 * times)
        id = sync.list(limit=1).items[0].id
        calls: dict[str, list[tuple[Action, Awaited]]] = {
            "get": [(partial(sync.get, id), partial(awaited.get, id))] * times,
            "recall": [(partial(sync.recall, one), partial(awaited.recall, one)) for one in questions],
            "remember": [
                (partial(sync.remember, one), partial(awaited.remember, other))
                for one, other in zip(statements[::2], statements[1::2], strict=True)
            ],
        }
        found = {}
        for name, pairs in calls.items():
            await _in_turns(pairs[:_WARM_UP])
            found[name] = _compared(await _in_turns(pairs))
        await memory.close()
    return found


def _compared(taken: list[tuple[Taken, Taken]]) -> dict[str, Any]:
    """Wall time and processor time: on a busy machine a woken thread waits for its turn, and only processor time shows
    the cost of a call."""
    return {
        "sync": asdict(percentiles(one.wall for one, _ in taken)),
        "awaited": asdict(percentiles(other.wall for _, other in taken)),
        "ratio": median_ratio([(one.wall, other.wall) for one, other in taken]),
        "processor": {
            "sync_microseconds": round(median(one.processor for one, _ in taken) * 1000),
            "awaited_microseconds": round(median(other.processor for _, other in taken) * 1000),
            "ratio": median_ratio([(one.processor, other.processor) for one, other in taken]),
        },
    }


async def _in_turns(pairs: list[tuple[Action, Awaited]]) -> list[tuple[Taken, Taken]]:
    """Time a call and an awaited one side by side, the first one first every other time."""
    taken = []
    for number, (call, awaited) in enumerate(pairs):
        if number % 2:
            second, first = await _awaited(awaited), _called(call)
        else:
            first, second = _called(call), await _awaited(awaited)
        taken.append((first, second))
    return taken


class Taken(NamedTuple):
    """Milliseconds of one call, by the clock and of the processor, in all threads."""

    wall: float
    processor: float

    @classmethod
    def since(cls, wall: float, processor: float) -> Self:
        return cls((time.perf_counter() - wall) * 1000, (time.process_time() - processor) * 1000)


def _called(call: Action) -> Taken:
    start = time.perf_counter(), time.process_time()
    call()
    return Taken.since(*start)


async def _awaited(awaited: Awaited) -> Taken:
    start = time.perf_counter(), time.process_time()
    await awaited()
    return Taken.since(*start)


def throughput(path: Path, times: int) -> dict[str, Any]:
    """Recalls per second, median of some rounds: in sync, and on an event loop with so many tasks, each of which asks
    again after its answer. Each round has all of them, so that a busy moment slows all."""
    questions = Corpus(seed=-6).questions(max(times // ROUNDS, _WARM_UP))
    rates: dict[str, list[float]] = {"sync": [], **{str(tasks): [] for tasks in TASKS}}
    with Memory.open(path) as plain:
        sync = plain.as_user(name_of(0))
        for question in questions:
            sync.recall(question)
        for _ in range(ROUNDS):
            start = time.perf_counter()
            for question in questions:
                sync.recall(question)
            rates["sync"].append(len(questions) / (time.perf_counter() - start))
            for tasks in TASKS:
                rates[str(tasks)].append(asyncio.run(_asked_by(plain, questions, tasks)))
    return {name: {"per_second": round(median(all)), "best": round(max(all))} for name, all in rates.items()}


async def _asked_by(plain: Memory, questions: list[str], tasks: int) -> float:
    bound, left = AsyncMemory(plain).as_user(name_of(0)), iter(questions)

    async def ask() -> None:
        for question in left:
            await bound.recall(question)

    start = time.perf_counter()
    await asyncio.gather(*(ask() for _ in range(tasks)))
    return len(questions) / (time.perf_counter() - start)


# -- report ----------------------------------------------------------------------------------------------------------


def render(found: Mapping[str, Any]) -> str:
    """The results as Markdown."""
    return "\n\n".join((_origin(found), _cost_table(found["cost"]), _throughput_table(found["throughput"]))) + "\n"


def _origin(found: Mapping[str, Any]) -> str:
    settings = found["settings"]
    return (
        f"Commit `{found['commit']}`, {found['started'][:10]}, Python {found['python']}, SQLite {found['sqlite']}, "
        f"{found['cores']} cores. One user with {settings['memories']:,} memories; {settings['threads']} threads."
    )


def _cost_table(cost: Mapping[str, Any]) -> str:
    rows = [
        "| | sync, ms p50 / p95 | awaited, ms p50 / p95 | times | sync, µs of the processor | awaited | times |",
        "|---|---|---|---|---|---|---|",
    ]
    for library, calls in cost.items():
        for name, one in calls.items():
            work = one["processor"]
            rows.append(
                f"| `{name}`, {library} | {_two(one['sync'])} | {_two(one['awaited'])} | {one['ratio']:.2f} "
                f"| {work['sync_microseconds']:,} | {work['awaited_microseconds']:,} | **{work['ratio']:.2f}** |"
            )
    return "\n".join(rows)


def _throughput_table(throughput: Mapping[str, Any]) -> str:
    rows = ["| recalls | per second, median of rounds | best round |", "|---|---|---|"]
    for name, one in throughput.items():
        title = "in sync" if name == "sync" else f"{name} {'task' if name == '1' else 'tasks'} at once"
        rows.append(f"| {title} | {one['per_second']:,} | {one['best']:,} |")
    return "\n".join(rows)


def _two(taken: Mapping[str, float]) -> str:
    return " / ".join(duration(taken[name]) for name in ("p50", "p95"))


if __name__ == "__main__":
    main()
