"""Observing messages: turns with their speakers, statements with evidence, and a repeated call changes nothing."""

from __future__ import annotations

import json

import pytest

from memfort import Conversation, InvalidInput, Policy
from memfort.policy.settings.document import preset
from memfort.testing.messages import messages_of

TALK = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "I live in Oslo. What time is it?"},
    {"role": "assistant", "content": "Your name is Bob, I believe."},
    {"role": "tool", "name": "clock", "content": "Dave owes 500"},
]


def texts(items):
    return [item.text for item in items]


def shown(bound):
    """All that a caller can list, without what a clock or a read changes."""
    return json.dumps([item.to_dict() for item in bound.list(limit=1000, deleted=True)], sort_keys=True)


# -- turns ------------------------------------------------------------------------------------------------------------


def test_each_turn_keeps_who_spoke(alice):
    seen = alice.observe(TALK)
    assert [one.skipped for one in seen.messages] == ["instruction", None, None, None]
    turns = [one.turn.item for one in seen.messages[1:]]
    assert [(turn.origin, turn.stated_by, turn.authority) for turn in turns] == [
        ("user", "@alice", "user_asserted"),
        ("ai", None, "ai_inferred"),
        ("tool", None, "tool_verified"),
    ]
    assert turns[2].provenance["tool"] == "clock"
    assert texts(one.item for one in seen.messages[1].statements) == ["I live in Oslo"]
    assert [(one.text, one.reason) for one in seen.messages[1].demoted] == [("What time is it?", "question")]
    assert (seen.messages[2].statements, seen.messages[3].statements) == ((), ())
    prompt = alice.context("What is my name? Who owes 500?").text
    assert "Your name is Bob" in prompt
    assert '@alice: "Your name is Bob' not in prompt


def test_turns_outlive_the_window_the_week_and_the_budget(open_memory, clock):
    memory = open_memory(max_entries=3)
    alice = memory.as_user("alice")
    alice.observe([f"the kettle number {number} hums" for number in range(30)])
    assert texts(alice.window()) == [f"the kettle number {number} hums" for number in range(18, 30)]
    clock.advance(400 * 86_400)
    assert "the kettle number 3 hums" in map(str.lower, alice.recall("kettle 3 hums", limit=50).texts)
    assert alice.remember("a lasting note").kept


def test_the_chat_preset_keeps_only_the_window(open_memory):
    alice = open_memory(policy=preset("chat")).as_user("alice")
    seen = alice.observe([f"the kettle number {number} hums" for number in range(30)])
    assert seen.summary is not None
    assert len(alice.window()) == 13
    kept = [item for item in alice.list(kinds=["short_term"], limit=100) if "number 3 hums" in item.text]
    assert kept == []


def test_old_chats_keep_their_dates_and_conversations_are_apart(alice):
    alice.observe([{"speaker": "alice", "text": "Tea at four", "at": "2023-05-08T13:56:00Z", "conversation": "old"}])
    alice.observe("Coffee at five", conversation="new")
    [old] = alice.window(conversation="old")
    assert (old.text, old.observed_at.year, old.stated_by) == ("Tea at four", 2023, "@alice")
    assert texts(alice.window(conversation="new")) == ["Coffee at five"]
    assert alice.window() == []


def test_a_refused_message_takes_no_other_with_it(alice):
    said = ["I live in Oslo", "my password is hunter2hunter2", "x" * 70_000, "I prefer tea"]
    seen = alice.observe(said)
    assert [one.turn.reason for one in seen.messages] == ["confident", "secret", "invalid", "confident"]
    assert seen.messages[2].turn.decision.detail["problem"].startswith("messages[2].text: ")
    assert sorted(texts(alice.list(kinds=["semantic"]))) == ["I live in Oslo", "I prefer tea"]
    assert "hunter2" not in shown(alice)


def test_a_secret_in_the_id_of_a_message_is_refused(alice):
    [one] = alice.observe([{"role": "user", "content": "I prefer tea", "id": "password=hunter2-Kx9!qLw7"}]).messages
    assert (one.turn.reason, one.turn.item) == ("secret", None)


