"""Agents with a private and a public space, acting for users; chats and groups with members."""

from __future__ import annotations

import pytest

from memfort import Denied, InvalidInput

PRIVATE = {"agent": "helper", "visibility": "private"}
PUBLIC = {"agent": "helper", "visibility": "public"}


@pytest.fixture
def helper(memory):
    memory.agent.register("helper", owner="alice")
    return memory.as_agent("helper")


def test_an_agents_memory_goes_to_its_private_space_unless_it_names_the_public_one(helper):
    assert helper.remember("likes tea").item.space.to_dict() == PRIVATE
    assert helper.remember("likes tea", space=PUBLIC).item.space.to_dict() == PUBLIC


def test_an_agent_acting_for_a_user_writes_to_that_users_space(memory, helper):
    asked = memory.as_agent("helper", acting_for="bob")
    assert asked.remember("bob likes tea").item.space.to_dict() == {"user": "bob"}
    assert memory.as_user("bob").recall("tea").texts == ["bob likes tea"]
    assert not memory.as_user("alice", agent="helper").recall("tea")
    assert not helper.recall("tea")


def test_an_agent_acting_for_a_user_has_that_users_rights_and_never_its_owners(memory, helper):
    memory.as_user("alice").remember("alice likes tea")
    memory.as_user("bob").remember("bob likes tea")
    helper.remember("private tea", space=PRIVATE)
    helper.remember("public tea", space=PUBLIC)
    assert sorted(memory.as_agent("helper", acting_for="bob").recall("tea").texts) == ["bob likes tea", "public tea"]
    assert sorted(memory.as_agent("helper", acting_for="alice").recall("tea").texts) == [
        "alice likes tea", "private tea", "public tea",
    ]  # fmt: skip
    assert sorted(helper.recall("tea").texts) == ["private tea", "public tea"]


def test_an_owner_reads_and_writes_both_spaces_a_stranger_reads_the_public_one(memory, helper):
    helper.remember("private tea", space=PRIVATE)
    helper.remember("public tea", space=PUBLIC)
    owner, stranger = memory.as_user("alice", agent="helper"), memory.as_user("bob", agent="helper")
    assert len(owner.recall("tea")) == 2
    assert stranger.recall("tea").texts == ["public tea"]
    assert [owner.remember("tea by alice", space=space).kept for space in (PRIVATE, PUBLIC)] == [True, True]
    assert [stranger.remember("tea by bob", space=space).kept for space in (PRIVATE, PUBLIC)] == [False, False]


def test_an_agent_has_exactly_one_owner(memory, helper):
    with pytest.raises(InvalidInput, match="exactly one owner"):
        memory.agent.register("helper", owner="bob")
    with pytest.raises(InvalidInput, match="another owner"):
        memory.as_agent("helper", owner="bob")
    assert memory.agent.register("helper", owner="alice").owner == "alice"


def test_an_unknown_agent_must_name_its_owner(memory):
    with pytest.raises(InvalidInput, match="name its owner"):
        memory.as_agent("new")
    assert memory.agent.get("new") is None
    memory.as_agent("new", owner="alice").remember("likes tea")
    assert memory.agent.get("new").owner == "alice"


def test_an_unregistered_agent_opens_no_space(memory, helper):
    helper.remember("public tea", space=PUBLIC)
    assert not memory.as_user("bob", agent="ghost").recall("tea")
    assert memory.as_user("bob", agent="helper").recall("tea")


def test_an_agent_acting_for_no_user_has_a_private_session(memory, helper):
    asked = memory.as_agent("helper", session="s1")
    item = asked.remember("likes tea", space={"session": "s1"}).item
    assert item.space.to_dict() == {"session": "s1", **PRIVATE}
    assert asked.recall("tea")
    assert not memory.as_user("bob", session="s1", agent="helper").recall("tea")


def test_the_author_names_the_agent_and_the_user_it_acts_for(memory, helper):
    item = memory.as_agent("helper", acting_for="bob").remember("likes tea").item
    assert (str(item.author), item.origin, item.authority) == ("agent:helper for user:bob", "ai", "ai_inferred")


# -- chats ------------------------------------------------------------------------------------------------------------


def test_a_registered_chat_is_for_its_participants(memory):
    memory.chat.register("lunch", kind="group", participants=["alice", "bob"])
    alice, bob, eve = (memory.as_user(name, chat="lunch") for name in ("alice", "bob", "eve"))
    item = alice.remember("lunch is at noon", space={"chat": "lunch"}).item
    assert bob.recall("lunch").texts == ["lunch is at noon"]
    assert not eve.recall("lunch")
    with pytest.raises(Denied) as refused:
        eve.remember("lunch is at one", space={"chat": "lunch"})
    assert refused.value.reason == "not_a_participant"
    assert not memory.as_user("bob").recall("lunch")
    assert [one.id for one in bob.forget(item.id)] == [item.id]  # any participant may
    assert not alice.recall("lunch")


def test_a_user_who_leaves_a_chat_no_longer_sees_it(memory):
    memory.chat.register("lunch", kind="group", participants=["alice", "bob"])
    alice, bob = memory.as_user("alice", chat="lunch"), memory.as_user("bob", chat="lunch")
    alice.remember("lunch is at noon", space={"chat": "lunch"})
    assert bob.recall("lunch")
    memory.chat.register("lunch", kind="group", participants=["alice"])
    assert not bob.recall("lunch")
    assert alice.recall("lunch")


