"""Simulating a policy: it lists what would change, counts what cannot be decided, and changes nothing."""

from __future__ import annotations

import random

import pytest

from memfort import Memory, Policy
from memfort.policy.settings.document import preset, preset_names
from memfort.store.memory import MemoryStore
from memfort.testing.messages import messages_of
from whole import whole

SECRET = "AKIAQ3EGRVFJ7WKPZT5M"  # shaped like an AWS key id, but made up


def policy(**settings) -> Policy:
    return Policy.from_dict({"name": "new", **settings})


def changes(asker, new):
    """By text where the asker may see it, otherwise by id: what it was, and what it would be."""
    found = asker.policy.simulate(new).changes
    return {change.id: (str(change.was.reason), str(change.would.reason)) for change in found}


def lively(memory):
    """A history with something of everything."""
    alice, bob = memory.as_user("alice", project="apollo", session="s1"), memory.as_user("bob", project="apollo")
    tea = alice.remember("alice drinks green tea")
    alice.remember("alice drinks green tea")  # known already
    alice.remember("the launch is on Friday", space={"project": "apollo"})
    bob.remember("The launch is on friday", space={"project": "apollo"})
    bob.remember("bob drinks cocoa")
    alice.remember("buy a kettle", type="task", confidence=0.3)
    alice.remember("Berlin", kind="profile", key="town")
    alice.remember("Paris", kind="profile", key="town")
    alice.remember("Rome", kind="profile", key="town", origin="ai")
    alice.remember("reach me at +49 170 1234567")
    alice.remember(f"the key is {SECRET}")
    alice.remember("a passing remark", ttl_seconds=60)
    alice.remember("a fading remark", ttl_ticks=3)
    alice.observe(messages_of("I prefer dark mode. My name is Alice.", "Noted, dark mode it is.", [("deploy", "ok")]))
    alice.correct(tea.id, "alice drinks black tea")
    alice.restore(tea.id)
    alice.promote(alice.remember("we deploy on Mondays", type="decision").id, {"project": "apollo"})
    waiting = alice.remember("a rumour about tea", confidence=0.2)
    alice.review.edit(waiting.id, "a fact about tea")
    alice.review.reject(alice.remember("a false rumour", confidence=0.2).id)
    alice.review.approve(alice.remember("a true rumour", confidence=0.2).id)
    alice.phase.start("spring")
    alice.remember("alice drinks green tea")
    alice.erase(alice.remember("an embarrassing remark").id)
    alice.forget(alice.remember("a boring remark").id)
    return alice, bob


# -- what would change ------------------------------------------------------------------------------------------------


def test_the_policy_of_then_changes_nothing(memory):
    alice, bob = lively(memory)
    for asker in (alice, bob, memory.as_system()):
        found = asker.policy.simulate(Policy())
        assert found.changes == ()
        assert found.decisions > 0


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("name", preset_names())
def test_simulating_the_same_policy_changes_nothing(clock, name, seed):
    memory = Memory(MemoryStore(), policy=preset(name), clock=clock)
    alice, chance = memory.as_user("alice", project="apollo", session="s1", chat="lunch"), random.Random(seed)
    spaces = [None, {"session": "s1"}, {"project": "apollo"}, {"chat": "lunch"}]
    for number in range(60):
        clock.advance(seconds=chance.choice([0, 1, 100_000]))
        given = {
            "confidence": chance.choice([0.1, 0.5, 0.65, 0.8, 1.0]), "space": chance.choice(spaces),
            "origin": chance.choice(["user", "ai", "tool"]), "type": chance.choice([None, *alice_types(memory)]),
        }  # fmt: skip
        if number % 3:
            alice.remember(f"remark {chance.randrange(12)}", **given)
        else:
            alice.remember(f"town {chance.randrange(4)}", kind="profile", key=chance.choice(["town", "name"]), **given)
        if number % 20 == 19:
            for entry in alice.review.list()[:2]:
                alice.review.approve(entry.item.id)
    found = alice.policy.simulate(preset(name))
    assert found.changes == ()


