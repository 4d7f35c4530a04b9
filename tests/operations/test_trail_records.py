"""Replaying the trail gives phases, rejected values, erasures and the policy in use; what was touched is named."""

from __future__ import annotations

import json

import apsw
import pytest

from memfort import Memory, Policy
from memfort.operations.upkeep.rekey import renew_key
from memfort.policy.settings.document import read_policy
from memfort.store.port import Scrub
from memfort.store.sqlite import SqliteStore
from memfort.testing.strategies import HOSTILE_NAMES

STRICT = read_policy('name = "strict"\n', "strict")
LAX = read_policy('name = "lax"\n', "lax")
TWO_PHASES = read_policy('name = "two"\n[phase]\nmax_phases = 2\n', "two")
PROJECT = {"project": "apollo"}


def settle(memory):
    """Phases in two spaces, a policy in use, values rejected by review and by import, and one that was said again."""
    memory.policy.use(LAX)
    memory.policy.use(STRICT)
    alice = memory.as_user("alice", **PROJECT)
    alice.remember("likes tea")
    alice.phase.start(reason="new ways")
    alice.phase.start(reason="a release", name="beta")
    alice.phase.start(space=PROJECT, reason="kick-off")
    alice.review.reject(alice.remember("likes ink", confidence=0.1).id)
    alice.remember("likes rum", status="rejected", access={"users": ["alice"]})
    alice.review.reject(alice.remember("likes jam", confidence=0.1).id)
    alice.remember("likes jam")
    alice.erase(alice.remember("likes gin", status="rejected").id)
    return alice


def broken(memory):
    return [one.problem.removesuffix(" differs from the trail") for one in memory.trail.verify().broken]


def test_the_trail_records_phases_rejected_values_and_the_policy(memory):
    settle(memory)
    assert memory.trail.verify().ok
    assert memory.policy.show(in_use=True).policy.name == "strict"
    recorded = [line["event"] for line in memory.as_system().trail.export()]
    rejected = [each for one in recorded for each in one["detail"].get("rejected_values", ())]
    assert [one["authority"] is None for one in rejected].count(True) == 2
    assert len({one["value"] for one in rejected}) == 4
    assert [one["detail"]["phase"] for one in recorded if one["action"] == "start_phase"].count("phase-2") == 2


def test_names_of_any_kind_are_compared(memory):
    for name in HOSTILE_NAMES[:40]:
        bound = memory.as_user(name)
        bound.phase.start(reason="new ways")
        bound.remember(f"{name} likes ink", status="rejected", access={"users": [name]})
    assert memory.trail.verify().ok


def test_phases_that_the_policy_no_longer_keeps_are_not_missed(open_memory):
    memory = open_memory(policy=TWO_PHASES)
    alice = memory.as_user("alice")
    for number in range(4):
        alice.remember(f"tea {number}")
        alice.phase.start(reason="new ways")
    assert [phase.id for phase in alice.phase.list()] == ["phase-4", "phase-5"]
    assert memory.trail.verify().ok


def test_a_phase_that_the_policy_keeps_is_missed_though_it_is_the_oldest(tmp_path, clock):
    with Memory(SqliteStore(tmp_path / "memory.db", ballast_bytes=0), policy=TWO_PHASES, clock=clock) as memory:
        alice = memory.as_user("alice")
        for _ in range(3):
            alice.phase.start(reason="new ways")
        raw = apsw.Connection(str(tmp_path / "memory.db"))
        assert raw.execute("select place from phase").fetchall() == [(3,), (4,)]
        assert broken(memory) == []
        oldest = raw.execute("select * from phase where place = 3").fetchone()
        raw.execute("delete from phase where place = 3")
        assert broken(memory) == ["phase `phase-3`"]
        alice.phase.start(reason="new ways")
        assert broken(memory) == []
        raw.execute("insert into phase values (?, ?, ?, ?)", oldest)
        assert broken(memory) == ["phase `phase-3`"]
        raw.close()


def test_phases_dropped_under_a_stricter_policy_are_not_missed(open_memory):
    memory = open_memory()
    alice = memory.as_user("alice")
    for _ in range(4):
        alice.phase.start(reason="new ways")
    for policy in (TWO_PHASES, LAX, TWO_PHASES):
        memory.policy.use(policy)
        alice.phase.start(reason="new ways")
        assert broken(memory) == []
    assert [phase.id for phase in alice.phase.list()] == ["phase-7", "phase-8"]


TOUCHED = {
    "oldest-phase-deleted": ("delete from phase where space = 1 and place = 2", ["phase `phase-2`"]),
    "phase-deleted": ("delete from phase where place = 3", ["phase `phase-3`"]),
    "phases-deleted": ("delete from phase where space = 1", ["phase `phase-2`", "phase `phase-3`"]),
    "phase-changed": (
        "update phase set record = replace(record, 'beta', 'gamma') where place = 3",
        ["phase `phase-3`"],
    ),
    "rejected-value-deleted": ("delete from rejected_value where readers = ''", ["a rejected value"]),
    "rejected-values-deleted": ("delete from rejected_value", ["a rejected value", "a rejected value"]),
    "rejected-value-changed": (
        "update rejected_value set authority = 'ai_inferred' where readers = ''",
        ["a rejected value"],
    ),
    "policy-put-back": (
        "update meta set value = (select digest from policy where document like '%lax%') where name = 'policy'",
        ["the policy in use"],
    ),
    "policy-forgotten": ("delete from meta where name = 'policy'", ["the policy in use"]),
    "policy-changed": (
        "update policy set document = replace(document, 'strict', 'slack') where document like '%strict%'",
        ["the policy in use"],
    ),
}


