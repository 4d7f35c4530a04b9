"""The common interface of all systems, and the loop that runs the steps of one system inside its own environment.

Neither Memfort nor its dependencies are installed there: only the standard library and the driver may be imported.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from importlib import import_module, metadata
from itertools import groupby, islice
from pathlib import Path
from typing import Any, Literal, Protocol

from benchmarks.peers.given import GIVEN, Vector
from benchmarks.peers.material import EXTRA, FAREWELLS, MEMORIES, QUESTIONS, Text, read
from benchmarks.speed.timing import percentiles, timed

BATCH = 1000
TOP = 10  # timed values of k
DEPTH = 20  # how many results are judged
_WARM_UP = 10
_PATIENCE = 0.8  # of a step's time limit, after which it stops with the results so far

Report = Callable[[dict[str, Any]], None]
Asked = Sequence[tuple[Text, Vector]]


@dataclass(frozen=True, slots=True)
class Entry:
    """One memory to be added."""

    id: str
    text: str
    vector: Vector


@dataclass(frozen=True, slots=True)
class About:
    """A system's own description."""

    packages: tuple[str, ...]  # packages whose versions are reported
    keeps: bool = True  # whether it stores on disk
    ranks_by: Literal["vectors", "more"] = "vectors"  # whether it ranks by the vectors alone


class Driver(Protocol):
    """One system, used as its documentation recommends. Ids are the given ones, not the system's own.

    A system that needs an embedder gets `GIVEN`, which knows the vectors of the texts in the call.
    """

    about: About

    def open(self, folder: Path) -> None:
        """Open or create a store in the folder. Nothing is written elsewhere."""

    def add(self, user: str, id: str, text: str, vector: Vector) -> None:
        """Add one memory, as durably as the system does by default."""

    def add_many(self, user: str, entries: Sequence[Entry]) -> None:
        """Add many memories of a user in the fastest way that is documented."""

    def settle(self) -> None:
        """The optimisation that the documentation recommends after bulk loading. It counts as part of it."""

    def search(self, user: str, text: str, vector: Vector, limit: int) -> list[str]:
        """The ids of the nearest memories of this user, the best first."""

    def search_unnamed(self, text: str, vector: Vector, limit: int) -> list[str] | None:
        """The same without a user, if the system allows it; `None` if it refuses."""

    def explain(self, user: str, text: str, vector: Vector) -> list[str]:
        """The names of all values that explain the system's best answer, a score included."""

    def delete_user(self, user: str) -> int | None:
        """Delete everything of a user, in the documented way; returns the number of deleted memories that the system
        reports."""

    def residue(self, user: str) -> int | None:
        """What the system's own check finds after a deletion; `None` if it has no such check."""

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Job:
    """The input of a run: the material, the store's folder, and the time limit of a step."""

    material: Path
    store: Path
    seconds: float

    @property
    def patience(self) -> float:
        return self.seconds * _PATIENCE


def fill(driver: Driver, job: Job, report: Report) -> None:
    """Open an empty store, fill it, search it, add to it one by one; and delete, if closing would lose everything."""
    before = resident_megabytes()
    with _step("open", report):
        driver.open(job.store)
    with _step("bulk_add", report) as value:
        value.update(_add_in_bulk(driver, job))
    questions = list(read(job.material, QUESTIONS))
    with _step("search", report) as value:
        value.update(_search(driver, questions, TOP, job.patience))
    with _step("look_deeper", report) as value:
        value.update(_search(driver, questions, DEPTH, job.patience))
    with _step("abilities", report) as value:
        value.update(_abilities(driver, questions[:_WARM_UP]))
    with _step("add", report) as value:
        value.update(asdict(percentiles(timed(_additions(driver, job), job.patience))))
    with _step("memory", report) as value:
        value["grown_megabytes"] = round(resident_megabytes() - before, 1)
    if not driver.about.keeps:
        _delete(driver, job, report)
    with _step("close", report):
        driver.close()


def cold(driver: Driver, job: Job, report: Report) -> None:
    """Open an existing store in a new process, and search once."""
    question, vector = next(read(job.material, QUESTIONS))
    GIVEN.lay_out([(question.text, vector)])
    found: list[str] = []

    def open_and_ask() -> None:
        driver.open(job.store)
        found.extend(driver.search(question.user, question.text, vector, TOP))

    with _step("cold_open", report) as value:
        value["milliseconds"] = round(timed([open_and_ask])[0], 3)
        value["found"] = len(found)
    driver.close()


def delete(driver: Driver, job: Job, report: Report) -> None:
    """Open a store and delete some users, one after the other."""
    with _step("open", report):
        driver.open(job.store)
    _delete(driver, job, report)
    with _step("close", report):
        driver.close()


