"""Memories are ended by id, or by words, time, author, source, person and scope, in one way for forget and erase."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from memfort import InvalidInput, Memory, NotFound


@pytest.fixture
def alice(memory: Memory):
    return memory.as_user("alice")


@pytest.fixture
def kept(memory, alice, clock):
    """Memories of two hours, of a user and an agent, of an import and about a person; what each way takes."""
    alice.remember("the blue bicycle is in the cellar")
    alice.import_(json.dumps([{"id": 1, "user_id": "alice", "kind": "note", "content": "likes rhubarb"}]).encode())
    start = datetime.fromtimestamp(clock.now() / 1e6, UTC)
    clock.advance(3600)
    later = datetime.fromtimestamp(clock.now() / 1e6, UTC)
    memory.as_agent("bot", owner="alice", acting_for="alice").remember("alice works late", space={"user": "alice"})
    alice.remember("@bob loves hiking in the Alps")
    memory.as_user("alice", session="s1").remember("a draft of the report", space={"user": "alice", "session": "s1"})
    return {
        "query": ({"query": "bicycle"}, {"the blue bicycle is in the cellar"}),
        "time": ({"since": start, "until": later}, {"the blue bicycle is in the cellar", "likes rhubarb"}),
        "author": ({"author": "agent:bot"}, {"alice works late"}),
        "source": ({"source": alice.sources()[0].id}, {"likes rhubarb"}),
        "person": ({"person": "@bob"}, {"@bob loves hiking in the Alps"}),
        "scope": ({"scope": {"user": "alice", "session": "s1"}}, {"a draft of the report"}),
        "two": ({"author": "me", "since": later, "query": "draft"}, {"a draft of the report"}),
    }


def texts(bound) -> set[str]:
    return {item.text for item in bound.list()}


@pytest.mark.parametrize("way", ["query", "time", "author", "source", "person", "scope", "two"])
def test_forget_and_erase_choose_in_the_same_way(memory, kept, way):
    alice = memory.as_user("alice", session="s1")
    before, (named, gone) = texts(alice), kept[way]
    assert gone < before
    preview = alice.forget(dry_run=True, **named)
    assert (preview.count, set(preview.sample), texts(alice)) == (len(gone), gone, before)
    rehearsal = alice.erase(dry_run=True, **named)
    assert (rehearsal.counts["memories"], set(rehearsal.sample), texts(alice)) == (len(gone), gone, before)
    assert {item.text for item in alice.forget(**named)} == gone
    assert texts(alice) == before - gone
    receipt = alice.erase(**named)
    assert (receipt.counts["memories"], receipt.sample) == (len(gone), ())
    assert list(alice.list(deleted=True)) == list(alice.list())


def test_words_take_the_sentence_of_a_turn_and_not_the_turn(alice):
    alice.observe("The cellar has a blue door. My cat is called Tom.")
    receipt = alice.erase(query="blue door")
    assert [turn.text for turn in alice.window()] == ["[erased] My cat is called Tom."]
    assert receipt.counts["sentences"] == 1
    assert "blue" not in str(receipt.to_dict())


def test_others_memories_are_not_chosen(memory, alice):
    memory.as_user("bob").remember("the blue bicycle is in the cellar")
    assert alice.erase(query="bicycle").counts["memories"] == 0
    assert texts(memory.as_user("bob")) == {"the blue bicycle is in the cellar"}
    assert memory.as_system().erase(query="bicycle").counts["memories"] == 1


@pytest.mark.parametrize("is_there", [False, True])
def test_a_scope_says_how_far_it_reaches_whatever_is_there(memory, is_there):
    for name in ("alice", "bob"):
        memory.member.add({"project": "apollo"}, user=name)
    alice = memory.as_user("alice", project="apollo")
    alice.remember("the launch is in May", space={"project": "apollo"})
    if is_there:
        there = memory.as_user("bob", project="apollo", session="s1")
        there.remember("bob's draft", space={"project": "apollo", "session": "s1"})
    receipt = alice.erase(scope={"project": "apollo"})
    assert (receipt.counts["memories"], len(receipt.notes)) == (1, 1)
    assert "only if you stand there" in receipt.notes[0]
    again = alice.erase(scope={"project": "apollo"})
    assert again.notes[0].startswith("nothing that you may end from here matches")


def test_requests_that_contradict_themselves(alice, clock):
    id = alice.remember("the blue bicycle is in the cellar").id
    for named in ({"query": "x"}, {"author": "me"}, {"scope": {"user": "alice"}}):
        with pytest.raises(InvalidInput, match="only one is possible"):
            alice.forget(id, **named)
    with pytest.raises(InvalidInput, match="not after"):
        alice.erase(since=clock.now(), until=clock.now())
    with pytest.raises(InvalidInput, match="names no writer"):
        alice.erase(author="bot")
    assert "nothing is named" in alice.forget().notes[0]
    assert texts(alice) == {"the blue bicycle is in the cellar"}


@pytest.mark.parametrize("verb", ["forget", "erase"])
def test_the_id_before_a_promotion_still_names_the_memory(memory, verb):
    memory.member.add({"project": "apollo"}, user="alice", trust="approver")
    alice = memory.as_user("alice", project="apollo")
    kept = alice.remember("the launch is in May", space={"user": "alice"})
    copy = alice.promote(kept.id, to={"project": "apollo"})
    assert (copy.id != kept.id, texts(alice)) == (True, {"the launch is in May"})
    getattr(alice, verb)(kept.id)
    assert texts(alice) == set()


@pytest.mark.parametrize("is_heard", [False, True])
def test_a_preview_shows_only_what_everyone_in_the_chat_may_hear(memory, is_heard):
    memory.chat.register("pair", kind="private", participants=["bob", "erin"])
    here = memory.as_user("bob", chat="pair")
    text, named = "@erin likes chess from Lima", {"author": "me", "dry_run": True}
    if is_heard:
        here.remember(text)
    else:
        memory.as_user("bob").remember(text, sensitivity="sensitive", access={"users": ["bob"]})
    assert texts(here) == ({text} if is_heard else set())
    shown = (text,) if is_heard else ()
    assert (here.forget(**named).sample, here.undo(**named).sample) == (shown, shown)
    rehearsal = here.erase(**named)
    assert (rehearsal.sample, rehearsal.counts["memories"]) == (shown, here.forget(**named).count)
    subject = here.subject.erase("me", dry_run=True)
    assert is_heard or "chess" not in str([rehearsal.to_dict(), subject.to_dict()])
    receipt = here.erase(author="me")
    assert (receipt.counts["memories"], "chess" in str(receipt.to_dict())) == (len(shown), False)
    assert texts(memory.as_user("bob")) == set()  # it ends all the same


def test_the_system_previews_and_erases_by_source_without_contents(memory, alice):
    rows = [{"id": 1, "user_id": "alice", "kind": "note", "content": "likes rhubarb"}]
    source = alice.import_(json.dumps(rows).encode()).source
    system = memory.as_system()
    assert list(system.sources()) == []
    rehearsal = system.erase(source=source, dry_run=True)
    assert (rehearsal.counts["memories"], "rhubarb" in str(rehearsal.to_dict())) == (1, False)
    with pytest.raises(NotFound):
        memory.as_user("bob").erase(source=source)
    assert system.erase(source=source).counts["memories"] == 1
    assert (texts(alice), list(alice.sources())) == (set(), [])
