"""Traces through the facade: all eleven events, each as its schema says, the same for the same history, and never a
word that was refused or is not the asker's to read."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from trace_events import kinds, trace_events

from memfort import (
    Conversation,
    Denied,
    FixedClock,
    InvalidInput,
    Memory,
    NotFound,
    Policy,
    Sensitivity,
    SensitivityRules,
)
from memfort.model.moment import Moment
from memfort.policy.settings.sections import Budget
from memfort.store.memory import MemoryStore
from memfort.testing import REFERENCE_KEYS
from memfort.testing.messages import messages_of
from memfort.trail.public.plain import plain_events
from memfort.trail.public.schema import EVENT_TYPES

SESSION = {"session": "s1"}
BY_MESSAGE = Policy(conversation=Conversation(turns="window", statements="messages"))
START = Moment(1_767_225_600_000_000)
SECRET = "my password is hunter2hunter2"  # to be refused


def history(memory, clock):
    """One history in which everything happens; the events of each call."""
    alice = memory.as_user("alice", session="s1", project="apollo")
    calls = [
        lambda: alice.observe(messages_of("Remember this for me: my name is Ada", "Hello Ada!"), space=SESSION),
        lambda: alice.observe("Remember this for everyone: we decided to use go", space=SESSION),
        lambda: alice.remember("Bob", kind="profile", key="name", space={"user": "alice"}),
        lambda: alice.remember("likes tea", ttl_ticks=1, space=SESSION),
        lambda: alice.remember("likes jam", space=SESSION),
        lambda: alice.remember(SECRET),
        lambda: alice.recall("name"),
        lambda: alice.phase.start("next sprint", space=SESSION),
        lambda: alice.remember("likes ink", space=SESSION),
        lambda: alice.phase.diff("phase-1", space=SESSION),
    ]
    events = []
    for call in calls:
        call()
        events += trace_events(alice)
        clock.advance(1)
    return events


def test_all_eleven_events_are_reached_and_each_is_as_its_schema_says(open_memory, clock):
    assert {event["type"] for event in history(open_memory(policy=BY_MESSAGE), clock)} == set(EVENT_TYPES)


def test_the_same_inputs_clock_and_keys_give_the_same_bytes(tmp_path):
    from memfort.store.sqlite import SqliteStore

    stores = [MemoryStore(REFERENCE_KEYS), MemoryStore(REFERENCE_KEYS), *(
        SqliteStore(tmp_path / name / "memory.db", keys=REFERENCE_KEYS, ballast_bytes=0) for name in "ab"
    )]  # fmt: skip
    rendered = []
    for store in stores:
        clock = FixedClock(START)
        with Memory(store, clock=clock) as memory:
            rendered.append(plain_events(history(memory, clock)))
    assert rendered[0] == rendered[1] == rendered[2] == rendered[3]
    assert "hint:remember_for_me" in rendered[0]


def test_a_trace_can_be_shown_again_later_by_its_id(memory, clock):
    alice = memory.as_user("alice")
    outcome = alice.remember("likes tea")
    first = alice.trace.show(outcome.trace).events
    clock.advance(3600)
    alice.remember("likes jam")
    assert alice.trace.show(outcome.trace).events == first
    assert memory.as_user("alice").trace.show(outcome.trace).events == first


def test_two_equal_calls_at_one_moment_are_two_traces(memory):
    alice = memory.as_user("alice")
    traces = []
    for _ in range(3):
        alice.recall("tea")
        traces.append(alice.last_trace)
        assert kinds(trace_events(alice)) == ["recall", "border_check", "border_check"]
    assert len(set(traces)) == 3


# -- whose it is ------------------------------------------------------------------------------------------------------


def test_a_trace_is_shown_only_to_its_actor(memory):
    alice, bob = memory.as_user("alice", project="apollo"), memory.as_user("bob", project="apollo")
    place = {"project": "apollo"}
    trace = alice.remember("we use go", space=place).trace
    assert bob.recall("go").texts == ["we use go"]
    for other in (bob, memory.as_system(), memory.as_agent("helper", owner="alice", acting_for="alice")):
        with pytest.raises(NotFound):
            other.trace.show(trace)
    with pytest.raises(NotFound):
        alice.trace.show("trc_aaaaaaaaaaaaaaaaaaaaaaaa")
    with pytest.raises(InvalidInput):
        alice.trace.show(7)
    assert kinds(alice.trace.show(trace).events)[0] == "write"


@pytest.mark.parametrize("end", ["forget", "erase", "correct", "expire", "unshare"])
def test_a_trace_shows_no_text_of_memories_no_longer_visible(memory, clock, end):
    """Bob recalled a memory that Alice shared, and asks for the trace again after it has ended."""
    alice, bob = memory.as_user("alice"), memory.as_user("bob")
    tea = alice.remember("likes tea", ttl_seconds=60).id
    share = alice.share(user="bob")
    bob.recall("tea")
    trace = bob.last_trace
    assert bob.trace.show(trace).events[0]["recalled"][0]["text"] == "likes tea"
    clock.advance(60 if end == "expire" else 1)
    {
        "forget": lambda: alice.forget(tea),
        "erase": lambda: alice.erase(tea),
        "correct": lambda: alice.correct(tea, "likes green"),
        "expire": lambda: None,
        "unshare": lambda: alice.revoke(share.id),
    }[end]()
    event, *_ = bob.trace.show(trace).events
    assert event["recalled"] == [{"id": tea, "text": "(gone)", "meta": {"space": "user"}}]


def test_the_trace_of_a_forgotten_memory_omits_its_text(alice):
    outcome = alice.remember("likes tea")
    alice.forget(outcome.id)
    assert "likes tea" not in json.dumps(alice.trace.show(outcome.trace).events)
    again = alice.remember("likes tea")
    assert "likes tea" in json.dumps(alice.trace.show(again.trace).events)


def test_a_reader_list_is_invisible_to_other_readers_of_the_space(memory):
    alice, bob = memory.as_user("alice", project="apollo"), memory.as_user("bob", project="apollo")
    alice.remember("a surprise for bob", space={"project": "apollo"}, access={"users": ["alice"]})
    bob.recall("surprise")
    [event] = trace_events(bob, "memory_recall")
    assert (event["recalled"], event["recall_counts"]["project"]) == ([], 0)
    alice.recall("surprise")
    assert trace_events(alice)[0]["recall_counts"]["project"] == 1


@pytest.mark.parametrize("end", ["forget", "erase"])
def test_derived_memories_ended_out_of_sight_are_not_reported(memory, end):
    """Bob made something from Alice's statement, for himself alone. It goes with it, and Alice learns nothing of it."""
    alice, bob = memory.as_user("alice", project="apollo"), memory.as_user("bob", project="apollo")
    place = {"project": "apollo"}
    source = alice.remember("we use go", space=place)
    made = bob.remember("go, they say", space=place, derived_from=[source.id], access={"users": ["bob"]})
    getattr(alice, end)(source.id)
    assert [event["memory_id"] for event in trace_events(alice)] == [source.id]
    assert bob.get(made.id) is None


