"""Lines of the documents that once held only partly: each is run under the document's own preset, with its control."""

from __future__ import annotations

import pytest

from memfort import InvalidInput
from memfort.model.item import Authority, Kind

STATE_OF_WORK = (
    "Session state: step 3 of 5 done",
    "Next: write tests for parser",
    "The build is failing on CI",
    "This repo uses pnpm",
)
KNOWLEDGE = (
    "Python's GIL limits true parallelism",
    "JWT tokens should be validated on every request",
    "A build is a compiled artifact",
)
IDENTITY = (
    "My passport number is X1234567",
    "I live at 12 Main Street, Springfield 62704",
    "My date of birth is 3 May 1985",
    "Alice was born on 1990-02-03",
    "Ich bin am 3. Mai 1985 geboren",
)
MACHINES = ("Cloudflare DNS is 1.1.1.1", "The staging server is at 10.0.0.4", "The switch is at 192.168.7.20")


# -- 002 --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", ["default", "chat"])
def test_what_is_heard_about_somebody_in_a_group_is_kept_about_them(open_memory, preset):
    memory = open_memory(policy=preset)
    memory.chat.register("lunch", kind="group", participants=["alice", "bob"])
    alice = memory.as_user("alice", chat="lunch")
    made = [one.item for one in alice.observe("@bob loves pizza").outcomes if one.item is not None]
    statements = [item for item in made if item.kind is Kind.SEMANTIC]
    assert [(item.text, item.subjects) for item in statements] == [("@bob loves pizza", ("@bob",))]
    assert statements[0].confidence >= 0.7
    assert [item.text for item in memory.as_user("bob").about("me")] == ["@bob loves pizza"]
    spoken_to = alice.observe("@bob please check the build").outcomes
    assert [one.item.kind for one in spoken_to if one.item is not None] == [Kind.SHORT_TERM]


@pytest.mark.parametrize("said", ["Bob loves pizza", "Sarah is my wife", "Project X uses Python"])
def test_what_a_participant_was_heard_to_say_reaches_the_threshold_of_the_preset(open_memory, said):
    memory = open_memory(policy="chat")
    memory.chat.register("lunch", kind="group", participants=["alice", "bob"])
    kept = memory.as_user("alice", chat="lunch").observe(said).kept
    assert [(item.text, item.kind) for item in kept] == [(said, Kind.SEMANTIC)]


ASKED = (
    "what do you know about @bob?", "Tell me about Bob", "who is Bob?", "was weißt du über @bob?", "wer ist Bob?",
    "que sais-tu de @bob ?", "qui est Bob ?", "¿qué sabes de @bob?", "¿quién es Bob?",
)  # fmt: skip


@pytest.mark.parametrize("preset", ["default", "chat"])
@pytest.mark.parametrize("query", ASKED)
def test_asking_about_somebody_brings_their_own_word_first_and_what_about_brings(open_memory, preset, query):
    memory = open_memory(policy=preset)
    memory.chat.register("lunch", kind="group", participants=["alice", "bob"])
    alice, bob = memory.as_user("alice", chat="lunch"), memory.as_user("bob", chat="lunch")
    alice.remember("@bob loves pizza", space={"chat": "lunch"})
    bob.remember("I live in Milan", space={"chat": "lunch"})
    alice.remember("@bob plays the cello", space={"chat": "lunch"})
    found = alice.recall(query).texts
    listed = [item.text for item in alice.about("@bob")]
    assert found[0] == "I live in Milan"
    assert set(found[: len(listed)]) == set(listed)
    assert len(listed) == 3
    assert "I live in Milan" not in memory.as_user("dave").recall(query).texts
    assert alice.recall("where does @bob live?").texts[0] == "I live in Milan"  # any other question is searched for


# -- 001 --------------------------------------------------------------------------------------------------------------


def test_near_equal_scores_are_equal_and_the_newer_comes_first(open_memory, clock):
    texts = (
        "The deploy script uses bash",
        "The deploy script uses bash now",
        "Deploy scripts use bash here",
        "Bash is a shell",
    )
    found = {}
    for step in ({}, {"recall": {"step": 0}}):
        policy = {"extends": "scoped", "governance_default": "allow", **step}
        ann = open_memory(policy=policy).as_user("ann", session="s1")
        for text in texts:
            ann.remember(text, space={"session": "s1"})
            clock.advance(60)
        found[len(step)] = ann.recall("deploy script bash").texts
    assert found[0] == [*reversed(texts[:3]), texts[3]]
    assert found[1][0] == texts[0]  # compared as they are