# -- again ------------------------------------------------------------------------------------------------------------


def with_ids(messages):
    return [{**message, "id": f"m{place}"} for place, message in enumerate(messages)]


@pytest.mark.parametrize("messages", [TALK, with_ids(TALK), ["yes"], ["yes", "yes"]])
def test_a_repeated_call_changes_nothing(alice, clock, messages):
    assert alice.observe(messages).kept
    before = shown(alice)
    clock.advance(60)
    again = alice.observe(messages)
    assert again.kept == []
    assert {one.already_observed for one in again.messages if one.skipped is None} == {True}
    assert shown(alice) == before


@pytest.mark.parametrize("messages", [TALK, with_ids(TALK)])
def test_a_whole_history_leaves_only_what_is_new(alice, messages):
    for end in range(2, len(messages) + 1):
        alice.observe(messages[:end])
    assert len(alice.window()) == 3
    assert alice.observe([*messages[-2:], "And now?"]).kept[0].text == "And now?"


def test_the_same_words_later_are_said_again(alice):
    for said in ("hello there", "I prefer tea", "hello there"):
        alice.observe(said)
    assert texts(alice.window()) == ["hello there", "I prefer tea", "hello there"]


def test_the_same_id_with_another_text_is_refused_for_that_message_alone(alice):
    alice.observe({"role": "user", "content": "I prefer tea", "id": "m1"})
    seen = alice.observe(
        [
            {"role": "user", "content": "I prefer milk", "id": "m1"},
            {"role": "user", "content": "I live in Oslo", "id": "m2"},
            {"role": "user", "content": "I live in Bergen", "id": "m2"},
            {"role": "user", "content": "I prefer milk", "id": "m1", "conversation": "another"},
        ]
    )
    assert [one.turn.reason for one in seen.messages] == ["other_text", "confident", "other_text", "confident"]
    assert seen.messages[0].turn.decision.detail["problem"].startswith("messages[0].id: ")
    assert "Bergen" not in shown(alice)


def test_what_left_the_window_or_was_forgotten_does_not_come_back(open_memory):
    alice = open_memory(policy=preset("chat")).as_user("alice")
    said = [{"role": "user", "content": f"the kettle number {number} hums", "id": f"m{number}"} for number in range(20)]
    alice.observe(said)
    alice.forget(alice.window()[-1].id)
    before = shown(alice)
    assert alice.observe(said).kept == []
    assert shown(alice) == before


def test_an_interrupted_call_goes_on_where_it_stopped(alice):
    said = [f"the kettle number {number} hums" for number in range(250)]

    def stop(done, _):
        if done == 200:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        alice.observe(said, progress=stop)
    assert len(alice.list(kinds=["short_term"], limit=1000)) == 200
    again = alice.observe(said)
    assert sum(one.already_observed for one in again.messages) == 200
    assert len(alice.list(kinds=["short_term"], limit=1000)) == 250


def test_two_callers_in_a_chat_observe_a_message_once(memory):
    memory.chat.register("lunch", kind="group", participants=["alice", "bob", "carol"])
    message = {"role": "user", "speaker": "alice", "content": "The hall is booked", "id": "m1"}
    assert memory.as_user("alice", chat="lunch").observe(message).kept
    [one] = memory.as_user("bob", chat="lunch").observe(message).messages
    assert one.already_observed


# -- statements -------------------------------------------------------------------------------------------------------


def test_a_statement_carries_its_evidence_and_outlives_the_session(memory):
    seen = memory.as_user("alice", session="s1").observe("Good morning! I prefer window seats.")
    [statement] = [one.item for one in seen.messages[0].statements]
    assert (statement.space.to_dict(), statement.kind, statement.type) == ({"user": "alice"}, "semantic", "preference")
    assert statement.evidence.turn == seen.messages[0].turn.id
    assert statement.evidence.words in "Good morning! I prefer window seats."
    elsewhere = memory.as_user("alice", session="s2")
    assert elsewhere.recall("Which seats do I prefer?", kinds=["semantic"]).texts == ["I prefer window seats"]


