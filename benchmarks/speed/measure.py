"""One store of a given size, filled and measured."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw

from benchmarks.speed.corpus import Corpus
from memfort import Memory
from memfort.memory import BoundMemory

Progress = Callable[[str], None]
_BATCH = 1000


def milliseconds(action: Callable[[], object], times: int) -> dict[str, float]:
    """Percentiles of how long an action takes, each call timed by itself."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        action()
        taken.append((time.perf_counter() - start) * 1000)
    taken.sort()
    return {name: round(taken[min(int(len(taken) * part), len(taken) - 1)], 4)
            for name, part in (("p50", 0.50), ("p95", 0.95), ("p99", 0.99))}  # fmt: skip


def fill(path: Path, memories: int, users: int, progress: Progress) -> dict[str, float]:
    """A store with that many memories, the same number for each user."""
    corpus = Corpus(seed=memories + users)
    each = memories // users
    start = time.perf_counter()
    with Memory.open(path) as memory:
        for user in range(users):
            bound = memory.as_user(f"user-{user}")
            for first in range(0, each, _BATCH):
                bound.remember_many([corpus.statement() for _ in range(min(_BATCH, each - first))])
            if user % 50 == 0:
                progress(f"filling {memories:,} memories over {users:,} users: {(user + 1) * each:,}")
    seconds = time.perf_counter() - start
    return {"memories_per_second": round(memories / seconds), "memories_per_user": each}


def measure(path: Path, users: int, times: int) -> dict[str, Any]:
    """What a user of this store waits for."""
    corpus = Corpus(seed=7)
    results: dict[str, Any] = {"cold_open_and_first_recall": cold(path, corpus, times=max(times // 20, 5))}
    with Memory.open(path) as memory:
        bound = memory.as_user("user-0")
        ids = [item.id for item in bound.list(limit=100)]
        questions = [corpus.question() for _ in range(times)]
        results["recall"] = milliseconds(_each(bound.recall, questions), times)
        results["get"] = milliseconds(_each(bound.get, ids), times)
        results["remember"] = milliseconds(lambda: bound.remember(corpus.statement()), times)
        results["bare_commit"] = bare_commits(path.with_name("bare.db"), times)
        statements = [corpus.statement() for _ in range(_BATCH)]
        start = time.perf_counter()
        bound.remember_many(statements)
        results["batch_memories_per_second"] = round(_BATCH / (time.perf_counter() - start))
        results["rss_megabytes"] = round(_rss_bytes() / 1e6, 1)
        results["delete_a_user"] = delete(memory, users)
    results["remember_over_bare_commit"] = round(results["remember"]["p50"] / results["bare_commit"]["p50"], 2)
    results["disk_megabytes"] = round(path.stat().st_size / 1e6, 1)
    return results


def cold(path: Path, corpus: Corpus, times: int) -> dict[str, float]:
    """Opening the store and asking it something, each time with a new connection and an empty cache."""

    def once() -> None:
        with Memory.open(path) as memory:
            memory.as_user("user-0").recall(corpus.question())

    return milliseconds(once, times)


def bare_commits(path: Path, times: int) -> dict[str, float]:
    """The least a durable write can cost here: one row, one commit, the same engine and settings."""
    connection = apsw.Connection(str(path))
    for pragma in ("journal_mode = wal", "synchronous = full"):
        connection.execute(f"pragma {pragma}").fetchall()
    connection.execute("create table if not exists row (text text)")
    return milliseconds(lambda: connection.execute("insert into row values (?)", ("x" * 200,)), times)


def delete(memory: Memory, users: int) -> dict[str, float]:
    """Erasing everything a user has, with receipt, from the last user there is."""
    name = f"user-{users - 1}"
    bound = memory.as_user(name)
    start = time.perf_counter()
    receipt = bound.delete_by_scope({"user": name})
    taken = (time.perf_counter() - start) * 1000
    return {
        "milliseconds": round(taken, 1),
        "memories": receipt.counts["memories"],
        "pending": receipt.pending is not None,
    }


def growth(small: Path, large: Path, times: int) -> dict[str, float]:
    """Recall by a user with 1,000 memories, in a store of those alone and in one a hundred times as large, in turns."""
    corpus = Corpus(seed=11)
    questions = [corpus.question() for _ in range(times)]
    with Memory.open(small) as one, Memory.open(large) as other:
        bound = {"small": one.as_user("user-0"), "large": other.as_user("user-0")}
        for memory in bound.values():
            for question in questions[:50]:
                memory.recall(question)
        taken: dict[str, list[float]] = {"small": [], "large": []}
        for question in questions:
            for name, memory in bound.items():
                taken[name].append(_timed(memory, question))
    middle = {name: sorted(values)[len(values) // 2] for name, values in taken.items()}
    return {"small_p50": round(middle["small"], 4), "large_p50": round(middle["large"], 4),
            "ratio": round(middle["large"] / middle["small"], 3)}  # fmt: skip


def _timed(memory: BoundMemory, question: str) -> float:
    start = time.perf_counter()
    memory.recall(question)
    return (time.perf_counter() - start) * 1000


def _each(action: Callable[[str], object], arguments: list[str]) -> Callable[[], object]:
    """Call with one argument after the other, from the start again when they run out."""
    position = iter(range(10**9))
    return lambda: action(arguments[next(position) % len(arguments)])


def _rss_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