def alice_types(memory):
    return list(memory.policy.show().policy.types)


def test_a_stricter_threshold_makes_approved_memories_pending(alice):
    sure, unsure = alice.remember("tea is wet").id, alice.remember("tea is blue", confidence=0.7).id
    found = alice.policy.simulate(policy(approve_confidence=0.8))
    (change,) = found.changes
    assert change.id == unsure != sure
    assert (change.was.verdict, change.was.reason, change.was.status) == ("allowed", "confident", "approved")
    assert (change.would.verdict, change.would.reason, change.would.status) == ("pending", "low_confidence", "pending")
    assert (found.decisions, found.counts) == (2, {"allowed to pending": 1})


def test_a_new_rule_denies_kept_memories(alice):
    gossip = alice.remember("gossip about tea", tags=["gossip"]).id
    alice.remember("tea is wet")
    new = policy(governance=[{"effect": "deny", "tag": "gossip", "name": "no gossip"}])
    (change,) = alice.policy.simulate(new).changes
    assert (change.id, change.would.verdict, change.would.reason) == (gossip, "denied", "governance_rule")
    assert (change.would.status, change.kind) == (None, "allowed to denied")


def test_a_new_lifetime_applies_to_memories_without_an_explicit_one(alice, clock):
    clock.advance(seconds=5)
    plain, asked = alice.remember("buy a kettle", type="task"), alice.remember("buy a cup", type="task", ttl_seconds=60)
    (change,) = alice.policy.simulate(policy(types={"task": {"lifetime_seconds": 3600}})).changes
    assert (change.id, change.kind) == (plain.id, "lifetime")
    assert change.was.expires_at_us == plain.item.expires_at_us
    assert change.would.expires_at_us == plain.item.created_at_us + 3600 * 1_000_000
    assert asked.item.expires_at_us is not None


def test_a_derived_memory_would_expire_with_its_source(alice):
    source = alice.remember("buy a kettle", type="task")
    derived = alice.remember("alice has no kettle", derived_from=[source.id])
    found = alice.policy.simulate(policy(types={"task": {"lifetime_seconds": 3600}})).changes
    assert {change.id for change in found} == {source.id, derived.id}
    assert len({change.would.expires_at_us for change in found}) == 1


def test_a_lifetime_in_ticks_counts_too(alice):
    kept = alice.remember("deployed", type="execution").id
    new = policy(retention={"semantic": {"execution": {"mode": "ttl", "ticks": 4}}})
    (change,) = alice.policy.simulate(new).changes
    assert (change.id, change.was.ticks, change.would.ticks, change.kind) == (kept, None, 4, "lifetime")


def test_a_memory_of_a_removed_type_would_be_denied(alice):
    kept = alice.remember("the kettle", type="task").id
    alice.remember("tea is wet")
    new = Policy.from_dict({"extends": "nothing", "types": {"thing": {}}, "default_type": "thing"})
    assert changes(alice, new) == {kept: ("confident", "invalid")}


def test_another_order_of_authority_turns_a_conflict_round(alice):
    said = alice.remember("Berlin", kind="profile", key="town").id
    tool = alice.remember("Paris", kind="profile", key="town", origin="tool").id
    order = ["system_imposed", "user_asserted", "tool_verified", "ai_inferred"]
    assert changes(alice, policy(authority_order=order)) == {
        said: ("superseded", "confident"), tool: ("confident", "outranked"),
    }  # fmt: skip


def test_the_memory_a_denied_one_replaced_would_be_in_force(alice):
    old = alice.remember("Berlin", kind="profile", key="town").id
    new = alice.remember("Paris", kind="profile", key="town", tags=["gossip"]).id
    rules = policy(governance=[{"effect": "deny", "tag": "gossip"}])
    assert changes(alice, rules) == {old: ("superseded", "confident"), new: ("confident", "governance_rule")}


