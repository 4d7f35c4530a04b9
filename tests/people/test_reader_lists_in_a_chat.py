"""A reader list must admit all participants: a memory for some of them is withheld in the chat."""

from __future__ import annotations

import pytest

from memfort.model.item import Readers

FOR_ALICE = Readers.of(["alice"])
FOR_BOTH = Readers.of(["alice", "bob"])
PLAN = "the quiet plan is to move the office"


@pytest.fixture
def chats(memory):
    memory.chat.register("team", kind="group", participants=["alice", "bob"])
    memory.chat.register("dm", kind="private", participants=["alice"])
    return memory


def at(memory, chat: str | None, user: str = "alice"):
    places = {"project": "apollo"} | ({} if chat is None else {"chat": chat})
    return memory.as_user(user, **places)


@pytest.mark.parametrize("space", [{"user": "alice"}, {"project": "apollo"}])
def test_a_memory_for_some_participants_is_withheld_in_the_chat(chats, space):
    id = at(chats, None).remember(PLAN, space=space, access=FOR_ALICE).id
    assert at(chats, None).recall("quiet plan").texts == [PLAN]
    in_team = at(chats, "team")
    assert in_team.recall("quiet plan", explain=True).withheld == {}
    assert (in_team.recall("quiet plan").texts, in_team.get(id), in_team.list().items) == ([], None, ())
    assert PLAN not in in_team.context("quiet plan").text
    asked = in_team.explain(id)
    assert (asked.shown, asked.reason) == (False, "not_found")
    explanation = at(chats, None).explain(id, viewer=in_team)
    assert (explanation.shown, explanation.reason) == (False, "not_for_this_chat")


def test_a_memory_for_all_participants_is_shown_in_the_chat(chats):
    at(chats, None).remember(PLAN, space={"project": "apollo"}, access=FOR_BOTH)
    assert at(chats, "team").recall("quiet plan").texts == [PLAN]
    assert at(chats, "team", "bob").recall("quiet plan").texts == [PLAN]


def test_a_reader_list_of_agents_admits_no_participant(chats):
    chats.agent.register("scout", owner="alice")
    scout = chats.as_agent("scout", acting_for="alice", chat="team", project="apollo")
    scout.remember(PLAN, space={"project": "apollo"}, access={"agents": ["scout"]})
    assert chats.as_agent("scout", acting_for="alice", project="apollo").recall("quiet plan").texts == [PLAN]
    assert scout.recall("quiet plan").texts == []
    assert at(chats, "team").recall("quiet plan").texts == []


def test_reader_lists_hide_memories_in_an_unregistered_chat(chats):
    alice = at(chats, "corridor")
    alice.remember("the tea is free", space={"chat": "corridor"})
    alice.remember("the quiet tea is hers", space={"chat": "corridor"}, access=FOR_ALICE)
    assert alice.recall("tea").texts == ["the tea is free"]


def test_memories_withheld_from_a_chat_change_nothing_it_is_shown(chats):
    """Neither a score nor an id nor a count."""
    alone, in_team = at(chats, None), at(chats, "team")
    in_team.remember("the plan for lunch is soup", space={"chat": "team"})
    before = in_team.recall("plan", explain=True)
    alone.remember_many(
        [{"text": f"{PLAN} {one}", "space": {"user": "alice"}, "access": FOR_ALICE} for one in range(9)]
    )
    after = in_team.recall("plan", explain=True)
    assert [(hit.id, hit.score, hit.features) for hit in after] == [(hit.id, hit.score, hit.features) for hit in before]
    assert (after.withheld, after.hash) == (before.withheld, before.hash)


def test_the_speaker_can_forget_a_memory_withheld_in_the_chat(chats):
    in_team = at(chats, "team")
    id = in_team.remember("the quiet plan", space={"chat": "team"}, access=FOR_ALICE).id
    assert in_team.get(id) is None
    assert id not in {one for _, one in in_team.people.forget("me", which="stated_by").items}, (
        "the chat hears the answer"
    )
    chats.chat.register("team", kind="group", participants=["alice"])
    assert in_team.get(id) is None
    assert in_team.list(deleted=True).items[0].id == id
