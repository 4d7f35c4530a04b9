"""The processes that the fault tests kill, stop and starve. Run: `fault_worker.py JOB STORE NOTES SETTINGS`."""

from __future__ import annotations

import ctypes
import json
import os
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fault_support import contents_of, everything, other_embedder, sentence

from memfort import BoundMemory, Memory
from memfort.errors import StoreError
from memfort.model.moment import Moment
from memfort.store.port import WHOLE_STORE
from memfort.store.sqlite import SqliteStore, connection

JOBS: dict[str, Callable[[Path, dict[str, Any]], None]] = {}


def job(function: Callable[[Path, dict[str, Any]], None]) -> Callable[[Path, dict[str, Any]], None]:
    JOBS[function.__name__] = function
    return function


class Notes:
    """One line per report, written whole and at once. It survives a kill, like an acknowledgement to a client."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._mark = getattr(ctypes.CDLL(None), "disk_mark", None)

    def say(self, **note: Any) -> None:
        line = json.dumps(note)
        os.write(self._file, line.encode() + b"\n")
        if self._mark is not None:
            self._mark(line.encode())


notes: Notes


def opened(path: Path, **settings: Any) -> Memory:
    memory = Memory(SqliteStore(path, ballast_bytes=0, wait_seconds=settings.get("wait_seconds", 30.0)))
    memory.finish_erasures()
    return memory


class Writer:
    """Writes at random, as one user, and says before and after each call what it is about."""

    def __init__(self, memory: Memory, seed: str, erase_share: float = 0.04) -> None:
        self._alice = memory.as_user("alice")
        self._rng = random.Random(seed)
        self._live: list[str] = []
        self._forgotten: list[str] = []
        self._erase_share = erase_share

    def step(self) -> None:
        dice = self._rng.random()
        if len(self._live) < 3 or dice < 0.6:
            self._remember(self._rng.choice([1, 1, 1, 1, 5]))
        elif dice < 0.8:
            self._correct(self._pick(self._live))
        elif dice < 1 - self._erase_share:
            self._forget(self._pick(self._live))
        else:
            self._erase(self._pick(self._live))

    def _pick(self, ids: list[str]) -> str:
        return ids.pop(self._rng.randrange(len(ids)))

    def _text(self) -> str:
        return sentence(self._rng, self._rng.choices([4, 8, 20, 60, 500], [40, 40, 15, 4, 1])[0])

    def _remember(self, how_many: int) -> None:
        texts = [self._text() for _ in range(how_many)]
        notes.say(begin="remember", ids=[], new=how_many)
        outcomes = self._alice.remember_many(texts) if how_many > 1 else [self._alice.remember(texts[0])]
        kept = {outcome.item.id: text for outcome, text in zip(outcomes, texts, strict=True)}
        notes.say(done="remember", kept=kept)
        self._live += kept

    def _correct(self, id: str) -> None:
        text = self._text()
        notes.say(begin="correct", ids=[id], new=1)
        new = self._alice.correct(id, text).item.id
        notes.say(done="correct", kept={new: text}, superseded=[id])
        self._live.append(new)

    def _forget(self, id: str) -> None:
        notes.say(begin="forget", ids=[id])
        self._alice.forget(id)
        notes.say(done="forget", forgotten=[id])

    def _erase(self, id: str) -> None:
        # An erase takes older versions along, so what it may touch is known only from a rehearsal.
        target = [found for _, found in self._alice.erase(id, dry_run=True).items]
        notes.say(begin="erase", ids=target)
        receipt = self._alice.erase(id)
        notes.say(done="erase", erased=[found for _, found in receipt.items], pending=receipt.pending)


@job
def write(path: Path, settings: dict[str, Any]) -> None:
    """Write until killed, or as many steps as asked for."""
    if settings.get("synchronous"):
        connection._PRAGMAS["synchronous"] = settings["synchronous"]
    memory = opened(path)
    writer = Writer(memory, settings["seed"], settings.get("erase_share", 0.04))
    writer.step()  # the first write loads and compiles what the later ones only use
    notes.say(ready=True)
    steps = 1
    while steps != settings.get("steps"):
        writer.step()
        steps += 1
    memory.close()


@job
def increment(path: Path, settings: dict[str, Any]) -> None:
    """Read a number that all share and write the next, in one transaction: a lost update shows in the sum."""
    memory = opened(path, **settings)
    me = memory.as_user("alice", project="apollo")
    memory.as_user("bob").remember("note to warm up with")
    notes.say(ready=True)
    while "start" in settings and not Path(settings["start"]).exists():
        time.sleep(0.001)
    done = 0
    while done != settings.get("times") and not ("stop" in settings and Path(settings["stop"]).exists()):
        memory._engine.commit(WHOLE_STORE, lambda: _count_on(me))
        done += 1
        if settings.get("say_each"):
            notes.say(done="increment", at=time.monotonic())
    notes.say(increments=done)
    memory.close()


def _count_on(me: BoundMemory) -> None:
    (counter,) = me.list(limit=1, space={"project": "apollo"}, tags=["counter"])
    value = int(counter.text.rsplit("-", 1)[1])
    me.forget(counter.id)
    me.remember(f"the counter stands at n-{value + 1}", space={"project": "apollo"}, tags=["counter"])


@job
def plain_increment(path: Path, settings: dict[str, Any]) -> None:
    """The same with SQLite's own busy handler and nothing else, to compare with."""
    db = connection.apsw.Connection(str(path))
    db.set_busy_timeout(60_000)
    db.execute("pragma journal_mode = wal; pragma synchronous = full").fetchall()
    notes.say(ready=True)
    deadline = time.monotonic() + settings["seconds"]
    done = 0
    while time.monotonic() < deadline:
        db.execute("begin immediate")
        (value,) = db.execute("select value from counter").fetchone()
        db.execute("update counter set value = ?", (value + 1,))
        db.execute("commit")
        done += 1
    notes.say(increments=done)


