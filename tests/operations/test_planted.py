"""What a file, a share or a name could plant: each of these once let a user change or see memories of others."""

from __future__ import annotations

import json
from operator import attrgetter

import pytest

from memfort import Denied, InvalidInput
from memfort.model.item import memory_id
from memfort.model.serialize.record import item_to_dict

TOKEN = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"


def planted(reader, item, **fields):
    """Import an item of one's own with some of its fields forged."""
    forged = {**item_to_dict(item), **fields}
    header = {"memfort_export": 1, "memories": 1, "sources": 0}
    return reader.import_("\n".join(json.dumps(line) for line in (header, {"memory": forged})).encode())


def own_id(item, number):
    return memory_id(item.space, item.readers, item.author, item.kind, number)


def test_a_reader_cannot_supersede_by_a_planted_link(memory, bob):
    plan = bob.remember("the plan is tea").item
    bob.share(user="eve")
    eve = memory.as_user("eve")
    decoy = eve.remember("decoy").item
    planted(eve, decoy, text="planted", number=50, id=own_id(decoy, 50), supersedes=plan.id)
    (mine,) = [item for item in eve.list(space={"user": "eve"}) if item.text == "planted"]
    eve.correct(mine.id, "planted again")
    assert bob.get(plan.id) is not None
    assert memory.as_user("eve").recall("planted again").texts == ["planted again"]


def test_approving_a_planted_link_touches_nothing_private(memory):
    bob, eve = memory.as_user("bob", project="p"), memory.as_user("eve", project="p")
    private = bob.remember("bob's own tea").item
    decoy = eve.remember("decoy", space={"project": "p"}).item
    planted(eve, decoy, text="other tea", number=9, id=own_id(decoy, 9), status="pending", supersedes=private.id)
    (entry,) = bob.review.list()
    assert entry.replaces is None
    bob.review.approve(entry.item.id)
    assert bob.get(private.id) is not None


def test_erasing_a_planted_link_erases_nothing_else(memory):
    bob, eve = memory.as_user("bob", project="p"), memory.as_user("eve", project="p")
    own = bob.remember("tea for bob", space={"project": "p"}, access={"users": ["bob"]}).item
    decoy = eve.remember("decoy", space={"project": "p"}).item
    planted(eve, decoy, text="junk", number=9, id=own_id(decoy, 9), supersedes=own.id)
    (junk,) = [item for item in bob.list() if item.text == "junk"]
    assert bob.erase(junk.id).counts["older_versions"] == 0
    assert bob.get(own.id) is not None


def test_a_planted_record_cannot_attribute_words_to_another_user(memory, bob):
    paid = bob.remember("pay the old account").item
    eve = memory.as_user("eve", session="s")
    decoy = eve.remember("decoy", space={"session": "s"}).item
    planted(eve, decoy, text="pay eve", id=paid.id, number=9, author=item_to_dict(paid)["author"])
    eve.share(space={"session": "s"}, user="bob")
    assert bob.get(paid.id).text == "pay the old account"
    assert {item.author.id for item in bob.list() if item.text == "pay eve"} == {"eve"}


def test_shared_memories_rank_after_your_own(memory, bob):
    bob.remember("my bank is the blue bank")
    eve = memory.as_user("eve", session="s")
    eve.remember("my bank is the bank bank", space={"session": "s"})
    eve.share(space={"session": "s"}, user="bob")
    assert bob.recall("bank", limit=1).texts == ["my bank is the blue bank"]
    assert len(bob.recall("bank")) == 2


@pytest.mark.parametrize("lines", ["export", "trail.export"])
def test_lines_that_are_taken_slowly_hold_no_old_view(memory, alice, bob, lines):
    alice.remember("likes tea")
    bob.remember("likes ink")
    share = alice.share(user="bob")
    assert "likes tea" in bob.recall("likes").texts
    slow = attrgetter(lines)(bob)()
    next(slow)
    alice.revoke(share.id)
    assert bob.recall("likes").texts == ["likes ink"]
    assert list(slow)  # the rest of what was asked for before


def test_a_share_ends_with_the_membership_of_its_grantor(open_memory):
    memory = open_memory(memberships="registered")
    for user in ("alice", "bob"):
        memory.member.add({"project": "p"}, user=user, trust="owner")
    bob, carol = memory.as_user("bob", project="p"), memory.as_user("carol")
    with pytest.raises(InvalidInput):
        bob.share(space={"project": "p"}, user="bob")
    bob.share(space={"project": "p"}, user="carol")
    memory.as_user("alice", project="p").remember("tea at four", space={"project": "p"})
    assert carol.recall("tea").texts == ["tea at four"]
    memory.member.remove({"project": "p"}, user="bob")
    assert carol.recall("tea").texts == []