def test_an_agent_in_a_chat_is_there_for_itself(memory):
    memory.agent.register("helper", owner="alice")
    memory.chat.register("lunch", kind="group", participants=["bob"], agents=["helper"])
    memory.as_user("bob", chat="lunch").remember("lunch is at noon", space={"chat": "lunch"})
    assert memory.as_agent("helper", chat="lunch").recall("lunch")
    assert not memory.as_user("alice", chat="lunch").recall("lunch")
    assert not memory.as_agent("helper", acting_for="alice", chat="lunch").recall("lunch")
    assert memory.as_agent("helper", acting_for="bob", chat="lunch").recall("lunch")


@pytest.mark.parametrize("kind", ["private", "group"])
def test_a_chat_has_a_kind_and_participants(memory, kind):
    made = memory.chat.register("lunch", kind=kind, participants=["alice"])
    assert memory.chat.get("lunch") == made
    assert (made.kind, sorted(map(str, made.participants))) == (kind, ["user:alice"])


@pytest.mark.parametrize(
    "given",
    [
        {"kind": "party"},
        {"kind": "group", "participants": "alice"},
        {"kind": "group", "participants": None},
        {"kind": "group", "participants": [""]},
        {"kind": "group", "agents": ["*"]},
    ],
)
def test_a_chat_that_makes_no_sense_is_refused(memory, given):
    with pytest.raises(InvalidInput):
        memory.chat.register("lunch", **given)
    assert memory.chat.get("lunch") is None


# -- groups -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", ["workspace", "project", "role", "org"])
def test_a_registered_group_is_for_its_members(memory, level):
    memory.member.add({level: "x"}, user="alice")
    alice, eve = memory.as_user("alice", **{level: "x"}), memory.as_user("eve", **{level: "x"})
    assert alice.remember("likes tea", space={level: "x"}).kept
    assert not eve.remember("likes jam", space={level: "x"}).kept
    assert not eve.recall("tea")
    memory.member.add({level: "x"}, user="eve")
    assert eve.recall("tea").texts == ["likes tea"]
    memory.member.remove({level: "x"}, user="eve")
    assert not eve.recall("tea")
    assert [str(one) for one in memory.member.list({level: "x"})] == ["user:alice"]


def test_a_group_whose_last_member_left_stays_closed(memory):
    memory.member.add({"org": "acme"}, user="alice")
    memory.as_user("alice", org="acme").remember("likes tea", space={"org": "acme"})
    memory.member.remove({"org": "acme"}, user="alice")
    assert not memory.as_user("alice", org="acme").recall("tea")
    assert not memory.as_user("eve", org="acme").recall("tea")


def test_with_registered_memberships_the_hosts_word_does_not_count(open_memory):
    trusted, registered = open_memory(), open_memory(memberships="registered")
    assert trusted.as_user("alice", org="acme").remember("likes tea", space={"org": "acme"}).kept
    assert not registered.as_user("alice", org="acme").remember("likes tea", space={"org": "acme"}).kept
    registered.member.add({"org": "acme"}, user="alice")
    assert registered.as_user("alice", org="acme").remember("likes tea", space={"org": "acme"}).kept
    with pytest.raises(InvalidInput, match="not registered"):
        registered.as_agent("new", owner="alice")


@pytest.mark.parametrize("level", ["user", "agent", "session", "system", "planet"])
def test_members_can_be_added_to_groups_only(memory, level):
    with pytest.raises(InvalidInput):
        memory.member.add({level: "x"}, user="alice")


def test_a_standpoint_says_how_far_it_gets_and_why(memory):
    memory.member.add({"org": "acme"}, user="bob")
    reasons = {
        str(one.coordinate): str(one.reason) for one in memory.as_user("alice", org="acme", project="x").standings()
    }
    assert reasons == {"user=alice": "own_identity", "org=acme": "not_a_member", "project=x": "host_vouched",
                       "system=": "system_readable"}  # fmt: skip


@pytest.mark.parametrize(
    "place",
    [
        {"user": "bob"},
        {"system": "x"},
        {"visibility": "private"},
        {"planet": "x"},
        {"org": ""},
        {"org": "*"},
        {"org": None},
        {"org": "a\x00b"},
        {"org": "\ud800"},
        {"org": "x" * 513},
    ],
)
def test_an_invalid_place_is_refused(memory, place):
    if "user" not in place:
        with pytest.raises(InvalidInput):
            memory.as_user("alice", **place)
    memory.agent.register("helper", owner="alice")
    with pytest.raises(InvalidInput):
        memory.as_agent("helper", **place)
    assert memory.as_user("alice", org="acme").spaces()


# -- the system -------------------------------------------------------------------------------------------------------


def test_the_system_space_is_read_by_all_and_written_by_the_system(memory, alice):
    assert memory.as_system().remember("maintenance on sunday").item.space.to_dict() == {"system": ""}
    assert alice.recall("maintenance").texts == ["maintenance on sunday"]
    assert alice.remember("maintenance on monday", space={"system": ""}).reason == "border_write"


def test_the_system_actor_reads_no_users_memories(memory, alice):
    id = alice.remember("likes tea").id
    system = memory.as_system()
    assert not system.recall("tea")
    assert system.get(id) is None
    assert len(system.list()) == 0
    assert [line for line in system.export() if "memory" in line] == []


def test_only_the_system_actor_may_claim_system_origin(memory, alice):
    with pytest.raises(InvalidInput) as refused:
        alice.remember("likes tea", origin="system")
    assert refused.value.field == "origin"
    assert memory.as_system().remember("likes tea").item.authority == "system_imposed"
