"""Explain says why, to those who may know; check says what would happen, and leaves no trace."""

from __future__ import annotations

import json
from operator import attrgetter

import pytest

from memfort import InvalidInput, NotFound
from memfort.errors import MemfortError
from memfort.operations.table import TABLE
from whole import whole

WORDS = "the minister drinks absinthe"
STATES = ["approved", "pending", "rejected", "superseded"]


# -- explain ----------------------------------------------------------------------------------------------------------


def test_explain_shows_the_owner_the_space_author_and_reason(alice):
    id = alice.remember(WORDS, ttl_seconds=60).id
    explanation = alice.explain(id)
    assert (explanation.subject, explanation.shown, explanation.reason) == (id, True, "visible")
    for line in (
        "is shown to user:alice",
        "it lives in: user=alice",
        "written by user:alice",
        "status approved",
        "expires at",
    ):
        assert line in str(explanation)


def test_explain_never_repeats_the_text(alice, bob):
    id = alice.remember(WORDS, tags=["absinthe"], meta={"note": "absinthe"}).id
    explanations = [
        alice.explain(id),
        alice.explain(id, viewer=bob),
        bob.explain(id),
        alice.explain(alice.recall("minister").trace),
    ]
    assert "absinthe" not in "\n".join(map(str, explanations))
    assert alice.get(id).text == WORDS


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda alice: alice.remember("x y").id, "visible"),
        (lambda alice: alice.remember("x y", confidence=0.1).id, "pending_review"),
        (lambda alice: alice.remember("x y", status="rejected").id, "rejected"),
        (lambda alice: alice.forget(alice.remember("x y").id)[0].id, "forgotten"),
        (lambda alice: alice.history(alice.correct(alice.remember("x y").id, "z").id)[0].id, "superseded"),
        (lambda alice: alice.remember("x y", ttl_seconds=1).id, "expired"),
        (lambda alice: "mem_none", "not_found"),
    ],
    ids=["visible", "pending", "rejected", "forgotten", "superseded", "expired", "not_found"],
)
def test_every_state_has_its_reason(alice, clock, make, reason):
    id = make(alice)
    clock.advance(1)
    explanation = alice.explain(id)
    assert (explanation.shown, explanation.reason) == (reason == "visible", reason)


@pytest.mark.parametrize(
    ("make", "status", "remedy"),
    [
        (lambda alice: alice.remember("x y", confidence=0.1).id, "pending", 'review.approve("mem_'),
        (lambda alice: alice.remember("x y", status="rejected").id, "rejected", "remember the text again"),
        (lambda alice: alice.forget(alice.remember("x y").id)[0].id, "approved", "remember the text again"),
        (lambda alice: alice.history(alice.correct(alice.remember("x y").id, "z").id)[0].id, "superseded", "history"),
    ],
    ids=["pending", "rejected", "forgotten", "superseded"],
)
def test_inactive_memories_are_explained_with_a_remedy_to_actors_who_may_write(
    memory, alice, bob, make, status, remedy
):
    id = make(alice)
    alice.share(user="bob")
    assert alice.get(id) is None
    assert f"status {status}" in str(alice.explain(id))
    assert remedy in str(alice.explain(id))
    assert bob.explain(id).lines == memory.as_user("carol").explain(id).lines
    live = alice.remember("likes tea").id
    assert not any(word in str(alice.explain(live)) for word in ("to have", "to see"))


def test_your_memory_in_another_space_is_explained_with_that_space(memory, alice, bob):
    there = memory.as_user("alice", session="s1")
    id = there.remember("x y", space={"session": "s1"}).id
    assert alice.get(id) is None
    explanation = alice.explain(id)
    assert (explanation.shown, explanation.reason) == (False, "not_where_you_stand")
    assert "session=s1" in str(explanation)
    assert there.explain(id).shown
    assert bob.explain(id).reason == "not_found"


