"""`python -m benchmarks.speed.commands`: whole commands, each a process of its own, as hooks start them: from before
Python starts until the process is gone. On a store with 1,000 memories of one user."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import click

import memfort
from benchmarks.speed.__main__ import BENCHMARKS, commit_of, surroundings
from benchmarks.speed.corpus import Corpus
from benchmarks.speed.report import duration, placed
from benchmarks.speed.stores import copied, fill, name_of

BEGIN = "<!-- `python -m benchmarks.speed.commands --publish` writes from here -->\n"
AIMS = {"memfort remember": 150, "memfort recall": 200}  # milliseconds of processor time, the best of all runs
MEMORIES = 1000
SOURCE = Path(memfort.__file__).parents[1]
_START = "from memfort.surfaces.cli import main; main()"  # as the script that is installed does

Run = tuple[float, float]  # milliseconds: processor time and wall time


@click.command(help=__doc__)
@click.option("--times", default=30, help="How often each command is run.")
@click.option(
    "--against", type=click.Path(path_type=Path, exists=True), help="The `src` of another commit, run in turns."
)
@click.option("--publish", is_flag=True, help="Keep the run, and put its table into the README.")
def main(times: int, against: Path | None, publish: bool) -> None:
    found = run(times, against)
    name = "published-commands" if publish else f"commands-{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}"
    write(found, BENCHMARKS, name, with_page=publish)
    click.echo(render(found))


def run(times: int, against: Path | None = None, memories: int = MEMORIES) -> dict[str, Any]:
    """Run every command so many times, in turns, so that a busy moment slows all of them."""
    trees = {"commands": SOURCE, **({"against": against} if against else {})}
    found: dict[str, Any] = {"benchmark": "commands", **surroundings(), "load_before": _load()}
    found["settings"] = {"times": times, "memories": memories, "against": against and commit_of(against)}
    with tempfile.TemporaryDirectory(prefix="memfort-commands-") as folder:
        filled = Path(folder) / "filled.db"
        fill(filled, memories, 1, _say)
        for tree in trees:
            found[tree] = {}
        with copied(filled) as one, copied(filled) as other:
            stores = {"commands": one, "against": other}
            taken = [_turn(number, trees, stores, Path(folder)) for number in range(times + 1)]
    for tree in trees:
        for name in COMMANDS:
            found[tree][name] = _summary([turn[tree, name] for turn in taken[1:]])  # the first compiles
    return {**found, "load_after": _load()}


def _turn(
    number: int, trees: Mapping[str, Path], stores: Mapping[str, Path], home: Path
) -> dict[tuple[str, str], Run]:  # fmt: skip
    return {
        (tree, name): _timed([sys.executable, *COMMANDS[name], *said], _environment(source, stores[tree], home))
        for name, said in _words(number)
        for tree, source in trees.items()
    }


COMMANDS: dict[str, tuple[str, ...]] = {
    "python -c pass": ("-c", "pass"),
    "memfort --version": ("-c", _START, "--version"),
    "memfort --help": ("-c", _START, "--help"),
    "memfort remember": ("-c", _START, "remember"),
    "memfort recall": ("-c", _START, "recall"),
}


def _words(number: int) -> Iterator[tuple[str, list[str]]]:
    """The arguments of each command in a turn: another statement and another question every time."""
    corpus = Corpus(seed=-10 - number)
    for name in COMMANDS:
        said = {"memfort remember": corpus.statements, "memfort recall": corpus.questions}.get(name)
        yield name, [] if said is None else said(1)


def _environment(source: Path, store: Path, home: Path) -> dict[str, str]:
    """Only these settings, and compiled code is kept."""
    ours = {"PYTHONPATH": str(source), "HOME": str(home), "MEMFORT_AS": name_of(0), "MEMFORT_STORE": str(store)}
    left_out = ("MEMFORT_", "XDG_", "PYTHON", "OPENBLAS_")
    return {name: value for name, value in os.environ.items() if not name.startswith(left_out)} | ours


def _timed(command: Sequence[str], environment: Mapping[str, str]) -> Run:
    start = time.perf_counter()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    _, status, used = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    _, said = process.communicate()
    if process.returncode:
        raise RuntimeError(f"`{' '.join(command[3:])}` ended with {process.returncode}: {said}")
    return (used.ru_utime + used.ru_stime) * 1000, wall * 1000


def _summary(runs: Sequence[Run]) -> dict[str, dict[str, float]]:
    processor, wall = zip(*runs, strict=True)
    return {name: {"best": round(min(of), 1), "median": round(median(of), 1)}
            for name, of in (("processor", processor), ("wall", wall))}  # fmt: skip


def _load() -> float:
    return round(os.getloadavg()[0], 1)


def write(found: Mapping[str, Any], folder: Path, name: str, *, with_page: bool) -> None:
    results = folder / "results"
    results.mkdir(exist_ok=True)
    (results / f"{name}.json").write_text(json.dumps(found, indent=1) + "\n")
    if with_page:
        page = folder / "README.md"
        page.write_text(placed(page.read_text(), render(found), BEGIN))
    _say(f"written to {results / name}.json")


def render(found: Mapping[str, Any]) -> str:
    """The results as Markdown."""
    return "\n\n".join((_origin(found), _table(found), _aims(found))) + "\n"


def _origin(found: Mapping[str, Any]) -> str:
    return (
        f"Commit `{found['commit']}`, {found['started'][:10]}, Python {found['python']}, {found['cores']} cores. "
        f"Milliseconds, the best and the median of {found['settings']['times']} runs, on a store with "
        f"{found['settings']['memories']:,} memories. The load of the machine was {found['load_before']} before and "
        f"{found['load_after']} after."
    )


def _table(found: Mapping[str, Any]) -> str:
    head, line = "| | processor, best / median | wall, best / median |", "| --- | --- | --- |"
    if "against" in found:
        other = found["settings"]["against"]
        head, line = f"{head} `{other}`: processor | wall |", f"{line} --- | --- |"
    rows = [head, line]
    for name in COMMANDS:
        trees = [found[tree][name] for tree in ("commands", "against") if tree in found]
        cells = [_two(tree[measure]) for tree in trees for measure in ("processor", "wall")]
        rows.append(f"| `{name}` | {' | '.join(cells)} |")
    return "\n".join(rows)


def _aims(found: Mapping[str, Any]) -> str:
    rows = ["| aimed at, processor, best | at most | measured | |", "| --- | --- | --- | --- |"]
    for name, most in AIMS.items():
        measured = found["commands"][name]["processor"]["best"]
        rows.append(f"| `{name}` | {most} | {duration(measured)} | {'met' if measured <= most else '**not met**'} |")
    return "\n".join(rows)


def _two(taken: Mapping[str, float]) -> str:
    return f"{duration(taken['best'])} / {duration(taken['median'])}"


def _say(line: str) -> None:
    click.echo(line, err=True)


if __name__ == "__main__":
    main()
