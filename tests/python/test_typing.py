"""A user's program under mypy strict: what is right passes, and every typo is found where it is."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import memfort
from memfort.client.places import Places
from memfort.engine.inputs import PLACES

PROGRAM = """\
from datetime import datetime
from pathlib import Path

from memfort import AsyncMemory, Candidate, Hit, InvalidInput, Item, Kind, Memory, Outcome, Policy, Receipt, Recall
from memfort import Sensitivity
from memfort import Nonsense  # wrong

memory = Memory.open(":memory:", policy=Path("policy.toml"), audit_reads="batched")
Memory.open(":memory:", audit_reads="buffered")  # wrong
Memory.open(":memory:", memberships="registred")  # wrong
AsyncMemory.open("notes.db", read_only=True)
AsyncMemory.open("notes.db", redonly=True)  # wrong
Memory.open(":memory:", polcy="x")  # wrong
Memory.open(":memory:", max_entries="many")  # wrong
alice = memory.as_user("alice", project="apollo", session="s1")
memory.as_user("alice", projct="apollo")  # wrong
memory.as_agent("helper", owner="alice", chat="lunch")
memory.as_agent("helper", ownr="alice")  # wrong

outcome: Outcome = alice.remember("tea", kind=Kind.SEMANTIC, sensitivity="personal", expires_at=datetime.now())
alice.remember("tea", sensitivty="personal")  # wrong
alice.remember("tea", sensitivity="persnal")  # wrong
alice.remember(Candidate(text="tea"))  # wrong
alice.remember_many([Candidate(text="tea", observed_at=datetime.now(), sensitivity=Sensitivity.PERSONAL)])
alice.remember_many(["tea", {"text": "tea"}])
alice.remember_many([7])  # wrong
Candidate(text="tea", observd_at=datetime.now())  # wrong

found: Recall = alice.recall("tea", limit=3)
hits: list[Hit] = list(found)
alice.recall("tea", limt=3)  # wrong
found.hitz  # wrong
item: Item = hits[0].item
when: datetime = item.created_at
later: int = item.created_at  # wrong
ends: datetime | None = item.expires_at
certain: datetime = item.expires_at  # wrong
plain: dict[str, object] = found.to_dict()
found["hits"]  # wrong
best: Hit = found[0]
found[0].txt  # wrong
memory.remember("tea")  # wrong
memory.policy.use(Path("policy.toml"))
memory.policy.use(7)  # wrong
receipt: Receipt = alice.erase(item.id)
day: datetime = receipt.at
policy: Policy = Policy.from_dict({"name": "mine"})
Policy(nam="mine")  # wrong
prompt: str = f"{alice.context('tea')}"
try:
    alice.forget(item.id, dry_rn=True)  # wrong
except InvalidInput as error:
    print(error.field, error.remedy)
memory.store.gc()
memory.stor.gc()  # wrong


async def awaited(notes: AsyncMemory) -> list[str]:
    await notes.as_user("alice", projct="apollo").list()  # wrong
    return (await notes.as_user("alice", project="apollo").recall("tea")).texts
"""


def test_right_lines_pass_and_wrong_lines_do_not(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    source = str(Path(memfort.__file__).parent.parent)
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--config-file=", str(program)]
    run = subprocess.run(
        [*command, f"--cache-dir={tmp_path / 'cache'}", "--follow-imports=silent", "--ignore-missing-imports"],
        capture_output=True, text=True, check=False, env={**os.environ, "MYPYPATH": source}, cwd=tmp_path,
    )  # fmt: skip
    failing = {int(line) for line in re.findall(r"program\.py:(\d+): error", run.stdout)}
    wrong = {number for number, line in enumerate(PROGRAM.splitlines(), start=1) if line.endswith("# wrong")}
    assert len(wrong) > 10
    assert failing == wrong, run.stdout


def test_places_covers_every_level_of_a_standpoint() -> None:
    assert set(Places.__annotations__) == set(PLACES)
