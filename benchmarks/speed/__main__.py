"""`python -m benchmarks.speed`: fill stores of several sizes, measure them, write one JSON, print the tables."""

from __future__ import annotations

import json
import multiprocessing
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

import apsw
import click

from benchmarks.speed.chart import draw
from benchmarks.speed.measure import Effort, embedding, growth, measure
from benchmarks.speed.report import GROWTH_LIMIT, placed, render
from benchmarks.speed.stores import fill
from memfort import __version__

BENCHMARKS = Path(__file__).parent.parent
SMALL, EACH = 10_000, 1_000  # memories in the store from which growth is counted, and of each of its users


@click.command(help=__doc__)
@click.option("--sizes", default="1000,10000,100000", help="How many memories, separated by commas.")
@click.option("--users", default="1,100,1000", help="Over how many users, separated by commas.")
@click.option("--times", default=500, help="How often a short action is timed.")
@click.option("--seconds", default=20.0, help="How long a long action is repeated, three times at the least.")
@click.option("--grown", default=100_000, help="How many memories the store has grown to in which recall is compared.")
@click.option(
    "--kept", type=click.Path(path_type=Path), help="A folder with stores that were filled before, to compare."
)
@click.option("--publish", is_flag=True, help="Keep the run, and put its tables and chart into the README.")
def main(
    sizes: str, users: str, times: int, seconds: float, grown: int, kept: Path | None, publish: bool
) -> None:  # fmt: skip
    found = run(_numbers(sizes), _numbers(users), Effort(times, seconds), grown, kept)
    name = "published-speed" if publish else f"speed-{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}"
    write(found, BENCHMARKS, name, with_page=publish)
    click.echo(render(found))
    if found["growth"]["ratio"] > GROWTH_LIMIT:
        sys.exit(f"recall grew {found['growth']['ratio']} times with the store; at most {GROWTH_LIMIT} is allowed")


def run(
    sizes: list[int], users: list[int], effort: Effort, grown: int = 10 * SMALL, kept: Path | None = None
) -> dict[str, Any]:
    """Measure every number of memories over every number of users, and the cost of recall in a grown store."""
    found: dict[str, Any] = {"benchmark": "speed", **surroundings()}
    found["settings"] = {"sizes": sizes, "users": users, **asdict(effort)}
    with tempfile.TemporaryDirectory(prefix="memfort-speed-") as folder:
        pairs = [(size, count) for size in sizes for count in users if count <= size]
        found["stores"] = [_one(Path(folder), size, count, effort) for size, count in pairs]
        found["embedding"] = in_its_own_process(embedding, effort.times)
        found["growth"] = _growth(kept or Path(folder), grown, effort)
    return found


def write(found: dict[str, Any], folder: Path, name: str, *, with_page: bool) -> None:
    """One JSON per run; with the page, its tables and its chart too, so that all show the same run."""
    results = folder / "results"
    results.mkdir(exist_ok=True)
    (results / f"{name}.json").write_text(json.dumps(found, indent=1) + "\n")
    if with_page:
        (results / f"{name}.svg").write_text(draw(found))
        page = folder / "README.md"
        page.write_text(placed(page.read_text(), render(found)))
    _say(f"written to {results / name}.json")


def _one(folder: Path, size: int, users: int, effort: Effort) -> dict[str, Any]:
    path = _store(folder, size, users)
    filled = round(fill(path, size, users, _say))
    _say(f"measuring {size:,} memories over {users:,} users")
    measured = in_its_own_process(measure, path, users, effort)
    return {"memories": size, "users": users, "filled_per_second": filled, **measured}


def _growth(folder: Path, grown: int, effort: Effort) -> dict[str, Any]:
    """Growth between stores in which every user has the same number of memories, and only the number of users grows."""
    stores = [(_store(folder, size, size // EACH), size) for size in (SMALL, grown)]
    for path, size in stores:
        if not path.exists():
            fill(path, size, size // EACH, _say)
    _say("measuring growth")
    (small, _), (large, _) = stores
    measured = in_its_own_process(growth, small, large, effort.times)
    return {"small_memories": SMALL, "large_memories": grown, "each_user": EACH, **measured}


def _store(folder: Path, size: int, users: int) -> Path:
    return folder / f"{size}-{users}.db"


def in_its_own_process(function: Callable[..., dict[str, Any]], *arguments: object) -> dict[str, Any]:
    """Measure in a new process, without caches or memory from earlier measurements."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(function, *arguments).result()


def commit_of(folder: Path) -> str:
    asked = ["git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    commit = subprocess.run(asked, capture_output=True, text=True, check=False, cwd=folder)
    return commit.stdout.strip() or "unknown"


def surroundings() -> dict[str, Any]:
    return {
        "commit": commit_of(BENCHMARKS),
        "version": __version__,
        "python": platform.python_version(),
        "sqlite": apsw.sqlite_lib_version(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


def _say(line: str) -> None:
    click.echo(line, err=True)


if __name__ == "__main__":
    main()
