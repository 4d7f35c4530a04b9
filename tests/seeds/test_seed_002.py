"""Seed 002: the lines that the tables of `tests/people` do not hold."""

from __future__ import annotations

import pytest

from memfort import Memory


@pytest.fixture
def chat(open_memory) -> Memory:
    memory = open_memory(policy="chat")
    memory.chat.register("lunch", kind="group", participants=["alice", "bob", "carol"])
    return memory


def test_a_fact_of_the_group_is_the_groups(chat):
    ours = chat.as_user("alice", chat="lunch").remember("Our standup is at 9am")
    mine = chat.as_user("alice", chat="lunch").remember("I like coffee")
    assert (ours.item.space.to_dict(), mine.item.space.to_dict()) == ({"chat": "lunch"}, {"user": "alice"})
    assert chat.as_user("bob", chat="lunch").recall("when is the standup?").texts == ["Our standup is at 9am"]


def test_about_leaves_out_what_an_owner_has_already(chat):
    """`exclude_owner_user_id`, to avoid counting twice."""
    chat.as_user("alice", chat="lunch").remember("@bob loves pizza")
    bob = chat.as_user("bob")
    bob.remember("I play the cello")
    assert sorted(item.text for item in bob.about("@bob")) == ["@bob loves pizza", "I play the cello"]
    assert [item.text for item in bob.about("@bob", exclude_owner="bob")] == ["@bob loves pizza"]
    assert [item.text for item in bob.about("@bob", exclude_owner="alice")] == ["I play the cello"]
    assert len(bob.about("@bob", exclude_owner="nobody-here")) == 2


@pytest.mark.parametrize("own_first", [True, False])
def test_hearsay_gives_way_to_the_persons_own_word_in_another_space(chat, clock, own_first):
    alice, bob = chat.as_user("alice", chat="lunch"), chat.as_user("bob", chat="lunch")
    said = [lambda: bob.remember("I live in Rome"), lambda: alice.remember("@bob lives in Oslo")]
    for say in said if own_first else reversed(said):
        say()
        clock.advance(60)
    alice.remember("@bob loves pizza")
    assert sorted(item.text for item in bob.about("@bob")) == ["@bob loves pizza", "I live in Rome"]
    assert "@bob lives in Oslo" not in bob.recall("Where does @bob live?").texts


def test_hearsay_stays_for_whoever_may_not_see_the_persons_own_word(chat):
    """No word of bob's out of alice's sight changes what alice is shown."""
    alice = chat.as_user("alice")
    alice.remember("@bob lives in Oslo")
    before = alice.recall("Where does @bob live?").texts, [item.text for item in alice.about("@bob")]
    chat.as_user("bob").remember("I live in Rome", sensitivity="sensitive")
    assert (alice.recall("Where does @bob live?").texts, [item.text for item in alice.about("@bob")]) == before
    assert before == (["@bob lives in Oslo"], ["@bob lives in Oslo"])
