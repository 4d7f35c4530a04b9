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
def test_memories_a_share_does_not_show_cannot_be_changed(memory, alice, bob, clock, make):
    alice.share(user="bob")
    id, shown = make(alice), alice.remember("likes tea").id
    clock.advance(1)
    stranger = memory.as_user("carol")
    changes = [lambda who: who.forget(id), lambda who: who.erase(id), lambda who: who.correct(id, "x"),
               lambda who: who.review.approve(id), lambda who: who.review.reject(id),
               lambda who: who.review.edit(id, "x")]  # fmt: skip
    for change in changes:
        errors = []
        for who in (bob, stranger):
            with pytest.raises(NotFound) as refused:
                change(who)
            errors.append(str(refused.value))
        assert errors[0] == errors[1]
    for verb in ("forget", "erase", "correct", "approve", "reject", "edit"):
        assert bob.check(verb, id=id) == stranger.check(verb, id=id)
        assert bob.check(verb, id=shown).reason == "read_only_here"


def test_publicly_readable_memories_are_read_only(memory, bob):
    public = {"agent": "helper", "visibility": "public"}
    id = memory.as_agent("helper", owner="alice").remember("public tea", space=public).id
    with pytest.raises(Denied, match="read_only_here"):
        memory.as_user("bob", agent="helper").forget(id)
    with pytest.raises(NotFound):
        bob.forget(id)  # from where it cannot be read
    with pytest.raises(Denied, match="read_only_here"):
        bob.erase(memory.as_system().remember("tea for everybody").id)


def test_shares_are_listed_to_writers_only(alice, bob):
    made = alice.share(user="bob")
    assert alice.shares() == [made]
    assert (made.space.to_dict(), str(made.reader), made.granted_by.id) == ({"user": "alice"}, "user:bob", "alice")
    assert bob.shares() == []


def test_sharing_twice_is_one_share(alice):
    assert alice.share(user="bob").id == alice.share(user="bob").id
    assert len(alice.shares()) == 1


def test_only_writers_can_revoke_a_share(alice, bob):
    share = alice.share(user="bob")
    with pytest.raises(NotFound):
        bob.revoke(share.id)
    assert alice.shares() == [share]
    alice.revoke(share.id)
    with pytest.raises(NotFound):
        alice.revoke(share.id)


def test_a_share_with_an_agent_does_not_include_its_owner(memory, alice):
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


def test_a_space_outside_the_standpoint_cannot_be_shared(memory, alice):
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
    recorded = [(event["action"], event["reason"], event["detail"].get("reader")) for event in events()[-2:]]
    assert recorded == [("share", "registered", "user:bob"), ("revoke", "revoked", "user:bob")]


def test_a_share_gives_no_export_right(alice, bob):
    alice.remember("likes tea")
    alice.share(user="bob")
    assert [line for line in bob.export() if "memory" in line] == []
    assert len([line for line in alice.export() if "memory" in line]) == 1


# -- groups ------------------------------------------------------------------------------------------------------------

APOLLO = {"project": "apollo"}


def test_a_share_with_a_group_is_for_whoever_is_a_member_when_they_read(memory, alice, bob):
    id = alice.remember("likes tea").id
    memory.member.add(APOLLO, user="bob", trust="viewer")
    share = alice.share(group=APOLLO)
    assert (share.reader, str(share.group), str(share.holder)) == (None, "project=apollo", "project=apollo")
    carol = memory.as_user("carol")
    assert (bob.get(id).text, carol.get(id)) == ("likes tea", None)
    assert memory.as_user("carol", project="apollo").get(id) is None
    memory.member.add(APOLLO, user="carol", trust="viewer")
    memory.member.remove(APOLLO, user="bob")
    assert (bob.get(id), carol.get(id).text) == (None, "likes tea")
    alice.revoke(share.id)
    assert carol.get(id) is None
    assert memory.trail.verify().ok


def test_in_a_group_that_nobody_registered_the_host_says_who_is_in_it(open_memory):
    for memberships, shown in (("trusted", True), ("registered", False)):
        memory = open_memory(memberships=memberships)
        alice = memory.as_user("alice")
        id = alice.remember("likes tea").id
        alice.share(group=APOLLO)
        assert (memory.as_user("bob", project="apollo").get(id) is not None) is shown
        assert memory.as_user("bob").get(id) is None


def test_a_share_with_a_group_reaches_its_agents_and_not_their_owners(memory, alice):
    memory.agent.register("helper", owner="bob")
    memory.member.add(APOLLO, agent="helper")
    id = alice.remember("likes tea").id
    alice.share(group=APOLLO)
    assert memory.as_agent("helper").get(id) is not None
    assert memory.as_user("bob").get(id) is None


