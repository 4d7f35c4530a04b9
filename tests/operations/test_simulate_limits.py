"""Simulating effects beyond one write: promotions, ticks, phases, windows, budgets and reviews. Each story is also
simulated with an equal policy, which must change nothing."""

from __future__ import annotations

import pytest

from memfort import Policy
from memfort.surfaces.cli.render.policy import _ruling
from memfort.testing.messages import messages_of

PROJECT = {"project": "apollo"}


def policy(**settings) -> Policy:
    return Policy.from_dict({"name": "new", **settings})


def way(**settings) -> Policy:
    """The default ways, but for that from a user to a project."""
    return policy(spaces={"promotions": [{"from_level": "user", "to_level": "project", **settings}]})


def changes(asker, new: Policy) -> dict[str, tuple[str, str]]:
    """By id: why it is as it is, and why it would be otherwise."""
    found = asker.policy.simulate(new).changes
    return {change.id: (str(change.was.reason), str(change.would.reason)) for change in found}


@pytest.fixture
def here(memory):
    """Alice where she has a project, a session and room of her own."""
    return memory.as_user("alice", project="apollo", session="s1")


# -- ways -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def promoted(here):
    source = here.remember("we deploy on Mondays", type="decision").id
    return source, here.promote(source, PROJECT).id


def test_a_promotion_that_may_still_be_made_changes_nothing(here, promoted):
    assert changes(here, Policy()) == changes(here, way()) == {}
    assert changes(here, way(event_types=["decision"])) == {}


@pytest.mark.parametrize(
    ("new", "reason"),
    [
        (policy(spaces={"promotions": []}), "promotion_disallowed"),
        (way(event_types=["fact"]), "promotion_event_type"),
        (way(authority="tool_verified"), "promotion_authority"),
        (way(approvals=1), "promotion_waits"),
    ],
)
def test_a_way_that_is_shut_keeps_a_memory_where_it_was(here, promoted, new, reason):
    source, copy = promoted
    assert changes(here, new) == {source: ("promoted", "confident"), copy: ("confident", reason)}


def test_a_promotion_needing_approval_is_pending_and_a_refused_one_is_absent(here, promoted):
    _, copy = promoted
    waits = {change.id: change for change in here.policy.simulate(way(approvals=1)).changes}[copy]
    assert (waits.kind, waits.would.status) == ("allowed to pending", "pending")
    refused = {change.id: change for change in here.policy.simulate(policy(spaces={"promotions": []})).changes}[copy]
    assert (refused.kind, refused.would.status) == ("allowed to denied", None)


def test_a_way_that_needs_no_approval_any_more_is_taken_at_once(open_memory):
    memory = open_memory(policy=way(approvals=1))
    alice = memory.as_user("alice", project="apollo")
    source = alice.remember("we deploy on Mondays").id
    copy = alice.promote(source, PROJECT).id
    assert changes(alice, way()) == {source: ("confident", "promoted"), copy: ("promotion_waits", "confident")}
    assert changes(alice, way(approvals=2)) == {}


def test_approvals_are_counted_again(open_memory):
    memory = open_memory(policy=way(approvals=1))
    for user in ("bob", "carol"):
        memory.member.add({"project": "apollo"}, user=user, trust="approver")
    memory.member.add({"project": "apollo"}, user="alice")
    alice = memory.as_user("alice", project="apollo")
    source = alice.remember("we deploy on Mondays").id
    copy = alice.promote(source, PROJECT).id
    memory.as_user("bob", project="apollo").review.approve(copy)
    (first, second) = alice.policy.simulate(way(approvals=2)).changes
    assert (first.id, first.was.reason, first.would.reason) == (source, "promoted", "confident")
    assert (second.id, second.was.status, second.would.status) == (copy, "approved", "pending")
    assert changes(alice, way(approvals=1)) == {}
    assert changes(alice, way(approvals=1, trust="contributor")) == {}


def test_an_absent_source_cannot_be_promoted(here):
    source = here.remember("we deploy on Mondays", tags=["gossip"]).id
    copy = here.promote(source, PROJECT).id
    new = policy(governance=[{"effect": "deny", "tag": "gossip", "level": "user"}])
    assert changes(here, new) == {source: ("promoted", "governance_rule"), copy: ("confident", "governance_rule")}


def test_a_promotion_that_was_refused_is_counted(here):
    here.promote(here.remember("we have deployed", type="execution").id, PROJECT)
    here.promote(here.remember("we deploy on Fridays", type="decision", origin="ai").id, PROJECT)
    found = here.policy.simulate(way(authority="ai_inferred"))
    assert (found.changes, found.undecided["denied"]) == ((), 2)


