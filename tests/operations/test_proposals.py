"""Promotion out of a private chat: others propose it, and whoever said it or is its only subject decides."""

from __future__ import annotations

import json

import pytest

from memfort import Denied, InvalidInput, NotFound

HERE, THERE = {"chat": "ab"}, {"project": "apollo"}
PROMOTION = {"spaces": {"promotions": [{"from_level": "chat", "to_level": "project"}]}}
WITH_APPROVAL = {"spaces": {"promotions": [{"from_level": "chat", "to_level": "project", "approvals": 1}]}}
TEXT = "the launch moves to Thursday"


@pytest.fixture(params=[PROMOTION])
def memory(request, open_memory):
    memory = open_memory(policy=request.param)
    memory.chat.register("ab", kind="private", participants=["alice", "bob"])
    memory.chat.register("g", kind="group", participants=["alice", "bob", "carol"])
    for user, trust in (("alice", "contributor"), ("bob", "contributor"), ("carol", "owner")):
        memory.member.add(THERE, user=user, trust=trust)
    return memory


@pytest.fixture
def said(memory):
    """What alice said to bob alone."""
    return memory.as_user("alice", chat="ab").remember(TEXT, space=HERE, sensitivity="public")


@pytest.fixture
def bob(memory):
    return memory.as_user("bob", chat="ab", project="apollo")


@pytest.fixture
def alice(memory):
    return memory.as_user("alice")


def everything(memory, user, **places):
    """All that a user can read, count or name there, as bytes."""
    me = memory.as_user(user, **places)
    states = ["approved", "pending", "rejected", "superseded"]
    listed = me.list(statuses=states, deleted=True, limit=100)
    return [
        me.review.list(),
        listed,
        me.recall("launch").hits,
        list(me.export()),
        me.spaces(),
        [me.history(one.id) for one in listed],
    ]


def test_another_member_proposes_and_whoever_said_it_decides(memory, said, bob, alice):
    outcome = bob.promote(said.id, THERE)
    assert (outcome.decision.verdict, outcome.reason, outcome.item) == ("pending", "release_waits", None)
    assert "waits" in outcome.notice
    [entry] = alice.review.list()
    assert (entry.item.text, entry.reason, entry.to) == (TEXT, "release_waits", entry.to)
    assert dict(entry.to.to_dict()) == THERE
    assert not memory.as_user("carol", project="apollo").list()
    alice.review.approve(entry.item.id)
    assert [one.text for one in memory.as_user("carol", project="apollo").list()] == [TEXT]
    assert alice.review.list() == []
    assert memory.as_user("bob", chat="ab").get(said.id) is None, "it has moved"


def test_no_one_else_notices_a_proposal(memory, said, bob, alice):
    places = [
        ("carol", {"project": "apollo"}),
        ("carol", {"chat": "g"}),
        ("bob", {"project": "apollo"}),
        ("bob", {"chat": "ab"}),
        ("alice", {"chat": "g"}),
    ]
    before = [everything(memory, user, **at) for user, at in places]
    bob.promote(said.id, THERE)
    assert [everything(memory, user, **at) for user, at in places] == before
    [entry] = alice.review.list()
    for user, at in places:
        me = memory.as_user(user, **at)
        assert me.get(entry.item.id) is None
        for verb in (me.review.approve, me.review.reject):
            with pytest.raises(NotFound):
                verb(entry.item.id)
    assert alice.get(said.id) is None, "she does not stand in the chat, and still decides"


@pytest.mark.parametrize("way", ["remember", "import"])
def test_the_same_words_in_ones_own_space_leave_the_proposal_waiting(memory, said, bob, alice, way):
    memory.as_user("alice").share(space={"user": "alice"}, user="carol")
    bob.promote(said.id, THERE)
    if way == "remember":
        alice.remember(TEXT, sensitivity="public")
    else:
        alice.import_(json.dumps([{"text": TEXT, "sensitivity": "public"}]).encode())
    [kept] = [one for one in alice.list() if one.space.to_dict() == {"user": "alice"}]
    assert (kept.text, kept.replaces) == (TEXT, ())
    # A share shows what she says herself, and nothing of which nobody knows where it was learned.
    assert [one.text for one in memory.as_user("carol").list()] == ([TEXT] if way == "remember" else [])
    [waiting] = alice.review.list()
    assert waiting.reason == "release_waits"


def test_a_rejected_proposal_moves_nothing_and_is_not_made_again(memory, said, bob, alice):
    bob.promote(said.id, THERE)
    [entry] = alice.review.list()
    alice.review.reject(entry.item.id)
    assert alice.review.list() == []
    assert not memory.as_user("carol", project="apollo").list()
    assert bob.get(said.id) is not None
    assert bob.promote(said.id, THERE).reason == "rejected_before"
    assert alice.review.list() == []
    assert alice.remember(TEXT, sensitivity="public").kept, "her own words are not rejected"
    assert memory.as_user("alice", chat="ab", project="apollo").promote(said.id, THERE).reason != "rejected_before"


def test_a_proposal_is_made_once(said, bob, alice):
    first, second = (bob.promote(said.id, THERE) for _ in range(2))
    assert first.reason == second.reason == "release_waits"
    assert len(alice.review.list()) == 1


@pytest.mark.parametrize("memory", [WITH_APPROVAL], indirect=True)
def test_the_target_has_its_own_approvals(memory, said, bob, alice):
    carol = memory.as_user("carol", project="apollo")
    bob.promote(said.id, THERE)
    assert carol.review.list() == []
    alice.review.approve(alice.review.list()[0].item.id)
    assert not carol.list()
    [waiting] = carol.review.list()
    assert waiting.reason == "promotion_waits"
    carol.review.approve(waiting.item.id)
    assert [one.text for one in carol.list()] == [TEXT]