@pytest.mark.parametrize("group", [{"user": "bob"}, {"chat": "c"}, {}, {"project": "a", "org": "b"}])
def test_a_space_is_shared_with_one_group_of_members(alice, group):
    with pytest.raises(InvalidInput):
        alice.share(group=group)
    with pytest.raises(InvalidInput):
        alice.share(group=APOLLO, user="bob")
    assert alice.share(group=APOLLO)


# -- withdrawals -------------------------------------------------------------------------------------------------------


def withdrawn(reader, **fields):
    return [one.id for one in reader.share_changes(**fields)]


WITHDRAWS = {
    "forget": lambda alice, one: alice.forget(one),
    "erase": lambda alice, one: alice.erase(one),
    "reject": lambda alice, one: alice.review.reject(one),
    "erase a scope": lambda alice, one: alice.erase(scope={"user": "alice"}),
    "forget and erase": lambda alice, one: (alice.forget(one), alice.erase(one)),
}


@pytest.mark.parametrize("end", WITHDRAWS.values(), ids=WITHDRAWS.keys())
def test_holders_are_told_what_was_withdrawn_and_nobody_else(memory, alice, bob, clock, end):
    before = alice.remember("likes milk").id
    alice.forget(before)  # before it was shared
    clock.advance(1)
    alice.share(user="bob")
    id = alice.remember("likes tea").id
    assert bob.get(id) is not None
    clock.advance(1)
    end(alice, id)
    [told] = bob.share_changes()
    assert (told.id, told.at_us, told.share) == (id, clock.now(), alice.shares()[0].id)
    assert bob.get(id) is None
    with pytest.raises(NotFound) as gone:
        bob.history(id)
    with pytest.raises(NotFound) as absent:
        bob.history("mem_" + "0" * 24)
    assert str(gone.value).replace(id, "") == str(absent.value).replace("mem_" + "0" * 24, "")
    assert (withdrawn(alice), withdrawn(memory.as_user("carol"))) == ([], [])
    clock.advance(1)
    assert withdrawn(bob, since=clock.now()) == []
    assert memory.trail.verify().ok


def test_nothing_is_told_of_what_a_holder_could_not_see(memory, alice, bob):
    alice.share(user="bob")
    secret = alice.remember("has anxiety", sensitivity="sensitive", subjects=["me"]).id
    about_bob = alice.remember("@bob has anxiety", sensitivity="sensitive", subjects=["@bob"]).id
    listed = alice.remember("likes ink", access={"users": ["alice"]}).id
    waiting = alice.remember("likes jam", confidence=0.1).id
    shown = alice.remember("likes tea").id
    seen = {id for id in (secret, about_bob, listed, waiting, shown) if bob.get(id) is not None}
    assert shown in seen
    assert not seen & {secret, listed, waiting}
    for id in (secret, about_bob, listed, waiting, shown):
        alice.erase(id)
    assert set(withdrawn(bob)) == seen


def test_expiring_and_correcting_withdraw_nothing(alice, bob, clock):
    alice.share(user="bob")
    alice.remember("likes ink", ttl_seconds=1)
    alice.correct(alice.remember("likes tea").id, "likes milk")
    clock.advance(2)
    assert alice.list()
    assert withdrawn(bob) == []


def test_a_member_is_told_what_was_withdrawn_since_they_joined(memory, alice, bob, clock):
    memory.member.add(APOLLO, user="bob")
    alice.share(group=APOLLO)
    first, second = alice.remember("likes tea").id, alice.remember("likes milk").id
    alice.forget(first)
    clock.advance(1)
    carol = memory.as_user("carol")
    memory.member.add(APOLLO, user="carol")
    clock.advance(1)
    alice.forget(second)
    assert (set(withdrawn(bob)), withdrawn(carol)) == ({first, second}, [second])
    memory.member.remove(APOLLO, user="bob")
    assert withdrawn(bob) == []


def test_who_gave_a_share_does_not_learn_who_is_in_the_group(open_memory):
    """Not even by what their own chain says when something is withdrawn."""

    def trail(members):
        memory = open_memory()
        for name in members:
            memory.member.add(APOLLO, user=name)
        alice = memory.as_user("alice")
        alice.share(group=APOLLO)
        alice.forget(alice.remember("likes tea").id)
        return [line["event"]["detail"].get("withdrawn") for line in alice.trail.export()]

    assert "everyone" in trail(["bob"])
    assert trail(["bob"]) == trail(["bob", "carol", "dora"])


# -- passing on --------------------------------------------------------------------------------------------------------


