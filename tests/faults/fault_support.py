"""What the fault tests share: how much to do, worker processes, and comparing a store with what was acknowledged."""

from __future__ import annotations

import base64
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw

from memfort import Memory
from memfort.embed.port import NamedEmbedder, named_embedder
from memfort.embed.words import WordEmbedder
from memfort.model.item import Item, Status
from memfort.store.sqlite import SqliteStore

HERE = Path(__file__).parent
PATIENCE = 600.0  # seconds for what always comes, on a machine with twenty other things to do
ALL = [status.value for status in Status]


def count(default: int) -> int:
    """How often to do it: a little by default, as often as MEMFORT_TEST_FAULTS says otherwise."""
    return int(os.environ.get("MEMFORT_TEST_FAULTS") or default)


def seeded(*parts: object) -> random.Random:
    """Chance that can be repeated. What is printed here, pytest shows when the test fails."""
    seed = "/".join([*map(str, parts), os.environ.get("MEMFORT_TEST_SEED", "1")])
    print(f"seed {seed}")
    return random.Random(seed)


# -- words ------------------------------------------------------------------------------------------------------------

_SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in "aeiou"]


def word(rng: random.Random, syllables: int = 4) -> str:
    """A word that no language has, so that finding it means something."""
    return "".join(rng.choices(_SYLLABLES, k=syllables))


_COMMON = [word(random.Random(n), 2) for n in range(200)]


def sentence(rng: random.Random, words: int = 8) -> str:
    """A text with two words that no other has, among common ones."""
    return " ".join(["note", word(rng, 5), *rng.choices(_COMMON, k=words), word(rng, 6)])


# -- worker processes -------------------------------------------------------------------------------------------------


@dataclass
class Worker:
    """A process that works on a store and writes down, in a file, what it was about to do and what was acknowledged."""

    process: subprocess.Popen[bytes]
    notes: Path

    def wait_until(self, word: str, seconds: float = PATIENCE) -> None:
        deadline = time.monotonic() + seconds
        while not any(word in note for note in self.read()):
            if self.process.poll() is not None and not any(word in note for note in self.read()):
                raise AssertionError(f"the worker ended with {self.process.returncode} before `{word}`")
            assert time.monotonic() < deadline, f"the worker did not get to `{word}` in {seconds} s"
            time.sleep(0.005)

    def read(self) -> list[dict[str, Any]]:
        """Every whole line; a kill can cut the last one."""
        if not self.notes.exists():
            return []
        lines = self.notes.read_bytes().split(b"\n")[:-1]
        return [json.loads(line) for line in lines]

    def signal(self, number: signal.Signals) -> None:
        os.kill(self.process.pid, number)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def finish(self, seconds: float = PATIENCE) -> list[dict[str, Any]]:
        code = self.process.wait(seconds)
        assert code == 0, f"the worker ended with {code}"
        return self.read()


def start_worker(job: str, store: Path, notes: Path, *, env: dict[str, str] | None = None, **settings: Any) -> Worker:
    """Start `fault_worker.py` on one job. Its settings go along as JSON."""
    command = [sys.executable, str(HERE / "fault_worker.py"), job, str(store), str(notes), json.dumps(settings)]
    _started.append(subprocess.Popen(command, env={**os.environ, **(env or {})}))
    return Worker(_started[-1], notes)


_started: list[subprocess.Popen[bytes]] = []


def end_workers() -> None:
    """End what a test has left behind when it failed: it would be in the way of the next."""
    for process in _started:
        if process.poll() is None:
            process.kill()
            process.wait()
    _started.clear()