# -- 003 --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [*STATE_OF_WORK, *KNOWLEDGE])
def test_the_state_of_the_work_is_private_and_knowledge_public(open_memory, text):
    memory = open_memory(policy="agents")
    memory.agent.register("helper", owner="alice")
    outcome = memory.as_agent("helper").remember(text)
    visibility = "private" if text in STATE_OF_WORK else "public"
    assert outcome.item.space.to_dict() == {"agent": "helper", "visibility": visibility}


@pytest.mark.parametrize("visibility", ["private", "public"])
@pytest.mark.parametrize("text", IDENTITY)
def test_what_identifies_a_person_is_not_stored_at_all(open_memory, text, visibility):
    memory = open_memory(policy="agents")
    memory.agent.register("helper", owner="alice")
    helper = memory.as_agent("helper")
    assert not helper.remember(text, visibility=visibility).stored
    assert not list(helper.list())
    assert open_memory().as_user("alice").remember(text).stored  # the default keeps it


@pytest.mark.parametrize("text", MACHINES)
def test_an_address_that_leads_to_nobody_is_no_personal_data(open_memory, text):
    memory = open_memory(policy="agents")
    memory.agent.register("helper", owner="alice")
    helper = memory.as_agent("helper")
    assert helper.remember(text).kept
    assert not helper.remember("The client connects from 84.112.7.9").stored


def test_a_conversation_is_public_where_the_caller_says_so_and_the_gates_decide_each(open_memory):
    memory = open_memory(policy="agents")
    memory.agent.register("helper", owner="alice")
    said = [{"role": "user", "content": text} for text in (KNOWLEDGE[1], "I have cancer")]
    seen = memory.as_agent("helper").observe(said, visibility="public")
    assert [item.text for item in seen.kept] == [KNOWLEDGE[1]]
    assert {one.reason.value for one in seen.outcomes if not one.stored} == {"private_in_public"}
    assert KNOWLEDGE[1] in memory.as_user("zoe", agent="helper").recall("JWT tokens").texts
    assert memory.as_user("zoe", agent="helper").recall("cancer").texts == []
    other = open_memory()
    other.agent.register("helper", owner="alice")
    with pytest.raises(InvalidInput, match="a conversation is never public"):
        other.as_agent("helper").observe(said, visibility="public")


# -- 004 --------------------------------------------------------------------------------------------------------------


def test_the_system_writes_system_memories_and_nobody_else_does(open_memory):
    memory = open_memory(policy="deterministic")
    outcome = memory.as_system().remember("Answers are kept for a year")
    assert outcome.kept
    assert outcome.item.authority is Authority.SYSTEM_IMPOSED
    assert not memory.as_user("ann", session="s1").remember("Answers are kept", space={"system": ""}).stored


def test_the_rules_of_an_importance_are_named(open_memory):
    ann = open_memory(policy="deterministic").as_user("ann", session="s1")
    plain, stated = ann.remember("The build uses Bazel"), ann.remember("Rust is fast", importance=9)
    assert importance_reasons(ann, plain) == [(4.0, ["type:fact"])]
    assert importance_reasons(ann, stated) == [(9.0, ["stated"])]


def importance_reasons(bound, outcome):
    written = [view for view in written_views(bound) if view["id"] == outcome.item.id]
    return [(view["importance"], view["meta"]["importance_reason"]) for view in written]


def written_views(bound):
    events = [event for call in bound.trace.list() for event in bound.trace.show(call.trace).events]
    return [view for event in events if event["type"] == "memory_write" for view in event["written"]]


def test_what_moved_on_in_the_same_call_is_written_once(open_memory):
    ann = open_memory(policy="deterministic").as_user("ann", session="s1")
    ann.observe("Remember this for me: I like tea")
    texts = [view["text"] for view in written_views(ann)]
    assert "(gone)" not in texts
    assert texts.count("I like tea") == 1


@pytest.mark.parametrize(("ticks", "reason"), [(1, "ttl_expired"), (None, "decay")])
def test_a_lifetime_that_was_said_ends_by_its_own_reason(open_memory, ticks, reason):
    ann = open_memory(policy="deterministic").as_user("ann", session="s1")
    ann.remember("The build is slow", ttl_ticks=ticks)
    for number in range(70):  # past the age at which the preset lets statements decay
        ann.remember(f"Note number {number}")
    events = [event for call in ann.trace.list(limit=100) for event in ann.trace.show(call.trace).events]
    first = [event["reason"] for event in reversed(events) if event["type"] == "memory_forget"]
    assert reason in first
    assert (reason == "ttl_expired") == ("ttl_expired" in first)


def test_the_key_of_duplicates_is_the_same_in_every_store(open_memory):
    keys = set()
    for _ in range(2):
        ann = open_memory(policy="deterministic").as_user("ann", session="s1")
        ann.remember("I like tea")
        keys |= {view["meta"]["dedup_key"] for view in written_views(ann)}
    assert len(keys) == 1
