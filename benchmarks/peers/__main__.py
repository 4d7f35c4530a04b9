"""`python -m benchmarks.peers`: run the same comparison on other memories for agents and on Memfort, each in its own
environment. Writes one JSON and prints the tables."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from benchmarks.peers import embedding
from benchmarks.peers.chart import latency, recall
from benchmarks.peers.environments import python_of
from benchmarks.peers.given import DIMENSIONS
from benchmarks.peers.judge import Truth, judged, truth
from benchmarks.peers.report import BEGIN, latency_picture, recall_picture, render, summary
from benchmarks.peers.runner import Run
from benchmarks.peers.stores import Size, prepare
from benchmarks.peers.systems import SYSTEMS, System
from benchmarks.speed.__main__ import BENCHMARKS, surroundings
from benchmarks.speed.report import placed

PUBLISHED = "published-peers"
SIZES = (1_000, 10_000, 100_000)
QUICK_SIZES = SIZES[:2]


@dataclass(frozen=True, slots=True)
class Plan:
    """The size of a run."""

    sizes: Sequence[int]
    questions: int
    additions: int
    seconds: float
    quick: bool = False


@click.command(help=__doc__)
@click.option("--quick", is_flag=True, help="Leave out the largest store.")
@click.option("--only", multiple=True, type=click.Choice([system.name for system in SYSTEMS]), help="Only this system.")
@click.option("--seconds", default=300.0, help="How long a step may take before it is stopped and reported as longer.")
@click.option("--questions", default=200, help="How many questions each store is asked.")
@click.option("--additions", default=50, help="How many memories are added one by one.")
@click.option("--publish", is_flag=True, help="Keep the run, and put its tables and plots into the pages.")
def main(quick: bool, only: Sequence[str], seconds: float, questions: int, additions: int, publish: bool) -> None:
    if publish and only:
        raise click.UsageError("a comparison is published whole; leave out --only")
    systems = [system for system in SYSTEMS if not only or system.name in only]
    found = run(systems, Plan(QUICK_SIZES if quick else SIZES, questions, additions, seconds, quick))
    name = PUBLISHED if publish else f"peers-{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}"
    write(found, BENCHMARKS, name, with_pages=publish)
    click.echo(render(found))


def run(systems: Sequence[System], plan: Plan) -> dict[str, Any]:
    """Make the environments; then, for each size, run one system after the other on the same material."""
    pythons = {system.name: python_of(system.environment, _say) for system in systems}
    found: dict[str, Any] = {"benchmark": "peers", **surroundings(), "load": round(os.getloadavg()[0], 1)}
    found |= {"embedder": embedding.NAME, "dimensions": DIMENSIONS, "settings": _settings(plan), "exact": {}}
    stores: dict[str, list[dict[str, Any]]] = {system.name: [] for system in systems}
    for size in map(Size, plan.sizes):
        with tempfile.TemporaryDirectory(prefix="memfort-peers-") as folder:
            material, known, cost = _material(Path(folder), size, plan)
            found["embedding"] = cost
            found["exact"][str(size.memories)] = judged(known, known.exact())
            for system in systems:
                place = Path(folder) / system.name
                place.mkdir()
                one = Run(system, pythons[system.name], size, material, place, plan.seconds, _say)
                too_much = one.too_much(_expected(stores[system.name], size))
                stores[system.name].append(one.left_out(too_much) if too_much else one.measure(known))
                shutil.rmtree(place)
    return {**found, "systems": [_result_of(system, stores[system.name]) for system in systems]}


def write(found: Mapping[str, Any], folder: Path, name: str, *, with_pages: bool) -> None:
    """One JSON per run; with the pages, its tables and its plots too, so that all show the same run."""
    results = folder / "results"
    results.mkdir(exist_ok=True)
    (results / f"{name}.json").write_text(json.dumps(found, indent=1) + "\n")
    if with_pages:
        (results / f"{name}-latency.svg").write_text(latency(found))
        (results / f"{name}-recall.svg").write_text(recall(found))
        for page, rendering in pages(found, folder, name).items():
            page.write_text(placed(page.read_text(), rendering, BEGIN))
    _say(f"written to {results / name}.json")


def pages(found: Mapping[str, Any], folder: Path, name: str) -> dict[Path, str]:
    """The part of a run on each page: everything in the benchmarks' README, one size in the project's README."""
    return {
        folder / "README.md": latency_picture(name, "results") + recall_picture(name, "results") + render(found),
        folder.parent / "README.md": latency_picture(name, f"{folder.name}/results") + summary(found),
    }


def _settings(plan: Plan) -> dict[str, Any]:
    return {
        "sizes": list(plan.sizes),
        "quick": plan.quick,
        "questions": plan.questions,
        "additions": plan.additions,
        "limit_seconds": plan.seconds,
    }


def _expected(smaller: Sequence[Mapping[str, Any]], size: Size) -> float:
    """The estimated time to fill this size, from the previous size."""
    if not smaller:
        return 0.0
    last = smaller[-1]
    taken = last["bulk_add"] or {}
    for seconds in ("seconds", "more_than_seconds", "expected_seconds"):
        if seconds in taken:
            return float(taken[seconds]) * size.memories / int(last["memories"])
    return 0.0


def _material(folder: Path, size: Size, plan: Plan) -> tuple[Path, Truth, dict[str, Any]]:
    _say(f"preparing {size.memories:,} memories over {size.users:,} users")
    material = folder / "material"
    material.mkdir()
    cost = prepare(material, size, plan.questions, plan.additions)
    return material, truth(material), cost


def _result_of(system: System, stores: list[dict[str, Any]]) -> dict[str, Any]:
    """A system with its own description and its stores."""
    said = [store.pop("load") for store in stores]
    loaded = next(
        (one for one in said if one and "versions" in one), {"versions": {}, "keeps": True, "ranks_by": "vectors"}
    )
    about = {name: loaded[name] for name in ("versions", "keeps", "ranks_by")}
    return {"name": system.name, "title": system.title, **about, "stores": stores}


def _say(line: str) -> None:
    click.echo(line, err=True)


if __name__ == "__main__":
    main()
