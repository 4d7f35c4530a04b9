"""Phases: a space's history in parts. What is recalled, what is history, what changed, and what was known when."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from trace_events import kinds, trace_events

from memfort import Denied, InvalidInput, NotFound, Policy
from memfort.policy.settings.document import preset
from memfort.policy.settings.sections import Phases

HISTORY = Policy(phase=Phases(mode="current_plus_history"))
OWN = {"user": "alice"}


def known(actor, query="tea", **more):
    return sorted(actor.recall(query, limit=100, **more).texts)


# -- beginning --------------------------------------------------------------------------------------------------------


def test_the_first_phase_begins_by_itself_with_the_first_memory(alice):
    assert [(phase.id, phase.reason, phase.started_tick) for phase in alice.phase.list()] == [("phase-1", "auto", 0)]
    alice.remember("likes tea")
    [started] = trace_events(alice, "memory_phase_started")
    assert (started["phase_id"], started["reason"], started["owner"]) == ("phase-1", "auto", "alice")
    alice.remember("likes jam")
    assert trace_events(alice, "memory_phase_started") == []


def test_the_next_begins_on_request_with_a_reason(alice):
    alice.remember("likes tea")
    phase = alice.phase.start("moved to Oslo", name="Oslo")
    assert (phase.id, phase.reason, phase.name, phase.started_tick) == ("phase-2", "moved to Oslo", "Oslo", 1)
    check, started = trace_events(alice)
    assert (check["action"], check["allowed"]) == ("phase_start", True)
    assert (started["phase_id"], started["phase_name"], started["reason"]) == ("phase-2", "Oslo", "moved to Oslo")
    item = alice.remember("likes jam").item
    [written] = trace_events(alice, "memory_write")
    meta = written["written"][0]["meta"]
    assert (item.phase, meta["phase_id"], meta["phase_name"]) == ("phase-2", "phase-2", "Oslo")
    assert (meta["phase_started_at"], meta["phase_reason"]) == (1, "moved to Oslo")


A_PASSWORD = "my password is hunter2hunter2"


@pytest.mark.parametrize("reason", ["", "auto", "x" * 81, A_PASSWORD, None, 7])
def test_a_reason_is_a_few_words_and_no_secret(alice, reason):
    if reason is None:
        with pytest.raises(TypeError):
            alice.phase.start()
        return
    with pytest.raises(Denied if reason == A_PASSWORD else InvalidInput):
        alice.phase.start(reason)
    assert [phase.id for phase in alice.phase.list()] == ["phase-1"]


def test_the_same_reason_again_begins_another(alice):
    assert [alice.phase.start("next sprint").id for _ in range(2)] == ["phase-2", "phase-3"]


def test_starting_a_phase_requires_write_permission_and_a_refusal_is_recorded(memory, alice, bob):
    alice.remember("likes tea")
    alice.share(user="bob")
    with pytest.raises(Denied) as refused:
        bob.phase.start("mine now", space=OWN)
    assert refused.value.reason == "border_write"
    [check] = trace_events(bob)
    assert (check["action"], check["allowed"], check["reason"]) == ("phase_start", False, "border_write")
    assert (known(alice), known(bob)) == (["likes tea"], ["likes tea"])


def test_phases_can_be_switched_off(open_memory):
    alice = open_memory(policy=Policy(phase=Phases(enabled=False))).as_user("alice")
    with pytest.raises(Denied) as refused:
        alice.phase.start("next sprint")
    assert refused.value.reason == "phase_disabled"
    [check] = trace_events(alice)
    assert (check["action"], check["reason"]) == ("phase_start", "phase_disabled")


def test_a_phase_affects_its_own_space_only(memory, alice, bob):
    alice.remember("likes tea")
    bob.remember("likes tea too")
    bob.phase.start("next sprint")
    assert (known(alice), known(bob)) == (["likes tea"], [])


# -- recall -----------------------------------------------------------------------------------------------------------


def test_recall_sees_the_current_phase_and_nothing_older(alice):
    tea = alice.remember("likes tea").id
    alice.phase.start("next sprint")
    assert (known(alice), alice.get(tea), alice.list().items) == ([], None, ())
    assert (alice.explain(tea).shown, alice.explain(tea).reason) == (False, "other_phase")
    alice.remember("likes green tea")
    assert known(alice) == ["likes green tea"]
    [event] = trace_events(alice, "memory_recall")
    assert (event["current_phase"]["phase_id"], event["phase_counts"]) == ("phase-2", {"user": {"phase-2": 1}})


def test_history_is_seen_too_where_the_policy_says_so(open_memory):
    alice = open_memory(policy=HISTORY).as_user("alice")
    alice.remember("likes tea")
    alice.phase.start("next sprint")
    alice.remember("likes green tea")
    assert known(alice) == ["likes green tea", "likes tea"]
    assert trace_events(alice, "memory_recall")[0]["phase_counts"] == {"user": {"phase-1": 1, "phase-2": 1}}


@pytest.mark.parametrize(("keep", "shown"), [(True, ["Ada"]), (False, [])])
def test_profile_facts_stay_if_the_policy_keeps_them(open_memory, keep, shown):
    alice = open_memory(policy=Policy(phase=Phases(keep_profile=keep))).as_user("alice")
    alice.remember("Ada", kind="profile", key="name")
    alice.remember("Ada is my name")
    alice.phase.start("next sprint")
    assert known(alice, "Ada") == shown


def test_in_the_seed_a_new_phase_hides_profile_facts(open_memory):
    alice = open_memory(policy=preset("deterministic")).as_user("alice", session="s1")
    alice.observe("my name is Ada")
    alice.phase.start("next sprint", space={"session": "s1"})
    assert known(alice, "name Ada") == []


def test_the_same_statement_in_a_new_phase_is_not_a_duplicate(alice):
    first = alice.remember("likes tea")
    alice.phase.start("next sprint")
    second = alice.remember("likes tea")
    assert (second.kept, second.reason) == (True, "confident")
    assert first.id != second.id
    assert alice.remember("likes tea").reason == "duplicate"
    assert known(alice) == ["likes tea"]


def test_a_kept_fact_of_an_earlier_phase_is_still_a_rival(alice, clock):
    alice.remember("Ada", kind="profile", key="name")
    alice.phase.start("next sprint")
    clock.advance(1)
    alice.remember("Bob", kind="profile", key="name")
    assert known(alice, "name") == ["Bob"]


def test_a_shared_memory_of_an_earlier_phase_is_not_found(memory, alice, bob):
    tea = alice.remember("likes tea").id
    alice.share(user="bob")
    assert bob.get(tea) is not None
    with pytest.raises(Denied):
        bob.forget(tea)
    alice.phase.start("next sprint")
    assert (bob.get(tea), bob.explain(tea).reason) == (None, "not_found")
    with pytest.raises(NotFound):
        bob.forget(tea)


# -- what changed -----------------------------------------------------------------------------------------------------


def test_a_diff_lists_added_deleted_and_replaced_memories(alice, clock):
    alice.remember("vim", kind="profile", key="editor")
    gone = alice.remember("likes coffee")
    alice.remember("likes tea")
    alice.phase.start("next sprint")
    clock.advance(1)
    alice.remember("emacs", kind="profile", key="editor")
    alice.remember("likes jam")
    alice.forget(gone.id)
    diff = alice.phase.diff("phase-1", "phase-2")
    assert [(change.kind, change.item.text) for change in diff.changes] == [
        ("replaced", "emacs"), ("added", "likes jam"), ("deleted", "likes coffee"),
    ]  # fmt: skip
    assert diff.changes[0].replaces.text == "vim"
    lines = ["1 memory was added.", "1 memory was deleted.", "1 memory was replaced."]
    assert diff.summary_lines == lines
    check, event = trace_events(alice)
    assert (check["action"], check["allowed"]) == ("phase_diff", True)
    assert (event["added_count"], event["deleted_count"], event["replaced_count"]) == (1, 1, 1)
    assert event["summary_lines"] == lines
    assert [change["change"] for change in event["top_changes"]] == ["replaced", "added", "deleted"]
    assert "text" not in event["top_changes"][2]


def test_until_now_is_the_default_and_phases_between_count(alice):
    alice.remember("likes tea")
    for number in (2, 3):
        alice.phase.start("next sprint")
        alice.remember(f"likes jam {number}")
    texts = [change.item.text for change in alice.phase.diff("phase-1").changes]
    assert sorted(texts) == ["likes jam 2", "likes jam 3"]
    assert [change.item.text for change in alice.phase.diff("phase-2").changes] == ["likes jam 3"]


@pytest.mark.parametrize(("earlier", "later"), [("phase-9", None), ("phase-1", "phase-9"), ("", None)])
def test_an_unknown_phase_is_an_error_that_names_the_known_ones(alice, earlier, later):
    alice.phase.start("next sprint")
    with pytest.raises(InvalidInput, match="phase-1, phase-2"):
        alice.phase.diff(earlier, later)


def test_a_diff_goes_forward(alice):
    alice.phase.start("next sprint")
    for later in ("phase-1", "phase-2"):
        with pytest.raises(InvalidInput, match="does not come after"):
            alice.phase.diff("phase-2", later)


def test_a_diff_can_be_switched_off(open_memory):
    alice = open_memory(policy=Policy(phase=Phases(diff_enabled=False))).as_user("alice")
    alice.phase.start("next sprint")
    with pytest.raises(Denied) as refused:
        alice.phase.diff("phase-1")
    assert refused.value.reason == "phase_diff_disabled"
    assert [event["action"] for event in trace_events(alice)] == ["phase_diff"]


def test_a_diff_shows_readers_only_memories_in_force(memory, alice, bob):
    alice.remember("secretly hates tea", confidence=0.1)
    gone = alice.remember("likes coffee")
    stays = alice.remember("likes tea")
    alice.share(user="bob")
    alice.phase.start("next sprint")
    alice.forget(gone.id)
    alice.remember("likes jam")
    diff = bob.phase.diff("phase-1", space=OWN)
    assert [(change.kind, change.item.text) for change in diff.changes] == [("added", "likes jam")]
    assert stays.id not in str(trace_events(bob))
    assert "deleted" in [change.kind for change in alice.phase.diff("phase-1").changes]


def test_a_diff_of_a_place_out_of_sight_is_of_nothing(bob):
    with pytest.raises(NotFound):
        bob.phase.diff("phase-1", space=OWN)


# -- how many are kept ------------------------------------------------------------------------------------------------


def test_too_many_phases_retire_the_memories_of_the_oldest(open_memory):
    alice = open_memory(policy=replace(HISTORY, phase=replace(HISTORY.phase, max_phases=2))).as_user("alice")
    for number in (1, 2):
        alice.remember(f"likes tea {number}")
        alice.remember(f"tea name {number}", kind="profile", key=f"tea-{number}")
        alice.phase.start("next sprint")
    assert kinds(trace_events(alice, "memory_deleted")) == ["deleted"]
    assert trace_events(alice, "memory_deleted")[0]["reason"] == "phase_retired"
    assert known(alice) == ["likes tea 2", "tea name 1", "tea name 2"]
    assert [phase.id for phase in alice.phase.list()] == ["phase-2", "phase-3"]
    with pytest.raises(InvalidInput, match="phase-2, phase-3"):
        alice.phase.diff("phase-1")


def test_facts_that_end_with_their_phase_are_retired_too(open_memory):
    phases = Phases(mode="current_plus_history", max_phases=1, keep_profile=False)
    alice = open_memory(policy=Policy(phase=phases)).as_user("alice")
    alice.remember("Ada", kind="profile", key="name")
    alice.phase.start("next sprint")
    assert known(alice, "name") == []


def test_retired_memories_of_other_readers_are_not_reported(open_memory):
    memory = open_memory(policy=Policy(phase=Phases(max_phases=1)))
    alice, bob = memory.as_user("alice", project="apollo"), memory.as_user("bob", project="apollo")
    place = {"project": "apollo"}
    bob.remember("a surprise", space=place, access={"users": ["bob"]})
    alice.remember("no surprise", space=place)
    alice.phase.start("next sprint", space=place)
    assert len(trace_events(alice, "memory_deleted")) == 1
    assert bob.list(space=place, deleted=True).items[0].deleted_reason == "phase_retired"


# -- as of then -------------------------------------------------------------------------------------------------------


def test_as_of_a_moment_shows_the_memories_of_that_moment(alice, clock):
    editor = alice.remember("vim is the editor")
    start = clock.now()
    clock.advance(10)
    new = alice.correct(editor.id, "emacs is the editor")
    changed = clock.now()
    assert known(alice, "editor", as_of=start - 1) == []
    assert known(alice, "editor", as_of=start) == ["vim is the editor"]
    assert known(alice, "editor", as_of=changed - 1) == ["vim is the editor"]
    assert known(alice, "editor", as_of=changed) == ["emacs is the editor"] == [new.item.text]


def test_as_of_now_is_recall(alice, clock):
    """In every phase: hindsight has no other rules than sight."""
    alice.remember("Ada", kind="profile", key="tea name")
    for number in range(3):
        alice.remember(f"likes tea {number}")
        clock.advance(1)
        assert known(alice, as_of=clock.now()) == known(alice)
        alice.phase.start("next sprint")
        assert known(alice, as_of=clock.now()) == known(alice)
        clock.advance(1)


def test_as_of_a_phase_shows_the_memories_at_its_end(alice, clock):
    tea = alice.remember("likes tea")
    clock.advance(1)
    alice.correct(tea.id, "likes green tea")
    alice.phase.start("next sprint")
    clock.advance(1)
    alice.remember("likes black tea")
    assert known(alice, as_of="phase-1") == ["likes green tea"]
    assert known(alice, as_of="phase-2") == ["likes black tea"] == known(alice)


def test_as_of_a_phase_that_only_one_space_has(memory):
    alice = memory.as_user("alice", session="s1")
    alice.remember("likes tea")
    alice.phase.start("next sprint", space={"session": "s1"})
    alice.remember("likes black tea", space={"session": "s1"})
    assert known(alice, as_of="phase-2") == ["likes black tea"]
    assert known(alice, as_of="phase-1") == ["likes tea"]
    with pytest.raises(InvalidInput, match="phase-1, phase-2"):
        alice.recall("tea", as_of="phase-3")


@pytest.mark.parametrize("as_of", ["phase-1", "then"])
def test_as_of_never_shows_forgotten_expired_or_erased_memories(alice, clock, as_of):
    forgotten, erased = alice.remember("likes tea forgotten"), alice.remember("likes tea erased")
    alice.remember("likes tea expired", ttl_seconds=5)
    alice.remember("likes tea faded", access={"users": ["alice"]}, ttl_ticks=1)
    alice.remember("likes tea")
    then = clock.now()
    assert len(known(alice, as_of=then)) == 5
    clock.advance(5)
    alice.phase.start("next sprint")
    alice.forget(forgotten.id)
    alice.erase(erased.id)
    alice.remember("another", access={"users": ["alice"]})
    assert known(alice, as_of=then if as_of == "then" else as_of) == ["likes tea"]


def test_as_of_shows_no_more_than_sight(memory, alice, bob, clock):
    """A reader sees what was known then and still is in force; what has given way is for those who could change it."""
    tea = alice.remember("likes tea")
    alice.remember("likes tea in private", access={"users": ["alice"]})
    alice.remember("perhaps likes tea", confidence=0.1)
    alice.share(user="bob")
    then = clock.now()
    assert known(bob, as_of=then) == ["likes tea"]
    clock.advance(1)
    alice.correct(tea.id, "likes green tea")
    assert known(bob, as_of=then) == []
    assert known(alice, as_of=then) == ["likes tea", "likes tea in private"]
    assert known(memory.as_user("carol"), as_of=then) == []
