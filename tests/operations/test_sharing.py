"""Shares: explicit, listed, revocable, in force at once, and for exactly one space."""

from __future__ import annotations

import pytest

from memfort import Denied, InvalidInput, NotFound


def test_a_share_opens_one_space_to_one_reader_at_once(memory, alice, bob):
    alice.remember("likes tea")
    memory.as_user("alice", project="x").remember("secret plan of tea", space={"user": "alice", "project": "x"})
    assert not bob.recall("tea")
    alice.share(user="bob")
    assert bob.recall("tea").texts == ["likes tea"]
    assert memory.as_user("bob", project="x").recall("tea").texts == ["likes tea"]
    assert not memory.as_user("carol").recall("tea")


def test_a_revoked_share_is_closed_at_once(alice, bob):
    id = alice.remember("likes tea").id
    share = alice.share(user="bob")
    assert bob.get(id) is not None
    alice.revoke(share.id)
    assert bob.get(id) is None
    assert not bob.recall("tea")
    assert alice.recall("tea").texts == ["likes tea"]


def test_a_share_is_for_reading_only(alice, bob):
    id = alice.remember("likes tea").id
    alice.share(user="bob")
    assert bob.remember("likes jam", space={"user": "alice"}).reason == "border_write"
    for change in (bob.forget, bob.erase, bob.review.approve, bob.review.reject):
        with pytest.raises(Denied, match="read_only_here"):
            change(id)
    for change in (bob.correct, bob.review.edit):
        with pytest.raises(Denied, match="read_only_here"):
            change(id, "likes jam")
    with pytest.raises(Denied):
        bob.share(space={"user": "alice"}, user="carol")
    assert bob.erase(scope={"user": "alice"}).counts["memories"] == 0
    assert alice.recall("likes").texts == ["likes tea"]


HIDDEN = {
    "pending": lambda alice: alice.remember("likes ink", confidence=0.1).id,
    "superseded": lambda alice: alice.history(alice.correct(alice.remember("likes ink").id, "likes milk").id)[0].id,
    "forgotten": lambda alice: alice.forget(alice.remember("likes ink").id)[0].id,
    "expired": lambda alice: alice.remember("likes ink", ttl_seconds=1).id,
    "not for the reader": lambda alice: alice.remember("likes ink", access={"users": ["alice"]}).id,
}


@pytest.mark.parametrize("make", HIDDEN.values(), ids=HIDDEN.keys())
def test_what_a_share_does_not_show_is_not_there_for_a_change_either(memory, alice, bob, clock, make):
    alice.share(user="bob")
    id, shown = make(alice), alice.remember("likes tea").id
    clock.advance(1)
    stranger = memory.as_user("carol")
    changes = [lambda who: who.forget(id), lambda who: who.erase(id), lambda who: who.correct(id, "x"),
               lambda who: who.review.approve(id), lambda who: who.review.reject(id),
               lambda who: who.review.edit(id, "x")]  # fmt: skip
    for change in changes:
        told = []
        for who in (bob, stranger):
            with pytest.raises(NotFound) as refused:
                change(who)
            told.append(str(refused.value))
        assert told[0] == told[1]
    for verb in ("forget", "erase", "correct", "approve", "reject", "edit"):
        assert bob.check(verb, id=id) == stranger.check(verb, id=id)
        assert bob.check(verb, id=shown).reason == "read_only_here"


def test_what_anybody_may_read_is_read_only_too(memory, bob):
    public = {"agent": "helper", "visibility": "public"}
    id = memory.as_agent("helper", owner="alice").remember("public tea", space=public).id
    with pytest.raises(Denied, match="read_only_here"):
        memory.as_user("bob", agent="helper").forget(id)
    with pytest.raises(NotFound):
        bob.forget(id)  # from where it cannot be read
    with pytest.raises(Denied, match="read_only_here"):
        bob.erase(memory.as_system().remember("tea for everybody").id)


def test_shares_are_listed_to_those_who_may_write_there(alice, bob):
    made = alice.share(user="bob")
    assert alice.shares() == [made]
    assert (made.space.to_dict(), str(made.reader), made.granted_by.id) == ({"user": "alice"}, "user:bob", "alice")
    assert bob.shares() == []


def test_sharing_twice_is_one_share(alice):
    assert alice.share(user="bob").id == alice.share(user="bob").id
    assert len(alice.shares()) == 1


def test_only_who_may_write_can_revoke(alice, bob):
    share = alice.share(user="bob")
    with pytest.raises(NotFound):
        bob.revoke(share.id)
    assert alice.shares() == [share]
    alice.revoke(share.id)
    with pytest.raises(NotFound):
        alice.revoke(share.id)


def test_a_share_with_an_agent_is_not_one_with_its_owner(memory, alice):
    memory.agent.register("helper", owner="carol")
    alice.remember("likes tea")
    alice.share(agent="helper")
    assert memory.as_agent("helper").recall("tea").texts == ["likes tea"]
    assert not memory.as_user("carol", agent="helper").recall("tea")
    assert not memory.as_agent("helper", acting_for="carol").recall("tea")


def test_a_share_with_a_user_reaches_the_agent_acting_for_it(memory, alice):
    memory.agent.register("helper", owner="carol")
    alice.remember("likes tea")
    alice.share(user="bob")
    assert memory.as_agent("helper", acting_for="bob").recall("tea").texts == ["likes tea"]
    assert not memory.as_agent("helper").recall("tea")


def test_a_reader_list_still_counts_behind_a_share(alice, bob):
    alice.remember("tea for all")
    alice.remember("tea for alice", access={"users": ["alice"]})
    alice.share(user="bob")
    assert bob.recall("tea").texts == ["tea for all"]


def test_a_space_one_does_not_stand_at_cannot_be_shared(memory, alice):
    memory.member.add({"project": "apollo"}, user="bob", trust="owner")
    with pytest.raises(Denied):
        alice.share(space={"project": "apollo"}, user="carol")
    with pytest.raises(Denied):
        memory.as_user("alice", project="apollo").share(space={"project": "apollo"}, user="carol")
    assert memory.as_user("bob", project="apollo").share(space={"project": "apollo"}, user="carol")


@pytest.mark.parametrize(
    "readers", [{}, {"user": "bob", "agent": "helper"}, {"user": ""}, {"user": "*"}, {"agent": None}, {"user": 5}]
)
def test_a_share_names_exactly_one_reader(alice, readers):
    with pytest.raises(InvalidInput):
        alice.share(**readers)
    assert alice.shares() == []
    assert alice.share(user="bob")


def test_shares_and_revocations_are_on_record_without_contents(alice, events):
    alice.remember("likes tea")
    alice.revoke(alice.share(user="bob").id)
    told = [(event["action"], event["reason"], event["detail"].get("reader")) for event in events()[-2:]]
    assert told == [("share", "registered", "user:bob"), ("revoke", "revoked", "user:bob")]


def test_a_share_is_not_an_export_right(alice, bob):
    alice.remember("likes tea")
    alice.share(user="bob")
    assert [line for line in bob.export() if "memory" in line] == []
    assert len([line for line in alice.export() if "memory" in line]) == 1
