"""Profile facts are read by their key: whole, in sight, and as far as they can be recalled now."""

from __future__ import annotations

import pytest

from memfort import InvalidInput

TEA = {"chat": "tea"}


def fact(bound, key, text="likes green tea", **more):
    return bound.remember(text, kind="profile", key=key, **more)


def test_equal_texts_under_two_keys_are_two_memories(alice):
    one, two = fact(alice, "a/one"), fact(alice, "a/two")
    assert one.id != two.id
    assert (alice.get(key="a/one").id, alice.get(key="a/two").id) == (one.id, two.id)
    alice.forget(one.id)
    assert alice.get(key="a/one") is None
    assert alice.get(key="a/two").text == "likes green tea"


def test_a_key_gives_its_newest_value(alice):
    fact(alice, "drink", "tea")
    fact(alice, "drink", "coffee")
    assert alice.get(key="drink").text == "coffee"
    assert [item.text for item in alice.list(keys=["drink"])] == ["coffee"]


@pytest.mark.parametrize("other", ["drin", "drink ", "Drink", "drinks", "%", "*", "drink\n"])
def test_a_key_is_compared_whole(alice, other):
    fact(alice, "drink")
    assert alice.get(key=other) is None
    assert list(alice.list(keys=[other])) == []
    assert alice.get(key="drink") is not None


def test_only_profile_facts_have_a_key_to_be_read_by(alice):
    alice.remember("the drink is tea", kind="semantic", key="drink")
    assert alice.get(key="drink") is None
    assert list(alice.list(keys=["drink"])) == []
    assert len(alice.list().items) == 1


def test_what_others_keep_under_a_key_does_not_exist(alice, bob):
    fact(bob, "drink", "coffee")
    assert alice.get(key="drink") is None
    assert list(alice.list(keys=["drink"])) == []
    assert alice.get(key="drink", space={"user": "bob"}) is None
    assert bob.get(key="drink").text == "coffee"


def test_the_first_space_in_recall_answers_unless_one_is_named(memory):
    memory.chat.register("tea", kind="private", participants=["alice"])
    there = memory.as_user("alice", chat="tea")
    fact(there, "drink", "coffee at home", space={"user": "alice"})
    fact(there, "drink", "tea in here", space=TEA)
    assert there.get(key="drink").text == "tea in here"
    assert there.get(key="drink", space={"user": "alice"}).text == "coffee at home"
    assert memory.as_user("alice").get(key="drink").text == "coffee at home"


@pytest.mark.parametrize("sensitivity", ["public", "personal", None])
def test_a_fact_of_a_project_is_read_by_its_members_however_private_it_is(memory, sensitivity):
    apollo = {"project": "apollo"}
    for user in ("alice", "bob"):
        memory.member.add(apollo, user=user)
    alices, bobs = (memory.as_user(user, project="apollo") for user in ("alice", "bob"))
    fact(alices, "launch", "We launch on Friday", space=apollo, sensitivity=sensitivity)
    for member in (alices, bobs):
        assert member.get(key="launch").text == "We launch on Friday"
        assert member.get(key="launch", space=apollo).text == "We launch on Friday"
    assert memory.as_user("carol").get(key="launch") is None


def test_facts_that_are_not_in_force_are_not_read_by_key(alice, clock):
    waiting = fact(alice, "mail", "bob@example.com")
    assert waiting.state == "pending"
    assert alice.get(key="mail") is None
    assert [item.id for item in alice.list(keys=["mail"], statuses=["pending"])] == [waiting.id]
    fact(alice, "brief", ttl_seconds=60)
    assert alice.get(key="brief") is not None
    clock.advance(seconds=61)
    assert alice.get(key="brief") is None


def test_several_keys_are_listed_together_page_by_page(alice):
    for number in range(6):
        fact(alice, f"k{number}", f"fact {number}")
    first = alice.list(keys=["k0", "k2", "k4", "nothing"], limit=2)
    rest = alice.list(keys=["k0", "k2", "k4"], limit=2, cursor=first.cursor)
    assert (len(first.items), len(rest.items)) == (2, 1)
    assert {item.key for item in (*first, *rest)} == {"k0", "k2", "k4"}
    assert list(alice.list(keys=[])) == []


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({}, "id"),
        ({"id": "mem_a", "key": "drink"}, "key"),
        ({"id": "mem_a", "space": {"user": "alice"}}, "space"),
        ({"space": {"user": "alice"}}, "id"),
    ],
)
def test_either_an_id_or_a_key_is_given(alice, given, field):
    with pytest.raises(InvalidInput) as error:
        alice.get(**given)
    assert error.value.field == field
