"""`python -m benchmarks.quality.observed`: whole conversations through `observe`, beside `remember` of the same turns:
what is found the same day and a year later on the clock."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import click

from benchmarks.quality import corpora
from benchmarks.quality.corpora import Absent, Conversation, Question, Said
from benchmarks.quality.measure import DEPTH, Found, compared, figures
from benchmarks.speed.__main__ import surroundings
from benchmarks.speed.report import placed
from memfort import Memory, Observation
from memfort.client import BoundMemory
from memfort.clock import FixedClock
from memfort.model.moment import Moment, to_moment

BENCHMARKS = Path(__file__).parent.parent
BEGIN = "<!-- `python -m benchmarks.quality.observed --publish` writes from here -->\n"
SETS: dict[str, Callable[[], list[Conversation]]] = {"LoCoMo": corpora.locomo, "BEAM-100K": corpora.beam}
AGES = {"the same day": 0, "365 days later": 365}

Places = dict[str, int]  # memories, and the places of the turns that they are or come from
Way = Callable[[BoundMemory, Conversation], Places]


@click.command(help=__doc__)
@click.option("--publish", is_flag=True, help="Keep the run, and put its tables into the README.")
def main(publish: bool) -> None:
    try:
        found = run()
    except Absent as absent:
        sys.exit(f"nothing is measured: {absent}")
    name = "published-observed" if publish else f"observed-{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}"
    (BENCHMARKS / "results").mkdir(exist_ok=True)
    (BENCHMARKS / "results" / f"{name}.json").write_text(json.dumps(found, indent=1) + "\n")
    if publish:
        page = BENCHMARKS / "README.md"
        page.write_text(placed(page.read_text(), render(found), BEGIN))
    click.echo(render(found))


def run() -> dict[str, Any]:
    sets = {name: read() for name, read in SETS.items()}
    return {
        "benchmark": "observed",
        **surroundings(),
        "sets": {name: _measured(name, given) for name, given in sets.items()},
    }


def _measured(name: str, given: Sequence[Conversation]) -> dict[str, Any]:
    asked: dict[str, dict[str, list[Found]]] = {}
    for way, store in WAYS.items():
        asked[way] = {age: [] for age in AGES}
        for one in given:
            for age, found in _asked(one, store).items():
                asked[way][age] += found
            click.echo(f"{name}: {one.name}, {way}", err=True)
    return {
        "conversations": len(given),
        "questions": sum(len(one.questions) for one in given),
        "ways": {
            way: {age: {"figures": figures(found), "over": compared(found, asked["remember"]["the same day"])}
                  for age, found in ages.items()}
            for way, ages in asked.items()
        },
    }  # fmt: skip


def _asked(one: Conversation, store: Way) -> dict[str, list[Found]]:
    """The questions to one conversation, at each age. What is recalled at one age is not used at the next: the store
    is only read."""
    with _opened(one.said) as (bound, clock):
        places, end = store(bound, one), clock.now()
        found = {}
        for age, days in AGES.items():
            clock.set(end)
            clock.advance(timedelta(days=days).total_seconds())
            found[age] = [_found(bound, places, question) for question in one.questions]
        return found


def _found(bound: BoundMemory, places: Places, question: Question) -> Found:
    """The rank of a turn is that of the first memory which is it or comes from it."""
    hits = bound.recall(question.text, limit=DEPTH)
    assert not hits.warnings, hits.warnings  # a recall with warnings measures something else
    ranks: dict[int, int] = {}
    for rank, hit in enumerate(hits):
        ranks.setdefault(places.get(hit.id, -1), rank)
    gold = sorted(rank for place, rank in ranks.items() if place in question.gold)
    return Found(question.kind, tuple(gold), len(question.gold))


def remember(bound: BoundMemory, one: Conversation) -> Places:
    """Every turn as a text with its day and speaker."""
    places = Places()
    for place, outcome in enumerate(bound.remember_many(list(one.turns))):
        if outcome.item is not None:
            places.setdefault(outcome.item.id, place)
    return places


def observe(bound: BoundMemory, one: Conversation) -> Places:
    """Every turn as a message with its time and speaker, a call for each, as in life; a statement stands for the turn
    that it comes from."""
    places = Places()
    for place, turn in enumerate(one.said):
        [message] = _observe(bound, [turn], place).messages
        for outcome in (message.turn, *message.statements):
            if outcome is not None and outcome.item is not None:
                places.setdefault(outcome.item.id, place)
    return places


WAYS: Mapping[str, Way] = {"remember": remember, "observe": observe}


def _observe(bound: BoundMemory, said: Sequence[Said], start: int = 0) -> Observation:
    messages = [_message(turn, start + place) for place, turn in enumerate(said)]
    return bound.observe(messages, conversation="talk")


def _message(turn: Said, place: int) -> dict[str, Any]:
    given = {"role": turn.role, "content": turn.text, "at": turn.at, "id": f"turn-{place}"}
    return given if turn.speaker is None else {**given, "speaker": turn.speaker}


@contextmanager
def _opened(said: Sequence[Said]) -> Iterator[tuple[BoundMemory, FixedClock]]:
    """A new store, a minute after the last turn."""
    clock = FixedClock(Moment(to_moment(said[-1].at, "at") + 60_000_000))
    with (
        tempfile.TemporaryDirectory(prefix="memfort-observed-") as folder,
        Memory.open(Path(folder) / "memories.db", clock=clock) as memory,
    ):
        yield memory.as_user("reader"), clock


# -- report -----------------------------------------------------------------------------------------------------------


def render(found: Mapping[str, Any]) -> str:
    """The results as Markdown."""
    parts = [f"Commit `{found['commit']}`, {found['started'][:10]}."]
    head = [
        "| | questions | asked | R@1 | R@10 | MRR | R@10 beside `remember` the same day |",
        "|---|---|---|---|---|---|---|",
    ]
    rows = [
        f"| {name}, `{way}` | {one['questions']} | {age} | {at['figures']['R@1']} | "
        f"{at['figures']['R@10']} | {at['figures']['MRR']} | "
        f"{at['over']['gain']:+} ({at['over']['low']:+} to {at['over']['high']:+}) |"
        for name, one in found["sets"].items()
        for way, ages in one["ways"].items()
        for age, at in ages.items()
    ]
    parts.append("\n".join([*head, *rows]))
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    main()
