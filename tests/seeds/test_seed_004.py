"""Seed 004: the lines that other tests do not hold."""

from __future__ import annotations

import pytest

from memfort import Policy
from memfort.model.item import EventType, Kind
from memfort.policy.settings.document import merge_tables, preset
from memfort.policy.settings.sections import ForgetPolicy, Keep, KeepMode

WORDS = "use tabs in every file"


def here(memory):
    return memory.as_user("ann", session="s1")


def trace_of(asker, question, **options):
    recall = asker.recall(question, **options)
    return recall, asker.trace.show(recall.trace).events


def test_the_same_words_of_two_event_types_are_two_memories(open_memory):
    ann = here(open_memory(policy="deterministic"))
    assert ann.remember(WORDS, type="fact").reason == "confident"
    assert ann.remember(WORDS, type="decision").reason == "confident"
    assert ann.remember(WORDS, type="decision").reason == "duplicate"
    assert sorted(item.type for item in ann.list()) == ["decision", "fact"]


def test_the_key_of_a_fact_decides_whatever_its_event_type(open_memory, clock):
    ann = here(open_memory(policy="deterministic"))
    ann.remember("vim", kind="profile", key="editor", type="fact")
    clock.advance(1)
    ann.remember("emacs", kind="profile", key="editor", type="correction")
    assert [item.text for item in ann.list()] == ["emacs"]


@pytest.mark.parametrize(
    ("fields", "question", "expected"),
    [
        ({"text": "the harbour has a lighthouse", "importance": 0}, "lighthouse", {"matches_query"}),
        ({"text": "the harbour has a lighthouse", "importance": 5}, "lighthouse", {"matches_query", "importance"}),
        ({"text": "vim", "kind": "profile", "key": "editor", "importance": 0}, "vim", {"matches_query", "active_rule"}),
    ],
)
def test_a_recall_says_its_real_reasons(open_memory, fields, question, expected):
    ann = open_memory(policy="default").as_user("ann")
    ann.remember(**fields)
    _, events = trace_of(ann, question)
    assert set(events[0]["recalled"][0]["meta"]["recall_reason"]) == expected | {"space:user"}


def test_a_turn_of_the_window_is_recalled_for_recency(open_memory):
    ann = open_memory(policy="default").as_user("ann")
    ann.observe("Granite everywhere at the lighthouse")
    _, events = trace_of(ann, "granite lighthouse")
    assert "recency" in events[0]["recalled"][0]["meta"]["recall_reason"]


def test_an_overview_says_what_holds_whatever_is_asked(open_memory):
    ann = open_memory(policy="default").as_user("ann")
    ann.remember("My name is Ann", type="identity")
    _, events = trace_of(ann, "")
    assert events[0]["recalled"][0]["meta"]["recall_reason"] == ["active_rule", "space:user"]


def test_a_read_that_is_allowed_is_checked_at_each_border(open_memory):
    memory = open_memory(policy="deterministic")
    ann = here(memory)
    ann.remember("the harbour has a lighthouse")
    recall, events = trace_of(ann, "lighthouse")
    checks = [event for event in events if event["type"] == "memory_border_check"]
    assert [event["from_space"] for event in checks] == events[0]["spaces_consulted"] == ["session", "user", "system"]
    assert {(event["action"], event["allowed"], event["reason"]) for event in checks} == {("read", True, "allowed")}
    assert len(recall) == 1


def test_importance_decides_between_statements_of_one_moment(open_memory):
    """They are said in one call, so neither is the newer."""
    memory = open_memory(policy="default")
    for user, weights, left in (("ann", (5, 1), "tea"), ("ben", (1, 5), "coffee"), ("cem", (2, 2), "coffee")):
        reader = memory.as_user(user)
        drinks = zip(("tea", "coffee"), weights, strict=True)
        outcomes = reader.remember_many(
            {"text": text, "kind": "profile", "key": "drink", "importance": importance} for text, importance in drinks
        )
        assert [item.text for item in reader.list()] == [left]
        rules = [
            event["rule"] for event in reader.trace.show(outcomes[0].trace).events if event["type"] == "memory_conflict"
        ]
        assert rules == (["importance"] if user != "cem" else ["recency"])


@pytest.mark.parametrize(
    ("said", "expected"),
    [("decay", Keep(KeepMode.DECAY, 60)), ("ttl", Keep(KeepMode.TTL, 25)), ("never", Keep(KeepMode.NEVER))],
)
def test_the_forget_policy_says_how_statements_end(said, expected):
    policy = Policy.from_toml(f'extends = "deterministic"\nretention.forget_policy = "{said}"\n')
    assert policy.retention.rule(Kind.SEMANTIC, EventType.FACT) == expected
    assert policy.retention.rule(Kind.PROFILE, EventType.FACT) == Keep(KeepMode.NEVER)
    assert preset("deterministic").retention.forget_policy is ForgetPolicy.DECAY


def test_statements_end_by_the_forget_policy(open_memory):
    text = 'extends = "deterministic"\nretention.forget_policy = "ttl"\n'
    ann = here(open_memory(policy=Policy.from_toml(text)))
    first = ann.remember("the harbour has a lighthouse").item
    ann.remember_many([f"ship number {number} is in" for number in range(24)])
    assert ann.get(first.id) is not None
    ann.remember("one more ship is in")
    assert ann.get(first.id) is None


def test_never_takes_the_place_of_an_inherited_limit(open_memory):
    text = 'extends = "deterministic"\n[retention.semantic]\nfact = { mode = "never" }\n'
    policy = Policy.from_toml(text)
    assert policy.retention.rule(Kind.SEMANTIC, EventType.FACT) == Keep(KeepMode.NEVER)
    assert policy.retention.rule(Kind.SEMANTIC, EventType.CONTEXT) == Keep(KeepMode.DECAY, 12)
    ann = here(open_memory(policy=policy))
    assert ann.remember("the harbour has a lighthouse").item.expires_tick is None


def test_never_leaves_nothing_of_the_limit_that_it_takes_the_place_of():
    limited = Policy.from_toml("[retention.semantic]\nfact = { mode = 'decay', ticks = 3 }\n").to_dict()
    over = {"retention": {"semantic": {"fact": {"mode": "never"}}}}
    assert merge_tables(limited, over)["retention"]["semantic"]["fact"] == {"mode": "never"}


def test_a_later_call_is_newer_also_where_the_clock_was_set_back(open_memory, clock):
    ann = open_memory(policy="default").as_user("ann")
    ann.remember("tea", kind="profile", key="drink", importance=5)
    clock.advance(-60)
    ann.remember("coffee", kind="profile", key="drink", importance=1)
    assert [item.text for item in ann.list()] == ["coffee"]
