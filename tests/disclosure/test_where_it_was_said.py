"""Stories of who asks, and of memories that were said in more than one place, or in a chat before it was registered."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memfort import Memory, Outcome

from .test_who_hears_what import APOLLO, hears, join

PUBLISHED = {"agent": "butler", "visibility": "public"}

pytestmark = pytest.mark.fails_closed  # the policy as it is, which takes nothing unlabelled for public


@pytest.fixture
def memory(open_memory: Any) -> Memory:
    opened: Memory = open_memory(classifier="none", policy={"conflict": {"evolve": False}})
    opened.agent.register("butler", owner="alice")
    return opened


def test_an_agent_that_acts_for_nobody_asks_as_its_owner(memory: Memory) -> None:
    join(memory, "group", "alice", "bob", agents=("butler",))
    butler = memory.as_agent("butler")
    said = butler.remember("Alice likes tea", subjects=["@alice"], sensitivity="personal", space=PUBLISHED)
    there = memory.as_agent("butler", chat="group")
    assert hears(there, said.id)
    assert said.id in {hit.id for hit in there.recall("tea")}
    assert hears(memory.as_agent("butler", acting_for="alice", chat="group"), said.id)
    assert not hears(memory.as_agent("butler", acting_for="bob", chat="group"), said.id)


def test_an_agent_that_acts_for_nobody_hears_about_its_owner_as_they_would(memory: Memory) -> None:
    join(memory, "group", "alice", "bob", agents=("butler",))
    join(memory, "earlier", "alice", "bob")
    said = memory.as_user("bob", chat="earlier").remember(
        "Alice likes tea", subjects=["@alice"], sensitivity="personal", space={"user": "bob"}
    )
    assert hears(memory.as_agent("butler", chat="group"), said.id)
    assert not hears(memory.as_user("bob", chat="group"), said.id)


def said_before(memory: Memory, sensitivity: str) -> Outcome:
    alice = memory.as_user("alice", chat="late")
    return alice.remember("I like tea", subjects=["@alice"], sensitivity=sensitivity, space={"user": "alice"})


def test_what_was_said_before_a_chat_was_registered_is_told_in_the_group_to_who_said_it_by_the_table(
    memory: Memory,
) -> None:
    personal, sensitive = said_before(memory, "personal"), said_before(memory, "sensitive")
    join(memory, "late", "alice", "bob")
    join(memory, "other", "alice", "bob")
    alice = memory.as_user("alice", chat="late")
    assert hears(alice, personal.id), "it is about her alone, and she asks aloud"
    assert not hears(alice, sensitive.id)
    assert not hears(memory.as_user("alice", chat="other"), personal.id), "only in the chat where it was said"
    assert not hears(memory.as_user("bob", chat="late"), personal.id)


@pytest.mark.parametrize("sensitivity", ["personal", "sensitive"])
def test_what_was_said_before_a_private_chat_was_registered_is_told_there_while_its_speaker_is_alone(
    memory: Memory, sensitivity: str
) -> None:
    said = said_before(memory, sensitivity)
    alice = memory.as_user("alice", chat="late")
    join(memory, "late", "alice", "bob", kind="private")
    assert not hears(alice, said.id)
    join(memory, "late", "alice", kind="private")
    assert hears(alice, said.id)
    join(memory, "late", "alice", "bob", kind="private")
    memory.as_user("alice").forget(str(said.id))
    assert said.id not in {one.id for one in alice.list(deleted=True)}
    assert said.id in {one.id for one in memory.as_user("alice").list(deleted=True)}


def test_what_a_private_chat_taught_is_not_said_there_where_it_is_not_registered(
    memory: Memory, open_memory: Any
) -> None:
    """A store takes the memories of another over before anybody registers its chats there."""
    join(memory, "pair", "alice", "bob", kind="private")
    join(memory, "open", "alice", "bob")
    fields: dict[str, Any] = {"sensitivity": "public", "subjects": [], "space": {"user": "alice"}}
    for chat, text in (("pair", "The safe is in the cellar"), ("open", "The piano is in the cellar")):
        assert memory.as_user("alice", chat=chat).remember(text, **fields).kept
    lines = list(memory.as_user("alice").export())
    there: Memory = open_memory(classifier="none", policy={"conflict": {"evolve": False}})
    there.as_system().import_("\n".join(map(json.dumps, lines)).encode(), filename="export.jsonl")
    before = there.as_user("alice", chat="never").remember("The cat is in the cellar", **fields)
    assert there.as_user("alice", chat="pair").recall("what is in the cellar?").texts == [], "anybody may listen"
    assert there.as_user("alice", chat="open").recall("what is in the cellar?").texts == ["The piano is in the cellar"]
    assert hears(there.as_user("alice", chat="never"), before.id)
    assert len(there.as_user("alice").recall("what is in the cellar?").texts) == 3


def test_what_was_said_before_a_chat_was_registered_is_heard_there_if_it_is_public(memory: Memory) -> None:
    said = said_before(memory, "public")
    join(memory, "late", "alice", "bob")
    alice = memory.as_user("alice")
    derived = alice.remember("Alice wants tea", subjects=["@alice"], sensitivity="public", derived_from=[str(said.id)])
    join(memory, "elsewhere", "alice", "bob")
    for id in (said.id, derived.id):
        assert hears(memory.as_user("alice", chat="late"), id)
        assert not hears(memory.as_user("alice", chat="elsewhere"), id)


@pytest.mark.parametrize("fields", [{"portable": False, "subjects": ["@alice"]}, {"subjects": []}])
def test_a_correction_that_may_not_leave_its_chat_is_said_there(memory: Memory, fields: dict[str, Any]) -> None:
    join(memory, "pair", "alice", "bob", kind="private")
    join(memory, "group", "alice", "bob")
    alice = memory.as_user("alice", chat="pair", agent="butler")
    first = alice.remember("The office is in Bonn", space=PUBLISHED, sensitivity="public", **fields)
    second = alice.correct(str(first.id), "The office is in Kiel", sensitivity="public", **fields)
    assert hears(alice, second.id)
    assert not hears(memory.as_user("alice", chat="group", agent="butler"), second.id)


def test_what_was_said_in_two_chats_is_heard_by_who_was_in_both(memory: Memory) -> None:
    for user in ("alice", "bob", "carol"):
        memory.member.add(APOLLO, user=user, trust="owner")
    join(memory, "pair", "alice", "bob", kind="private")
    join(memory, "three", "alice", "bob", "carol")
    bob = memory.as_user("bob", chat="pair", **APOLLO)
    first = bob.remember("ledger entry zqbabeq filed", space=APOLLO, subjects=["@bob"])
    there = memory.as_user("bob", chat="three", **APOLLO)
    second = there.correct(str(first.id), "ledger entry zqbabiq filed", subjects=["@bob"])
    assert second.item is not None
    assert second.item.judgement is not None
    assert second.item.judgement.reason == "not_classified"
    assert hears(memory.as_user("alice", chat="pair", **APOLLO), second.id)
    assert hears(there, second.id)
    assert not hears(memory.as_user("carol", chat="three", **APOLLO), second.id), "the group did not hear the first"


def test_what_is_told_alone_is_found_by_nobody_who_does_not_name_the_person(open_memory: Any) -> None:
    memory: Memory = open_memory(policy={"extends": "chat"})
    join(memory, "group", "alice", "bob")
    alone = memory.as_user("bob").remember("I play chess", subjects=["@bob"], sensitivity="public")
    group = memory.as_user("alice", chat="group")
    known = group.remember("Bob plays tennis", subjects=["@bob"], sensitivity="public")
    by_carol = memory.as_user("carol").remember("Bob plays golf", subjects=["@bob"], sensitivity="public")
    found = {one.id for one in group.related(str(known.id))}
    assert by_carol.id in found
    assert alone.id not in found
    assert alone.id in {one.id for one in group.about("@bob")}


def test_a_share_is_no_reason_to_tell_its_holder_in_a_chat(memory: Memory) -> None:
    join(memory, "pair", "dave", "carol", kind="private")
    join(memory, "club", "dave", "erin")
    dave = memory.as_user("dave")
    said = memory.as_user("dave", chat="club").remember("@erin likes canoes", sensitivity="public")
    dave.share(user="carol")
    assert memory.as_user("carol").get(str(said.id)) is not None, "she reads it outside chats"
    assert not hears(memory.as_user("dave", chat="pair"), said.id)


def test_a_new_wording_of_what_was_labelled_is_not_heard_again_as_unjudged(memory: Memory) -> None:
    join(memory, "crew", "carol", "dave")
    carol, dave = memory.as_user("carol", chat="crew"), memory.as_user("dave", chat="crew")
    labelled = carol.remember("@bob likes marzipan", sensitivity="personal", space={"chat": "crew"})
    plain = carol.remember("@bob collects stamps", space={"chat": "crew"})
    nougat = carol.correct(str(labelled.id), "@bob likes nougat")
    coins = carol.correct(str(plain.id), "@bob has coins")
    assert (hears(dave, nougat.id), hears(dave, coins.id)) == (False, True)
