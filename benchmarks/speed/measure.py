"""The measurements, on one store or on two. Each function works on a store that is filled and closed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any

import apsw

from benchmarks.speed.corpus import Corpus
from benchmarks.speed.stores import copied, disk, drop_from_cache, name_of
from benchmarks.speed.timing import Action, Percentiles, in_turns, median_ratio, percentiles, timed
from memfort import Memory
from memfort.client import BoundMemory
from memfort.embed.words import WordEmbedder
from memfort.model.results import Receipt

BATCHES = {10: 50, 100: 20, 1000: 5}  # how large a batch is, and how many of them at most
_WARM_UP = 50


@dataclass(frozen=True, slots=True)
class Effort:
    """The effort of a run: how many times each action is timed, and for how many seconds at most."""

    times: int
    seconds: float

    def part(self, divisor: int) -> int:
        """How many times, for what takes long."""
        return max(self.times // divisor, 5)


def measure(path: Path, users: int, effort: Effort) -> dict[str, Any]:
    """The waiting times of this store's users, each asking in turn, and the use of memory and disk."""
    corpus = Corpus(seed=-1)
    with copied(path) as copy:
        results: dict[str, Any] = {"cold_open_and_recall": asdict(_cold(copy, corpus, effort))}
        with Memory.open(copy) as memory:
            people = [memory.as_user(name_of(user)) for user in range(users)]
            results |= _reads(people, corpus, effort) | _writes(people, corpus, effort, copy.with_name("bare.db"))
            results["memory"] = {"resident_megabytes": memory_in_use("VmRSS")}
    results["delete_a_user"] = _delete(path, users, effort)
    # The operating system updates the peak with a delay.
    results["memory"]["peak_megabytes"] = max(memory_in_use("VmHWM"), results["memory"]["resident_megabytes"])
    return results | {"disk": disk(path)}


def embedding(times: int) -> dict[str, Any]:
    """The time to embed the question, which is part of each recall."""
    embedder, questions = WordEmbedder(), Corpus(seed=-3).questions(times + _WARM_UP)
    asked = [partial(embedder.pack, b"", [question]) for question in questions]
    timed(asked[:_WARM_UP])
    return asdict(percentiles(timed(asked[_WARM_UP:])))


def growth(small: Path, large: Path, times: int) -> dict[str, Any]:
    """Recall by one user with the same memories in a small store and in a large one, each question in both."""
    questions = Corpus(seed=-2).questions(times)
    with Memory.open(small) as one, Memory.open(large) as other:
        alone, among = one.as_user(name_of(0)), other.as_user(name_of(0))
        asked = [(partial(alone.recall, question), partial(among.recall, question)) for question in questions]
        in_turns(asked[:_WARM_UP])
        taken = in_turns(asked)
    return {
        "small": asdict(percentiles(first for first, _ in taken)),
        "large": asdict(percentiles(second for _, second in taken)),
        "ratio": median_ratio(taken),
    }


def _cold(path: Path, corpus: Corpus, effort: Effort) -> Percentiles:
    """Open a store that is not in any cache, and recall once. Closing is not timed."""

    def open_and_ask(question: str, closing: ExitStack) -> None:
        closing.enter_context(Memory.open(path)).as_user(name_of(0)).recall(question)

    def from_the_disk() -> Iterator[Action]:
        for question in corpus.questions(effort.part(20)):
            with ExitStack() as closing:
                drop_from_cache(path)
                yield partial(open_and_ask, question, closing)

    with ExitStack() as closing:  # imports are loaded before: this measures opening a store, not starting a program
        open_and_ask("anything", closing)
    return percentiles(timed(from_the_disk(), effort.seconds))


def _reads(people: list[BoundMemory], corpus: Corpus, effort: Effort) -> dict[str, Any]:
    first = timed(map(partial, (person.recall for person in people), corpus.questions(effort.times)))
    asked = list(zip(cycle(people[: effort.times]), corpus.questions(effort.times), strict=False))
    known = [(person, id) for person in people[: effort.times] for id in _ids(person, effort.times // len(people) + 1)]
    gets = (partial(person.get, id) for (person, id), _ in zip(cycle(known), range(effort.times), strict=False))
    found = [len(person.recall(question)) for person, question in asked[:_WARM_UP]]
    return {
        "first_recall": asdict(percentiles(first)),
        "recall": asdict(percentiles(timed(partial(person.recall, question) for person, question in asked))),
        "recall_finds": round(sum(found) / len(found), 1),
        "get": asdict(percentiles(timed(gets))),
    }


def _ids(person: BoundMemory, count: int) -> list[str]:
    return [item.id for item in person.list(limit=count)]


def _writes(people: list[BoundMemory], corpus: Corpus, effort: Effort, bare: Path) -> dict[str, Any]:
    """Durable writes one by one, in turns with a bare commit, and then in batches."""
    commit = _bare_commit(bare)
    said = zip(cycle(people), corpus.statements(effort.times), strict=False)
    taken = in_turns((commit, partial(person.remember, statement)) for person, statement in said)
    return {
        "remember": asdict(percentiles(second for _, second in taken)),
        "bare_commit": asdict(percentiles(first for first, _ in taken)),
        "remember_over_bare_commit": median_ratio(taken),
        "batch": {str(size): asdict(_batch(people, corpus, size, effort)) for size in BATCHES},
    }


def _bare_commit(path: Path) -> Action:
    """One row, one commit, the same engine and the same settings."""
    connection = apsw.Connection(str(path))
    for pragma in ("journal_mode = wal", "synchronous = full"):
        connection.execute(f"pragma {pragma}").fetchall()
    connection.execute("create table row (text text)")
    return partial(connection.execute, "insert into row values (?)", ("x" * 200,))


def _batch(people: list[BoundMemory], corpus: Corpus, size: int, effort: Effort) -> Percentiles:
    said = [corpus.statements(size) for _ in range(min(BATCHES[size], effort.times))]
    batches = (partial(person.remember_many, batch) for person, batch in zip(cycle(people), said, strict=False))
    return percentiles(timed(batches, effort.seconds))


def _delete(path: Path, users: int, effort: Effort) -> dict[str, Any]:
    """Erasing everything a user has, with a receipt."""
    receipts: list[Receipt] = []
    taken = percentiles(timed(_deletions(path, users, effort.part(10), receipts), effort.seconds))
    return {
        **asdict(taken),
        "memories": min(receipt.counts["memories"] for receipt in receipts),
        "pending": sum(receipt.pending is not None for receipt in receipts),
    }


def _deletions(path: Path, users: int, times: int, receipts: list[Receipt]) -> Iterator[Action]:
    """One user after the other, and a new copy when a quarter of the users is gone: the store stays about as large."""
    from_each = max(users // 4, 1)
    for first in range(0, times, from_each):
        with copied(path) as copy, Memory.open(copy) as memory:
            for user in range(min(from_each, times - first)):
                yield partial(_delete_one, memory.as_user(name_of(user)), name_of(user), receipts)


def _delete_one(person: BoundMemory, name: str, receipts: list[Receipt]) -> None:
    receipts.append(person.erase(scope={"user": name}))


def memory_in_use(field: str) -> float:
    """The memory of this process: `VmRSS` now, `VmHWM` at its peak."""
    lines = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return round(int(lines[field].split()[0]) * 1024 / 1e6, 1)
