"""In a registered group chat, a public statement in the first person plural is kept for the chat."""

from __future__ import annotations

import json

import pytest

from memfort import Denied, InvalidInput, Policy
from memfort.policy.settings.document import preset

CHAT, OWN = {"chat": "team"}, {"user": "alice"}


@pytest.fixture(params=["default", "chat"])
def memory(request, open_memory):
    memory = open_memory(policy=preset(request.param))
    memory.chat.register("team", kind="group", participants=["alice", "bob"])
    memory.chat.register("pair", kind="private", participants=["alice", "bob"])
    return memory


def place(bound, text, **fields):
    return bound.remember(text, **fields).item.space.to_dict()


@pytest.mark.parametrize("text", ["our standup is at 9", "unser Standup ist um 9", "notre standup est à 9h"])
def test_what_a_group_says_of_itself_is_the_chats(memory, text):
    alice, bob = (memory.as_user(one, chat="team") for one in ("alice", "bob"))
    assert place(alice, text) == CHAT
    assert bob.recall("standup").texts == [text]
    assert [one.item.space.to_dict() for one in alice.remember_many(["we ship on Fridays"])] == [CHAT]
    for_alice = memory.as_agent("helper", owner="carol", acting_for="alice", chat="team")
    assert place(for_alice, "our retro is on Thursday") == CHAT


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("Bob's standup is at 9", {}),
        ("I think our standup is at 9", {}),
        ("we are getting divorced", {}),  # not public
        ("our standup is at 9", {"sensitivity": "personal"}),
        ("our standup is at 9", {"access": {"users": ["alice"]}}),
        ("our standup is at 9", {"subjects": ["@bob"]}),
        ("our standup is at 9", {"visibility": "private"}),
        ("our standup is at 9", {"space": {"user": "alice"}}),
        ("our standup is at 9", {"kind": "short_term"}),
    ],
)
def test_anything_else_stays_ones_own(memory, text, fields):
    alice = memory.as_user("alice", chat="team")
    assert place(alice, text, **fields) == OWN
    assert place(alice, "our standup is at 9") == CHAT


def test_only_in_a_registered_group_chat_where_one_takes_part(memory):
    assert place(memory.as_user("alice"), "our standup is at 9") == OWN
    assert place(memory.as_user("alice", chat="pair"), "our standup is at 9") == OWN
    assert place(memory.as_user("alice", chat="unregistered"), "our standup is at 9") == OWN
    assert place(memory.as_user("alice", project="apollo"), "our retro is on Thursday") == OWN
    with pytest.raises(Denied):
        memory.as_user("eve", chat="team").remember("our standup is at 9")


def test_a_file_is_not_said_in_the_chat(memory):
    alice = memory.as_user("alice", chat="team")
    assert alice.import_(json.dumps([{"content": "our standup is at 9", "metadata": {}}]).encode()).counts["kept"] == 1
    assert [item.space.to_dict() for item in memory.as_user("alice").list().items] == [OWN]


@pytest.mark.parametrize("name", ["default", "chat"])
def test_a_policy_can_switch_it_off(open_memory, name):
    memory = open_memory(policy=Policy.from_dict({"extends": name, "spaces": {"group_facts": False}}))
    memory.chat.register("team", kind="group", participants=["alice", "bob"])
    assert place(memory.as_user("alice", chat="team"), "our standup is at 9") == OWN
    with pytest.raises(InvalidInput, match="group_facts"):
        Policy.from_dict({"spaces": {"group_facts": "sometimes"}})