def test_an_outsider_learns_nothing_not_even_that_it_exists(alice, bob):
    id = alice.remember(WORDS).id
    explanation = bob.explain(id)
    assert (explanation.shown, explanation.reason) == (False, "not_found")
    assert str(explanation) == str(bob.explain("mem_none")).replace("mem_none", id)
    assert alice.explain(id).shown


def test_the_owner_can_explain_why_another_user_does_not_see_it(memory, alice, bob):
    id = alice.remember(WORDS).id
    explanation = alice.explain(id, viewer=bob)
    assert (explanation.shown, explanation.reason) == (False, "not_your_identity")
    alice.share(user="bob")
    for explanation in (alice.explain(id, viewer=bob), bob.explain(id)):
        assert (explanation.shown, explanation.reason) == (True, "shared_with_you")
        assert "is shown to user:bob" in str(explanation)
    assert alice.explain(id).reason == "visible"


@pytest.mark.parametrize(
    ("level", "reason"),
    [("project", "not_a_member"), ("chat", "not_a_participant"), ("workspace", "not_where_you_stand")],
)
def test_the_first_coordinate_in_the_way_is_named(memory, level, reason):
    if reason == "not_a_member":
        memory.member.add({level: "x"}, user="alice")
    if reason == "not_a_participant":
        memory.chat.register("x", kind="group", participants=["alice"])
    place = {level: "x"}
    alice = memory.as_user("alice", **place)
    id = alice.remember(WORDS, space=place).id
    bob = memory.as_user("bob") if reason == "not_where_you_stand" else memory.as_user("bob", **place)
    explanation = alice.explain(id, viewer=bob)
    assert (explanation.shown, explanation.reason) == (False, reason)
    assert f"{level}=x" in str(explanation)


def test_a_reader_list_is_the_reason_to_those_in_the_space(memory):
    alice, bob = memory.as_user("alice", org="acme"), memory.as_user("bob", org="acme")
    id = alice.remember(WORDS, space={"org": "acme"}, access={"users": ["alice"]}).id
    assert alice.explain(id, viewer=bob).reason == "not_a_reader"
    assert bob.explain(id).reason == "not_found"


def test_a_recall_is_explained_to_its_caller(alice, bob):
    id = alice.remember(WORDS).id
    alice.remember("drinks more", confidence=0.1)
    trace = alice.recall("minister").trace
    explanation = str(alice.explain(trace))
    assert id in explanation
    assert "1 wait for review" in explanation
    alice.forget(id)
    assert "now: forgotten" in str(alice.explain(trace))
    assert bob.explain(trace).reason == "not_found"
    assert alice.explain("trc_none").reason == "not_found"


# -- check ------------------------------------------------------------------------------------------------------------

SECRET = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
WRITES = {
    "confident": {"text": "likes jam"},
    "low_confidence": {"text": "likes jam", "confidence": 0.2},
    "personal": {"text": "mail bob@example.org"},
    "secret": {"text": f"token {SECRET}"},
    "border": {"text": "likes jam", "space": {"user": "bob"}},
    "duplicate": {"text": "Likes tea"},
    "rejected_before": {"text": "likes ink", "origin": "ai"},
    "outranked": {"text": "lives in Oslo", "kind": "profile", "key": "home", "origin": "ai"},
    "asked": {"text": "likes jam", "status": "pending"},
    "invalid": {"text": "likes jam", "confidence": 7.0},
    "unknown_field": {"text": "likes jam", "colour": "red"},
    "past": {"text": "likes jam", "expires_at": "2020-01-01T00:00:00Z"},
    "for_others": {"text": "likes jam", "access": {"users": ["bob"]}},
    "no_source": {"text": "likes jam", "derived_from": ["mem_none"]},
}


def happens(call):
    """What came of it: a reason, or the kind of error."""
    try:
        made = call()
    except MemfortError as error:
        return type(error).__name__, str(error)
    decision = getattr(made, "decision", made)
    return decision.verdict, decision.gate, decision.reason, decision.detail