def test_an_agent_may_not_share_its_users_space(memory):
    memory.as_user("alice").remember("likes tea")
    agent = memory.as_agent("bot", owner="eve", acting_for="alice")
    with pytest.raises(Denied):
        agent.share(space={"user": "alice"}, user="eve")
    assert memory.as_user("alice").share(user="eve").reader.id == "eve"


@pytest.mark.parametrize("place", [{"session": TOKEN}, {"project": TOKEN}])
def test_a_refused_space_is_not_named_in_the_trail(memory, place):
    alice = memory.as_user("alice", session="s")
    with pytest.raises(Denied, match=r"^space: it looks like a credential") as refused:
        alice.remember("likes tea", space=place)
    assert TOKEN not in str(refused.value)
    assert alice.remember("likes tea").kept
    assert TOKEN not in json.dumps(list(memory.as_system().trail.export()))


@pytest.mark.parametrize("field", ["id", "supersedes", "superseded_by"])
def test_an_imported_id_field_must_be_a_valid_id(alice, field):
    item = alice.remember("likes tea").item
    assert planted(alice, item, text="likes ink", number=7, **{field: TOKEN}).counts["invalid"] == 1
    assert TOKEN not in json.dumps(list(alice.export()))


@pytest.mark.parametrize(
    "given",
    [
        {"text": "Xk29qpL0zW7t", "kind": "profile", "key": "password"},
        {"text": "likes tea", "meta": {"password": ["Xk29qpL0zW7t"]}},
        {"text": "likes tea", "meta": {"password": {"value": "Xk29qpL0zW7t"}}},
        {"text": "likes tea", "meta": {"password": 4839201734}},
    ],
)
def test_a_secret_is_one_also_under_its_name(alice, given):
    assert alice.remember(**given).reason == "secret"
    assert alice.remember("likes tea", meta={"colour": ["green"], "count": 4}).kept


def test_an_agent_cannot_edit_past_a_persons_words(memory):
    alice, bot = memory.as_user("alice", project="p"), memory.as_agent("bot", owner="bob", project="p")
    waits = alice.remember("due in may", space={"project": "p"}, confidence=0.1).id
    assert bot.review.edit(waits, "due in june").reason == "outranked"
    assert alice.review.edit(waits, "due in july").kept


def test_authority_and_lifetime_do_not_rise_by_a_file(alice):
    source = alice.remember("raw tea", origin="ai", ttl_seconds=60).item
    made = alice.remember("tea in short", origin="tool", derived_from=[source.id]).item
    forged = {"text": "tea in brief", "number": 30, "authority": "tool_verified", "expires_at": None}
    planted(alice, made, id=own_id(made, 30), **forged)
    (copy,) = [item for item in alice.list() if item.text == "tea in brief"]
    assert (
        (copy.authority, copy.expires_at_us)
        == (made.authority, made.expires_at_us)
        == ("ai_inferred", source.expires_at_us)
    )


def test_an_erased_rejection_is_forgotten(alice):
    rejected = alice.remember("likes ink", status="rejected").id
    assert alice.check("remember", text="likes ink", origin="ai").reason == "rejected_before"
    alice.erase(rejected)
    assert alice.check("remember", text="likes ink", origin="ai").reason == "confident"


def test_an_import_that_was_refused_in_part_can_be_tried_again(memory):
    node = {"id": "1", "content": "tea at four", "metadata": {"scope": {"project": "p"}, "sourceId": "x"}}
    data = json.dumps([node]).encode()
    assert memory.as_user("alice").import_(data).counts["denied"] == 1
    again = memory.as_user("alice", project="p").import_(data)
    assert (again.already_imported, again.counts["kept"]) == (False, 1)
    assert memory.as_user("alice", project="p").import_(data).already_imported


def test_importing_adds_no_expiry(alice):
    node = {"id": "1", "content": "tea at four", "metadata": {"domain": "agent_eval", "sourceId": "x"}}
    alice.import_(json.dumps([node]).encode())
    assert [item.expires_at_us for item in alice.list()] == [None]
    assert alice.remember("tea at five", type="observation").item.expires_at_us is not None