def test_a_way_from_out_of_sight_is_taken_as_given_and_counted(open_memory):
    back = {"promotions": [{"from_level": "project", "to_level": "user"}]}
    memory = open_memory(policy=policy(spaces=back))
    here, alice = memory.as_user("alice", project="apollo"), memory.as_user("alice")
    copy = here.promote(here.remember("tea at noon", space=PROJECT).id, {"user": "alice"}).id
    shut = policy(spaces={"promotions": []})
    assert set(changes(here, shut).values()) == {("promoted", "confident"), ("confident", "promotion_disallowed")}
    elsewhere = alice.policy.simulate(shut)
    assert (elsewhere.changes, elsewhere.undecided["way_not_seen"]) == ((), 1)
    assert changes(alice, policy(spaces=back, write_policy="none")) == {copy: ("confident", "write_policy_none")}


def test_a_way_to_out_of_sight_is_taken_as_given_too(memory):
    here, alice = memory.as_user("alice", project="apollo"), memory.as_user("alice")
    source = here.remember("we deploy on Mondays").id
    here.promote(source, PROJECT)
    alice.remember("tea is wet")
    found = alice.policy.simulate(policy(spaces={"promotions": []}, budget={"semantic": 1}))
    assert (found.changes, found.undecided["way_not_seen"]) == ((), 1)
    assert here.policy.simulate(policy(spaces={"promotions": []})).undecided["way_not_seen"] == 0


# -- ticks ------------------------------------------------------------------------------------------------------------


def keep(mode: str, ticks: int) -> Policy:
    return policy(retention={"semantic": {"fact": {"mode": mode, "ticks": ticks}}})


@pytest.mark.parametrize(("mode", "reason", "left"), [("ttl", "ttl_expired", 2), ("decay", "decay", 3)])
def test_memories_fade_after_enough_later_writes(alice, mode, reason, left):
    ids = [alice.remember(f"remark {number}").id for number in range(5)]
    found = alice.policy.simulate(keep(mode, 2)).changes
    assert [change.id for change in found] == ids
    assert [str(change.would.reason) for change in found] == [reason] * (5 - left) + ["confident"] * left
    assert [change.kind for change in found] == ["approved to not kept"] * (5 - left) + ["lifetime"] * left


def test_a_longer_life_in_ticks_would_have_kept_faded_memories(open_memory):
    alice = open_memory(policy=keep("ttl", 1)).as_user("alice")
    first, second = (alice.remember(f"remark {number}").id for number in range(2))
    assert changes(alice, keep("ttl", 2)) == {
        first: ("ttl_expired", "confident"), second: ("confident", "confident"),
    }  # fmt: skip
    assert changes(alice, keep("ttl", 1)) == {}
    (change, _) = alice.policy.simulate(Policy()).changes
    assert (change.id, change.was.ticks, change.would.ticks) == (first, 1, None)


def test_only_writes_in_the_same_partition_age_a_memory(here):
    first = here.remember("remark").id
    here.remember("elsewhere", space=PROJECT)
    here.remember("for alice alone", access={"users": ["alice"]})
    assert {change.kind for change in here.policy.simulate(keep("ttl", 1)).changes} == {"lifetime"}
    here.remember("beside it")
    assert changes(here, keep("ttl", 1))[first] == ("confident", "ttl_expired")


def test_denied_writes_age_nothing(alice):
    first = alice.remember("remark").id
    alice.remember("gossip", tags=["gossip"])
    rules = {"governance": [{"effect": "deny", "tag": "gossip"}],
             "retention": {"semantic": {"fact": {"mode": "ttl", "ticks": 1}}}}  # fmt: skip
    assert changes(alice, policy(**rules))[first] == ("confident", "confident")
    assert changes(alice, keep("ttl", 1))[first] == ("confident", "ttl_expired")


def test_erased_writes_still_aged_their_neighbours(alice):
    first = alice.remember("remark").id
    alice.erase(alice.remember("an embarrassing remark").id)
    alice.remember("another remark")
    assert changes(alice, keep("ttl", 2))[first] == ("confident", "ttl_expired")
    assert changes(alice, keep("ttl", 3))[first] == ("confident", "confident")


# -- phases -----------------------------------------------------------------------------------------------------------


def test_fewer_phases_retire_older_memories_except_profile_facts(alice):
    old = alice.remember("remark").id
    town = alice.remember("Berlin", kind="profile", key="town").id
    alice.phase.start("spring")
    alice.remember("another remark")
    assert changes(alice, policy(phase={"max_phases": 1})) == {old: ("confident", "phase_retired")}
    assert set(changes(alice, policy(phase={"max_phases": 1, "keep_profile": False}))) == {old, town}
    assert changes(alice, policy(phase={"max_phases": 2})) == {}
    assert changes(alice, policy(phase={"max_phases": 1, "enabled": False})) == {}


