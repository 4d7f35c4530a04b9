"""Take back one call: what an observation stored falls, what it ended comes back, and later changes stay."""

from __future__ import annotations

import pytest

from memfort.errors import NotFound

SAID = ["My sister lives in Lyon.", "I have a motorbike.", "My dentist appointment is on Thursday at 9."]
TAKEN_BACK = [
    "I do not have a sister.",
    "I no longer have a motorbike.",
    "Correction: my dentist appointment is on Friday at 9.",
]


def texts(actor):
    return sorted(item.text for item in actor.list())


@pytest.fixture
def changed(alice, clock):
    """What alice had before, and an observation that ended some of it."""
    alice.observe(SAID)
    before = texts(alice)
    clock.advance(60)
    seen = alice.observe(TAKEN_BACK)
    assert texts(alice) != before
    return before, seen


def test_an_observation_says_what_ended_by_which_message_and_why(changed):
    _, seen = changed
    ended = {one.item.text: (number, one) for number, message in enumerate(seen.messages) for one in message.ended}
    assert sorted(ended) == sorted(one.item.text for one in seen.ended)
    number, sister = ended["My sister lives in Lyon"]
    assert (TAKEN_BACK[number], sister.reason) == ("I do not have a sister.", "retracted")
    assert sister.by == seen.messages[number].turn.id
    number, motorbike = ended["I have a motorbike"]
    assert (TAKEN_BACK[number], motorbike.reason) == ("I no longer have a motorbike.", "superseded")
    assert motorbike.by == motorbike.item.superseded_by == seen.messages[number].statements[0].id
    assert seen.messages[0].to_dict()["ended"][0]["item"]["id"] == sister.item.id


def test_an_observation_is_short_and_has_each_fact_once(alice):
    seen = alice.observe(["I play chess.", "my alarm code is 7709"])
    assert [item.text for item in seen.kept] == ["I play chess"]
    assert [item.text for item in seen.turns] == ["I play chess."]
    assert repr(seen) == "<Observation 2 messages, 1 kept, 1 refused>"


def test_undo_takes_one_observation_back_as_one_step_and_undo_of_that_brings_it_again(alice, changed):
    before, seen = changed
    after = texts(alice)
    preview = alice.undo(trace=seen.trace, dry_run=True)
    undone = alice.undo(trace=seen.trace)
    assert (texts(alice), undone.notes) == (before, ())
    assert (
        {item.id for item in preview.back} == {item.id for item in undone.back} == {one.item.id for one in seen.ended}
    )
    assert alice.recall("sister").hits
    again = alice.undo(undone.id)
    assert texts(alice) == after
    assert {item.id for item in again.items} == {one.item.id for one in seen.ended}
    alice.undo(trace=seen.trace)
    assert texts(alice) == before, "and once more"


def test_every_call_can_be_taken_back(alice):
    first = alice.remember("emacs", kind="profile", key="editor")
    second = alice.remember("vim", kind="profile", key="editor")
    assert [item.id for item in alice.undo(trace=second.trace).back] == [first.id]
    assert texts(alice) == ["emacs"]


def test_what_somebody_built_upon_it_since_stays_and_is_named(memory, clock):
    alice, bob = (memory.as_user(name, project="apollo") for name in ("alice", "bob"))
    place = {"space": {"project": "apollo"}, "kind": "profile", "key": "launch"}
    first = alice.remember("in May", **place)
    clock.advance(1)
    call = alice.remember("in June", **place)
    clock.advance(1)
    bob.remember("in July", **place)
    undone = alice.undo(trace=call.trace)
    assert undone.back == ()
    assert set(undone.notes) == {
        f"`{call.id}` was replaced since; what replaced it stays",
        f"`{first.id}` was changed since and does not come back",
    }
    assert texts(alice) == ["in July"]


def test_what_came_back_and_was_changed_since_is_not_ended_by_the_undo_of_the_undo(alice, changed, clock):
    _, seen = changed
    undone = alice.undo(trace=seen.trace)
    sister = next(item for item in undone.back if "sister" in item.text)
    clock.advance(1)
    corrected = alice.correct(sister.id, "My sister lives in Nice")
    alice.undo(undone.id)
    assert alice.get(corrected.id).status == "approved"


def test_nobody_takes_back_the_call_of_another(memory, alice, bob, changed):
    _, seen = changed
    with pytest.raises(NotFound) as foreign:
        bob.undo(trace=seen.trace)
    with pytest.raises(NotFound) as absent:
        bob.undo(trace=seen.trace[:-1] + "x")
    assert str(foreign.value).replace(seen.trace, "") == str(absent.value).replace(seen.trace[:-1] + "x", "")
    assert alice.undo(trace=seen.trace), "but alice can"


def test_the_trail_says_what_an_undo_of_a_call_did(memory, alice, changed):
    _, seen = changed
    alice.undo(trace=seen.trace)
    assert memory.trail.verify().ok