@job
def locked_increment(path: Path, settings: dict[str, Any]) -> None:
    """The same, under our own lock."""
    from memfort.store.sqlite.lock import WriterLock

    lock = WriterLock(Path(f"{path}.lock"), 60.0)
    db = connection.apsw.Connection(str(path))
    db.set_busy_timeout(60_000)
    db.execute("pragma journal_mode = wal; pragma synchronous = full").fetchall()
    notes.say(ready=True)
    deadline = time.monotonic() + settings["seconds"]
    done = 0
    while time.monotonic() < deadline:
        lock.acquire()
        db.execute("begin immediate")
        (value,) = db.execute("select value from counter").fetchone()
        db.execute("update counter set value = ?", (value + 1,))
        db.execute("commit")
        lock.release()
        done += 1
    notes.say(increments=done)


@job
def hold(path: Path, settings: dict[str, Any]) -> None:
    """Take the write lock and keep it until a file says to let go."""
    memory = opened(path)

    def work() -> None:
        outcome = memory.as_user("alice").remember(settings["text"])
        notes.say(holding=True, kept={outcome.item.id: settings["text"]})
        while not Path(settings["until"]).exists():
            time.sleep(0.01)

    memory._engine.commit(WHOLE_STORE, work)
    notes.say(released=True)
    memory.close()


@job
def read_open(path: Path, settings: dict[str, Any]) -> None:
    """Keep an old view of the store open until a file says to let go."""
    memory = opened(path)
    with memory._engine.store.reading():
        found = [item.id for item in memory.as_user("alice").list(limit=1000)]
        notes.say(reading=len(found))
        while not Path(settings["until"]).exists():
            time.sleep(0.01)
    notes.say(released=True)
    memory.close()


@job
def read_on(path: Path, settings: dict[str, Any]) -> None:
    """Read everything again and again; say how often, and whether anything was ever odd."""
    memory = opened(path)
    alice = memory.as_user("alice")
    notes.say(ready=True)
    rounds, problems = 0, []
    while not Path(settings["until"]).exists():
        problems += [item.id for item in alice.list(limit=1000) if not item.text.startswith("note ")]
        problems += alice.recall("note").damaged
        rounds += 1
    notes.say(rounds=rounds, problems=problems)
    memory.close()


