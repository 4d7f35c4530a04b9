"""A policy in use: in force for all who open the store, kept with earlier ones, and recorded."""

from __future__ import annotations

import pytest

from memfort import FixedClock, Memory, NotFound, Policy, StoreError
from memfort.model.reason import Reason
from memfort.policy.settings.document import preset, preset_names, read_policy
from memfort.policy.settings.render import as_toml
from memfort.policy.settings.sections import AuditReads
from memfort.store.memory import MemoryStore
from memfort.store.port import PutPolicy
from memfort.store.sqlite import SqliteStore

STRICT = Policy.from_dict({"name": "strict", "approve_confidence": 0.9})


@pytest.fixture
def reopened(tmp_path):
    """A store in a file, opened anew each time."""

    def reopen(**options) -> Memory:
        return Memory(SqliteStore(tmp_path / "memory.db", ballast_bytes=0), **options)

    return reopen


@pytest.mark.fails_closed
def test_without_any_the_default_is_in_force(memory):
    assert memory.policy.show().policy == Policy()
    with pytest.raises(NotFound, match="none was put to use here"):
        memory.policy.show(in_use=True)


def test_a_policy_takes_effect_at_once(memory, alice):
    assert alice.remember("a rumour", confidence=0.7).item.status == "approved"
    memory.policy.use(STRICT)
    outcome = alice.remember("another rumour", confidence=0.7)
    assert (outcome.item.status, outcome.decision.policy) == ("pending", STRICT.digest)
    assert memory.policy.show().policy == memory.policy.show(in_use=True).policy == STRICT


def test_using_a_policy_recomputes_the_sight(memory, alice):
    assert {"user": "alice"} in alice.spaces()
    memory.policy.use(preset("scoped"))  # which has no spaces of users
    assert alice.spaces() == []


def test_reopening_the_store_uses_the_same_policy(reopened):
    with reopened() as memory:
        memory.policy.use(STRICT)
    with reopened() as memory:
        assert memory.policy.show().policy == STRICT
        assert memory.as_user("alice").remember("a rumour", confidence=0.7).decision.policy == STRICT.digest


def test_an_explicit_policy_wins_and_leaves_the_one_in_use_alone(reopened):
    with reopened() as memory:
        memory.policy.use(STRICT)
    with reopened(policy=preset("chat")) as memory:
        assert (memory.policy.show().policy, memory.policy.show(in_use=True).policy) == (preset("chat"), STRICT)
    with reopened() as memory:
        assert memory.policy.show().policy == STRICT


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_comes_back_as_it_was(reopened, name):
    with reopened() as memory:
        memory.policy.use(preset(name))
    with reopened() as memory:
        assert memory.policy.show().policy == preset(name)


def test_using_a_policy_is_recorded_by_digest_without_the_document(memory, events):
    memory.policy.use(STRICT)
    (event,) = [event for event in events() if event["action"] == "use_policy"]
    assert (event["reason"], event["decision"], event["actor"]["kind"]) == ("policy_in_use", "allowed", "system")
    keys = memory._engine.store.keys
    assert event["detail"] == {"policy": STRICT.digest, "document_digest": keys.digest(as_toml(STRICT))}
    assert memory.trail.verify().ok


def test_using_the_same_policy_again_records_nothing(memory, events):
    for _ in range(3):
        memory.policy.use(STRICT)
    assert [event["action"] for event in events()].count("use_policy") == 1


def test_earlier_ones_can_be_looked_up(memory):
    memory.policy.use(STRICT)
    memory.policy.use(preset("chat"))
    assert memory.policy.show(digest=STRICT.digest).policy == STRICT
    assert memory.policy.show(digest=preset("chat").digest).policy == preset("chat")
    with pytest.raises(NotFound, match="put to use here"):
        memory.policy.show(digest="0123456789abcdef")


def test_going_back_to_an_earlier_one_is_a_use_like_any_other(reopened):
    with reopened() as memory:
        for policy in (STRICT, preset("chat"), STRICT):
            memory.policy.use(policy)
    with reopened() as memory:
        assert memory.policy.show().policy == STRICT


def test_a_document_that_no_longer_reads_is_an_error_and_no_laxer_policy():
    store = MemoryStore()
    document = as_toml(STRICT).replace("approve_confidence", "aprove_confidence")
    store.apply([PutPolicy(STRICT.digest, document)], [])
    with pytest.raises(StoreError, match=r"the policy in use.*aprove_confidence.*policy.use"):
        Memory(store)
    memory = Memory(store, policy=STRICT)  # who names one can open it, and mend it
    with pytest.raises(StoreError):
        memory.policy.show(in_use=True)
    memory.policy.use(STRICT)
    assert Memory(store).policy.show().policy == STRICT


def test_a_store_that_cannot_be_opened_for_its_policy_is_let_go_of(tmp_path):
    path = tmp_path / "memory.db"
    with Memory.open(path) as memory:
        memory._engine.store.apply([PutPolicy("x", "no TOML at all [")], [])
    for _ in range(3):
        with pytest.raises(StoreError):
            Memory.open(path)
    with Memory.open(path, policy=STRICT) as memory:
        memory.policy.use(STRICT)
    with Memory.open(path) as memory:
        assert memory.policy.show().policy == STRICT


def test_how_reads_are_recorded_can_be_said_beside_any_policy(reopened):
    with reopened(audit_reads="off") as memory:
        memory.policy.use(STRICT)
        assert (memory.policy.show().policy.audit.reads, memory.policy.show().policy.name) == (AuditReads.OFF, "strict")
    with reopened() as memory:
        assert memory.policy.show().policy == STRICT


@pytest.mark.fails_closed
def test_nothing_is_kept_when_it_cannot_be_recorded(memory, monkeypatch):
    def fail(*_: object) -> None:
        raise StoreError("the disk is gone")

    with monkeypatch.context() as patched:
        patched.setattr(memory._engine.store, "apply", fail)
        with pytest.raises(StoreError):
            memory.policy.use(STRICT)
    assert (memory.policy.show().policy, memory._engine.policy_in_use()) == (Policy(), None)


def test_a_policy_is_stored_as_a_document_that_people_can_read(memory):
    memory.policy.use(STRICT)
    assert read_policy(memory._engine.store.policy(), "stored") == STRICT


def test_a_clock_is_all_that_is_needed_besides(tmp_path):
    with Memory.open(tmp_path / "memory.db", clock=FixedClock(1_767_225_600_000_000)) as memory:
        memory.policy.use(STRICT)
        assert memory.store.info().policy == f"strict {STRICT.digest}"


def test_a_policy_used_by_another_process_takes_effect_at_once(tmp_path):
    with Memory.open(tmp_path / "memory.db") as here, Memory.open(tmp_path / "memory.db") as there:
        own = Memory.open(tmp_path / "memory.db", policy=Policy(name="own"))
        assert there.as_user("bob").remember("likes tea").kept
        here.policy.use(Policy(name="strict", write_policy="none"))
        assert there.as_user("bob").remember("likes jam").reason is Reason.WRITE_POLICY_NONE
        assert there.policy.show().policy.name == "strict"
        assert own.as_user("bob").remember("likes figs").kept  # who names a policy keeps it
        own.close()
