"""A backfill that is killed and started again ends as if nothing had happened."""

from __future__ import annotations

import json
import time
from pathlib import Path

from fault_support import count, everything, reopened, seeded, sentence, sound, start_worker, word

USERS = ("alice", "bob")


def test_a_killed_backfill_imports_no_record_twice(tmp_path: Path) -> None:
    rng = seeded("backfill")
    texts = [f"{sentence(rng)} {word(rng, 5)}" for _ in range(300)]
    nodes = [
        {"id": str(n), "content": text, "metadata": {"domain": "system_fact", "userId": USERS[n % 2]}}
        for n, text in enumerate(texts)
    ]
    file = tmp_path / "old.jsonl"
    file.write_text("".join(json.dumps(node) + "\n" for node in nodes))
    cut_short = 0
    for round in range(max(2, count(8) // 4)):
        path = tmp_path / f"{round}" / "memory.db"
        for attempt in range(2):
            notes = tmp_path / f"notes-{round}-{attempt}"
            worker = start_worker("backfill", path, notes, file=str(file), commit_every=rng.choice([3, 10]))
            worker.wait_until("under_way" if attempt == 0 else "ready")
            time.sleep(rng.uniform(0, 0.1))
            worker.kill()
            with reopened(path) as memory:
                kept = [item.text for user in USERS for item in everything(memory, user).values()]
                cut_short += 0 < len(kept) < len(texts)
                assert len(set(kept)) == len(kept)
                assert set(kept) == set(texts[: len(kept)]), "a record was passed over"
        start_worker("backfill", path, tmp_path / f"notes-{round}-last", file=str(file), commit_every=50).finish()
        with reopened(path) as memory:
            assert sorted(item.text for user in USERS for item in everything(memory, user).values()) == sorted(texts)
            [source] = memory.as_system().sources()
            assert dict(source.counts) == {"read": 300, "kept": 300, "without_provenance": 300}
            sound(memory)
    assert cut_short > 0, "no kill fell into the middle"
