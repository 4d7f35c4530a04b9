"""A person's request: a copy of everything by and about them, then an erasure with a receipt; and `about("me")`."""

from __future__ import annotations

import json

import pytest

from memfort import Memory


@pytest.fixture
def lives(memory: Memory):
    """Bob's own memories, what an import and a session hold, and what Alice keeps about him."""
    bob, alice = memory.as_user("bob"), memory.as_user("alice")
    bob.remember("I am allergic to peanuts")
    bob.import_(json.dumps([{"id": 1, "user_id": "bob", "kind": "note", "content": "likes rhubarb"}]).encode())
    memory.as_user("bob", session="s1").remember("a draft of the speech", space={"user": "bob", "session": "s1"})
    alice.remember("@bob loves hiking in the Alps")
    alice.remember("the garden is behind the house")
    return memory


OWN = ["I am allergic to peanuts", "a draft of the speech", "likes rhubarb"]


def test_a_person_gets_all_of_their_own(lives):
    copy = lives.as_user("bob").subject.export("me")
    assert sorted(item.text for item in copy) == OWN
    assert all(text in copy.markdown for text in OWN)
    assert {item["text"] for item in copy.to_dict()["items"]} == set(OWN)
    assert "hiking" not in copy.markdown  # alice's own


def test_another_gets_what_they_keep_about_the_person(lives):
    copy = lives.as_user("alice").subject.export("@bob")
    assert [item.text for item in copy] == ["@bob loves hiking in the Alps"]
    assert copy.without_contents == ()


def test_the_system_learns_the_places_and_no_contents(lives):
    copy = lives.as_system().subject.export("@bob")
    assert (len(copy), len(copy.without_contents)) == (0, 4)
    assert "4 memories in other spaces" in copy.markdown


def test_the_person_erases_their_own_and_the_system_everything(lives):
    bob, alice, system = lives.as_user("bob"), lives.as_user("alice"), lives.as_system()
    export = b"\n".join(json.dumps(line).encode() for line in bob.export())
    assert bob.subject.erase("me", dry_run=True).counts["memories"] == 3
    receipt = bob.subject.erase("me")
    assert (receipt.counts["memories"], bob.verify_erasure(receipt.id).ok) == (3, True)
    assert list(bob.subject.export("me")) == []
    assert alice.recall("hiking").texts == ["@bob loves hiking in the Alps"]
    assert system.subject.erase("@bob").counts["memories"] == 1
    assert [item.text for item in alice.list()] == ["the garden is behind the house"]
    assert bob.import_(export).counts["ended"] == 3
    assert lives.trail.verify().ok


def test_about_me_is_everything_by_or_about_me(memory):
    alice = memory.as_user("alice")
    kept = ["the garden is behind the house", "I have a dog called Rex", "call the plumber", "@bob loves hiking"]
    for text in kept:
        alice.remember(text)
    memory.as_user("bob").remember("@alice sings")
    memory.as_agent("bot", owner="alice", acting_for="alice").remember("alice works late", space={"user": "alice"})
    assert {item.text for item in alice.about("me")} >= set(kept)
    assert "@alice sings" not in {item.text for item in alice.about("me")}
    assert {item.text for item in alice.about("@bob")} == {"@bob loves hiking"}
