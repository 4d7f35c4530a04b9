"""The settings of a memory that is opened: each does what it says, in place of what the policy says."""

from __future__ import annotations

from typing import get_type_hints

import pytest

from memfort import InvalidInput, Memory, Policy
from memfort.client.options import MemoryOptions
from memfort.policy.settings.sections import Budget
from memfort.store.memory import MemoryStore
from memfort.testing.messages import messages_of


def texts(actor, **given):
    return sorted(item.text for item in actor.list(limit=1000, **given))


# -- auto_gc ----------------------------------------------------------------------------------------------------------


def test_collecting_on_opening_is_off_by_default(open_memory, clock):
    memory = open_memory()
    memory.as_user("alice").remember("a short note", ttl_seconds=10)
    clock.advance(10)
    store = memory._engine.store
    assert Memory(store, clock=clock).store.gc().expired == 1


def test_auto_gc_collects_ended_memories_on_opening(open_memory, clock, events_of):
    memory = open_memory()
    alice = memory.as_user("alice")
    alice.remember("a short note", ttl_seconds=10)
    alice.remember("a lasting note")
    clock.advance(10)
    again = Memory(memory._engine.store, clock=clock, auto_gc=True)
    assert [one["action"] for one in events_of(again)].count("expire") == 1
    assert again.store.gc().expired == 0
    assert texts(again.as_user("alice")) == ["a lasting note"]


@pytest.fixture
def events_of():
    return lambda memory: [line["event"] for line in memory.as_system().trail.export()]


def test_auto_gc_brings_a_store_down_to_its_limit(open_memory, clock):
    memory = open_memory()
    alice = memory.as_user("alice")
    for number in range(5):
        alice.remember(f"note {number}", importance=number)
    again = Memory(memory._engine.store, clock=clock, auto_gc=True, max_entries=2)
    assert texts(again.as_user("alice")) == ["note 3", "note 4"]


def test_auto_gc_on_a_file(tmp_path, clock):
    path = tmp_path / "memory.db"
    with Memory.open(path, clock=clock) as memory:
        memory.as_user("alice").remember("a short note", ttl_seconds=10)
    clock.advance(10)
    with Memory.open(path, clock=clock, auto_gc=True) as memory:
        assert memory.store.gc().expired == 0


# -- max_entries ------------------------------------------------------------------------------------------------------


def test_max_entries_overrides_the_policys_budget(open_memory):
    memory = open_memory(policy=Policy(budget=Budget(owner=1)), max_entries=3)
    alice = memory.as_user("alice")
    for number in range(5):
        alice.remember(f"note {number}", importance=number)
    assert texts(alice) == ["note 2", "note 3", "note 4"]
    assert memory.policy.show().policy.budget.owner == 3


def test_without_it_the_policy_counts(open_memory):
    memory = open_memory(policy=Policy(budget=Budget(owner=1)))
    alice = memory.as_user("alice")
    alice.remember("note one", importance=1)
    alice.remember("note two", importance=2)
    assert texts(alice) == ["note two"]


def test_the_limit_is_each_authors_own(open_memory):
    memory = open_memory(max_entries=2)
    alice, bob = memory.as_user("alice"), memory.as_user("bob")
    for number in range(4):
        alice.remember(f"note {number}", importance=number)
    bob.remember("bob's note")
    assert (len(texts(alice)), texts(bob)) == (2, ["bob's note"])


# -- extraction -------------------------------------------------------------------------------------------------------


def test_without_extraction_only_the_turns_are_kept(open_memory):
    memory = open_memory(extraction_enabled=False)
    alice = memory.as_user("alice")
    seen = alice.observe(messages_of("My name is Alice and I prefer tea.", "Noted.", [("search", "3 hits")]))
    assert [item.text for item in alice.window()] == ["My name is Alice and I prefer tea.", "3 hits", "Noted."]
    assert {item.kind for item in seen.kept} == {"short_term"}
    assert texts(alice, kinds=["semantic", "profile"]) == []


