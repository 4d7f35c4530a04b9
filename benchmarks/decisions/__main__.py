"""`python -m benchmarks.decisions`: time the gates and the sight against bare SQL statements on the same store, in
turns."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from itertools import cycle
from pathlib import Path
from typing import Any

import apsw
import click

from benchmarks.speed.__main__ import surroundings
from benchmarks.speed.corpus import Corpus
from benchmarks.speed.report import placed
from benchmarks.speed.timing import Percentiles, percentiles
from memfort import Memory
from memfort.client.bound import BoundMemory
from memfort.model.people.directory import NO_FACTS
from memfort.policy.admission import Placement, place, screen
from memfort.policy.sight import sight
from memfort.policy.standing import Memberships

BENCHMARKS = Path(__file__).parent.parent
RIVALS = 1_000
BEGIN = "<!-- `python -m benchmarks.decisions --publish` writes from here -->\n"
Action = Callable[[], object]


@click.command(help=__doc__)
@click.option("--times", default=1000, help="How often each action is timed.")
@click.option("--publish", is_flag=True, help="Keep the run, and put its table into the README.")
def main(times: int, publish: bool) -> None:
    found = {"benchmark": "decisions", **surroundings(), "times": times, "rivals": RIVALS, "actions": run(times)}
    name = "published-decisions" if publish else f"decisions-{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}"
    (BENCHMARKS / "results").mkdir(exist_ok=True)
    (BENCHMARKS / "results" / f"{name}.json").write_text(json.dumps(found, indent=1) + "\n")
    if publish:
        page = BENCHMARKS / "README.md"
        page.write_text(placed(page.read_text(), render(found), BEGIN))
    click.echo(render(found))


def run(times: int) -> dict[str, dict[str, float]]:
    """Time every action once in each turn, so that a busy moment slows all of them."""
    with tempfile.TemporaryDirectory(prefix="memfort-decisions-") as folder:
        actions = prepared(Path(folder))
        taken: dict[str, list[float]] = {name: [] for name in actions}
        for _ in range(times):
            for name, action in actions.items():
                start = time.perf_counter_ns()
                action()
                taken[name].append((time.perf_counter_ns() - start) / 1000)
    return {name: asdict(_rounded(values)) for name, values in taken.items()}


def prepared(folder: Path) -> dict[str, Action]:
    """The actions by name, over a space with a thousand memories."""
    corpus = Corpus(1)
    statements, questions = cycle(corpus.statements(20_000)), cycle(corpus.questions(1_000))
    memory = Memory.open(folder / "memory.db")
    alice = memory.as_user("alice", project="apollo", org="acme", session="s1")
    known = [outcome.item for outcome in alice.remember_many(corpus.statements(RIVALS))]
    assert all(known)
    return {
        "gates on the statement alone": _screening(alice, statements),
        "gates among 1,000 rivals of the same value": _placing(alice, statements),
        "whole write decision, looked up": lambda: alice.check("remember", text=next(statements)),
        "durable remember": lambda: alice.remember(next(statements)),
        "bare insert, committed": _bare(folder).insert,
        "sight from the facts": lambda: sight(alice._standpoint, NO_FACTS, Memberships.TRUSTED),
        "read resolution, looked up": alice.spaces,
        "recall": lambda: alice.recall(next(questions)),
        "bare select of one row": _bare(folder).select,
    }


def _screening(alice: BoundMemory, statements: Iterator[str]) -> Action:
    from memfort.engine.default_place import home_of
    from memfort.engine.inputs import candidate_of

    engine, standpoint = alice._engine, alice._standpoint
    space = home_of(standpoint, engine.policy)
    seen = engine.sight(standpoint).seen(space)
    return lambda: screen(
        alice.actor, seen, Placement(candidate_of(alice.actor, next(statements)), space), engine.policy
    )


def _placing(alice: BoundMemory, statements: Iterator[str]) -> Action:
    rivals = list(alice.list(limit=RIVALS))
    screened = _screening(alice, statements)()
    policy, now = alice._engine.policy, alice._engine.clock.now()
    return lambda: place(screened, rivals, None, policy, now)  # type: ignore[arg-type]


class _bare:  # noqa: N801  # a handful of statements, used like a function
    """A bare SQLite database with the same settings."""

    def __init__(self, folder: Path) -> None:
        self.connection = apsw.Connection(str(folder / "bare.db"))
        for pragma in ("journal_mode = wal", "synchronous = full"):
            self.connection.execute(f"pragma {pragma}").fetchall()
        self.connection.execute("create table if not exists row (no integer primary key, text text not null)")
        self.insert()

    def insert(self) -> None:
        self.connection.execute("insert into row (text) values ('a statement of an ordinary length, as people make')")

    def select(self) -> object:
        return self.connection.execute("select text from row where no = 1").fetchall()


def _rounded(values: list[float]) -> Percentiles:
    return percentiles([round(value, 1) for value in values])


def render(run: Mapping[str, Any]) -> str:
    """The results as Markdown."""
    origin = f"Commit `{run['commit']}`, {run['started'][:10]}. Microseconds over {run['times']:,} turns.\n\n"
    rows = [f"| {name} | {of['p50']:,} | {of['p95']:,} | {of['p99']:,} |" for name, of in run["actions"].items()]
    return origin + "\n".join(["| | p50 | p95 | p99 |", "|---|---|---|---|", *rows]) + "\n"


if __name__ == "__main__":
    main()
