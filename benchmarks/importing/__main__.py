"""`python -m benchmarks.importing`: import a generated ChatGPT export in a process of its own, and measure the peak of
its memory and the messages per second."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from benchmarks.importing.archive import write_archive
from benchmarks.speed.__main__ import surroundings
from benchmarks.speed.report import placed

BENCHMARKS = Path(__file__).parent.parent
BEGIN = "<!-- `python -m benchmarks.importing --publish` writes from here -->\n"
LIMIT_MB = 300


@click.command(help=__doc__)
@click.option("--megabytes", default=100, help="The size of the archive.")
@click.option("--seconds", default=0, help="Stop after so long; 0 is never.")
@click.option("--publish", is_flag=True, help="Keep the run, and put its table into the README.")
def main(megabytes: int, seconds: int, publish: bool) -> None:
    found = {"benchmark": "importing", **surroundings(), "limit_mb": LIMIT_MB, **run(megabytes, seconds)}
    name = "published-importing" if publish else f"importing-{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}"
    (BENCHMARKS / "results").mkdir(exist_ok=True)
    (BENCHMARKS / "results" / f"{name}.json").write_text(json.dumps(found, indent=1) + "\n")
    if publish:
        page = BENCHMARKS / "README.md"
        page.write_text(placed(page.read_text(), render(found), BEGIN))
    click.echo(render(found))
    if found["import"]["peak_mb"] > LIMIT_MB:
        raise SystemExit(f"more than {LIMIT_MB} MB")


def run(megabytes: int, seconds: int = 0) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="memfort-importing-") as folder:
        archive, store = Path(folder) / "conversations.json", Path(folder) / "memory.db"
        made = write_archive(archive, megabytes * 1_000_000)
        arguments = [sys.executable, "-m", "benchmarks.importing.child", str(archive), str(store), str(seconds)]
        answer = subprocess.run(arguments, check=True, capture_output=True, text=True, cwd=BENCHMARKS.parent)
        return {"archive": made, "import": json.loads(answer.stdout)}


def render(found: Mapping[str, Any]) -> str:
    made, done = found["archive"], found["import"]
    counts = done["counts"]
    rate = counts["read"] / done["seconds"] if done["seconds"] else 0
    rows = [
        ("archive", f"{made['bytes'] / 1e6:.0f} MB in one line, {made['messages']:,} messages"),
        ("read before the run ended", f"{done['share_read']:.0%}, {counts['read']:,} messages"),
        ("peak memory of the process", f"{done['peak_mb']:.0f} MB (limit {found['limit_mb']} MB)"),
        ("time", f"{done['seconds']:,.0f} s, {rate:,.0f} messages a second"),
        ("kept", f"{counts.get('turns', 0):,} turns and {counts.get('kept', 0):,} statements"),
    ]
    table = ["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows)]
    head = f"Commit `{found['commit'][:12]}`, {found['started'][:10]}, {found['cores']} cores."
    return "\n".join([head, "", *table]) + "\n"


if __name__ == "__main__":
    main()
