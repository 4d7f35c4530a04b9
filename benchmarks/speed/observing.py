"""`python -m benchmarks.speed.observing`: what observing a message costs beside remembering the same text, in batches
and one by one, and whether it grows with the conversation."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import click

from benchmarks.speed.__main__ import BENCHMARKS, surroundings
from memfort import BoundMemory, Memory

ROUNDS = 5
_SAID = (
    "I prefer tea in the morning",
    "My sister Kim lives in Hamburg",
    "We meet on Friday at noon",
    "Can you check the weather for me?",
    "The build takes nine minutes",
    "I bought a red bike last week",
    "Thanks a lot",
    "Please remind me to call the bank",
    "My dentist is Dr Weber",
    "What do you think about it?",
)


@click.command(help=__doc__)
@click.option("--messages", default=200, help="How many texts each round has.")
@click.option("--grown", default=10_000, help="How many turns the long conversation has.")
def main(messages: int, grown: int) -> None:
    found = run(messages, grown)
    name = f"observing-{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}.json"
    (BENCHMARKS / "results" / name).write_text(json.dumps(found, indent=1) + "\n")
    click.echo(render(found))


def run(messages: int, grown: int) -> dict[str, Any]:
    """Processor time per message in milliseconds, medians of rounds that alternate between the two calls."""
    texts = _texts(messages * ROUNDS * 4 + grown)
    with tempfile.TemporaryDirectory(prefix="memfort-observing-") as folder:
        names = iter(range(1_000))

        def fresh() -> BoundMemory:
            return Memory.open(Path(folder) / f"{next(names)}.db").as_user("alice")

        rounds = [texts[place * messages : (place + 1) * messages] for place in range(ROUNDS)]
        many = _compare(fresh, rounds, lambda who, some: who.remember_many(some), lambda who, some: who.observe(some))
        singly = _compare(fresh, rounds, _remember_each, _observe_each)
        short, long = fresh(), fresh()
        short.observe(texts[-10:])
        long.observe(texts[-grown:])
        later = [texts[(ROUNDS + place) * messages : (ROUNDS + place + 1) * messages] for place in range(ROUNDS * 2)]
        growth: dict[str, list[float]] = {"after_10": [], f"after_{grown}": []}
        for place, some in enumerate(later):
            name, who = list(zip(growth, (short, long), strict=True))[place % 2]
            growth[name].append(_spent(_observe_each, who, some))
    return {
        "benchmark": "observing",
        **surroundings(),
        "settings": {"messages": messages, "rounds": ROUNDS, "grown": grown},
        "batch_ms": many,
        "one_by_one_ms": singly,
        "growth_ms": {name: round(median(spent), 3) for name, spent in growth.items()},
    }


def render(found: dict[str, Any]) -> str:
    lines = []
    for name in ("batch_ms", "one_by_one_ms"):
        remembered, observed = found[name]["remember"], found[name]["observe"]
        lines.append(f"{name}: remember {remembered}, observe {observed}: {observed / remembered:.2f} times")
    before, after = found["growth_ms"].values()
    lines.append(f"growth: {found['growth_ms']}: {after / before:.2f} times")
    return "\n".join(lines)


def _texts(count: int) -> list[str]:
    """Messages of which about half state something, no two alike."""
    return [f"{_SAID[place % len(_SAID)]} {place}" for place in range(count)]


_Act = Callable[[BoundMemory, list[str]], object]


def _compare(
    fresh: Callable[[], BoundMemory], rounds: list[list[str]], remember: _Act, observe: _Act
) -> dict[str, float]:
    spent: dict[str, list[float]] = {"remember": [], "observe": []}
    for some in rounds:
        for name, act in (("remember", remember), ("observe", observe)):
            who = fresh()
            act(who, ["a first text, so that all is loaded"])
            spent[name].append(_spent(act, who, some))
    return {name: round(median(one), 3) for name, one in spent.items()}


def _spent(act: _Act, who: BoundMemory, some: list[str]) -> float:
    begun = time.process_time()
    act(who, some)
    return (time.process_time() - begun) / len(some) * 1000


def _remember_each(who: BoundMemory, some: list[str]) -> None:
    for one in some:
        who.remember(one)


def _observe_each(who: BoundMemory, some: list[str]) -> None:
    for one in some:
        who.observe(one)


if __name__ == "__main__":
    main()