def test_a_correction_replaces_the_statement_and_can_be_undone(alice):
    alice.observe("My dentist visit is on Friday.")
    [statement] = alice.observe("No wait, it's on Thursday.").messages[0].statements
    assert statement.item.text == "My dentist visit is on Thursday"
    assert texts(alice.list(kinds=["semantic"])) == ["My dentist visit is on Thursday"]
    old = alice.history(statement.id)[0]
    assert (old.text, old.status, old.superseded_by) == ("My dentist visit is on Friday", "superseded", statement.id)
    assert alice.restore(old.id).kept
    assert texts(alice.list(kinds=["semantic"])) == ["My dentist visit is on Friday"]


def test_extraction_and_its_threshold_act(open_memory):
    off = open_memory(extraction_enabled=False).as_user("alice")
    assert {item.kind for item in off.observe("I live in Oslo").kept} == {"short_term"}
    strict = open_memory(extraction_confidence_threshold=1.0).as_user("alice")
    seen = strict.observe("Can you book a table for me and my wife Ana?")
    assert {one.reason for one in seen.messages[0].statements} <= {"discarded"}
    loose = open_memory(extraction_confidence_threshold=0.0).as_user("alice")
    assert loose.observe("I live in Oslo").messages[0].statements[0].kept


# -- chats ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def lunch(memory):
    memory.agent.register("bot", owner="host")
    memory.chat.register("lunch", kind="group", participants=["alice", "bob"])
    memory.member.add({"chat": "lunch"}, agent="bot")
    return memory


def test_turns_of_a_chat_live_there_and_statements_with_their_speaker(lunch):
    alice, bob = lunch.as_user("alice", chat="lunch"), lunch.as_user("bob", chat="lunch")
    turn, statement = alice.observe("I prefer window seats").outcomes
    assert (turn.item.space.to_dict(), statement.item.space.to_dict()) == ({"chat": "lunch"}, {"user": "alice"})
    [about_us] = alice.observe("Our standup is at 9").messages[0].statements
    assert about_us.item.space.to_dict() == {"chat": "lunch"}
    bob.observe("I prefer tea")
    said = ["I prefer window seats", "Our standup is at 9", "I prefer tea"]
    assert texts(alice.window()) == texts(bob.window()) == said
    assert bob.get(statement.id).evidence is None  # alice is present, and her statement is public
    assert lunch.as_user("bob").get(statement.id) is None


def test_only_an_agent_of_the_chat_is_believed_about_other_speakers(lunch):
    message = {"role": "user", "speaker": "bob", "content": "I prefer tea"}
    turn, statement = lunch.as_agent("bot", owner="host", chat="lunch").observe(message).outcomes
    assert (turn.item.stated_by, turn.item.authority) == ("@bob", "user_asserted")
    assert (statement.item.stated_by, statement.item.space.to_dict()) == ("@bob", {"chat": "lunch"})
    claimed, hearsay = lunch.as_user("alice", chat="lunch").observe(message, conversation="other").outcomes
    assert (claimed.item.stated_by, claimed.item.authority) == (None, "ai_inferred")
    assert claimed.item.provenance["speaker"] == "bob"
    assert hearsay.item.space.to_dict() == {"chat": "lunch"}
    stranger = {"role": "user", "speaker": "mallory", "content": "I prefer milk"}
    [unknown, *_] = lunch.as_agent("bot", owner="host", chat="lunch").observe(stranger).outcomes
    assert (unknown.item.stated_by, unknown.item.authority) == (None, "ai_inferred")


def test_the_window_shows_what_one_heard_and_nothing_from_before(lunch):
    alice, bob = lunch.as_user("alice", chat="lunch"), lunch.as_user("bob", chat="lunch")
    alice.observe("I was diagnosed with diabetes.")
    assert texts(bob.window()) == ["I was diagnosed with diabetes."]
    assert bob.recall("diabetes").texts == []
    lunch.member.add({"chat": "lunch"}, user="carol")
    carol = lunch.as_user("carol", chat="lunch")
    assert carol.window() == []
    alice.observe("The hall is booked.")
    assert texts(carol.window()) == ["The hall is booked."]
    assert texts(bob.window()) == ["The hall is booked."]  # carol listens too now
    lunch.member.remove({"chat": "lunch"}, user="carol")
    assert texts(bob.window()) == ["I was diagnosed with diabetes.", "The hall is booked."]
    assert [bool(turn.id) for turn in bob.window()] == [False, True]  # no other read has the first


