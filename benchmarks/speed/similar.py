"""`python -m benchmarks.speed.similar`: what a recall, a context and a briefing cost among similar statements, beside
as many different ones in the same run: "I bought a lamp number 7 in Rome", and other things bought there."""

from __future__ import annotations

import json
import random
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import median
from typing import Any

import click

from benchmarks.speed.__main__ import BENCHMARKS, surroundings
from memfort import BoundMemory, Memory

LIMIT = 2.0  # times what a read costs among different statements
_ASKED = "Which lamp did I buy in Rome?"
_AT_ONCE = 50  # messages
_READS: dict[str, Callable[[BoundMemory], object]] = {
    "recall": lambda alice: alice.recall(_ASKED),
    "context": lambda alice: alice.context(_ASKED),
    "briefing": lambda alice: alice.recall(""),
}


@click.command(help=__doc__)
@click.option("--statements", default=500, help="How many each store has.")
@click.option("--rounds", default=15, help="How often each read is timed, in turns.")
def main(statements: int, rounds: int) -> None:
    found = run(statements, rounds)
    name = f"similar-{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}.json"
    (BENCHMARKS / "results" / name).write_text(json.dumps(found, indent=1) + "\n")
    click.echo(render(found))


def run(statements: int, rounds: int) -> dict[str, Any]:
    """Processor time of each read in milliseconds: the medians of rounds that take turns between the stores."""
    with tempfile.TemporaryDirectory(prefix="memfort-similar-") as folder:
        stores = {name: Memory.open(Path(folder) / f"{name}.db").as_user("alice") for name in _FILLED}
        for name, alice in stores.items():
            _FILLED[name](alice, statements)
        found = {name: _compare(read, stores, rounds) for name, read in _READS.items()}
    settings = {"statements": statements, "rounds": rounds}
    return {"benchmark": "similar", **surroundings(), "settings": settings, "milliseconds": found}


def render(found: dict[str, Any]) -> str:
    rows = [f"among {found['settings']['statements']} | different | similar | times"]
    for name, spent in found["milliseconds"].items():
        different, similar = spent["different"], spent["similar"]
        rows.append(f"{name} | {different} | {similar} | {similar / different:.2f}")
    return "\n".join((*rows, f"aimed at: at most {LIMIT} times"))


def _compare(read: Callable[[BoundMemory], object], stores: dict[str, BoundMemory], rounds: int) -> dict[str, float]:
    spent: dict[str, list[float]] = {name: [] for name in stores}
    for _ in range(rounds + 1):  # the first of each makes what is kept
        for name, alice in stores.items():
            begun = time.process_time()
            read(alice)
            spent[name].append((time.process_time() - begun) * 1000)
    return {name: round(median(taken[1:]), 3) for name, taken in spent.items()}


def _observe(alice: BoundMemory, texts: Iterable[str]) -> None:
    said = list(texts)
    for place in range(0, len(said), _AT_ONCE):
        alice.observe(said[place : place + _AT_ONCE], conversation="bought")


def _similar(alice: BoundMemory, count: int) -> None:
    _observe(alice, (f"I bought a lamp number {number} in Rome for my sister's kitchen" for number in range(count)))


def _different(alice: BoundMemory, count: int) -> None:
    draw = random.Random(1)

    def word() -> str:
        return "".join(draw.choice("bcdfgklmnprst") + draw.choice("aeiou") for _ in range(draw.randint(2, 4)))

    _observe(alice, (f"I bought a {word()} with {word()} in Rome for my sister's {word()}" for _ in range(count)))


_FILLED: dict[str, Callable[[BoundMemory, int], None]] = {
    "different": _different,
    "similar": _similar,
}


if __name__ == "__main__":
    main()