def test_a_budget_evicts_or_refuses(alice):
    first, second = alice.remember("tea is wet").id, alice.remember("tea is hot").id
    assert changes(alice, policy(budget={"semantic": 1})) == {first: ("confident", "evicted")}
    refusing = policy(budget={"semantic": 1, "when_full": "refuse"})
    assert changes(alice, refusing) == {second: ("confident", "budget_full")}
    assert changes(alice, policy(budget={"semantic": 2})) == {}


def test_a_replaced_memory_frees_its_place_in_the_budget(alice):
    alice.remember("Berlin", kind="profile", key="town")
    alice.remember("Paris", kind="profile", key="town")
    tea = alice.remember("tea is wet").id
    alice.correct(tea, "tea is hot")
    assert changes(alice, policy(budget={"profile": 1, "semantic": 1})) == {}


def test_a_larger_budget_would_have_kept_evicted_memories(open_memory):
    memory = open_memory(policy=policy(budget={"semantic": 1}))
    alice = memory.as_user("alice")
    first = alice.remember("tea is wet").id
    alice.remember("tea is hot")
    assert changes(alice, policy(budget={"semantic": 2})) == {first: ("evicted", "confident")}
    assert changes(alice, policy(budget={"semantic": 1})) == {}


def test_a_longer_lifetime_would_make_a_repetition_a_duplicate(alice, clock):
    alice.remember("buy a kettle", type="task")
    clock.advance(seconds=15 * 86_400)
    again = alice.remember("buy a kettle", type="task").id
    found = alice.policy.simulate(policy(types={"task": {"lifetime_seconds": 30 * 86_400}})).changes
    assert {change.id: change.would.reason for change in found}[again] == "duplicate"


def test_personal_data_is_decided_by_the_new_rule(alice):
    phone = alice.remember("reach me at +49 170 1234567").id
    assert changes(alice, policy(privacy={"personal_private": "allow"})) == {phone: ("personal_review", "confident")}
    assert changes(alice, policy(privacy={"personal_private": "deny"})) == {
        phone: ("personal_review", "personal_denied")
    }


def test_observed_turns_get_the_type_of_the_new_policy(memory):
    alice = memory.as_user("alice", session="s1")
    alice.observe(messages_of("I prefer dark mode.", "Noted."))
    # Its types have other names, and none of them is asked for by name.
    assert "invalid" not in {after for _, after in changes(alice, preset("deterministic")).values()}


def test_changes_come_in_the_order_of_writing(alice):
    ids = [alice.remember(f"remark {number}", confidence=0.7).id for number in range(9)]
    assert [change.id for change in alice.policy.simulate(policy(approve_confidence=0.8)).changes] == ids


# -- against the real thing -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", preset_names())
def test_the_simulation_matches_a_fresh_store(clock, name):
    """The same statements, given to a store that has the new policy from the beginning."""
    said = [
        {"text": "tea is wet"}, {"text": "tea is blue", "confidence": 0.65}, {"text": "a kettle", "type": "task"},
        {"text": "Berlin", "kind": "profile", "key": "town"}, {"text": "Paris", "kind": "profile", "key": "town"},
        {"text": "Rome", "kind": "profile", "key": "name", "origin": "ai"}, {"text": "write to a.b@corp.test"},
        {"text": "the launch is near", "space": {"project": "apollo"}, "type": "decision"},
        {"text": "a turn", "kind": "short_term", "space": {"session": "s1"}},
    ]  # fmt: skip
    said = [{"space": {"user": "alice"}, **one} for one in said]  # the default place of a policy may be another
    old, new = (Memory(MemoryStore(), policy=rules, clock=clock) for rules in (Policy(), preset(name)))
    alice, other = (memory.as_user("alice", project="apollo", session="s1") for memory in (old, new))
    kept = [alice.remember(**one) for one in said]
    foretold = {change.id: change.would for change in alice.policy.simulate(preset(name)).changes}
    for one, outcome in zip(said, kept, strict=True):
        try:
            real = other.remember(**one)
        except ValueError:  # a type that it does not know
            assert foretold[outcome.id].reason == "invalid"
            continue
        expected = foretold.get(outcome.id)
        if expected is None:
            assert (real.reason, real.item.expires_at_us) == (outcome.reason, outcome.item.expires_at_us)
        elif expected.reason != "superseded":
            assert (real.reason, real.item and real.item.expires_at_us) == (expected.reason, expected.expires_at_us)