def test_more_phases_would_have_kept_retired_memories(open_memory):
    alice = open_memory(policy=policy(phase={"max_phases": 1})).as_user("alice")
    old = alice.remember("remark").id
    alice.phase.start("spring")
    assert changes(alice, policy(phase={"max_phases": 2})) == {old: ("phase_retired", "confident")}
    assert changes(alice, policy(phase={"max_phases": 1})) == {}


# -- windows ----------------------------------------------------------------------------------------------------------


def windowed(count):
    """A policy that keeps only the window of a conversation, with so many messages in it."""
    kept = {"turns": "window", "statements": "messages"}
    return policy(budget={"short_term": count}, conversation=kept)


def in_session(open_memory, count):
    return open_memory(policy=windowed(count)).as_user("alice", session="s1")


def test_a_narrower_window_is_left_earlier(open_memory):
    here = in_session(open_memory, 12)
    first, second, _ = (here.observe(f"the kettle number {number} boils").outcomes[0].id for number in range(3))
    assert changes(here, windowed(2)) == {first: ("confident", "decay")}
    assert changes(here, windowed(1)) == {
        first: ("confident", "decay"), second: ("confident", "decay"),
    }  # fmt: skip
    assert changes(here, windowed(3)) == {}


def test_a_wider_window_would_still_hold_earlier_turns(open_memory):
    here = open_memory(policy=windowed(1)).as_user("alice", session="s1")
    ids = [here.observe(f"the kettle number {number} boils").outcomes[0].id for number in range(3)]
    assert changes(here, windowed(2)) == {ids[1]: ("decay", "confident")}
    assert changes(here, windowed(12)) == {ids[0]: ("decay", "confident"), ids[1]: ("decay", "confident")}
    assert changes(here, windowed(1)) == {}


def test_a_summary_is_not_a_decision(open_memory):
    here = open_memory(policy=windowed(1)).as_user("alice", session="s1")
    said = [here.observe(f"the kettle number {number} boils") for number in range(3)]
    assert said[-1].summary is not None
    assert here.policy.simulate(windowed(12)).decisions == sum(len(one.kept) for one in said)


def test_a_hint_is_followed_after_the_window_has_moved(open_memory):
    here = in_session(open_memory, 12)
    observed = here.observe(messages_of("Remember this for me: I prefer dark mode.", "Noted."), space={"session": "s1"})
    assert [one.kept for one in observed.promotions] == [True]
    assert changes(here, windowed(1)) == {observed.outcomes[0].id: ("confident", "decay")}


# -- the budget of an author ------------------------------------------------------------------------------------------


def test_the_least_important_memory_is_evicted_from_any_space(here, clock):
    small = here.remember("remark", importance=1).id
    clock.advance(seconds=1)
    here.remember("we meet", space=PROJECT, importance=3)
    clock.advance(seconds=1)
    big = here.remember("tea is wet", space={"session": "s1"}, importance=2).id
    assert changes(here, policy(budget={"owner": 2})) == {small: ("confident", "evicted")}
    assert changes(here, policy(budget={"owner": 2, "when_full": "refuse"})) == {big: ("confident", "budget_full")}
    assert changes(here, policy(budget={"owner": 3})) == {}


def test_memories_written_elsewhere_count_and_are_not_listed(memory, clock):
    elsewhere = memory.as_user("alice", project="apollo")
    elsewhere.remember("we meet", space=PROJECT, importance=9)
    alice = memory.as_user("alice")
    clock.advance(seconds=1)
    first, second = alice.remember("tea is wet").id, alice.remember("tea is hot", importance=5).id
    assert changes(alice, policy(budget={"owner": 2})) == {first: ("confident", "evicted")}
    assert changes(alice, policy(budget={"owner": 2, "when_full": "refuse"})) == {second: ("confident", "budget_full")}
    assert changes(alice, policy(budget={"owner": 3})) == {}
    assert alice.policy.simulate(policy(budget={"owner": 2})).decisions == 2


def test_a_larger_budget_would_have_kept_it_everywhere(open_memory, clock):
    memory = open_memory(policy=policy(budget={"owner": 1}))
    alice = memory.as_user("alice", project="apollo")
    first = alice.remember("tea is wet").id
    clock.advance(seconds=1)
    alice.remember("we meet", space=PROJECT)
    assert changes(alice, policy(budget={"owner": 2})) == {first: ("evicted", "confident")}
    assert changes(alice, policy(budget={"owner": 1})) == {}


# -- reviews and new wordings -----------------------------------------------------------------------------------------


def test_a_review_that_would_not_have_been_needed_shows_as_a_verdict(alice):
    unsure = alice.remember("tea is blue", confidence=0.5).id
    alice.review.approve(unsure)
    (change,) = alice.policy.simulate(policy(approve_confidence=0.4)).changes
    assert (change.was.verdict, change.was.status) == ("pending", "approved")
    assert (change.would.verdict, change.would.status, change.kind) == ("allowed", "approved", "pending to allowed")
    assert alice.policy.simulate(policy(approve_confidence=0.55)).changes == ()