@pytest.fixture
def settled(alice):
    alice.remember("likes tea")
    alice.review.reject(alice.remember("likes ink", origin="ai", confidence=0.1).id)
    alice.remember("lives in Rome", kind="profile", key="home")
    return alice


@pytest.mark.parametrize("given", WRITES.values(), ids=WRITES.keys())
def test_a_checked_write_matches_the_outcome_and_leaves_no_trace(settled, events, given):
    before = (list(settled.export()), events())
    answer = happens(lambda: settled.run(TABLE["check"], {"verb": "remember", **given}))
    assert (list(settled.export()), events()) == before
    if "colour" in given:
        assert answer[0] == "InvalidInput"
        return
    assert answer == happens(lambda: settled.remember(**given))


BY_ID = ["get", "history", "forget", "erase", "correct", "approve", "reject", "edit"]
IN_STATE = ["approved", "pending", "rejected", "superseded", "forgotten", "expired", "strange", "absent"]


@pytest.mark.parametrize("state", IN_STATE)
@pytest.mark.parametrize("verb", BY_ID)
def test_a_checked_verb_matches_the_outcome(memory, alice, clock, events, verb, state):
    given = {"pending": {"confidence": 0.1}, "rejected": {"status": "rejected"}, "expired": {"ttl_seconds": 1}}
    owner = memory.as_user("bob") if state == "strange" else alice
    id = "mem_none" if state == "absent" else owner.remember("likes tea", **given.get(state, {})).id
    if state == "superseded":
        alice.correct(id, "likes coffee")
    if state == "forgotten":
        alice.forget(id)
    clock.advance(1)
    before = events()
    try:
        allowed = alice.check(verb, id=id).verdict == "allowed"
    except InvalidInput:
        allowed = None
    assert events() == before
    words = ["likes milk"] if verb in {"correct", "edit"} else []
    try:
        name = f"review.{verb}" if verb in {"approve", "reject", "edit"} else verb
        done = attrgetter(name)(alice)(id, *words) is not None
    except NotFound:
        done = False
    except InvalidInput:
        done = None
    assert allowed is done
    if state == ("pending" if verb in {"approve", "reject", "edit"} else "approved"):
        assert allowed is True


@pytest.mark.parametrize("verb", ["recall", "list", "share"])
def test_a_space_can_be_checked(memory, verb):
    memory.member.add({"project": "apollo"}, user="bob", trust="owner")
    alice, bob = memory.as_user("alice", project="apollo"), memory.as_user("bob", project="apollo")
    assert bob.check(verb, space={"project": "apollo"}).verdict == "allowed"
    refused = alice.check(verb, space={"project": "apollo"})
    assert (refused.verdict, refused.reason) == ("denied", "not_a_member")
    assert alice.check(verb).verdict == "allowed"


def test_shared_memories_can_be_read_but_not_shared_on(alice, bob):
    alice.share(user="bob")
    assert bob.check("recall", space={"user": "alice"}).reason == "shared_with_you"
    assert bob.check("share", space={"user": "alice"}).verdict == "denied"


def test_an_unknown_verb_lists_the_checkable_ones(alice):
    with pytest.raises(InvalidInput, match="remember, get"):
        alice.check("dance")
    assert alice.check("remember", text="likes tea").verdict == "allowed"


def test_a_checked_secret_is_repeated_nowhere(alice, events, caplog):
    caplog.set_level(0)
    answer = alice.check("remember", text=f"token {SECRET}")
    assert answer.reason == "secret"
    assert SECRET not in whole(answer) + answer.explanation + json.dumps(events()) + caplog.text


def test_a_superseded_memory_is_explained_as_such(alice):
    old = alice.remember("likes tea")
    alice.correct(old.id, "likes coffee")
    explanation = "\n".join(alice.explain(old.id).lines)
    assert "status superseded: " in explanation
    assert "confidence" not in explanation
    assert "(superseded)" in explanation