# -- what cannot be known, and who may know ---------------------------------------------------------------------------


def test_decisions_without_text_in_the_trail_are_counted_as_undecided(memory, alice):
    alice.remember(f"the key is {SECRET}")
    alice.remember("tea is wet")
    alice.remember("tea is wet")
    alice.erase(alice.remember("an embarrassing remark").id)
    found = alice.policy.simulate(policy(write_policy="none"))
    assert found.undecided == {"denied": 1, "said_again": 1, "redacted": 0, "not_seen": 1, "way_not_seen": 0}
    assert found.decisions == len(found.changes) == 1
    assert memory.as_system().policy.simulate(Policy()).undecided == found.undecided
    assert set(memory.as_user("bob").policy.simulate(Policy()).undecided.values()) == {0}


def test_redacted_texts_are_undecided(open_memory):
    alice = open_memory(policy=policy(privacy={"personal_private": "redact"})).as_user("alice")
    alice.remember("reach me at +49 170 1234567")
    found = alice.policy.simulate(policy(privacy={"personal_private": "deny"}))
    assert (found.decisions, found.changes, found.undecided["redacted"]) == (0, (), 1)


def test_simulate_shows_each_user_their_own_memories_and_the_system_only_ids(memory):
    alice, bob = memory.as_user("alice", project="apollo"), memory.as_user("bob", project="apollo")
    mine, ours = alice.remember("alice drinks tea").id, alice.remember("we meet", space={"project": "apollo"}).id
    theirs = bob.remember("bob drinks cocoa").id
    new = policy(write_policy="none")
    assert set(changes(alice, new)) == {mine, ours}
    assert set(changes(bob, new)) == {theirs}  # he reads what is the project's, and did not write it
    assert changes(memory.as_user("carol"), new) == {}
    everything = memory.as_system().policy.simulate(new)
    assert {change.id for change in everything.changes} == {mine, ours, theirs}
    assert {change.levels for change in everything.changes} == {("user",), ("project",)}
    for word in ("alice", "bob", "cocoa", "apollo"):
        assert word not in whole(everything)


def test_other_users_memories_out_of_sight_change_nothing(open_memory):
    new = policy(budget={"semantic": 2, "owner": 3}, approve_confidence=0.8)
    results = []
    for with_bob in (False, True):
        memory = open_memory()
        alice, bob = memory.as_user("alice", project="apollo"), memory.as_user("bob", project="apollo")
        for number in range(4):
            if with_bob:
                bob.remember(f"bob's remark {number}")
                bob.remember(f"for bob {number}", space={"project": "apollo"}, access={"users": ["bob"]})
            alice.remember(f"remark {number}", confidence=0.7 + 0.1 * number, space={"project": "apollo"})
        results.append(alice.policy.simulate(new))
    assert results[0] == results[1]
    assert results[0].changes


def test_simulate_only_reads(memory, clock):
    alice, _ = lively(memory)
    memory._engine.flush()
    store = memory._engine.store

    def everything():
        trail = [(str(chain), number, head) for chain, number, head in store.chains()]
        return trail, store.info()["memories"], store.policy(), memory.policy.show().policy

    before = everything()
    for asker in (alice, memory.as_system()):
        assert asker.policy.simulate(preset("scoped")).changes
    memory._engine.flush()
    assert everything() == before


def test_progress_counts_decisions(memory):
    alice, _ = lively(memory)
    steps = []
    found = alice.policy.simulate(Policy(), progress=lambda done, total: steps.append((done, total)))
    assert [done for done, _ in steps] == list(range(1, len(steps) + 1))
    assert len(steps) >= found.decisions
    assert len({total for _, total in steps}) == 1
