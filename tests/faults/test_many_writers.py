"""Many processes on one file: no update is lost, none starves, one that dies or stops harms no other (F8, F11)."""

from __future__ import annotations

import signal
import statistics
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from fault_support import PATIENCE, Worker, count, everything, integrity, reopened, sound, start_worker

from memfort import Memory
from memfort.errors import StoreBusy
from memfort.store.sqlite import SqliteStore


def with_counter(path: Path) -> Path:
    with Memory(SqliteStore(path, ballast_bytes=0)) as memory:
        me = memory.as_user("alice", project="apollo")
        me.remember("the counter stands at n-0", space={"project": "apollo"}, tags=["counter"])
    return path


def counted(path: Path) -> int:
    with reopened(path) as memory:
        sound(memory)
        me = memory.as_user("alice", project="apollo")
        (counter,) = me.list(space={"project": "apollo"}, tags=["counter"])
        return int(counter.text.rsplit("-", 1)[1])


PATIENT = {"wait_seconds": PATIENCE}  # 12 processes take turns, and on a busy machine each turn lasts


def wait_for(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline, "it never came to that"
        time.sleep(0.02)


def commits(worker: Worker) -> int:
    return sum("done" in note for note in worker.read())


def increments(worker: Worker) -> int:
    """How many a worker made. It ends with an error, and fails here, if `StoreBusy` ever comes up."""
    return int(worker.finish()[-1]["increments"])


def test_twelve_writers_lose_no_update(tmp_path: Path) -> None:
    path, times = with_counter(tmp_path / "memory.db"), max(15, count(15))
    workers = [start_worker("increment", path, tmp_path / f"notes-{n}", times=times, **PATIENT) for n in range(12)]
    assert [increments(worker) for worker in workers] == [times] * 12
    assert counted(path) == 12 * times
    print(f"12 processes, {12 * times} read-modify-write transactions, 0 lost")


def test_the_counter_notices_a_lost_update(tmp_path: Path) -> None:
    """The control: read outside the transaction, as two careless programs would, and one update is gone."""
    path = with_counter(tmp_path / "memory.db")
    with reopened(path) as memory:
        me = memory.as_user("alice", project="apollo")
        for _ in range(2):
            me.remember("the counter stands at n-1", space={"project": "apollo"}, tags=["counter"])
        texts = [item.text for item in me.list(space={"project": "apollo"}, tags=["counter"])]
    assert sorted(texts) == ["the counter stands at n-0", "the counter stands at n-1"], "two updates, and one to show"


@pytest.mark.parametrize("processes", [4, 12])
def test_no_writer_is_starved(tmp_path: Path, processes: int) -> None:
    path, start, stop = with_counter(tmp_path / "memory.db"), tmp_path / "start", tmp_path / "stop"
    workers = [
        start_worker(
            "increment", path, tmp_path / f"notes-{n}", start=str(start), stop=str(stop), say_each=True, **PATIENT
        )
        for n in range(processes)
    ]
    for worker in workers:
        worker.wait_until("ready")
    start.touch()
    wait_for(lambda: all(commits(worker) for worker in workers))  # a busy machine lets some begin late
    before = [commits(worker) for worker in workers]
    wait_for(lambda: sum(map(commits, workers)) - sum(before) >= 20 * processes)
    stop.touch()
    done = [increments(worker) for worker in workers]
    meanwhile = sorted(of_worker - at_first for of_worker, at_first in zip(done, before, strict=True))
    median = statistics.median(meanwhile)
    print(f"{processes} processes: least {meanwhile[0]}, median {median:g}, most {meanwhile[-1]} commits")
    assert meanwhile[0] >= 0.2 * median
    assert median >= 10
    assert counted(path) == sum(done)


def test_threads_of_one_process_take_turns_too(tmp_path: Path) -> None:
    done: Counter[int] = Counter()
    with Memory(SqliteStore(tmp_path / "memory.db", ballast_bytes=0)) as memory:

        def write(number: int) -> None:
            alice = memory.as_user("alice")
            while done.total() < 400:
                alice.remember(f"note by thread-{number} number {'again ' * (done[number] % 50)}{done[number]}")
                done[number] += 1

        threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        sound(memory)
        assert len(everything(memory, "alice")) == done.total()
    print(f"4 threads: {sorted(done.values())} commits")
    assert len(done) == 4
    assert min(done.values()) >= 0.2 * statistics.median(done.values())


def test_a_killed_writer_blocks_no_other_writer(tmp_path: Path) -> None:
    path = with_counter(tmp_path / "memory.db")
    workers = [start_worker("increment", path, tmp_path / f"notes-{n}", say_each=True) for n in range(4)]
    for worker in workers:
        worker.wait_until("done")
    gaps = []  # said and not asserted: on a busy machine they say how busy it is
    for victim in workers[:3]:
        time.sleep(0.15)
        victim.kill()
        killed = time.monotonic()
        survivor = workers[3]
        while not [note for note in survivor.read() if note.get("at", 0) > killed]:
            assert time.monotonic() < killed + PATIENCE, "the lock outlived its holder"
            time.sleep(0.002)
        gaps.append(min(note["at"] for note in survivor.read() if note.get("at", 0) > killed) - killed)
    workers[3].kill()
    acknowledged = sum("done" in note for worker in workers for note in worker.read())
    print(f"went on after {[f'{1000 * gap:.0f} ms' for gap in gaps]}")
    assert acknowledged <= counted(path) <= acknowledged + 4


def test_a_writer_killed_inside_its_transaction_leaves_nothing_of_it(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    holder = start_worker("hold", path, tmp_path / "notes", text="note half written", until=str(tmp_path / "never"))
    holder.wait_until("holding")
    holder.kill()
    with reopened(path) as memory:  # which waits for no lock that the dead process could still hold
        assert memory.as_user("alice").remember("note of the next one").item is not None
        assert [item.text for item in memory.as_user("alice").list()] == ["note of the next one"]
        sound(memory)


def test_a_stopped_writer_makes_others_wait_and_then_say_so(tmp_path: Path) -> None:
    path, go = tmp_path / "memory.db", tmp_path / "go"
    impatient = Memory(SqliteStore(path, ballast_bytes=0, wait_seconds=0.4))
    alice = impatient.as_user("alice")
    alice.remember("note from before")
    holder = start_worker("hold", path, tmp_path / "notes", text="note of the holder", until=str(go))
    holder.wait_until("holding")
    holder.signal(signal.SIGSTOP)
    try:
        for _ in range(3):
            started = time.monotonic()
            with pytest.raises(StoreBusy, match="try again"):
                alice.remember("note that has to wait")
            assert time.monotonic() - started > 0.3
        assert [item.text for item in alice.list()] == ["note from before"], "reading goes on"
    finally:
        holder.signal(signal.SIGCONT)
        go.touch()
    holder.finish()
    assert alice.remember("note that had to wait").item is not None
    assert len(alice.list()) == 3
    sound(impatient)
    impatient.close()
    assert integrity(path) == "ok"
