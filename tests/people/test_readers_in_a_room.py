"""A reader list holds for everybody who listens: what is for some of a room is not said in it."""

from __future__ import annotations

import pytest

from memfort.model.item import Readers

FOR_ALICE = Readers.of(["alice"])
FOR_BOTH = Readers.of(["alice", "bob"])
PLAN = "the quiet plan is to move the office"


@pytest.fixture
def rooms(memory):
    memory.chat.register("team", kind="group", participants=["alice", "bob"])
    memory.chat.register("dm", kind="private", participants=["alice"])
    return memory


def standing(memory, chat: str | None, user: str = "alice"):
    places = {"project": "apollo"} | ({} if chat is None else {"chat": chat})
    return memory.as_user(user, **places)


@pytest.mark.parametrize("space", [{"user": "alice"}, {"project": "apollo"}])
def test_a_memory_for_some_participants_is_withheld_in_the_chat(rooms, space):
    id = standing(rooms, None).remember(PLAN, space=space, access=FOR_ALICE).id
    assert standing(rooms, None).recall("quiet plan").texts == [PLAN]
    room = standing(rooms, "team")
    assert room.recall("quiet plan", explain=True).withheld == {}
    assert (room.recall("quiet plan").texts, room.get(id), room.list().items) == ([], None, ())
    assert PLAN not in room.context("quiet plan").text
    asked = room.explain(id)
    assert (asked.shown, asked.reason) == (False, "not_found")
    told = standing(rooms, None).explain(id, viewer=room)
    assert (told.shown, told.reason) == (False, "not_for_this_room")


def test_a_memory_for_all_participants_is_shown_in_the_chat(rooms):
    standing(rooms, None).remember(PLAN, space={"project": "apollo"}, access=FOR_BOTH)
    assert standing(rooms, "team").recall("quiet plan").texts == [PLAN]
    assert standing(rooms, "team", "bob").recall("quiet plan").texts == [PLAN]


def test_a_reader_list_of_agents_admits_no_participant(rooms):
    rooms.agent.register("scout", owner="alice")
    scout = rooms.as_agent("scout", acting_for="alice", chat="team", project="apollo")
    scout.remember(PLAN, space={"project": "apollo"}, access={"agents": ["scout"]})
    assert scout.recall("quiet plan").texts == [PLAN]
    assert standing(rooms, "team").recall("quiet plan").texts == []


def test_reader_lists_hide_memories_in_an_unregistered_chat(rooms):
    alice = standing(rooms, "corridor")
    alice.remember("the tea is free", space={"chat": "corridor"})
    alice.remember("the quiet tea is hers", space={"chat": "corridor"}, access=FOR_ALICE)
    assert alice.recall("tea").texts == ["the tea is free"]


def test_memories_withheld_from_a_chat_change_nothing_it_is_shown(rooms):
    """Neither a score nor an id nor a count."""
    alone, room = standing(rooms, None), standing(rooms, "team")
    room.remember("the plan for lunch is soup", space={"chat": "team"})
    before = room.recall("plan", explain=True)
    alone.remember_many(
        [{"text": f"{PLAN} {one}", "space": {"user": "alice"}, "access": FOR_ALICE} for one in range(9)]
    )
    after = room.recall("plan", explain=True)
    assert [(hit.id, hit.score, hit.features) for hit in after] == [(hit.id, hit.score, hit.features) for hit in before]
    assert (after.withheld, after.hash) == (before.withheld, before.hash)


def test_the_speaker_can_forget_a_memory_withheld_in_the_chat(rooms):
    room = standing(rooms, "team")
    id = room.remember("the quiet plan", space={"chat": "team"}, access=FOR_ALICE).id
    assert room.get(id) is None
    assert id in {one for _, one in room.people.forget("me", which="stated_by").items}