def test_an_erased_memory_is_reported_with_its_phase(alice):
    alice.remember("likes tea")
    alice.phase.start("next sprint")
    jam = alice.remember("likes jam").id
    alice.erase(jam)
    assert [(event["memory_id"], event["phase_id"]) for event in trace_events(alice)] == [(jam, "phase-2")]


# -- what is asked at a border ----------------------------------------------------------------------------------------


def test_recall_outside_the_standpoint_is_denied_in_the_trace(memory):
    alice = memory.as_user("alice")
    alice.recall("tea", space={"project": "apollo"})
    recall, check = trace_events(alice)
    assert (recall["recalled"], recall["spaces_consulted"]) == ([], [])
    assert (check["action"], check["from_space"], check["reason"]) == ("read", "project", "not_where_you_stand")


def test_a_refused_write_names_the_level_and_not_the_place(memory):
    alice = memory.as_user("alice")
    alice.remember("likes tea", space={"user": "bob"})
    [check] = trace_events(alice)
    assert (check["reason"], check["from_space"], "from_coordinates" in check) == ("border_write", "user", False)


def test_the_full_policy_is_shown_on_request_only(alice):
    alice.recall("tea")
    assert set(trace_events(alice)[0]["policy"]) == {"name", "digest"}
    whole = alice.trace.show(alice.last_trace, expanded=True).events[0]["policy"]
    assert {"retention", "promotion", "privacy", "authority_order", "spaces", "phase"} <= set(whole)


def test_any_process_can_show_a_recall_without_its_query_text(memory):
    """Another object stands for another process: it knows what the trail and the memories say, and no query."""
    alice = memory.as_user("alice", session="s1")
    alice.remember("likes green tea", space={"session": "s1"})
    alice.remember("likes black tea")
    for query in ("which tea?", "which tea?", "which jam?"):
        alice.recall(query)
        [asked] = trace_events(alice, "memory_recall")
        elsewhere = memory.as_user("alice", session="s1")
        again, *_ = elsewhere.trace.show(alice.last_trace).events
        assert (asked["query"], again["query"]) == (query, "(not kept)")
        assert again == {**asked, "query": "(not kept)"}
        assert asked["query_digest"] == memory._engine.store.keys.digest(query)
    alice.recall("tea")
    [event] = trace_events(alice, "memory_recall")
    assert len(event["recalled"]) == sum(event["recall_counts"].values()) == 2
    assert event["spaces_consulted"][:2] == ["session", "user"]


REFUSED = {
    "secret": (lambda who: who.remember(SECRET, type="fact"), ("semantic", "user", "fact")),
    "tool": (lambda who: who.remember(SECRET, origin="tool", type="execution"), ("semantic", "tool", "execution")),
    "profile": (lambda who: who.remember(SECRET, kind="profile", key="x"), ("profile", "user", "fact")),
    "correct": (
        lambda who: who.correct(who.remember("we use go", type="decision").id, SECRET),
        ("semantic", "user", "decision"),
    ),
    "outranked": (
        lambda who: who.correct(who.remember("it is up", origin="tool").id, "it is down", origin="ai"),
        ("semantic", "ai", "fact"),
    ),
    "observe": (lambda who: who.observe(f"I prefer {SECRET}"), ("short_term", "user", "preference")),
}


