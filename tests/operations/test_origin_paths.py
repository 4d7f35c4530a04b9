"""Which kinds of actor may claim which origin is policy, on every path by which a statement comes in."""

from __future__ import annotations

import pytest

from memfort.testing.messages import messages_of

PLAIN, FOR_ALICE = {}, {"acting_for": "alice"}


@pytest.fixture(params=[PLAIN, FOR_ALICE], ids=["for nobody", "for alice"])
def bot(memory, request):
    memory.agent.register("bot", owner="alice")
    return memory.as_agent("bot", **request.param)


def restored(bot, text, origin):
    first = bot.remember(text, origin=origin).id
    bot.correct(first, "It rained", origin=origin)
    return bot.restore(first)


CLAIMS = {
    "remember": lambda bot, text, origin: bot.remember(text, origin=origin),
    "remember_many": lambda bot, text, origin: bot.remember_many([{"text": text, "origin": origin}])[0],
    "a candidate": lambda bot, text, origin: bot.remember_many([{"text": text, "origin": origin, "captured": True}])[0],
    "correct": lambda bot, text, origin: bot.correct(bot.remember("It rained").id, text, origin=origin),
    "derived": lambda bot, text, origin: bot.remember(
        text, origin=origin, derived_from=[bot.remember("It rained", origin=origin).id]
    ),
    "profile": lambda bot, text, origin: bot.remember(text, origin=origin, kind="profile", key="city"),
    "restore": lambda bot, text, origin: restored(bot, text, origin),
}


@pytest.mark.parametrize("origin", ["user", "tool"])
@pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS.keys())
def test_an_agent_that_claims_is_a_guess(bot, claim, origin):
    outcome = claim(bot, "Alice lives in Oslo", origin)
    assert outcome.item.authority == "ai_inferred"


@pytest.mark.parametrize("origin", ["user", "tool"])
def test_an_agent_gains_nothing_by_bringing_a_file(open_memory, exported, origin):
    there, here = open_memory(), open_memory()
    for memory in (there, here):
        memory.agent.register("bot", owner="alice")
    there.as_agent("bot", acting_for="alice").remember("Alice lives in Oslo", origin=origin)
    there.as_user("alice").remember("Alice lives in Rome", origin=origin)
    bot = here.as_agent("bot", acting_for="alice")
    bot.import_(exported(there.as_user("alice")))
    assert {one.authority for one in bot.list()} == {"ai_inferred"}


def test_what_the_engine_records_has_the_weight_of_who_said_it(memory):
    """The positive control: words of the user and runs of tools that are on record."""
    memory.agent.register("bot", owner="alice")
    bot = memory.as_agent("bot", acting_for="alice")
    seen = bot.observe(messages_of("I live in Oslo", "Noted"))
    said, answered = (message.turn for message in seen.messages)
    assert (said.item.authority, answered.item.authority) == ("user_asserted", "ai_inferred")
    [ran] = bot.observe(messages_of(tools=[("maps", "Oslo is in Norway")])).outcomes
    assert ran.item.authority == "tool_verified"


def test_an_agent_for_nobody_has_no_users_words(memory):
    memory.agent.register("bot", owner="alice")
    outcomes = memory.as_agent("bot").observe("I live in Oslo").outcomes
    assert {one.item.authority for one in outcomes if one.item is not None} == {"ai_inferred"}


def test_a_person_may_claim_what_the_policy_lets_persons_claim(memory):
    alice = memory.as_user("alice")
    assert alice.remember("I live in Oslo", origin="tool").item.authority == "tool_verified"
    assert alice.remember("I like tea", origin="ai").item.authority == "ai_inferred"
    assert alice.remember("I like milk").item.authority == "user_asserted"
