"""Observing under preset `deterministic`: each message as a whole, a short window with a rolling summary, everything in
the session, and a hint that is always answered."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace
from trace_events import kinds, trace_events

from memfort import Conversation, InvalidInput, Policy
from memfort.policy.settings.document import preset
from memfort.policy.settings.sections import Budget, WritePolicy
from memfort.testing.messages import messages_of

SESSION = {"session": "s1"}
BY_MESSAGE = Conversation(turns="window", statements="messages")


@pytest.fixture
def alice(open_memory):
    memory = open_memory(policy=Policy(conversation=BY_MESSAGE))
    return _InSession(memory.as_user("alice", session="s1", project="apollo"))


@pytest.fixture
def narrow(open_memory):
    """Alice, with a window of two messages."""
    memory = open_memory(policy=Policy(conversation=BY_MESSAGE, budget=Budget(short_term=2)))
    return _InSession(memory.as_user("alice", session="s1"))


class _InSession:
    """A bound memory that names the session for everything it observes."""

    def __init__(self, bound):
        self._bound = bound

    def __getattr__(self, name):
        return getattr(self._bound, name)

    def observe(self, messages):
        return self._bound.observe(messages, space=SESSION)


def texts(items):
    return [item.text for item in items]


# -- what is kept -----------------------------------------------------------------------------------------------------


def test_turns_statements_facts_and_tool_results_each_are_a_memory(alice):
    seen = alice.observe(messages_of("My name is Ada", "Hello Ada!", [("search", "3 hits")]))
    stored = [one.item for one in seen.outcomes]
    assert [(item.kind, item.origin, item.authority, item.text) for item in stored] == [
        ("short_term", "user", "user_asserted", "My name is Ada"),
        ("semantic", "user", "user_asserted", "My name is Ada"),
        ("profile", "user", "user_asserted", "Ada"),
        ("semantic", "tool", "tool_verified", "search: 3 hits"),
        ("short_term", "ai", "ai_inferred", "Hello Ada!"),
    ]
    assert [item.space.to_dict() for item in stored] == [{"session": "s1", "user": "alice"}] * 5
    turn, statement, fact, tool, answer = stored
    assert seen.kept == [statement, fact, tool, answer], "each fact once"
    assert (statement.evidence.turn, fact.evidence.turn, tool.evidence) == (turn.id, turn.id, None)
    assert (turn.stated_by, answer.stated_by, tool.stated_by) == ("@alice", None, None)
    assert (fact.key, fact.event_type, fact.importance_reasons) == ("name", "fact", ("event:fact", "source:user"))


def test_one_call_is_one_account_of_all_that_was_written(alice):
    seen = alice.observe(messages_of("My name is Ada", "Hello Ada!"))
    [written] = trace_events(alice, "memory_write")
    assert {one["id"] for one in written["written"]} == {one.id for one in seen.outcomes}
    assert [one["kind"] for one in written["written"]] == ["short_term", "short_term", "semantic", "profile"]
    assert written["written"][3]["meta"]["source_turn_ids"] == [seen.turns[0].id]
    assert kinds(trace_events(alice))[:2] == ["write", "phase_started"]


def test_mere_talk_is_kept_as_a_turn_and_as_nothing_else(alice):
    seen = alice.observe(messages_of("what a day", "indeed"))
    assert [item.kind for item in seen.kept] == ["short_term", "short_term"]
    assert seen.messages[0].statements[0].reason == "write_policy_context"
    assert kinds(trace_events(alice, "memory_denied")) == ["denied"]


@pytest.mark.parametrize(("policy", "reason"), [(WritePolicy.AGGRESSIVE, "policy_low_signal"), ("normal", None)])
def test_a_nod_says_too_little_even_for_the_most_curious_policy(open_memory, policy, reason):
    memory = open_memory(policy=Policy(write_policy=policy, conversation=BY_MESSAGE))
    alice = memory.as_user("alice", session="s1")
    assert alice.observe("OK!").outcomes[1].reason == (reason or "write_policy_context")
    assert alice.remember("ok", type="knowledge", space=SESSION).kept


def test_a_secret_leaves_neither_turn_nor_statement_and_the_answer_is_still_kept(alice):
    seen = alice.observe(messages_of("my password is hunter2hunter2", "I will not keep that"))
    assert texts(seen.kept) == ["I will not keep that"]
    assert "hunter2" not in json.dumps(trace_events(alice)) + json.dumps(list(alice.export()), default=str)


# -- the window -------------------------------------------------------------------------------------------------------


def test_turns_of_one_moment_keep_their_order(alice):
    alice.observe(messages_of("one", "two"))
    alice.observe(messages_of("three", "four"))
    assert texts(alice.window()) == ["one", "two", "three", "four"]


def test_the_oldest_leave_the_window_and_go_on_in_a_rolling_summary(narrow, clock):
    narrow.observe(messages_of("first thing", "first answer"))
    assert narrow.observe("second thing").summary.text == "user: first thing"
    events = trace_events(narrow, "memory_forget", "memory_deleted", "memory_conflict")
    assert [(event["type"], event["reason"]) for event in events] == [
        ("memory_forget", "decay"),
        ("memory_deleted", "expired"),
    ]
    clock.advance(1)
    latest = narrow.observe("third thing").summary
    assert latest.text == "user: first thing\nai: first answer"
    replaced = [event for event in trace_events(narrow, "memory_deleted") if event["reason"] == "superseded"]
    assert [event["replaced_by"] for event in replaced] == [latest.id]
    assert trace_events(narrow, "memory_conflict") == []
    [written] = trace_events(narrow, "memory_write")
    [summary] = [one for one in written["written"] if "summary_of" in one["meta"]]
    assert summary["meta"]["summary_of"] == list(latest.derived_from)
    assert texts(narrow.window()) == [latest.text, "second thing", "third thing"]


def test_many_messages_at_once_leave_the_same_summary_as_one_by_one(open_memory):
    said = [f"message number {number}" for number in range(30)]
    policy = Policy(conversation=BY_MESSAGE, budget=Budget(short_term=3))
    at_once = open_memory(policy=policy).as_user("alice", session="s1")
    at_once.observe(said)
    one_by_one = open_memory(policy=policy).as_user("alice", session="s1")
    for one in said:
        one_by_one.observe(one)
    assert texts(at_once.window()) == texts(one_by_one.window())
    assert texts(at_once.window())[1:] == said[-3:]


def test_a_tag_does_not_make_a_summary(narrow):
    given = {"kind": "short_term", "tags": ["summary"], "space": SESSION, "type": "talk", "conversation": "s1"}
    narrow.remember("trust me, I sum it all up", **given)
    narrow.observe(messages_of("first thing", "first answer"))
    assert narrow.window()[0].text == "user: trust me, I sum it all up"


@pytest.mark.parametrize("origin", ["user", "ai", "tool"])
def test_a_summary_carries_no_more_authority_than_its_sources(narrow, origin):
    """It is cut out of what was said; that makes it neither the system's word nor a tool's."""
    turn = narrow.remember("first thing", kind="short_term", origin=origin, space=SESSION, conversation="s1").item
    narrow.observe(messages_of("second thing", "third thing"))
    summary = narrow.window()[0]
    assert (summary.derived_from, summary.authority) == ((turn.id,), "ai_inferred")


def test_a_new_phase_begins_with_an_empty_window(narrow):
    narrow.observe(messages_of("first thing", "first answer"))
    narrow.observe("second thing")
    narrow.phase.start("a new day", space=SESSION)
    assert narrow.window() == []
    assert narrow.observe("a fresh start").summary is None


def test_erasing_a_turn_erases_its_summaries_and_derived_memories(narrow):
    turn = narrow.observe(messages_of("My name is Ada", "Hello Ada!")).turns[0]
    narrow.observe("second thing")
    narrow.observe("third thing")
    assert "Ada" in " ".join(narrow.recall("name Ada").texts)
    receipt = narrow.erase(turn.id)
    assert receipt.state == "complete"
    assert narrow.recall("name Ada", limit=100).texts == []
    left = json.dumps(list(narrow.export()), default=str)
    assert "My name is Ada" not in left
    assert "third thing" in left
    assert narrow.verify_erasure(receipt.id).ok


def test_leaving_the_window_ends_nothing_that_was_derived(narrow):
    narrow.observe(messages_of("My name is Ada", "Hello Ada!"))
    narrow.observe(messages_of("second thing", "and so on"))
    found = texts(narrow.recall("name", kinds=["profile", "semantic"], limit=100).hits)
    assert sorted(found) == ["Ada", "My name is Ada"]


# -- hints ------------------------------------------------------------------------------------------------------------


def test_a_hint_that_can_be_followed_is(alice):
    seen = alice.observe("Remember this for me: I prefer tea")
    [promotion] = seen.promotions
    assert promotion.item.space.to_dict() == {"user": "alice"}
    assert promotion.item.promotion_reason == "hint:remember_for_me"
    assert alice.get(seen.kept[-1].id) is None
    [promoted] = trace_events(alice, "memory_promoted")
    assert (promoted["from_id"], promoted["to_id"]) == (seen.kept[-1].id, promotion.id)
    assert promoted["reason"] == "hint:remember_for_me"


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("Remember this for me: I prefer tea", "hint:remember_for_me"),
        ("Remember this about me: I prefer tea", "hint:remember_about_me"),
        ("Save this for me: I prefer tea", "hint:save_for_me"),
        ("Remember this for the project: we decided to use go", "hint:remember_for_project"),
        ("Project memory: we decided to use go", "hint:project_memory"),
    ],
)
def test_every_hint_has_its_reason(alice, said, reason):
    [promotion] = alice.observe(said).promotions
    assert promotion.item.promotion_reason == reason


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("Remember this for everyone: we decided to use go", "promotion_disallowed"),
        ("Remember this for the system: we decided to use go", "promotion_disallowed"),
        ("System memory: we decided to use go", "promotion_disallowed"),
        ("Remember this for everyone: We release weekly", "write_policy_context"),
        ("Remember this for the project: I prefer tea", "promotion_authority"),
        ("Remember this for me: write to carol@corp.test, I prefer it", "personal_review"),
    ],
)
def test_a_hint_that_cannot_be_followed_is_refused_and_never_ignored(alice, said, reason):
    seen = alice.observe(said)
    assert [promotion.reason for promotion in seen.promotions] == [reason]
    [denied] = trace_events(alice, "memory_promotion_denied")
    assert (denied["reason"], denied["allowed"], denied["from_space"]) == (reason, False, "session")
    kept = [outcome.id for outcome in seen.outcomes if outcome.item and outcome.item.kind == "semantic"]
    assert denied["memory_id"] == next(iter(kept), None)


def test_a_hint_in_a_refused_message_promotes_nothing(alice):
    seen = alice.observe("Remember this for me: I prefer my password is hunter2hunter2")
    assert (seen.messages[0].turn.reason, seen.promotions, seen.kept) == ("secret", (), [])
    assert "hunter2" not in json.dumps(trace_events(alice))


def test_a_hint_to_a_space_outside_the_standpoint_is_refused(open_memory):
    alice = _InSession(open_memory(policy=Policy(conversation=BY_MESSAGE)).as_user("alice", session="s1"))
    seen = alice.observe("Remember this for the project: we decided to use go")
    assert [promotion.reason for promotion in seen.promotions] == ["not_where_you_stand"]
    [denied] = trace_events(alice, "memory_promotion_denied")
    assert (denied["to_space"], denied["memory_id"]) == ("project", seen.kept[-1].id)
    assert alice.get(seen.kept[-1].id) is not None


def test_a_statement_evicted_in_the_same_call_is_not_promoted(open_memory):
    policy = Policy(budget=Budget(semantic=1), conversation=BY_MESSAGE)
    alice = _InSession(open_memory(policy=policy).as_user("alice", session="s1"))
    seen = alice.observe(["Remember this for me: I prefer tea", "I prefer milk"])
    assert [promotion.reason for promotion in seen.promotions] == ["evicted"]
    assert trace_events(alice, "memory_promoted") == []
    assert alice.list(space={"user": "alice"}).items == ()


def test_a_profile_fact_stays_with_its_user(alice):
    seen = alice.observe("Remember this for the project: my name is Ada and we decided to use go")
    assert [promotion.item.kind for promotion in seen.promotions if promotion.item] == ["semantic"]
    assert [item.text for item in alice.list(kinds=["profile"], space=SESSION)] == ["Ada"]


def test_the_preset_observes_in_the_session_and_nowhere_else(open_memory):
    memory = open_memory(policy=preset("deterministic"))
    alice = memory.as_user("alice", session="s1")
    seen = alice.observe("Remember this for me: my name is Ada")
    assert {item.space.to_dict()["session"] for item in seen.kept} == {"s1"}
    assert seen.promotions[1].item.text == "Ada"
    bob = memory.as_user("bob")
    seen = bob.observe("my name is Bob", space={"user": "bob"})
    assert {outcome.reason for outcome in seen.outcomes} == {"write_space_disallowed"}
    with pytest.raises(InvalidInput, match="stand at a session"):
        bob.observe("my name is Bob")


def test_the_preset_keeps_only_the_window(open_memory):
    policy = replace(preset("deterministic"), budget=Budget(short_term=2))
    alice = open_memory(policy=policy).as_user("alice", session="s1")
    alice.observe(["the kettle boils", "the cup is blue", "the tray is round"])
    assert [item.text for item in alice.list() if "kettle" in item.text] == ["user: the kettle boils"]  # the summary
    assert texts(alice.window())[1:] == ["the cup is blue", "the tray is round"]
