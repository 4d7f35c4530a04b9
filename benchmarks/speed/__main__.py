"""`python -m benchmarks.speed`: fill stores of several sizes, measure them, write one JSON, print a table."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import apsw
import click

from benchmarks.speed.measure import fill, growth, measure
from memfort import __version__

RESULTS = Path(__file__).parent.parent / "results"
GROWTH_LIMIT = 1.3


@click.command(help=__doc__)
@click.option("--sizes", default="1000,10000,100000", help="How many memories, separated by commas.")
@click.option("--users", default="1,100,1000", help="Over how many users, separated by commas.")
@click.option("--times", default=500, help="How often each action is timed.")
@click.option("--growth/--no-growth", "with_growth", default=True, help="Measure recall as the store grows.")
@click.option("--out", type=click.Path(path_type=Path), default=None, help="Where to write the JSON.")
def main(sizes: str, users: str, times: int, with_growth: bool, out: Path | None) -> None:
    many, owners = _numbers(sizes), _numbers(users)
    settings = {"sizes": many, "users": owners, "times": times}
    run: dict[str, Any] = {"benchmark": "speed", "settings": settings, **_surroundings(), "stores": []}
    with tempfile.TemporaryDirectory(prefix="memfort-speed-") as folder:
        for size in many:
            for count in owners:
                if count <= size:
                    run["stores"].append(_one(Path(folder), size, count, times))
        if with_growth:
            run["growth"] = _growth(Path(folder), times)
    RESULTS.mkdir(exist_ok=True)
    path = out or RESULTS / f"speed-{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}.json"
    path.write_text(json.dumps(run, indent=1) + "\n")
    click.echo(table(run))
    _say(f"written to {path}")
    if with_growth and run["growth"]["ratio"] > GROWTH_LIMIT:
        sys.exit(f"recall grew {run['growth']['ratio']} times with the store; at most {GROWTH_LIMIT} is allowed")


def table(run: dict[str, Any]) -> str:
    """The run as a Markdown table, times in milliseconds."""
    head = ("memories", "users", "recall p50 / p95 / p99", "get p50", "remember p50 (over a bare commit)",
            "batch per s", "cold open + recall p50", "delete a user", "RSS MB", "disk MB")  # fmt: skip
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for store in run["stores"]:
        recall = store["recall"]
        cells = (
            f"{store['memories']:,}", f"{store['users']:,}", f"{recall['p50']} / {recall['p95']} / {recall['p99']}",
            store["get"]["p50"], f"{store['remember']['p50']} ({store['remember_over_bare_commit']}x)",
            f"{store['batch_memories_per_second']:,}", store["cold_open_and_first_recall"]["p50"],
            f"{store['delete_a_user']['milliseconds']} ({store['delete_a_user']['memories']:,})",
            store["rss_megabytes"], store["disk_megabytes"],
        )  # fmt: skip
        lines.append("| " + " | ".join(str(cell) for cell in cells) + " |")
    if "growth" in run:
        found = run["growth"]
        lines.append(
            f"\nRecall for a user with 1,000 memories: {found['small_p50']} ms in a store of 1,000, "
            f"{found['large_p50']} ms in a store of 100,000: {found['ratio']} times (at most {GROWTH_LIMIT} allowed)."
        )
    return "\n".join(lines)


def _one(folder: Path, size: int, users: int, times: int) -> dict[str, Any]:
    path = folder / f"{size}-{users}.db"
    filled = fill(path, size, users, _say)
    _say(f"measuring {size:,} memories over {users:,} users")
    return {"memories": size, "users": users, "fill": filled, **measure(path, users, times)}


def _growth(folder: Path, times: int) -> dict[str, float]:
    small, large = folder / "growth-small.db", folder / "growth-large.db"
    fill(small, 1_000, 1, _say)
    fill(large, 100_000, 100, _say)
    return growth(small, large, times)


def _surroundings() -> dict[str, Any]:
    commit = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=False)
    return {
        "commit": commit.stdout.strip() or None,
        "version": __version__,
        "python": platform.python_version(),
        "sqlite": apsw.sqlite_lib_version(),
        "machine": platform.machine(),
        "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


def _say(line: str) -> None:
    click.echo(line, err=True)


if __name__ == "__main__":
    main()