@pytest.mark.parametrize("attempt", REFUSED)
def test_a_refusal_reports_the_kind_of_the_memory_and_none_of_its_text(memory, attempt):
    act, sort = REFUSED[attempt]
    alice = memory.as_user("alice", session="s1")
    act(alice)
    attempted = trace_events(alice, "memory_denied")[0]["attempted"]
    assert (attempted["kind"], attempted["source"], attempted["meta"]["event_type"]) == sort
    assert attempted == {
        "text": "(redacted)", "kind": sort[0], "source": sort[1], "meta": {"event_type": sort[2]},
    }  # fmt: skip
    assert memory.as_user("alice", session="s1").trace.show(alice.last_trace).events == trace_events(alice)


# -- a secret leaves nothing ------------------------------------------------------------------------------------------


ATTEMPTS = {
    "text": lambda who: who.remember(SECRET),
    "key": lambda who: who.remember("x", kind="profile", key="ghp_" + "a1B2" * 9),
    "tags": lambda who: who.remember("x", tags=["ghp_" + "a1B2" * 9]),
    "meta": lambda who: who.remember("x", meta={"password": "hunter2hunter2"}),
    "observe": lambda who: who.observe(messages_of(SECRET, "no")),
    "hint": lambda who: who.observe(f"Remember this for me: {SECRET}"),
    "correct": lambda who: who.correct(who.remember("likes tea").id, SECRET),
    "query": lambda who: who.recall(SECRET),
    "phase": lambda who: who.phase.start(SECRET),
}


@pytest.mark.parametrize("attempt", ATTEMPTS.values(), ids=ATTEMPTS)
def test_a_denied_secret_is_in_no_event_key_id_or_trace(memory, attempt):
    alice = memory.as_user("alice", session="s1")
    try:
        attempt(alice)
        answer = json.dumps(trace_events(alice))
    except (Denied, InvalidInput) as error:
        answer = str(error)
    trail = json.dumps([line["event"] for line in memory.as_system().trail.export()])
    everything = answer + trail + json.dumps(list(alice.export()), default=str)
    assert not any(word in everything for word in ("hunter2", "ghp_"))
    if attempt is not ATTEMPTS["query"]:  # a question is not refused, and is on record by its keyed digest
        assert memory._engine.store.keys.digest(SECRET) not in trail


def test_a_denied_phase_is_recorded_without_naming_the_space(memory):
    bob = memory.as_user("bob")
    with pytest.raises(Denied):
        bob.phase.start("mine now", space={"user": "alice"})
    assert "alice" not in json.dumps(trace_events(bob))


# -- properties -------------------------------------------------------------------------------------------------------


WORDS = st.sampled_from(["likes tea", "likes jam", "I prefer tea", "my name is Ada", "Actually, my name is Bob", "ok"])
STEPS = st.one_of(
    st.tuples(st.just("remember"), WORDS, st.integers(1, 3), st.integers(1, 5)),
    st.tuples(st.just("observe"), WORDS),
    st.tuples(st.just("phase"), st.just("next")),
    st.tuples(st.just("advance"), st.integers(1, 4)),
)


def play(steps):
    """A history on a fresh store. After each step, the known memories with their limits, and the events."""
    clock = FixedClock(START)
    labelled = SensitivityRules(unknown=Sensitivity.PUBLIC, unknown_language=Sensitivity.PUBLIC)  # one partition
    policy = replace(BY_MESSAGE, budget=Budget(semantic=3, short_term=2), sensitivity=labelled)
    memory = Memory(MemoryStore(REFERENCE_KEYS), clock=clock, policy=policy)
    alice = memory.as_user("alice", session="s1")
    for name, *said in steps:
        match name, said:
            case "remember", [text, ticks, seconds]:
                alice.remember(text, ttl_ticks=ticks, ttl_seconds=seconds, space=SESSION)
            case "observe", [text]:
                alice.observe(text, space=SESSION)
            case "phase", [reason]:
                alice.phase.start(reason, space=SESSION)
            case "advance", [seconds]:
                clock.advance(seconds)
        events = [] if alice.last_trace is None else trace_events(alice)
        yield clock.now(), alice, events


@given(st.lists(STEPS, max_size=12))
def test_expired_is_never_recalled(steps):
    for now, alice, _ in play(steps):
        ever = alice.list(space=SESSION, limit=100, deleted=True, statuses=["approved", "superseded"])
        tick = max([item.created_tick for item in ever], default=0)
        found = [hit.item for hit in alice.recall("likes prefer tea jam name Ada Bob", limit=100)]
        for item in found:
            assert item.expires_at_us is None or item.expires_at_us > now
            assert item.expires_tick is None or item.expires_tick > tick


@given(st.lists(STEPS, max_size=12))
def test_same_inputs_same_trace(steps):
    first = [plain_events(events) for _, _, events in play(steps)]
    assert first == [plain_events(events) for _, _, events in play(steps)]
