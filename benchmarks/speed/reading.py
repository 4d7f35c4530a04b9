"""`python -m benchmarks.speed.reading`: what a recall, a context and a briefing cost in stores of observed turns,
beside stores in which the same texts were remembered, in the same run, by processor time."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import count, islice
from pathlib import Path
from statistics import median
from typing import Any

import click

from benchmarks.peers.lives import OTHER_WORDS, Statement, statements
from benchmarks.speed.__main__ import BENCHMARKS, surroundings
from memfort import BoundMemory, Memory

SIZES = (100, 1_000, 10_000)  # turns
MOST_TIMES, MOST_CONTEXT, MOST_BRIEFING = 2.0, 5.0, 10.0  # a recall beside a remembered store; milliseconds
_AT_ONCE = 50  # messages
_OF_A_LIFE = 1_000  # statements that no other of the same seed is like
_ANSWER = "Thanks, I'll keep that in mind."
_READS: dict[str, Callable[[BoundMemory, str], object]] = {
    "recall": lambda alice, query: alice.recall(query),
    "context": lambda alice, query: alice.context(query),
    "briefing": lambda alice, _: alice.recall(""),
}


@click.command(help=__doc__)
@click.option("--sizes", default=",".join(map(str, SIZES)), help="Turns of each store, separated by commas.")
@click.option("--rounds", default=30, help="How often each read is timed, in turns.")
def main(sizes: str, rounds: int) -> None:
    found = run(tuple(map(int, sizes.split(","))), rounds)
    name = f"reading-{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}.json"
    (BENCHMARKS / "results" / name).write_text(json.dumps(found, indent=1) + "\n")
    click.echo(render(found))


def run(sizes: tuple[int, ...], rounds: int) -> dict[str, Any]:
    return {
        "benchmark": "reading",
        **surroundings(),
        "settings": {"rounds": rounds},
        "milliseconds": {str(size): _of_size(size, rounds) for size in sizes},
    }


def render(found: dict[str, Any]) -> str:
    rows = ["| turns | read | remembered, ms | observed, ms | times | at most |", "|---|---|---|---|---|---|"]
    limits = {"recall": f"{MOST_TIMES:g} times", "context": f"{MOST_CONTEXT:g} ms", "briefing": f"{MOST_BRIEFING:g} ms"}
    rows += [
        f"| {size} | {name} | {spent['remembered']} | {spent['observed']} | "
        f"{spent['observed'] / spent['remembered']:.2f} | {limits[name]} |"
        for size, reads in found["milliseconds"].items()
        for name, spent in reads.items()
    ]
    return "\n".join(rows)


def _of_size(size: int, rounds: int) -> dict[str, dict[str, float]]:
    """The medians of rounds that take turns between the stores, each with another question."""
    said = list(_said(size))
    questions = [one.asked[OTHER_WORDS] for one in islice((one for one in said if one), rounds + 1)]
    with (
        tempfile.TemporaryDirectory(prefix="memfort-reading-") as folder,
        Memory.open(Path(folder) / "remembered.db") as one,
        Memory.open(Path(folder) / "observed.db") as other,
    ):
        stores = {"remembered": one.as_user("alice"), "observed": other.as_user("alice")}
        stores["remembered"].remember_many([_ANSWER if turn is None else turn.text for turn in said])
        _observe(stores["observed"], said)
        return {name: _compare(read, stores, questions) for name, read in _READS.items()}


def _said(size: int) -> Iterator[Statement | None]:
    """What a user says, each with an answer; `None` stands for that."""
    lives = (one for seed in count(1) for one in statements(seed, _OF_A_LIFE))
    for one in islice(lives, (size + 1) // 2):
        yield from (one, None)


def _observe(alice: BoundMemory, said: list[Statement | None]) -> None:
    messages = [
        {"role": "assistant", "content": _ANSWER} if turn is None else {"role": "user", "content": turn.text}
        for turn in said
    ]
    for place in range(0, len(messages), _AT_ONCE):
        alice.observe(messages[place : place + _AT_ONCE], conversation="said")


def _compare(
    read: Callable[[BoundMemory, str], object], stores: dict[str, BoundMemory], questions: list[str]
) -> dict[str, float]:
    spent: dict[str, list[float]] = {name: [] for name in stores}
    for question in questions:  # the first of each makes what is kept
        for name, alice in stores.items():
            begun = time.process_time()
            read(alice, question)
            spent[name].append((time.process_time() - begun) * 1000)
    return {name: round(median(taken[1:]), 3) for name, taken in spent.items()}


if __name__ == "__main__":
    main()
