"""Run the phases of one system, each in its own process, with a time limit for every step."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.peers.environments import ROOT
from benchmarks.peers.judge import Truth, foreign, judged
from benchmarks.peers.stores import LEAVING, Size, canaries, disk_megabytes, drop_from_cache, readable
from benchmarks.peers.systems import System
from benchmarks.speed.timing import LEAST, percentiles

# Telemetry is off, and no model is downloaded.
QUIET = {"MEM0_TELEMETRY": "False", "ANONYMIZED_TELEMETRY": "False", "DO_NOT_TRACK": "1", "HF_HUB_OFFLINE": "1"}

DEARER = 1.5  # times as slow per memory a smaller store may be, since startup weighs more there

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Heard:
    """The report of a process: the values of each step, and how an unfinished one ended."""

    values: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    ended: dict[str, dict[str, Any]] = field(default_factory=dict)

    def first(self, step: str) -> dict[str, Any] | None:
        """The result of a step, or how it ended without one; `None` if it was never started."""
        return self.values.get(step, [None])[0] or self.ended.get(step)


@dataclass(frozen=True, slots=True)
class Run:
    """One system on one size."""

    system: System
    python: Path
    size: Size
    material: Path
    folder: Path
    seconds: float
    say: Progress

    def too_much(self, expected_seconds: float) -> dict[str, Any] | None:
        """Why this size is skipped, if it is: the system's own limit, or filling would take too long."""
        if self.system.most is not None and self.size.memories > self.system.most:
            return {"meant_for": self.system.most}
        too_long = expected_seconds > self.seconds * DEARER
        return {"expected_seconds": round(expected_seconds)} if too_long else None

    def left_out(self, how: dict[str, Any]) -> dict[str, Any]:
        """The report of a skipped size."""
        nothing = dict.fromkeys(("load", "search", "add", "memory", "answers", "abilities"))
        return {**self._size(), **nothing, "bulk_add": how, "ended": {"bulk_add": how}}

    def measure(self, truth: Truth) -> dict[str, Any]:
        """Fill a store, inspect it, open it cold, delete users, and search for their texts in the files."""
        self.store.mkdir()
        filled = self._phase("fill")
        found = self._size()
        found |= {step: filled.first(step) for step in ("load", "open", "bulk_add", "search", "add", "memory")}
        found["answers"] = _judged(truth, filled)
        found["abilities"] = _abilities(truth, filled)
        found["ended"] = filled.ended
        if not filled.ended:
            found |= self._kept() if found["load"]["keeps"] else {"delete_user": _deleted(filled)}
        return found

    def _size(self) -> dict[str, Any]:
        return {"memories": self.size.memories, "users": self.size.users, "each": self.size.each}

    @property
    def store(self) -> Path:
        return self.folder / "store"

    def _kept(self) -> dict[str, Any]:
        """Measurements only for systems that store on disk."""
        texts = canaries(self.size)
        found: dict[str, Any] = {"disk_megabytes": disk_megabytes(self.store), "cold_open": self._opened_cold()}
        before = readable(self.store, texts)
        deleted = self._phase("delete")
        found["delete_user"] = _deleted(deleted)
        if not deleted.ended:
            found["residue"] = {"texts": len(texts), "before": before, "after": readable(self.store, texts)}
        return found

    def _opened_cold(self) -> dict[str, Any] | None:
        """In a new process each time. Import time counts: some systems load everything at once, others on use."""
        runs = []
        for _ in range(LEAST):
            drop_from_cache(self.store)
            heard = self._phase("cold")
            if heard.ended:
                return heard.first("cold_open")
            runs.append({**heard.values["load"][0], **heard.values["cold_open"][0]})
        return {
            **asdict(percentiles(run["seconds"] * 1000 + run["milliseconds"] for run in runs)),
            "of_which_loading": percentiles(run["seconds"] * 1000 for run in runs).p50,
            "found": min(run["found"] for run in runs),
        }

    def _phase(self, phase: str) -> Heard:
        command = [self.python, "-m", "benchmarks.peers.driver", phase, self.system.name, self.material, self.store]
        self.say(f"{self.system.title}, {self.size.memories:,}: {phase}")
        return heard_of([*map(str, command), f"{self.seconds:g}"], self.seconds, self.folder)


def heard_of(command: list[str], seconds: float, home: Path) -> Heard:
    """Run a process and collect its report. A step over the time limit ends it."""
    environment = {**os.environ, **QUIET, "HOME": str(home)}
    with (
        tempfile.TemporaryFile("w+") as log,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, cwd=ROOT, env=environment) as process,
    ):
        try:
            heard, step = _listen(process, seconds)
        finally:
            process.kill()
        if process.wait() and not heard.ended:
            log.seek(0)
            heard.ended[step] = {"failed": (log.read().strip().splitlines() or ["no message"])[-1]}
    return heard


def _listen(process: subprocess.Popen[str], seconds: float) -> tuple[Heard, str]:
    """The report lines until the process ended or a step timed out, and the last step."""
    heard, step = Heard(), "load"
    lines = _lines(process)
    deadline = time.monotonic() + seconds
    while True:
        try:
            line = lines.get(timeout=max(deadline - time.monotonic(), 0))
        except queue.Empty:
            heard.ended[step] = {"more_than_seconds": seconds}
            return heard, step
        if line is None:
            process.wait()
            return heard, step
        step = line["step"]
        if "value" in line:
            heard.values.setdefault(step, []).append(line["value"])
        else:
            deadline = time.monotonic() + seconds


def _lines(process: subprocess.Popen[str]) -> queue.SimpleQueue[dict[str, Any] | None]:
    """Each line, and `None` after the last. A queue supports a timeout, a pipe does not."""
    lines: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()

    def listen() -> None:
        for line in process.stdout or ():
            lines.put(json.loads(line))
        lines.put(None)

    threading.Thread(target=listen, daemon=True).start()
    return lines


def _judged(truth: Truth, filled: Heard) -> dict[str, Any] | None:
    """The figures of the answers. The answers themselves are not kept."""
    answers = [filled.values[step][0].pop("answers") for step in ("search", "look_deeper") if step in filled.values]
    if len(answers) < 2:
        return None
    top, deep = judged(truth, answers[0]), judged(truth, answers[1])
    return {**deep, "right_top_10": top["right"]["10"], "foreign": top["foreign"] + deep["foreign"]}


def _abilities(truth: Truth, filled: Heard) -> dict[str, Any] | None:
    """The result of a search without a user: the share that belongs to other users than the earlier asker."""
    abilities = filled.first("abilities")
    if abilities is None or "unnamed" not in abilities:
        return abilities
    answers = abilities.pop("unnamed")
    return {**abilities, "unnamed_found": sum(map(len, answers)), "unnamed_foreign": foreign(truth, answers)}


def _deleted(heard: Heard) -> dict[str, Any] | None:
    values = heard.values.get("delete_user")
    if not values:
        return heard.first("delete_user")
    return {
        **asdict(percentiles(value["milliseconds"] for value in values)),
        "found_before": sum(value["found_before"] for value in values),
        "found_after": sum(value["found_after"] for value in values),
        "of": LEAVING,
        "deletions_reported": [value["deletions_reported"] for value in values],
        "residue": [value["residue"] for value in values],
    }