def test_what_one_may_only_read_is_not_passed_on(memory, alice, bob):
    id = alice.remember("likes tea").id
    alice.share(user="bob")
    with pytest.raises(Denied, match="not_to_pass_on"):
        bob.share(space={"user": "alice"}, user="carol")
    with pytest.raises(Denied, match="not_to_pass_on"):
        bob.promote(id, {"user": "bob"})
    assert bob.check("share", space={"user": "alice"}).reason == "not_to_pass_on"
    assert memory.as_user("carol").get(id) is None
    with pytest.raises(NotFound):
        memory.as_user("carol").promote(id, {"user": "carol"})


def test_a_copy_says_where_it_is_from_and_through_whom(memory, alice, bob):
    id = alice.remember("likes tea", origin="ai").id
    alice.share(user="bob", may_pass_on=True)
    copy = bob.promote(id, {"user": "bob"})
    assert copy.kept
    assert copy.item.provenance.items() >= {"origin": "user:alice", "via": "user:alice"}.items()
    assert (copy.item.text, copy.item.promoted_from, copy.item.authority) == ("likes tea", id, "ai_inferred")
    assert alice.get(id) is not None
    bob.share(user="carol", may_pass_on=True)
    carol = memory.as_user("carol")
    again = carol.promote(copy.id, {"user": "carol"})
    assert again.item.provenance.items() >= {"origin": "user:alice", "via": "user:bob"}.items()
    assert memory.trail.verify().ok


@pytest.mark.parametrize("end", [WITHDRAWS["forget"], WITHDRAWS["erase"], WITHDRAWS["reject"]])
def test_a_copy_ends_with_its_source(memory, alice, bob, end):
    id, other = alice.remember("likes tea").id, alice.remember("likes milk").id
    alice.share(user="bob", may_pass_on=True)
    copy, kept = bob.promote(id, {"user": "bob"}).id, bob.promote(other, {"user": "bob"}).id
    bob.share(user="carol", may_pass_on=True)
    further = memory.as_user("carol").promote(copy, {"user": "carol"}).id
    end(alice, id)
    assert (bob.get(copy), memory.as_user("carol").get(further)) == (None, None)
    assert bob.get(kept).text == "likes milk"


def test_ending_a_copy_leaves_its_source(alice, bob):
    id = alice.remember("likes tea").id
    alice.share(user="bob", may_pass_on=True)
    bob.erase(bob.promote(id, {"user": "bob"}).id)
    assert alice.get(id) is not None


def test_approving_a_copy_leaves_its_source(alice, bob):
    id = alice.remember("likes tea", confidence=0.9).id
    alice.share(user="bob", may_pass_on=True)
    copy = bob.promote(id, {"user": "bob"})
    assert copy.item.status == "approved"
    assert alice.get(id) is not None


def test_what_is_passed_on_ends_with_the_share_it_came_by(memory, alice, bob):
    id, carol = alice.remember("likes tea").id, memory.as_user("carol")
    first = alice.share(user="bob", may_pass_on=True)
    second = bob.share(space={"user": "alice"}, user="carol")
    assert (second.via, carol.get(id).text) == (first.id, "likes tea")
    with pytest.raises(Denied, match="not_to_pass_on"):
        carol.share(space={"user": "alice"}, user="dora")
    assert {one.id for one in alice.shares()} == {first.id, second.id}
    assert [one.id for one in bob.shares()] == [second.id]
    alice.share(user="bob")  # from now on for reading only
    assert (bob.get(id).text, carol.get(id)) == ("likes tea", None)
    alice.share(user="bob", may_pass_on=True)
    assert carol.get(id) is not None
    alice.revoke(first.id)
    assert (bob.get(id), carol.get(id)) == (None, None)
    assert memory.trail.verify().ok


def test_who_passed_on_takes_it_back_and_the_owner_may_too(memory, alice, bob):
    id, carol = alice.remember("likes tea").id, memory.as_user("carol")
    alice.share(user="bob", may_pass_on=True)
    bob.revoke(bob.share(space={"user": "alice"}, user="carol").id)
    assert carol.get(id) is None
    alice.revoke(bob.share(space={"user": "alice"}, user="carol").id)
    assert carol.get(id) is None


def test_passing_on_does_not_take_the_owners_own_share_away(memory, alice, bob):
    id, carol = alice.remember("likes tea").id, memory.as_user("carol")
    first = alice.share(user="bob", may_pass_on=True)
    alice.share(user="carol")
    bob.share(space={"user": "alice"}, user="carol")
    alice.revoke(first.id)
    assert carol.get(id) is not None


def test_two_who_pass_on_to_each_other_hold_nothing_without_the_owner(memory, alice, bob):
    id, carol = alice.remember("likes tea").id, memory.as_user("carol")
    first = alice.share(user="bob", may_pass_on=True)
    bob.share(space={"user": "alice"}, user="carol", may_pass_on=True)
    carol.share(space={"user": "alice"}, user="bob", may_pass_on=True)
    alice.revoke(first.id)
    assert (bob.get(id), carol.get(id)) == (None, None)