def test_the_only_subject_decides_too(memory, bob, alice):
    """Alice's agent proposes what she said about bob: either of the two may release it."""
    memory.agent.register("butler", owner="dora")
    memory.chat.register("ab", kind="private", participants=["alice", "bob"], agents=["butler"])
    memory.member.add(THERE, agent="butler", trust="contributor")
    about = memory.as_user("alice", chat="ab").remember(
        "@bob leads the launch", space=HERE, sensitivity="public", subjects=["@bob"]
    )
    butler = memory.as_agent("butler", owner="dora", chat="ab", project="apollo")
    assert butler.promote(about.id, THERE).reason == "release_waits"
    assert len(alice.review.list()) == 1
    [entry] = memory.as_user("bob").review.list()
    memory.as_user("bob").review.approve(entry.item.id)
    assert alice.review.list() == [], "it is decided"
    assert [one.text for one in memory.as_user("carol", project="apollo").list()] == ["@bob leads the launch"]


def test_an_absent_subject_does_not_hear_of_it(memory, bob, alice):
    about = memory.as_user("alice", chat="ab").remember(
        "@carol leads the launch", space=HERE, sensitivity="public", subjects=["@carol"]
    )
    bob.promote(about.id, THERE)
    assert len(alice.review.list()) == 1
    assert memory.as_user("carol").review.list() == []


@pytest.mark.parametrize("end", ["forget", "correct", "promote"])
def test_a_proposal_ends_with_its_source(memory, said, bob, alice, end):
    bob.promote(said.id, THERE)
    [entry] = alice.review.list()
    here = memory.as_user("alice", chat="ab", project="apollo")
    {
        "forget": lambda: here.forget(said.id),
        "correct": lambda: here.correct(said.id, "the launch moves to Friday", sensitivity="public"),
        "promote": lambda: here.promote(said.id, THERE),
    }[end]()
    assert alice.review.list() == []
    with pytest.raises((InvalidInput, NotFound)):
        alice.review.approve(entry.item.id)


def test_erasing_the_source_erases_the_proposal(memory, said, bob, alice):
    bob.promote(said.id, THERE)
    [entry] = alice.review.list()
    memory.as_user("alice", chat="ab").erase(said.id)
    assert alice.review.list() == []
    assert alice.list(statuses=["pending"], deleted=True).items == ()
    with pytest.raises(NotFound):
        alice.review.approve(entry.item.id)


def test_the_proposer_still_has_to_be_allowed(memory, said, bob, open_memory):
    """Bob leaves the project before alice agrees."""
    checked = open_memory(policy=PROMOTION, memberships="registered")
    checked.chat.register("ab", kind="private", participants=["alice", "bob"])
    checked.member.add(THERE, user="bob", trust="contributor")
    checked.member.add(THERE, user="carol", trust="owner")
    kept = checked.as_user("alice", chat="ab").remember(TEXT, space=HERE, sensitivity="public")
    checked.as_user("bob", chat="ab", project="apollo").promote(kept.id, THERE)
    checked.member.remove(THERE, user="bob")
    alice = checked.as_user("alice")
    [entry] = alice.review.list()
    with pytest.raises(Denied):
        alice.review.approve(entry.item.id)
    assert not checked.as_user("carol", project="apollo").list()
    assert len(alice.review.list()) == 1


def test_a_proposal_is_neither_edited_nor_corrected_nor_exported(said, bob, alice):
    bob.promote(said.id, THERE)
    [entry] = alice.review.list()
    for change in (alice.review.edit, alice.correct):
        with pytest.raises(InvalidInput, match="proposal"):
            change(entry.item.id, "something else")
    assert TEXT not in json.dumps(list(alice.export()))


def test_whoever_was_not_in_the_chat_proposes_nothing(memory, alice):
    """Dora comes into the chat later and may read what is public in it; she did not hear it said."""
    memory.chat.register("solo", kind="private", participants=["alice"])
    kept = memory.as_user("alice", chat="solo").remember(TEXT, space={"chat": "solo"}, sensitivity="public")
    memory.chat.register("solo", kind="private", participants=["alice", "dora"])
    memory.member.add(THERE, user="dora", trust="contributor")
    dora = memory.as_user("dora", chat="solo", project="apollo")
    with pytest.raises(NotFound):
        dora.promote(kept.id, THERE)
    assert alice.review.list() == []


def test_the_trail_stays_whole(memory, said, bob, alice):
    bob.promote(said.id, THERE)
    alice.review.approve(alice.review.list()[0].item.id)
    assert memory.trail.verify().ok
    assert {name for name, _ in memory.as_system().doctor().problems} <= {"ballast"}
    assert "project" not in json.dumps(alice.trace.show(alice.last_trace).events), "she does not stand there"


def test_a_file_brings_no_proposal(memory, alice):
    """It can claim any fields; what it brings is a pending memory of the importer's own, and no more."""
    alice.remember("the launch is near", confidence=0.1, sensitivity="public")
    lines = [json.loads(json.dumps(line)) for line in alice.export()]
    for line in lines:
        if "memory" in line:
            facts = {"proposed_by": {"kind": "user", "id": "bob", "acting_for": None, "owner": None}}
            line["memory"] |= {"promotion_reason": "release_waits", "provenance": facts | {"proposed_to": THERE}}
            line["memory"] |= {"text": "the launch is far", "status_reason": "release_waits"}
    alice.import_("\n".join(map(json.dumps, lines)).encode())
    [entry] = [one for one in alice.review.list() if one.item.text == "the launch is far"]
    assert entry.to is None
    alice.review.approve(entry.item.id)
    assert not memory.as_user("carol", project="apollo").list()