PHASES: dict[str, Callable[[Driver, Job, Report], None]] = {"fill": fill, "cold": cold, "delete": delete}


@contextmanager
def _step(name: str, report: Report) -> Iterator[dict[str, Any]]:
    """Report the start and the result of a step. A step that is stopped or fails has no result line."""
    report({"step": name})
    value: dict[str, Any] = {}
    yield value
    report({"step": name, "value": value})


def _add_in_bulk(driver: Driver, job: Job) -> dict[str, Any]:
    """Load users one after the other, a thousand memories at a time, then optimise. Reading the material is not
    timed."""
    memories, milliseconds = 0, 0.0
    for user, of_user in groupby(read(job.material, MEMORIES), key=lambda one: one[0].user):
        while entries := [Entry(text.id, text.text, vector) for text, vector in islice(of_user, BATCH)]:
            GIVEN.lay_out((entry.text, entry.vector) for entry in entries)
            milliseconds += timed([partial(driver.add_many, user, entries)])[0]
            memories += len(entries)
    milliseconds += timed([driver.settle])[0]
    seconds = milliseconds / 1000
    return {"memories": memories, "seconds": round(seconds, 3), "per_second": round(memories / seconds)}


def _search(driver: Driver, questions: Asked, limit: int, seconds: float) -> dict[str, Any]:
    """Ask every question. The answers are judged in another process, which knows the expected ones."""
    GIVEN.lay_out((text.text, vector) for text, vector in questions)
    answers: list[list[str]] = []

    def ask(text: Text, vector: Vector) -> None:
        answers.append(driver.search(text.user, text.text, vector, limit))

    for text, vector in questions[:_WARM_UP]:
        driver.search(text.user, text.text, vector, limit)
    taken = percentiles(timed((partial(ask, *question) for question in questions), seconds))
    return {**asdict(taken), "answers": answers}


def _abilities(driver: Driver, questions: Asked) -> dict[str, Any]:
    """The system's behaviour without a user, and its explanation of the best answer."""
    unnamed = [driver.search_unnamed(text.text, vector, TOP) for text, vector in questions]
    text, vector = questions[0]
    return {
        "refuses_unnamed": all(ids is None for ids in unnamed),
        "unnamed": [ids or [] for ids in unnamed],
        "explains": driver.explain(text.user, text.text, vector),
    }


def _additions(driver: Driver, job: Job) -> Iterator[Callable[[], None]]:
    for text, vector in read(job.material, EXTRA):
        GIVEN.lay_out([(text.text, vector)])
        yield partial(driver.add, text.user, text.id, text.text, vector)


def _delete(driver: Driver, job: Job, report: Report) -> None:
    """Each user in a step of its own."""
    for text, vector in read(job.material, FAREWELLS):
        GIVEN.lay_out([(text.text, vector)])
        with _step("delete_user", report) as value:
            value.update(_delete_one(driver, text, vector))


def _delete_one(driver: Driver, text: Text, vector: Vector) -> dict[str, Any]:
    """Delete a user, with a search before and after: a deletion that deletes nothing would be the fastest."""
    reported: list[int | None] = []
    found = [len(driver.search(text.user, text.text, vector, TOP))]
    (milliseconds,) = timed([lambda: reported.append(driver.delete_user(text.user))])
    found.append(len(driver.search(text.user, text.text, vector, TOP)))
    return {
        "found_before": found[0],
        "milliseconds": round(milliseconds, 3),
        "found_after": found[1],
        "deletions_reported": reported[0],
        "residue": driver.residue(text.user),
    }


def resident_megabytes() -> float:
    """The resident memory of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 1e6


def main() -> None:
    """Run one phase with one driver, and write a line of JSON at the start and the end of each step."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("phase", choices=PHASES)
    parser.add_argument("driver")
    parser.add_argument("material", type=Path)
    parser.add_argument("store", type=Path)
    parser.add_argument("seconds", type=float)
    asked = parser.parse_args()
    # What systems print goes to the log; the report goes to the parent process.
    with os.fdopen(os.dup(1), "w", buffering=1) as lines:
        os.dup2(2, 1)

        def report(line: dict[str, Any]) -> None:
            lines.write(json.dumps(line) + "\n")

        with _step("load", report) as value:
            start = time.perf_counter()
            driver: Driver = import_module(f"benchmarks.peers.drivers.{asked.driver}").DRIVER()
            value["seconds"] = round(time.perf_counter() - start, 3)
            value["versions"] = {package: metadata.version(package) for package in driver.about.packages}
            value["keeps"], value["ranks_by"] = driver.about.keeps, driver.about.ranks_by
        PHASES[asked.phase](driver, Job(asked.material, asked.store, asked.seconds), report)


if __name__ == "__main__":
    main()