@job
def fail(path: Path, settings: dict[str, Any]) -> None:
    """Write on a disk that begins to fail; say what each call answered."""
    memory = opened(path)
    writer = Writer(memory, settings["seed"], settings.get("erase_share", 0.04))
    disk = ctypes.CDLL(None)
    for _ in range(settings["before"]):
        writer.step()
    disk.disk_fail(settings["kind"], settings["after"], settings["errno"], int(settings["forever"]))
    failed: list[str] = []
    for _ in range(settings["steps"]):
        try:
            writer.step()
        except StoreError as error:
            failed.append(type(error).__name__)
            if len(failed) == 1:
                notes.say(failed=str(error), cause=str(error.__cause__))
                disk.disk_fail(0, 0, 0, 0)  # the disk is well again, but that is not to be relied on
            if len(failed) == 3:
                break
    reads = len(memory.as_user("alice").list(limit=1000))
    notes.say(errors=failed, broken=memory._engine.store._connections.broken, reads=reads)
    os._exit(0)  # as a process that is restarted: it closes nothing


@job
def full(path: Path, settings: dict[str, Any]) -> None:
    """Fill the disk, and see what still works; then free some space."""
    limit = Limit(path.parent, settings["bytes"])
    memory = Memory(SqliteStore(path, ballast_bytes=settings["ballast_bytes"]))
    alice, bob = memory.as_user("alice"), memory.as_user("bob")
    rng = random.Random(settings["seed"])
    kept: dict[str, str] = {}
    for _ in range(settings["before"]):
        text = sentence(rng)
        kept[alice.remember(text).item.id] = text
    ballast = path.with_name(path.name + ".ballast")
    notes.say(kept=len(kept), ballast_before=ballast.exists())
    limit.begin(settings["left"])
    error = None
    while error is None:
        text = sentence(rng, 60)
        try:
            kept[alice.remember(text).item.id] = text
        except StoreError as problem:
            error = problem
    notes.say(stopped=type(error).__name__, message=str(error), kept=len(kept))
    # A smaller one may still fit where this one did not, but only so many.
    smaller = _error_of(lambda: [bob.remember(f"note {number} by bob") for number in range(1000)])
    notes.say(second=_error_of(lambda: alice.remember(text)), other=smaller)
    first = next(iter(kept))
    reads = [
        _error_of(lambda: alice.get(first) and alice.recall(kept[first])) for _ in range(settings.get("reads", 20))
    ]
    listed = {item.id: item.text for item in everything(memory, "alice").values()}
    notes.say(read_errors=[one for one in reads if one], listed_as_kept=listed == kept, found=len(alice.recall("note")))
    target = list(kept)[:: max(1, len(kept) // settings["erase"])][: settings["erase"]]
    texts = [kept.pop(id) for id in target]
    receipt = alice.erase(*target)
    left = [id for id in target if alice.get(id) is not None]
    notes.say(erase=receipt.state, pending=receipt.pending, still_read=left, residue=_residue(path, texts))
    notes.say(ballast_after_erase=ballast.exists())
    limit.end()
    memory.finish_erasures()
    check = alice.verify_erasure(receipt.id)
    notes.say(verified=check.ok, problems=check.problems, residue_at_last=_residue(path, texts))
    notes.say(
        wrote=_error_of(lambda: alice.remember("note that there is room again")), ballast_at_last=ballast.exists()
    )
    verification = memory.trail.verify()
    intact = {item.id: item.text for item in everything(memory, "alice").values() if item.id in kept} == kept
    notes.say(intact=intact, trail=verification.ok, checkup=memory.as_system().doctor(checks=["integrity"]).problems)
    memory.close()


@job
def full_from_the_start(path: Path, settings: dict[str, Any]) -> None:
    """Open a store on a disk that has not a byte left, read, and erase."""
    rng = random.Random(settings["seed"])
    texts = [sentence(rng) for _ in range(20)]
    with Memory(SqliteStore(path, ballast_bytes=settings["ballast_bytes"])) as memory:
        ids = [memory.as_user("alice").remember(text).item.id for text in texts]
    limit = Limit(path.parent, settings["bytes"])
    limit.begin(0)
    with Memory(SqliteStore(path, ballast_bytes=settings["ballast_bytes"])) as memory:
        alice = memory.as_user("alice")
        notes.say(reads=len(alice.list()), recalls=alice.recall(texts[3]).texts[:1] == [texts[3]])
        receipt = alice.erase(ids[3])
        notes.say(erase=receipt.state, pending=receipt.pending, residue=_residue(path, [texts[3]]))
        limit.end()
        notes.say(
            wrote=_error_of(lambda: alice.remember("note that there is room again")),
            checkup=memory.as_system().doctor(checks=["integrity"]).problems,
        )
    with Memory(SqliteStore(path, ballast_bytes=settings["ballast_bytes"])):
        notes.say(ballast_bytes=path.with_name(path.name + ".ballast").stat().st_size)


@job
def read_when_full(path: Path, settings: dict[str, Any]) -> None:
    """Read a store on a disk without a byte left, from Python and from the command line, and try to write to it."""
    size, ballast = settings["ballast_bytes"], path.with_name(path.name + ".ballast")
    with Memory(SqliteStore(path, ballast_bytes=size)) as memory:
        id = memory.as_user("alice").remember("likes tea").item.id
    limit = Limit(path.parent, settings["bytes"])
    limit.begin(0)
    with Memory(SqliteStore(path, ballast_bytes=size)) as memory:
        alice = memory.as_user("alice")
        found = alice.recall("tea").texts
        memory._engine.finish_reads()
        reported = [note for check in memory.as_system().doctor(checks=["reads"]).checks for note in check.notes]
        notes.say(recall=found, unrecorded=memory.unrecorded_reads, doctor=reported)
    notes.say(command=[_command(path, "recall", "tea"), _command(path, "list"), _command(path, "doctor")])
    with Memory(SqliteStore(path, ballast_bytes=size), audit_reads="durable") as memory:
        notes.say(durable=_error_of(lambda: memory.as_user("alice").recall("tea")))
    errors = []
    for number in range(20):  # each in a store of its own, as commands do it
        with Memory(SqliteStore(path, ballast_bytes=size)) as memory:
            errors.append(
                _error_of(lambda number=number, memory=memory: memory.as_user("bob").remember(f"note {number}"))
            )
    notes.say(writes=sorted(set(map(str, errors))), ballast=ballast.stat().st_size)
    with Memory(SqliteStore(path, ballast_bytes=size)) as memory:
        notes.say(erase=memory.as_user("alice").erase(id).state, residue=_residue(path, ["likes tea"]))
    limit.end()
    with Memory(SqliteStore(path, ballast_bytes=size)) as memory:
        notes.say(wrote=_error_of(lambda: memory.as_user("alice").remember("there is room again")))
        notes.say(
            ballast_at_last=ballast.stat().st_size, checkup=memory.as_system().doctor(checks=["integrity"]).problems
        )


def _command(path: Path, *words: str) -> int:
    """The exit code of a command, run here: only this process has the disk that is full."""
    from memfort.surfaces.cli.root import root

    try:
        root.main(["--store", str(path), "--as", "alice", *words])
    except SystemExit as ended:
        return int(ended.code or 0)


class Limit:
    """A disk that gets full: a small file system made full by a file, or `disk.c` simulating it."""

    def __init__(self, folder: Path, total: int) -> None:
        self._filler = folder / "filler"
        self._disk = getattr(ctypes.CDLL(None), "disk_space", None)
        self._total = total

    def begin(self, left: int) -> None:
        if self._disk is not None:
            self._disk(ctypes.c_longlong(left))
            return
        free = os.statvfs(self._filler.parent)
        self._filler.write_bytes(bytes(free.f_bavail * free.f_frsize - left))

    def end(self) -> None:
        if self._disk is not None:
            self._disk(ctypes.c_longlong(self._total))
            return
        self._filler.unlink()


def _error_of(call: Callable[[], object]) -> str | None:
    try:
        call()
    except StoreError as error:
        return type(error).__name__
    return None


def _residue(path: Path, texts: list[str]) -> int:
    content = contents_of(path)
    return sum(text.encode() in content for text in texts)


class JumpingClock:
    """The machine's clock, put forward or back by what a file says at the moment."""

    def __init__(self, offset_file: Path) -> None:
        self._file = offset_file

    def now(self) -> Moment:
        return Moment(time.time_ns() // 1_000 + int(self._file.read_text()))


@job
def live_through_jumps(path: Path, settings: dict[str, Any]) -> None:
    """Write and read while another process sets the clock; say whatever was served or withheld against its limit."""
    clock = JumpingClock(Path(settings["offset"]))
    memory = Memory(SqliteStore(path, ballast_bytes=0), clock=clock)
    alice = memory.as_user("alice")
    rng = random.Random(settings["seed"])
    limits: dict[str, int] = {}
    served, problems, gone = 0, [], set()
    alice.recall("note")  # whatever only the first recall has to load is loaded before the clock jumps
    notes.say(ready=True)
    while not Path(settings["until"]).exists():
        item = alice.remember(sentence(rng), ttl_seconds=rng.choice([60, 86_400, 400_000_000])).item
        limits[item.id] = item.expires_at_us
        before = clock.now()
        found = {hit.id for hit in alice.recall("note", limit=1000)}
        after = clock.now()
        if not 0 <= after - before < 5_000_000:
            gone |= limits.keys() - found  # the clock jumped in between, and either side of it may have been meant
            continue
        problems += [f"{id} served past its limit" for id in found if limits[id] <= before]
        problems += [f"{id} came back" for id in found & gone]
        due = {id for id, limit in limits.items() if limit <= after}
        problems += [f"{id} gone early" for id in limits.keys() - found - due - gone]
        gone |= due
        served += len(found)
    notes.say(problems=problems, served=served, expired=len(gone), trail=memory.trail.verify().ok)
    notes.say(checkup=memory.as_system().doctor(checks=["integrity"]).problems)
    memory.close()


@job
def erase_all(path: Path, settings: dict[str, Any]) -> None:
    """Erase everything a user has, reporting progress."""
    memory = opened(path)
    notes.say(ready=True)
    memory.as_user("alice").erase(scope={"user": "alice"}, progress=lambda done, of: notes.say(progress=[done, of]))
    notes.say(erased=True)
    memory.close()


@job
def undo(path: Path, settings: dict[str, Any]) -> None:
    """Take back an import."""
    memory = opened(path)
    notes.say(ready=True)
    memory.as_user("alice").undo(source=settings["source"])
    notes.say(done=True)
    memory.close()


@job
def reembed(path: Path, settings: dict[str, Any]) -> None:
    """Give every memory the vectors of another embedder, reporting progress."""
    memory = Memory(SqliteStore(path, ballast_bytes=0), embedder=other_embedder())
    notes.say(ready=True)
    memory.store.reembed(batch=settings["batch"], progress=lambda done, of: notes.say(progress=[done, of]))
    notes.say(embedded=True)
    memory.close()


@job
def relearn(path: Path, settings: dict[str, Any]) -> None:
    """Make everything again by today's rules, reporting progress."""
    memory = opened(path)
    notes.say(ready=True)
    memory.store.relearn(batch=settings["batch"], progress=lambda done, of: notes.say(progress=[done, of]))
    notes.say(relearned=True)
    memory.close()


@job
def back_up(path: Path, settings: dict[str, Any]) -> None:
    """Write a backup with its key, reporting progress."""
    memory = opened(path)
    notes.say(ready=True)
    memory.store.backup(settings["target"], with_key=True, progress=lambda done, of: notes.say(progress=[done, of]))
    notes.say(done=True)
    memory.close()


@job
def restore(path: Path, settings: dict[str, Any]) -> None:
    """Make a store from a backup, reporting progress."""
    notes.say(ready=True)
    Memory.restore(
        settings["backup"],
        path,
        erased=settings["erased"],
        progress=lambda done, of: notes.say(progress=[done, of]),
    )
    notes.say(done=True)


@job
def backfill(path: Path, settings: dict[str, Any]) -> None:
    """Import a file of old records as the system, in steps, reporting progress."""
    memory = opened(path)
    notes.say(ready=True)
    step = settings["commit_every"]

    def report(done: int, of: int) -> None:
        notes.say(progress=[done, of])
        if done > step:  # the first step is committed
            notes.say(under_way=True)

    memory.as_system().import_(Path(settings["file"]).read_bytes(), commit_every=step, progress=report)
    notes.say(done=True)
    memory.close()


if __name__ == "__main__":
    _, name, store, where, given = sys.argv
    notes = Notes(Path(where))
    JOBS[name](Path(store), json.loads(given))
