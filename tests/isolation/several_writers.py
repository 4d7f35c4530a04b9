"""What one of several writers does: a story of its own, made from a number, in spaces of its own.

Run as a program, it plays a story on a store in a file and prints what it was answered.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import local
from typing import Any

from memfort.client import Memory
from memfort.client.bound import BoundMemory
from memfort.errors import MemfortError
from memfort.model.moment import Moment
from memfort.policy.settings.policy import Policy
from memfort.store.port import Store
from memfort.store.sqlite import SqliteStore
from memfort.testing import REFERENCE_KEYS
from memfort.testing.histories import START
from memfort.testing.playback import canonical_json

STEPS = 24
_THINGS = ("tea", "coffee", "chess", "the sea", "old maps", "jazz")
_OTHERS = ("Carol", "Dave")  # persons that every writer speaks of
_SECOND = 1_000_000


class ClockOfThread(local):
    """A clock for each thread, so that a story is told at the same moments whoever else writes meanwhile."""

    def __init__(self) -> None:
        self.moment = START

    def now(self) -> Moment:
        return self.moment


_LETTERS = str.maketrans("0123456789", "abcdefghij")  # a long number may pass for that of a card


def opened(store: Store) -> tuple[Memory, ClockOfThread]:
    clock = ClockOfThread()
    return Memory(store, clock=clock, policy=Policy(), classifier="none", judge="on_demand"), clock


def play(memory: Memory, clock: ClockOfThread, story: int) -> list[str]:
    """Every answer that the writer of a story is given, as text."""
    name = str(story).translate(_LETTERS)
    writer, chance = memory.as_user(f"writer {name}", project=f"project {name}"), random.Random(story)
    clock.moment = START
    ids: list[str] = []
    answers = []
    for step in range(STEPS):
        clock.moment = Moment(clock.moment + _SECOND)
        answers.append(_answer(lambda step=step: _step(writer, chance, ids, step)))
    clock.moment = Moment(clock.moment + _SECOND)
    return [*answers, *map(_answer, _last_looks(writer))]


def _answer(ask: Callable[[], Any]) -> str:
    try:
        return canonical_json(ask()).decode()
    except MemfortError as error:
        return f"{type(error).__name__}: {error}"


def _step(writer: BoundMemory, chance: random.Random, ids: list[str], step: int) -> Any:
    thing, other = chance.choice(_THINGS), chance.choice(_OTHERS)
    verb = chance.choice(["remember", "remember", "many", "about", "correct", "forget", "erase", "recall", "observe"])
    known = chance.choice(ids) if ids else None
    match verb:
        case "many":
            said = [f"I like {thing} on day {step}", f"{other} likes {thing} on day {step}", "I live in Oslo"]
            outcomes = writer.remember_many(said)
            ids += [one.id for one in outcomes if one.kept]
            return outcomes
        case "about":
            return writer.remember(f"{other} plays {thing}")
        case "correct" if known is not None:
            return writer.correct(known, f"I love {thing} since day {step}")
        case "forget" if known is not None:
            return writer.forget(known)
        case "erase" if known is not None:
            return [one for _, one in writer.erase(known).items]
        case "recall":
            return writer.recall(f"who likes {thing}?")
        case "observe":
            return writer.observe(f"I started to like {thing}. {other} told me so on day {step}.")
    outcome = writer.remember(f"I like {thing} in week {step}", tags=[thing])
    ids.append(outcome.id)
    return outcome


def _last_looks(writer: BoundMemory) -> Iterator[Callable[[], Any]]:
    yield lambda: list(writer.list(limit=200))
    yield lambda: writer.recall("what do I like?")
    yield lambda: writer.context("tea and maps")
    # Whether erased bytes could be overwritten at once depends on who else reads the file: receipts are left out.
    events = [line["event"] for line in writer.trail.export()]
    yield lambda: [event for event in events if "receipt" not in event["detail"]]


def main(path: str, story: int) -> None:
    store = SqliteStore(path, keys=REFERENCE_KEYS, ballast_bytes=0, wait_seconds=300)
    memory, clock = opened(store)
    with memory:
        Path(f"{path}.ready{story}").touch()
        while not Path(f"{path}.go").exists():
            pass
        print(json.dumps(play(memory, clock, story)))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))


def first_difference(found: str, wanted: str) -> str:
    """Where two answers part, with a little of what stands there."""
    at = next((place for place, (one, other) in enumerate(zip(found, wanted, strict=False)) if one != other), 0)
    return f"…{found[max(at - 60, 0) : at + 120]}… in place of …{wanted[max(at - 60, 0) : at + 120]}…"
