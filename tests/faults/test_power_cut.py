"""When the power fails, what was acknowledged is there and what was erased is not (fault F2)."""

from __future__ import annotations

import bisect
import random
from pathlib import Path

from fault_replay import Op, after_power_cut, change_keys, read_trace
from fault_support import Ledger, count, integrity, reopened, seeded, sound, start_worker

STEPS = 260


def recorded(tmp: Path, disk: Path, seed: str, synchronous: str | None) -> list[Op]:
    """What a worker did to its disk while it wrote."""
    root = tmp / "recorded"
    root.mkdir()
    env = {"LD_PRELOAD": str(disk), "MEMFORT_DISK_ROOT": str(root), "MEMFORT_DISK_TRACE": str(tmp / "trace")}
    settings = {"seed": seed, "steps": STEPS, "erase_share": 0.06, "synchronous": synchronous}
    start_worker("write", root / "memory.db", tmp / "notes", env=env, **settings).finish()
    ops = read_trace(tmp / "trace")
    assert {"w", "s", "t", "c", "m"} <= {op.kind for op in ops}, "the recorder saw less than a store does"
    return ops


def cut(ops: list[Op], rng: random.Random, tmp: Path) -> tuple[Path, Ledger]:
    """A power cut at a random moment: the files it leaves, and what had been acknowledged by then."""
    before = ops[: rng.randint(1, len(ops))]
    ledger = Ledger()
    ledger.take(change_keys(before))
    tmp.mkdir()
    for name, content in after_power_cut(before, rng).items():
        (tmp / name).write_bytes(content)
        (tmp / name).chmod(0o600)
    return tmp / "memory.db", ledger


def test_no_power_cut_loses_an_acknowledged_write(tmp_path: Path, disk: Path) -> None:
    ops = recorded(tmp_path, disk, seeded("power").random().hex(), None)
    acknowledged, erased, found = [], 0, 0
    for state in range(count(64)):
        path, ledger = cut(ops, seeded("power", state), tmp_path / f"state-{state}")
        residue = [text for text in ledger.erased_texts() if holds(path.parent, text)]
        assert residue == [], "an erased text came back with the power"
        kept = [text for id, text in ledger.texts.items() if ledger.states[id] == "live" and id not in ledger.doubtful]
        found += sum(holds(path.parent, text) for text in kept[:5])
        with reopened(path) as memory:
            assert ledger.differences(memory) == []
            sound(memory)
        assert integrity(path) == "ok"
        bisect.insort(acknowledged, ledger.acknowledged)
        erased += len(ledger.erased_texts())
    print(f"{count(64)} states, {acknowledged[0]} to {acknowledged[-1]} calls acknowledged, 0 lost; "
          f"{erased} erased texts looked for, 0 found")  # fmt: skip
    assert acknowledged[-1] > STEPS / 2
    assert erased > 0
    assert found > 0, "the search for texts finds not even those that are there"


def test_the_harness_sees_the_loss_when_nothing_is_synced(tmp_path: Path, disk: Path) -> None:
    """The control: the very same, with a store that does not wait for its disk, must lose acknowledged writes."""
    ops = recorded(tmp_path, disk, seeded("power").random().hex(), "off")
    lost, refused, states = 0, 0, max(16, count(64) // 4)
    for state in range(states):
        path, ledger = cut(ops, seeded("power off", state), tmp_path / f"state-{state}")
        try:
            with reopened(path) as memory:
                lost += bool(ledger.differences(memory))
        except Exception:  # in a file this broken, anything may come up; what counts is that it does
            refused += 1
    print(f"without syncing: {lost} of {states} states lost acknowledged writes, {refused} did not open")
    assert lost + refused > states / 4


def holds(folder: Path, text: str) -> bool:
    return any(text.encode() in file.read_bytes() for file in folder.iterdir())