def build_disk(tmp: Path) -> Path:
    """Compile the disk that can be watched and made to fail, with the machine's C compiler or the one that `make test`
    installs where there is none."""
    machines = shutil.which("cc") or shutil.which("gcc")
    compiler = [machines] if machines is not None else [sys.executable, "-m", "ziglang", "cc"]
    library = tmp / "disk.so"
    command = [*compiler, "-O1", "-shared", "-fPIC", "-o", str(library), str(HERE / "disk.c"), "-ldl", "-lpthread"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"the fault tests need a C compiler:\n{done.stderr}"
    return library


# -- what must be there -----------------------------------------------------------------------------------------------


@dataclass
class Ledger:
    """What was acknowledged, and what was under way and may have happened or not."""

    texts: dict[str, str] = field(default_factory=dict)
    states: dict[str, str] = field(default_factory=dict)  # live, superseded, forgotten or erased
    doubtful: set[str] = field(default_factory=set)  # touched by something that was not acknowledged
    unacknowledged: int = 0  # how many unacknowledged memories may be there
    acknowledged: int = 0

    def take(self, notes: list[dict[str, Any]]) -> None:
        """Go through a worker's notes. What was begun and never done may have happened or not."""
        begun: dict[str, Any] | None = None
        for note in notes:
            if "begin" in note:
                self._doubt(begun)
                begun = note
            elif "done" in note:
                self._done(note)
                begun = None
        self._doubt(begun)

    def _doubt(self, begun: dict[str, Any] | None) -> None:
        if begun is not None:
            self.doubtful.update(begun["ids"])
            self.unacknowledged += begun.get("new", 0)

    def _done(self, note: dict[str, Any]) -> None:
        self.acknowledged += 1
        for id, text in note.get("kept", {}).items():
            self.texts[id], self.states[id] = text, "live"
        for state in ("superseded", "forgotten", "erased"):
            for id in note.get(state, []):
                self.states[id] = state

    def erased_texts(self) -> list[str]:
        return [self.texts[id] for id, state in self.states.items() if state == "erased" and id in self.texts]

    def differences(self, memory: Memory, user: str = "alice") -> list[str]:
        """Every acknowledged memory that is not as acknowledged, and every one that was never written."""
        stored = everything(memory, user)
        wrong = [
            f"{id}: acknowledged as {state}, but {_found(stored.get(id))}"
            for id, state in self.states.items()
            if id not in self.doubtful and not self._is_as_disclosed(stored.get(id), id, state)
        ]
        strangers = stored.keys() - self.states.keys()
        if len(strangers) > self.unacknowledged:
            wrong.append(
                f"{len(strangers)} memories that were not acknowledged; at most {self.unacknowledged} were begun"
            )
        return wrong

    def _is_as_disclosed(self, item: Item | None, id: str, state: str) -> bool:
        if state == "erased" or item is None:
            return state == "erased" and item is None
        if state == "forgotten":
            return item.deleted_at_us is not None
        wanted = Status.APPROVED if state == "live" else Status.SUPERSEDED
        return item.status is wanted and item.deleted_at_us is None and item.text == self.texts[id]


def _found(item: Item | None) -> str:
    return "absent" if item is None else f"{item.status}, deleted {item.deleted_at_us}, {item.text[:40]!r}"


def everything(memory: Memory, user: str) -> dict[str, Item]:
    """All a user has, in whatever state, by id."""
    bound, cursor, found = memory.as_user(user), None, {}
    while True:
        page = bound.list(limit=1000, cursor=cursor, statuses=ALL, deleted=True)
        found.update({item.id: item for item in page})
        cursor = page.cursor
        if cursor is None:
            return found


def reopened(path: Path, **options: Any) -> Memory:
    """A store without ballast, which costs time and shows nothing here; erasures are finished as `Memory.open` does."""
    memory = Memory(SqliteStore(path, ballast_bytes=0), **options)
    memory.finish_erasures()
    return memory


def sound(memory: Memory) -> None:
    """The file holds together, and its trail tells of exactly what is in it."""
    verification = memory.trail.verify()
    assert verification.ok, verification.broken
    problems = memory.as_system().doctor(checks=["integrity"]).problems
    assert problems == [], problems


def integrity(path: Path) -> str:
    """What SQLite itself says of a file."""
    connection = apsw.Connection(str(path))
    try:
        return str(connection.execute("pragma integrity_check").fetchall()[0][0])
    finally:
        connection.close()


def files_of(path: Path) -> Iterator[Path]:
    """All files of a store: database, log, log index, key, locks, ballast and whatever else begins with its name."""
    yield from (file for file in sorted(path.parent.iterdir()) if file.name.startswith(path.name))


def contents_of(path: Path) -> bytes:
    """Every byte of every file of a store, read by another process: to open and close a database file in a process
    that has it open as a store would drop that process's locks, and with them the store's safety."""
    return subprocess.run(["cat", *map(str, files_of(path))], capture_output=True, check=True).stdout


def spellings(text: str) -> Iterator[bytes]:
    """The ways in which a text could lie in a file: as it is, in lower case, escaped, in wider characters, encoded."""
    raw = text.encode()
    yield from (
        raw,
        text.lower().encode(),
        json.dumps(text)[1:-1].encode(),
        raw.hex().encode(),
        raw.hex().upper().encode(),
    )
    yield from (text.encode("utf-16-le"), text.encode("utf-16-be"))
    for shift in range(3):  # base64 looks different at each place in a group of three bytes
        yield base64.b64encode(b"x" * shift + raw)[4 if shift else 0 : -4]


def other_embedder() -> NamedEmbedder:
    """Another embedder than the default, whose vectors are its own, each number of them where another stood."""
    words = WordEmbedder()
    return named_embedder(lambda texts: [vector[::-1] for vector in words.embed(texts)], "backwards-1")
