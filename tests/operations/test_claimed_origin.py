"""Who may claim which origin is policy. What an agent claims without a record counts as its own guess."""

from __future__ import annotations

import json

import pytest

from memfort import Conversation, InvalidInput, Policy
from memfort.model.item import Authority, Candidate, Kind, Origin, Sensitivity
from memfort.testing.messages import messages_of

OWN = {"user": "alice"}
EDITOR = {"kind": "profile", "key": "editor", "space": OWN}


@pytest.fixture
def alice(memory):
    return memory.as_user("alice")


@pytest.fixture
def bot(memory):
    return memory.as_agent("bot", owner="alice", acting_for="alice")


def weight(item):
    return item.authority, item.authority_reason


@pytest.mark.parametrize("origin", ["user", "tool"])
def test_an_agent_that_claims_an_origin_is_kept_as_a_guess(alice, bot, origin):
    item = bot.remember("likes ink", origin=origin, space=OWN).item
    assert weight(item) == (Authority.AI_INFERRED, f"not_on_record:{origin}")
    assert item.origin == origin  # what it said is kept as what it said
    assert weight(alice.remember("likes tea", origin=origin).item) == (
        {"user": Authority.USER_ASSERTED, "tool": Authority.TOOL_VERIFIED}[origin], f"source:{origin}",
    )  # fmt: skip


@pytest.mark.parametrize("origin", ["user", "tool"])
def test_an_agents_claim_wins_no_conflict(alice, bot, origin):
    alice.remember("vim", **EDITOR)
    assert bot.remember("emacs", origin=origin, **EDITOR).reason == "outranked"
    assert [item.text for item in alice.list().items] == ["vim"]
    assert alice.remember("nano", **EDITOR).item.status == "approved"  # a person's later word does win


@pytest.mark.parametrize("origin", ["user", "tool"])
def test_an_agents_claim_lifts_no_rejection(alice, bot, origin):
    waiting = bot.remember("likes ink", status="pending", space=OWN)
    alice.review.reject(waiting.id)
    assert bot.remember("likes ink", origin=origin, space=OWN).reason == "rejected_before"
    [batched] = bot.remember_many([{"text": "likes ink", "origin": origin, "space": OWN, "captured": True}])
    assert batched.reason == "rejected_before"
    assert bot.check("remember", text="likes ink", origin=origin, space=OWN).reason == "rejected_before"
    assert alice.remember("likes ink").kept  # the person saying it again does


def test_a_tool_that_an_agent_reports_lifts_no_rejection(open_memory):
    memory = open_memory(policy=Policy(conversation=Conversation(statements="messages")))
    alice, bot = memory.as_user("alice"), memory.as_agent("bot", owner="alice", acting_for="alice")
    waiting = bot.remember("search: likes ink", status="pending", space=OWN)
    alice.review.reject(waiting.id)
    [outcome] = bot.observe(messages_of(tools=[("search", "likes ink")]), space=OWN).outcomes
    assert outcome.reason == "rejected_before"
    [other] = bot.observe(messages_of(tools=[("search", "likes tea")]), space=OWN).outcomes
    assert weight(other.item) == (Authority.TOOL_VERIFIED, "on_record:tool")


@pytest.mark.parametrize("origin", ["user", "tool"])
def test_an_agent_corrects_and_edits_no_person_by_claiming(alice, bot, origin):
    kept = alice.remember("likes tea")
    assert bot.correct(kept.id, "likes coffee", origin=origin).reason == "outranked"
    guess = bot.remember("likes ink", space=OWN)
    fixed = bot.correct(guess.id, "likes blue ink", origin=origin)
    assert weight(fixed.item) == (Authority.AI_INFERRED, f"not_on_record:{origin}")
    waiting = alice.remember("likes rain", status="pending")
    assert bot.review.edit(waiting.id, "likes snow").reason == "outranked"
    assert sorted(item.text for item in alice.list().items) == ["likes blue ink", "likes tea"]


def test_an_agents_claim_gains_nothing_by_approval_or_promotion(memory):
    alice, bot = (memory.as_user("alice", project="p"),
                  memory.as_agent("bot", owner="alice", acting_for="alice", project="p"))  # fmt: skip
    claimed = bot.remember("we ship on Friday", origin="user", space=OWN, type="decision")
    assert bot.promote(claimed.id, {"project": "p"}).reason == "promotion_authority"
    waiting = bot.remember("we ship on Monday", origin="user", space=OWN, type="decision", status="pending")
    [approved] = bot.review.approve(waiting.id)
    assert approved.authority is Authority.AI_INFERRED
    said = alice.remember("we ship on Tuesday", type="decision")
    copy = bot.promote(said.id, {"project": "p"}).item  # a copy of a person's words carries the person's weight
    assert weight(copy) == (Authority.USER_ASSERTED, "on_record:user")


def test_an_agents_promotion_lifts_no_rejection(memory):
    alice, bot = (memory.as_user("alice", project="p"),
                  memory.as_agent("bot", owner="alice", acting_for="alice", project="p"))  # fmt: skip
    waits = alice.remember("we ship on Friday", status="pending", type="decision", space={"project": "p"})
    alice.review.reject(waits.id)
    said = alice.remember("we ship on Friday", type="decision")
    assert bot.promote(said.id, {"project": "p"}).reason == "rejected_before"
    assert alice.promote(said.id, {"project": "p"}).kept


