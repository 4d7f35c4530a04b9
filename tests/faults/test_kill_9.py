"""A process killed at any instant loses nothing that it had acknowledged (fault F1)."""

from __future__ import annotations

import time
from pathlib import Path

from fault_support import Ledger, count, reopened, seeded, sound, start_worker

WRITERS = 2
ROUNDS_PER_STORE = 4


def test_every_acknowledged_write_survives_kill_9(tmp_path: Path) -> None:
    kills, acknowledged, in_flight = 0, 0, 0
    while kills < count(8):
        rng = seeded("kill", kills)
        path = tmp_path / f"store-{kills}" / "memory.db"
        ledger = Ledger()
        for round in range(ROUNDS_PER_STORE):
            notes = [tmp_path / f"notes-{kills}-{round}-{n}" for n in range(WRITERS)]
            workers = [start_worker("write", path, note, seed=f"{kills}/{round}/{note.name}") for note in notes]
            for worker in workers:
                worker.wait_until("ready")
            time.sleep(rng.uniform(0.05, 0.25))
            while sum("done" in note for worker in workers for note in worker.read()) <= 10:  # on a busy machine
                assert all(worker.process.poll() is None for worker in workers)
                time.sleep(0.005)
            for worker in workers:
                worker.kill()
                ledger.take(worker.read())
                kills += 1
            with reopened(path) as memory:
                assert ledger.differences(memory) == []
                sound(memory)
        acknowledged += ledger.acknowledged
        in_flight += ledger.unacknowledged + len(ledger.doubtful)
    print(f"{kills} kills, {acknowledged} acknowledged calls, {in_flight} in flight, 0 lost")
    # The control: there was something to lose, and the kills did fall into the middle of writes.
    assert acknowledged > 10 * kills / WRITERS
    assert in_flight > 0


def test_the_ledger_notices_a_lost_write(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    worker = start_worker("write", path, tmp_path / "notes", seed="control", steps=12)
    ledger = Ledger()
    ledger.take(worker.finish())
    with reopened(path) as memory:
        assert ledger.differences(memory) == []
        lost = next(id for id, state in ledger.states.items() if state == "live")
        memory.as_user("alice").erase(lost)
        assert ledger.differences(memory) == [f"{lost}: acknowledged as live, but absent"]


def test_a_store_killed_while_it_is_made_can_be_opened(tmp_path: Path) -> None:
    """Killed between making the key and making the schema, or anywhere else on the way."""
    opened = 0
    for round in range(count(6)):
        rng = seeded("birth", round)
        path = tmp_path / f"{round}" / "memory.db"
        worker = start_worker("write", path, tmp_path / f"notes-{round}", seed="birth", steps=1)
        while not path.parent.exists() and worker.process.poll() is None:
            time.sleep(0.0002)  # and leaves the processor to the worker
        time.sleep(rng.uniform(0, 0.02))
        worker.kill()
        with reopened(path) as memory:
            ledger = Ledger()
            ledger.take(worker.read())
            assert ledger.differences(memory) == []
            assert memory.as_user("alice").remember("note that the store works").item is not None
            sound(memory)
            opened += 1
    assert opened == count(6)
