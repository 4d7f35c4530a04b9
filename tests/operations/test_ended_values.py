"""Words that were forgotten or erased do not come back with older material."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from memfort import Memory

WORDS = "I keep the spare key under the blue pot"
BEFORE = "2025-06-01T00:00:00Z"


@pytest.fixture
def alice(memory: Memory):
    return memory.as_user("alice")


def exported(bound) -> bytes:
    return b"\n".join(json.dumps(line).encode() for line in bound.export())


def row(**fields) -> bytes:
    return json.dumps(
        [{"id": 1, "user_id": "alice", "kind": "note", "confidence": 0.9, "source_id": 1, **fields}]
    ).encode()


def end(bound, way: str, id: str) -> None:
    bound.forget(id) if way == "forget" else bound.erase(id)


@pytest.mark.parametrize("way", ["forget", "erase"])
def test_an_old_export_does_not_bring_it_back(alice, clock, way):
    kept = alice.remember(WORDS)
    alice.remember("the garden is behind the house")
    data = exported(alice)
    clock.advance(60)
    end(alice, way, kept.id)
    report = alice.import_(data)
    assert dict(report.counts) == {"read": 2, "ended": 1, "duplicate": 1}
    assert "bring_back" in report.problems[0]
    assert WORDS not in report.problems[0]
    assert alice.recall("spare key").texts == []
    assert alice.import_(data, bring_back=True).counts["kept"] == 1
    assert alice.recall("spare key").texts == [WORDS]


@pytest.mark.parametrize(
    ("ended", "other", "same"),
    [
        ("I use node", "I use node.js", "I use node. It is fast."),
        ("I use node", "I use node.js at work", "I use node.It is fast"),
        ("the version is 2", "the version is 2.1", "the version is 2; it is old"),
        ("the docs are at https", "the docs are at https://acme.example/guide", "the docs are at https: so it says"),
        ("I get up at 6", "I get up at 6:30", "Notes: I get up at 6"),
    ],
)
def test_what_only_begins_like_it_may_come(alice, ended, other, same):
    alice.erase(alice.remember(ended, type="fact").id)
    assert dict(alice.import_(row(content=other, created_at=BEFORE)).counts) == {"read": 1, "kept": 1}
    assert dict(alice.import_(row(content=same, created_at=BEFORE)).counts) == {"read": 1, "ended": 1}


def test_what_was_derived_does_not_come_back_either(alice):
    kept = alice.remember(WORDS)
    alice.remember("one may enter without a key of one's own", derived_from=[kept.id])
    data = exported(alice)
    alice.erase(kept.id)
    assert dict(alice.import_(data).counts) == {"read": 2, "ended": 1, "invalid": 1}


def test_a_person_says_it_again_and_an_agent_cannot(memory, alice):
    alice.forget(alice.remember(WORDS).id)
    agent = memory.as_agent("bot", owner="alice", acting_for="alice")
    assert agent.remember(WORDS, space={"user": "alice"}).reason == "ended_before"
    assert alice.remember(WORDS).kept
    assert alice.recall("spare key").texts == [WORDS]
    alice.correct(alice.recall("spare key").hits[0].id, "I keep no spare key")
    assert agent.remember(WORDS, space={"user": "alice"}).kept  # the ending was lifted


def test_an_old_conversation_does_not_bring_it_back_and_a_new_one_does(alice, clock):
    alice.erase(alice.remember("I prefer oat milk in my coffee").id)
    old = alice.observe([{"role": "user", "content": "I prefer oat milk in my coffee.", "at": BEFORE}])
    assert {outcome.reason for outcome in old.outcomes} == {"ended_before"}
    assert alice.recall("oat milk").texts == []
    clock.advance(60)
    assert alice.observe("I prefer oat milk in my coffee.").kept
    assert alice.recall("oat milk").texts


def test_a_record_is_judged_by_its_date(alice, clock):
    alice.erase(alice.remember(WORDS).id)
    now = datetime.fromtimestamp(clock.now() / 1e6, UTC)
    later = (now + timedelta(minutes=1)).isoformat()
    clock.advance(120)
    for dated, outcome in (({"created_at": BEFORE}, "ended"), ({}, "ended"), ({"created_at": later}, "kept")):
        assert dict(alice.import_(row(content=WORDS, **dated)).counts) == {"read": 1, outcome: 1}, dated


def test_only_where_it_ended(memory, alice):
    alice.erase(alice.remember(WORDS).id)
    bob = memory.as_user("bob")
    assert bob.import_(row(content=WORDS, user_id="bob", created_at=BEFORE)).counts["kept"] == 1


def test_who_says_it_again_for_some_readers_lifts_it_for_them_alone(memory):
    ada, bea = (memory.as_user(one, project="apollo") for one in ("ada", "bea"))
    guess = memory.as_agent("bot", owner="bea", acting_for="bea", project="apollo")
    said = {"text": WORDS, "space": {"project": "apollo"}, "sensitivity": "public", "subjects": []}
    bea.forget(bea.remember(**said).id)
    assert ada.remember(**said, access={"users": ["ada", "cleo"]}).kept
    assert ada.recall("spare key").texts == [WORDS]
    assert guess.remember(**said).reason == "ended_before"  # bea does not notice
    assert ada.remember(**said).kept  # for all who read the space, which lifts it for all
    assert guess.remember(**said).kept


def test_who_says_it_again_in_private_lifts_nothing_for_those_who_do_not_hear_it(memory, alice):
    memory.chat.register("team", kind="group", participants=["alice", "bob"])
    team = memory.as_user("alice", chat="team")
    said = {"text": WORDS, "space": {"user": "alice"}, "type": "knowledge"}
    data = row(content=WORDS, created_at=BEFORE)
    team.forget(team.remember(**said, sensitivity="public").id)
    assert alice.remember(**said, sensitivity="sensitive").kept
    assert team.recall("spare key").texts == []
    assert team.import_(data).counts["ended"] == 1
    assert team.remember(**said, sensitivity="public").kept
    assert team.import_(data).counts.get("ended") is None


def test_a_space_that_was_erased_whole_leaves_one_marker(alice, clock):
    alice.remember(WORDS)
    alice.remember("the garden is behind the house")
    data = exported(alice)
    clock.advance(60)
    alice.erase(scope={"user": "alice"})
    assert dict(alice.import_(data).counts) == {"read": 2, "ended": 2}
    reworded = row(content="another old thing", created_at=BEFORE)
    assert dict(alice.import_(reworded).counts) == {"read": 1, "ended": 1}
    assert alice.remember(WORDS).kept  # which does not lift the marker
    assert dict(alice.import_(data + b"\n").counts) == {"read": 2, "ended": 2}


def test_a_person_who_was_erased_leaves_one_marker(memory, alice, clock):
    alice.remember("@bob loves hiking in the Alps")
    alice.remember(WORDS)
    data = exported(alice)
    clock.advance(60)
    memory.as_system().people.forget("@bob", erase=True)
    assert alice.import_(data).counts["ended"] == 1
    assert alice.recall("hiking").texts == []
    assert alice.remember("@bob moved to Rome").kept


def test_the_trail_knows_ended_values(memory, alice):
    alice.forget(alice.remember(WORDS).id)
    alice.erase(scope={"user": "alice"})
    alice.erase(alice.remember("the garden is behind the house").id)
    assert memory.trail.verify().ok
