"""`python -m benchmarks.speed.erasing`: erase a user of a large store, receipt and scrub included, beside the deletion
of the same user by LangGraph's `SqliteStore`, in turns and on copies of the same stores."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import click

from benchmarks.peers.environments import OWN, python_of
from benchmarks.peers.runner import heard_of
from benchmarks.peers.stores import Size, prepare
from benchmarks.speed.__main__ import BENCHMARKS, surroundings
from benchmarks.speed.report import duration, placed

BEGIN = "<!-- `python -m benchmarks.speed.erasing --publish` writes from here -->\n"
OURS, THEIRS = "memfort", "langgraph_sqlite"
ENVIRONMENTS = {OURS: OWN, THEIRS: "langgraph"}
REQUIRED, AIM = 12, 6  # times as long as LangGraph's deletion, at most
_SECONDS = 600.0  # that a step may take


@click.command(help=__doc__)
@click.option("--memories", default=100_000, help="How many memories the store has; each user has up to 1,000.")
@click.option("--rounds", default=5, help="How often both are measured, each time on new copies.")
@click.option("--kept", type=click.Path(path_type=Path), help="A folder for the filled stores, to be used again.")
@click.option("--publish", is_flag=True, help="Keep the run, and put its table into the README.")
def main(memories: int, rounds: int, kept: Path | None, publish: bool) -> None:
    found = run(memories, rounds, kept)
    name = "published-erasing" if publish else f"erasing-{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}"
    write(found, BENCHMARKS, name, with_page=publish)
    click.echo(render(found))


def run(memories: int, rounds: int, kept: Path | None = None) -> dict[str, Any]:
    """Fill a store of each, then delete three users from copies of them, in turns."""
    pythons = {name: python_of(environment, _say) for name, environment in ENVIRONMENTS.items()}
    size = Size(memories)
    found: dict[str, Any] = {"benchmark": "erasing", **surroundings(), "load": [round(os.getloadavg()[0], 1)]}
    found["settings"] = {"memories": memories, "each": size.each, "users": size.users, "rounds": rounds}
    taken: dict[str, list[list[float]]] = {OURS: [], THEIRS: []}
    with tempfile.TemporaryDirectory(prefix="memfort-erasing-") as temporary:
        folder = kept or Path(temporary)
        _fill(folder, size, pythons)
        for number in range(rounds):
            for name in (OURS, THEIRS) if number % 2 == 0 else (THEIRS, OURS):
                with _copied(folder / name) as copy:
                    taken[name].append(_phase("delete", name, pythons[name], folder / "material", copy))
            _say(f"round {number + 1} of {rounds}")
    found["load"].append(round(os.getloadavg()[0], 1))
    return {**found, "milliseconds": taken, **compare(taken[OURS], taken[THEIRS])}


def _fill(folder: Path, size: Size, pythons: Mapping[str, Path]) -> None:
    """Make the material and the stores that are not there yet."""
    material = folder / "material"
    if not material.exists():
        material.mkdir(parents=True)
        prepare(material, size, questions=10, additions=1)
    for name, python in pythons.items():
        if not (folder / name).exists():
            (folder / name).mkdir()
            _say(f"filling {name}")
            _phase("fill", name, python, material, folder / name)


def compare(ours: Sequence[Sequence[float]], theirs: Sequence[Sequence[float]]) -> dict[str, Any]:
    """The ratios of each round: the first deletion of a process, which looks at the whole file, and the later ones."""
    parts = {"first": slice(0, 1), "later": slice(1, None)}
    return {
        name: {
            "ours": round(median(one for run in ours for one in run[part]), 2),
            "theirs": round(median(one for run in theirs for one in run[part]), 2),
            "ratios": [
                round(median(one[part]) / median(other[part]), 2) for one, other in zip(ours, theirs, strict=True)
            ],
        }
        for name, part in parts.items()
    }


def _phase(phase: str, name: str, python: Path, material: Path, store: Path) -> list[float]:
    """Run a phase of the comparison with other memories; gives how long each deletion took."""
    command = [python, "-m", "benchmarks.peers.driver", phase, name, material, store, f"{_SECONDS:g}"]
    heard = heard_of([*map(str, command)], _SECONDS, store.parent)
    if heard.ended:
        raise RuntimeError(f"{name}, {phase}: {heard.ended}")
    deleted = heard.values.get("delete_user", [])
    if any(not one["found_before"] or one["found_after"] for one in deleted):
        raise RuntimeError(f"{name} did not delete what it found")
    return [one["milliseconds"] for one in deleted]


@contextmanager
def _copied(store: Path) -> Iterator[Path]:
    """A copy to delete from. It is on the disk before anything is timed."""
    with tempfile.TemporaryDirectory(prefix="copy-", dir=store.parent) as folder:
        copy = Path(shutil.copytree(store, Path(folder) / "store"))
        for file in copy.rglob("*"):
            if file.is_file():
                with file.open("rb") as opened:
                    os.fsync(opened.fileno())
        yield copy


def write(found: Mapping[str, Any], folder: Path, name: str, *, with_page: bool) -> None:
    results = folder / "results"
    results.mkdir(exist_ok=True)
    (results / f"{name}.json").write_text(json.dumps(found, indent=1) + "\n")
    if with_page:
        page = folder / "README.md"
        page.write_text(placed(page.read_text(), render(found), BEGIN))


def render(found: Mapping[str, Any]) -> str:
    settings = found["settings"]
    before, after = found["load"]
    lines = [
        f"Commit `{found['commit']}`, {found['started'][:10]}, Python {found['python']}, SQLite {found['sqlite']}, "
        f"{found['cores']} cores, load {before} before and {after} after. A user with {settings['each']:,} memories in "
        f"a store of {settings['memories']:,}, {settings['rounds']} rounds.",
        "",
        "| | Memfort, ms | LangGraph SqliteStore, ms | times, median of the rounds | least and most |",
        "| --- | --- | --- | --- | --- |",
    ]
    names = {"first": "the first erasure of a process", "later": "later ones"}
    for key, name in names.items():
        one = found[key]
        ratios = sorted(one["ratios"])
        lines.append(
            f"| {name} | {duration(one['ours'])} | {duration(one['theirs'])} | {median(ratios):.1f}× | "
            f"{ratios[0]:.1f} to {ratios[-1]:.1f} |"
        )
    verdict = "kept" if median(found["later"]["ratios"]) <= REQUIRED else "**missed**"
    return "\n".join([*lines, "", f"Aimed at: at most {REQUIRED} times for later ones ({verdict}), better {AIM}.", ""])


def _say(line: str) -> None:
    click.echo(line, err=True)


if __name__ == "__main__":
    main()