def test_evidence_is_shown_only_with_its_turn(lunch):
    alice = lunch.as_user("alice", chat="lunch")
    turn, statement = alice.observe("I prefer window seats").outcomes
    alone = lunch.as_user("alice")
    assert alone.get(statement.id).evidence.turn == turn.id  # she said the words
    alone.share(user="dora")
    seen = lunch.as_user("dora").get(statement.id)
    assert (seen.text, seen.evidence) == ("I prefer window seats", None)


def test_ending_a_turn_reaches_the_statements_that_one_may_end(lunch):
    alice, bob = lunch.as_user("alice", chat="lunch"), lunch.as_user("bob", chat="lunch")
    first = alice.observe("I prefer window seats").outcomes
    bob.erase(first[0].id)
    assert lunch.as_user("alice").get(first[1].id) is not None  # bob ends the turn, and nothing of alice's
    assert alice.window() == []
    second = alice.observe("I live in Oslo").outcomes
    receipt = alice.erase(second[0].id)
    assert (receipt.state, receipt.counts["derived"]) == ("complete", 1)
    assert lunch.as_user("alice").get(second[1].id) is None
    third = alice.observe("I work at Acme").outcomes
    bob.forget(third[0].id)
    assert lunch.as_user("alice").get(third[1].id) is not None
    fourth = alice.observe("I have two cats").outcomes
    alice.forget(fourth[0].id)
    assert lunch.as_user("alice").get(fourth[1].id) is None


# -- requests to forget -----------------------------------------------------------------------------------------------


def test_rules_that_keep_nothing_leave_turns_and_requests_to_forget(open_memory):
    for kept, expected in (("sentences", ["I live in Oslo"]), ("nothing", [])):
        alice = open_memory(policy=Policy(conversation=Conversation(statements=kept))).as_user("alice")
        seen = alice.observe(["I live in Oslo.", "Please forget that I live in Oslo."])
        assert [one.item.text for message in seen.messages for one in message.statements] == expected
        assert [one.turn.kept for one in seen.messages] == [True, True]
        assert len(seen.forget_requests) == 1


def test_a_request_to_forget_waits_for_a_yes_and_is_no_fact(alice):
    alice.observe(["I live in Oslo.", "I prefer tea."])
    seen = alice.observe("Please forget that I live in Oslo.")
    [request] = seen.forget_requests
    [oslo] = [item for item in alice.list(kinds=["semantic"]) if "Oslo" in item.text]
    assert (request.message, request.memories[0], request.done) == (0, oslo.id, False)
    assert seen.messages[0].statements == ()
    alice.forget(*request.memories[:1])
    assert texts(alice.list(kinds=["semantic"])) == ["I prefer tea"]


@pytest.mark.parametrize(("what", "left"), [("act", ["I prefer tea"]), ("ignore", ["I live in Oslo", "I prefer tea"])])
def test_the_policy_says_what_a_request_to_forget_does(open_memory, what, left):
    alice = open_memory(policy=Policy(conversation=Conversation(forget_requests=what))).as_user("alice")
    alice.observe(["I live in Oslo.", "I prefer tea."])
    seen = alice.observe("Please forget that I live in Oslo.")
    assert [one.done for one in seen.forget_requests] == ([True] if what == "act" else [])
    assert sorted(texts(alice.list(kinds=["semantic"]))) == left


# -- input ------------------------------------------------------------------------------------------------------------


def test_bad_input_is_refused_before_anything_is_written(alice):
    for messages, field in (([], "messages"), (["fine", {"role": "robot"}], r"messages\[1\].role")):
        with pytest.raises(InvalidInput, match=field):
            alice.observe(messages)
    with pytest.raises(InvalidInput, match="conversation"):
        alice.observe("fine", conversation="")
    assert alice.list(limit=10).items == ()
    assert alice.observe(messages_of("fine")).kept