def test_an_erasure_taken_away_is_named(on_disk):
    memory, raw = on_disk
    (receipt,) = memory.as_user("alice").erasures()
    raw.execute("delete from erasure")
    assert broken(memory) == [f"erasure `{receipt.id}`"]


def test_a_complete_erasure_made_to_wait_again_is_named(on_disk, monkeypatch):
    memory, raw = on_disk
    alice = memory.as_user("alice")
    monkeypatch.setattr(memory._engine.store, "scrub", lambda: Scrub("a reader holds the log"))
    receipt = alice.erase(alice.remember("likes ale").id)
    row = raw.execute("select * from erasure where id = ?", (receipt.id,)).fetchone()
    assert (row[2], broken(memory)) == ("a reader holds the log", [])
    monkeypatch.undo()
    assert memory.finish_erasures().finished == (receipt.id,)
    assert broken(memory) == []
    raw.execute("replace into erasure values (?, ?, ?, ?, ?)", row)
    assert broken(memory) == [f"erasure `{receipt.id}`"]


@pytest.mark.parametrize("touch", TOUCHED)
def test_tampered_records_are_named(on_disk, touch):
    memory, raw = on_disk
    statement, names = TOUCHED[touch]
    raw.execute(statement)
    assert raw.changes() >= 1
    assert broken(memory) == names
    problems = [
        problem for what, problem in memory.as_system().doctor(checks=["integrity"]).problems if what == "trail"
    ]
    assert all(any(name in problem for problem in problems) for name in names)


def test_a_rejected_value_that_was_restated_and_put_back_is_named(tmp_path, clock):
    with Memory(SqliteStore(tmp_path / "memory.db", ballast_bytes=0), clock=clock) as memory:
        alice = memory.as_user("alice")
        alice.review.reject(alice.remember("likes ink", confidence=0.1).id)
        raw = apsw.Connection(str(tmp_path / "memory.db"))
        row = raw.execute("select * from rejected_value").fetchone()
        alice.remember("likes ink")
        assert raw.execute("select count(*) from rejected_value").get == 0
        assert memory.trail.verify().ok
        raw.execute("insert into rejected_value values (?, ?, ?, ?, ?)", row)
        raw.close()
        assert broken(memory) == ["a rejected value"]


def test_a_forged_phase_is_ignored(on_disk):
    memory, raw = on_disk
    raw.execute("insert into phase select space, 4, record, seal from phase where place = 3")
    assert [phase.id for phase in memory.as_user("alice").phase.list()] == ["phase-1", "phase-2", "phase-3"]
    assert [what for what, _ in memory.as_system().doctor(checks=["integrity"]).problems] == ["rows"]


def test_renewing_the_key_keeps_phases_and_the_policy(tmp_path, clock):
    path = tmp_path / "memory.db"
    with Memory(SqliteStore(path, ballast_bytes=0), clock=clock) as memory:
        settle(memory)
    path.with_name("memory.db.key").unlink()
    renew_key(path, policy=Policy(), surface="cli")
    with Memory(SqliteStore(path, ballast_bytes=0), clock=clock) as memory:
        assert memory.as_system().doctor(checks=["integrity"]).problems == []
        assert memory.trail.verify().ok
        assert memory.policy.show(in_use=True).policy.name == "strict"
        alice = memory.as_user("alice")
        assert [phase.reason for phase in alice.phase.list()] == ["auto", "new ways", "a release"]
        assert alice.remember("likes ink", origin="ai").reason == "rejected_before"
        raw = apsw.Connection(str(path))
        raw.execute(
            "update meta set value = (select digest from policy where document like '%lax%') where name = 'policy'"
        )
        raw.close()
        assert broken(memory) == ["the policy in use"]


def test_values_rejected_by_others_do_not_change_your_trail(memory):
    alice, bob = memory.as_user("alice", **PROJECT), memory.as_user("bob", **PROJECT)
    bob.remember("likes tea", space=PROJECT)
    before = list(bob.trail.export())
    alice.remember("likes ink", space=PROJECT, status="rejected", access={"users": ["alice"]})
    alice.phase.start(reason="new ways")
    memory.policy.use(STRICT)
    assert list(bob.trail.export()) == before
    assert any("rejected_values" in line["event"]["detail"] for line in alice.trail.export())


def test_an_import_batch_taken_away_or_put_back_is_named(on_disk):
    memory, raw = on_disk
    alice = memory.as_user("alice")
    row_of_her_own = {"id": 1, "user_id": "alice", "kind": "note", "content": "likes tea", "confidence": 0.9}
    source = alice.import_(json.dumps([row_of_her_own]).encode()).source
    assert (source is not None, broken(memory)) == (True, [])
    row = raw.execute("select * from source").fetchone()
    raw.execute("delete from source")
    assert broken(memory) == [f"import batch `{source}`"]
    raw.execute("insert into source values (?, ?, ?, ?)", row)
    assert broken(memory) == []
    alice.erase(source=source)
    assert broken(memory) == []
    raw.execute("insert into source values (?, ?, ?, ?)", row)
    assert broken(memory) == [f"import batch `{source}`"]