def test_with_extraction_more_than_the_turns_is_kept(open_memory):
    alice = open_memory().as_user("alice")
    alice.observe(messages_of("My name is Alice and I prefer tea.", "Noted."))
    assert texts(alice, kinds=["semantic", "profile"])


def test_explicit_statements_are_kept_without_extraction(open_memory):
    alice = open_memory(extraction_enabled=False).as_user("alice")
    assert alice.remember("I prefer tea").kept


def test_the_threshold_overrides_the_policys(open_memory):
    assert open_memory().policy.show().policy.discard_confidence == 0.0
    memory = open_memory(policy=Policy(discard_confidence=0.2), extraction_confidence_threshold=0.7)
    assert memory.policy.show().policy.discard_confidence == 0.7


def test_captured_statements_below_the_threshold_are_discarded(open_memory):
    from memfort.model.item import Candidate

    guess = Candidate(text="likes tea", origin="ai", confidence=0.5, captured=True)
    strict = open_memory(extraction_confidence_threshold=0.7).as_user("alice")
    [refused] = strict.remember_many([guess])
    assert (refused.reason, texts(strict, statuses=["pending", "approved"])) == ("discarded", [])
    [kept] = open_memory().as_user("alice").remember_many([guess])
    assert kept.state == "pending"


# -- the policy in force ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "given", [{"max_entries": 7}, {"extraction_confidence_threshold": 0.7}, {"audit_reads": "off"}]
)
def test_decisions_carry_the_digest_of_the_policy_in_force(open_memory, given):
    plain, memory = open_memory(), open_memory(**given)
    outcome = memory.as_user("alice").remember("likes tea")
    assert outcome.decision.policy == memory.policy.show().policy.digest != plain.policy.show().policy.digest
    assert outcome.item.policy == memory.policy.show().policy.digest
    assert memory.policy.show(digest=memory.policy.show().policy.digest).policy == memory.policy.show().policy


def test_settings_also_override_a_policy_used_later(open_memory):
    memory = open_memory(max_entries=2)
    memory.policy.use(Policy(name="own", budget=Budget(owner=9)))
    assert (memory.policy.show().policy.name, memory.policy.show().policy.budget.owner) == ("own", 2)
    assert memory.policy.show(in_use=True).policy.budget.owner == 9


@pytest.mark.fails_closed
def test_a_setting_equal_to_the_policy_changes_nothing(open_memory):
    policy = Policy(budget=Budget(owner=4))
    assert open_memory(policy=policy, max_entries=4).policy.show().policy.digest == policy.digest


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_entries", 0), ("max_entries", -1), ("max_entries", True), ("max_entries", 1.5), ("max_entries", "5"),
        ("extraction_confidence_threshold", 1.1), ("extraction_confidence_threshold", -0.1),
        ("extraction_confidence_threshold", float("nan")), ("extraction_confidence_threshold", "high"),
        ("extraction_enabled", "no"), ("extraction_enabled", None), ("auto_gc", "yes"), ("auto_gc", 1),
    ],
)  # fmt: skip
def test_a_wrong_value_is_refused_by_name(open_memory, name, value):
    with pytest.raises(InvalidInput, match=name) as error:
        open_memory(**{name: value})
    assert error.value.remedy


def test_an_unknown_policy_is_refused_with_a_suggestion() -> None:
    with pytest.raises(InvalidInput, match=r"policy: `chatt` is neither a file nor a preset; did you mean `chat`\?"):
        Memory(MemoryStore(), policy="chatt")
    assert Memory(MemoryStore(), policy="chat").policy.show().policy.name == "chat"


def test_the_typed_options_are_those_of_a_memory():
    hints = get_type_hints(MemoryOptions)
    taken = get_type_hints(Memory.__init__)
    assert hints == {name: kind for name, kind in taken.items() if name not in {"store", "return"}}