def test_a_review_holds_where_it_is_needed_too(alice):
    old = alice.remember("Berlin", kind="profile", key="town").id
    new = alice.remember("Paris", kind="profile", key="town", confidence=0.5).id
    alice.review.approve(new)
    assert changes(alice, policy(approve_confidence=0.55)) == {}
    assert changes(alice, policy(approve_confidence=0.55, budget={"profile": 1})) == {}
    assert changes(alice, policy(approve_confidence=0.4)) == {new: ("low_confidence", "confident")}
    assert (alice.get(old), alice.get(new).text) == (None, "Paris")


def test_a_memory_approved_at_once_ages_from_then_on(alice):
    unsure = alice.remember("tea is blue", confidence=0.5).id
    alice.remember("tea is wet")
    alice.review.approve(unsure)
    rules = {"retention": {"semantic": {"fact": {"mode": "ttl", "ticks": 1}}}}
    assert changes(alice, policy(**rules))[unsure] == ("low_confidence", "low_confidence")
    assert changes(alice, policy(**rules, approve_confidence=0.4))[unsure] == ("low_confidence", "ttl_expired")


def test_a_correction_ends_when_the_corrected_would_have(alice):
    first = alice.remember("tea is wet").id
    second = alice.correct(first, "tea is hot").id
    alice.remember("tea is green")
    found = {change.id: change.would for change in alice.policy.simulate(keep("ttl", 3)).changes}
    assert (found[first].reason, found[first].ticks, found[second].ticks) == ("superseded", 3, 2)


def test_an_absent_memory_can_be_neither_corrected_nor_edited(alice):
    gossip = alice.remember("gossip", tags=["gossip"]).id
    rules = {"governance": [{"effect": "deny", "tag": "gossip"}]}
    mended = alice.correct(gossip, "no gossip", tags=["fact"]).id
    assert changes(alice, policy(**rules))[mended] == ("confident", "not_found")
    unsure = alice.remember("tea is blue", confidence=0.5).id
    edited = alice.review.edit(unsure, "tea is green").id
    assert changes(alice, policy(approve_confidence=0.4)) == {
        unsure: ("superseded", "confident"), edited: ("asked_for", "invalid"),
    }  # fmt: skip


def test_forgotten_memories_stay_forgotten(alice):
    first = alice.remember("tea is wet").id
    alice.forget(first)
    again = alice.remember("tea is wet").id
    assert changes(alice, policy(budget={"semantic": 1})) == {}
    assert changes(alice, policy(approve_confidence=1)) == {}
    assert {first, again} == set(changes(alice, policy(write_policy="none")))


def test_a_duplicate_correction_writes_nothing_but_ends_the_corrected(alice):
    alice.remember("tea is hot")
    cold = alice.remember("tea is cold").id
    alice.correct(cold, "tea is hot")
    assert changes(alice, policy(budget={"semantic": 1})) != {}
    assert alice.policy.simulate(Policy()).changes == ()
    alice.remember("tea is green")
    assert cold not in changes(alice, policy(budget={"semantic": 2}))


# -- coming back from a file ------------------------------------------------------------------------------------------


def test_imported_memories_keep_the_fields_of_the_file(memory, alice, exported, clock):
    alice.remember("tea is wet")
    alice.remember("buy a kettle", type="task")
    file = exported(alice)
    alice.erase(scope={"user": "alice"})
    clock.advance(seconds=60)
    assert alice.import_(file, bring_back=True).counts["kept"] == 2
    assert alice.policy.simulate(Policy()).changes == ()
    assert alice.policy.simulate(policy(types={"task": {"lifetime_seconds": 60}})).changes == ()
    assert len(changes(alice, policy(write_policy="none"))) == 2


# -- upkeep, and how it is shown --------------------------------------------------------------------------------------


def test_a_larger_limit_would_have_kept_collected_memories(memory, alice, clock):
    first = alice.remember("tea is wet").id
    clock.advance(seconds=1)
    alice.remember("tea is hot")
    memory.policy.use(policy(budget={"owner": 1}))
    memory.store.gc()
    assert changes(alice, Policy()) == {first: ("evicted", "confident")}
    assert changes(alice, policy(budget={"owner": 1})) == {}


def test_a_review_is_shown_after_the_verdict(alice):
    unsure = alice.remember("tea is blue", confidence=0.5).id
    alice.review.approve(unsure)
    (change,) = alice.policy.simulate(policy(approve_confidence=0.4)).changes
    assert (_ruling(change.was), _ruling(change.would)) == ("pending (low_confidence), then approved",
                                                            "approved (confident)")  # fmt: skip