def test_an_agent_gains_nothing_by_a_file(alice, bot, exported):
    alice.remember("vim", **EDITOR)
    header, line = map(json.loads, exported(alice).decode().splitlines())
    alice.forget(line["memory"]["id"])
    author = {"kind": "agent", "id": "bot", "acting_for": "alice", "owner": "alice"}
    line["memory"] |= {"text": "emacs", "author": author}
    report = bot.import_("\n".join(map(json.dumps, (header, line))).encode())
    assert report.counts["kept"] == 1
    [item] = bot.list(space=OWN).items
    assert weight(item) == (Authority.AI_INFERRED, "not_on_record:user")


def test_observed_turns_are_on_record(memory, bot):
    seen = bot.observe(messages_of("I prefer tea", "Noted.", [("search", "3 hits")]), space=OWN)
    assert [weight(one.item) for one in seen.outcomes] == [
        (Authority.USER_ASSERTED, "on_record:user"), (Authority.USER_ASSERTED, "on_record:user"),
        (Authority.TOOL_VERIFIED, "on_record:tool"), (Authority.AI_INFERRED, "source:ai"),
    ]  # fmt: skip
    # No known user talks to an agent that acts for no one.
    alone = memory.as_agent("bot").observe("I prefer tea", space={"agent": "bot", "visibility": "private"})
    assert {weight(one.item) for one in alone.outcomes} == {(Authority.AI_INFERRED, "not_on_record:user")}


def test_a_sentence_of_a_recorded_message_is_on_record_word_for_word(bot):
    turn = bot.observe("Hello there. I do not like tea! Thanks", space=OWN).outcomes[0].item
    quoted = bot.remember("I do not like tea", origin="user", derived_from=[turn.id], space=OWN).item
    assert weight(quoted) == (Authority.USER_ASSERTED, "on_record:user")
    for words, origin in (("like tea", "user"), ("I love tea", "user"), ("Hello there", "tool")):
        made = bot.remember(words, origin=origin, derived_from=[turn.id], space=OWN).item
        assert weight(made) == (Authority.AI_INFERRED, f"not_on_record:{origin}")


def test_a_quotation_says_no_more_than_the_words(memory, bot):
    turn = bot.observe("Shall we share it? Yes.", space=OWN).outcomes[0].item
    for more in ({"kind": "profile", "key": "consents"}, {"type": "correction"}):
        made = bot.remember("yes", origin="user", derived_from=[turn.id], space=OWN, **more).item
        assert weight(made)[0] is Authority.AI_INFERRED
    memory.as_user("bob", project="p").observe("I sign the contract", space={"project": "p"})
    [said] = memory.as_user("bob", project="p").window({"project": "p"})
    here = memory.as_agent("bot", acting_for="alice", project="p")  # bob's words are not alice's
    made = here.remember("I sign the contract", origin="user", derived_from=[said.id], space={"project": "p"}).item
    assert weight(made)[0] is Authority.AI_INFERRED


def test_explain_says_that_a_claim_is_not_on_record(alice, bot):
    claimed, said = bot.remember("likes ink", origin="user", space=OWN), alice.remember("likes tea")
    assert any("not_on_record:user" in line for line in alice.explain(claimed.id).lines)
    assert not any("on_record" in line for line in alice.explain(said.id).lines)


def test_an_agents_own_claim_is_not_on_record(bot):
    claimed = bot.remember("alice likes tea", kind="short_term", origin="user", space=OWN).item
    again = bot.remember("alice likes tea", origin="user", derived_from=[claimed.id], space=OWN).item
    assert weight(again) == (Authority.AI_INFERRED, "not_on_record:user")


def test_only_a_person_may_lower_the_sensitivity(alice, bot):
    said = {"text": "I have anxiety", "origin": "user", "sensitivity": "public", "space": OWN}
    assert bot.remember_many([said])[0].item.sensitivity is Sensitivity.SENSITIVE
    assert alice.remember_many([said])[0].item.sensitivity is Sensitivity.PUBLIC


def test_governance_uses_the_origin_the_actor_may_claim(open_memory):
    policy = Policy.from_dict({"governance": [{"effect": "deny", "source": "ai"}]})
    memory = open_memory(policy=policy)
    bot = memory.as_agent("bot", owner="alice", acting_for="alice")
    assert bot.remember("likes ink", origin="user", space=OWN).reason == "governance_rule"
    assert memory.as_user("alice").remember("likes ink").kept


def test_a_policy_may_let_agents_claim(open_memory):
    memory = open_memory(policy=Policy.from_dict({"origins": {"agent": ["ai", "tool"], "user": ["user"]}}))
    bot, alice = memory.as_agent("bot", owner="alice", acting_for="alice"), memory.as_user("alice")
    assert weight(bot.remember("it is up", origin="tool", space=OWN).item) == (
        Authority.TOOL_VERIFIED, "source:tool",
    )  # fmt: skip
    assert weight(bot.remember("it is so", origin="user", space=OWN).item)[0] is Authority.AI_INFERRED
    assert weight(alice.remember("it is down", origin="tool").item) == (Authority.AI_INFERRED, "not_on_record:tool")


@pytest.mark.parametrize("kind", ["user", "agent"])
def test_only_the_system_actor_has_system_origin(kind):
    with pytest.raises(InvalidInput, match="system"):
        Policy.from_dict({"origins": {kind: ["ai", "system"]}})
    assert Origin.SYSTEM in Policy().origins.system


def test_a_candidate_marked_as_captured_is_not_on_record(bot):
    given = Candidate(text="likes ink", origin=Origin.USER, captured=True, space=OWN, kind=Kind.SEMANTIC,
                      type="preference", event_type="preference")  # fmt: skip
    [outcome] = bot.remember_many([given])
    assert weight(outcome.item)[0] is Authority.AI_INFERRED
