"""Undo takes back an import, a time or one writer's memories as one operation, and can be undone itself."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from memfort import InvalidInput, Memory, NotFound


@pytest.fixture
def alice(memory: Memory):
    return memory.as_user("alice")


def texts(bound) -> set[str]:
    return {item.text for item in bound.list()}


def rows(*contents: str) -> bytes:
    given = [
        {"id": number, "user_id": "alice", "kind": "note", "content": text, "created_at": "2025-01-01T00:00:00Z"}
        for number, text in enumerate(contents)
    ]
    return json.dumps(given).encode()


def test_an_import_falls_with_what_was_derived_and_comes_back(memory, alice):
    alice.remember("the garden is behind the house")
    source = alice.import_(rows("likes rhubarb", "likes plums")).source
    rhubarb = next(item for item in alice.list() if item.text == "likes rhubarb")
    alice.remember("bake a rhubarb cake", derived_from=[rhubarb.id])
    before = texts(alice)
    preview = alice.undo(source=source, dry_run=True)
    assert dict(preview.counts) == {"memories": 2, "derived": 1, "back": 0}
    assert (len(preview.sample), preview.id, texts(alice)) == (3, "", before)
    done = alice.undo(source=source)
    assert texts(alice) == {"the garden is behind the house"}
    assert alice.recall("rhubarb").texts == []
    again = alice.undo(done.id)
    assert (len(again.back), texts(alice)) == (3, before)
    assert alice.recall("rhubarb plums").texts
    assert memory.trail.verify().ok


def test_what_a_writer_replaced_comes_back_into_force(memory, alice):
    scribe = memory.as_agent("scribe", owner="alice", acting_for="alice")
    old = scribe.remember("the launch is in May", type="fact", space={"user": "alice"})
    agent = memory.as_agent("bot", owner="alice", acting_for="alice")
    new = agent.correct(old.id, "the launch is in June")
    newest = agent.correct(new.id, "the launch is in July")
    agent.remember("alice works late", space={"user": "alice"})
    assert texts(alice) == {"the launch is in July", "alice works late"}
    done = alice.undo(author="agent:bot")
    assert texts(alice) == {"the launch is in May"}
    assert [item.text for item in done.back] == ["the launch is in May"]
    alice.undo(done.id)
    assert texts(alice) == {"the launch is in July", "alice works late"}
    assert [item.text for item in alice.history(newest.id)][-1] == "the launch is in July"
    assert memory.trail.verify().ok


def test_what_a_later_correction_replaced_stays_replaced(memory, alice):
    scribe = memory.as_agent("scribe", owner="alice", acting_for="alice")
    old = scribe.remember("the launch is in May", type="fact", space={"user": "alice"})
    agent = memory.as_agent("bot", owner="alice", acting_for="alice")
    alice.correct(agent.correct(old.id, "the launch is in June").id, "the launch is in July")
    assert alice.undo(author="agent:bot").back == ()
    assert texts(alice) == {"the launch is in July"}


def test_an_hour_counts_by_when_it_was_written_here(alice, clock):
    alice.remember("the garden is behind the house")
    clock.advance(3600)
    since = datetime.fromtimestamp(clock.now() / 1e6, UTC)
    alice.remember("the gate is locked")
    alice.import_(rows("likes rhubarb"))
    alice.observe("My cat is called Tom.")
    clock.advance(3600)
    until = datetime.fromtimestamp(clock.now() / 1e6, UTC)
    alice.remember("the well is deep")
    alice.undo(since=since, until=until)
    assert texts(alice) == {"the garden is behind the house", "the well is deep"}
    assert alice.window() == []


def test_erased_is_erased_and_said_again_is_not_doubled(alice):
    alice.remember("the gate is locked")
    alice.remember("the well is deep")
    done = alice.undo(author="me")
    alice.remember("the well is deep")
    assert len(alice.undo(done.id).back) == 1
    assert sorted(item.text for item in alice.list()) == ["the gate is locked", "the well is deep"]
    gone = alice.undo(author="me")
    alice.erase(scope={"user": "alice"})
    with pytest.raises(NotFound):
        alice.undo(gone.id)


def test_an_undo_is_of_what_one_may_end(memory, alice):
    alice.remember("the gate is locked")
    bob = memory.as_user("bob")
    done = alice.undo(author="me")
    for id in (done.id, "und_" + "a" * 24):
        with pytest.raises(NotFound, match="there is no undo"):
            bob.undo(id)
    assert dict(bob.undo(author="user:alice").counts) == {"memories": 0, "derived": 0, "back": 0}
    with pytest.raises(InvalidInput, match="one thing is needed"):
        alice.undo()
    with pytest.raises(InvalidInput, match="one thing is needed"):
        alice.undo(done.id, author="me")


def test_what_the_policy_now_refuses_does_not_come_back(memory, alice, events):
    """The earlier policy admitted it. The rest comes back, and the caller is told what does not."""
    scribe = memory.as_agent("scribe", owner="alice", acting_for="alice")
    editor = memory.as_agent("editor", owner="alice", acting_for="alice")
    for text, other in (
        ("the code name is Bluebird", "the code name is Heron"),
        ("the gate is red", "the gate is blue"),
    ):
        editor.correct(scribe.remember(text, space={"user": "alice"}).id, other)
    memory.policy.use({"privacy": {"deny_patterns": {"code": "(?i)bluebird"}}})
    preview = alice.undo(author="agent:editor", dry_run=True)
    done = alice.undo(author="agent:editor")
    assert texts(alice) == {"the gate is red"}
    for one in (preview, done):
        assert [item.text for item in one.back] == ["the gate is red"]
        assert "1 memory did not come back" in one.notes[-1]
        assert one.counts["back"] == 1
    [refused] = [event for event in events() if event["action"] == "undo" and event["decision"] == "denied"]
    assert (refused["reason"], refused["detail"]["gate"]) == ("privacy_deny_pattern", "secrets")
    assert "luebird" not in json.dumps(refused)
    assert memory.trail.verify().ok


def test_nor_does_it_by_the_undo_of_an_undo(memory, alice):
    for text in ("the code name is Bluebird", "the gate is red"):
        alice.remember(text)
    done = alice.undo(author="me")
    memory.policy.use({"privacy": {"deny_patterns": {"code": "(?i)bluebird"}}})
    preview = alice.undo(done.id, dry_run=True)
    again = alice.undo(done.id)
    assert texts(alice) == {"the gate is red"}
    for one in (preview, again):
        assert [item.text for item in one.back] == ["the gate is red"]
        assert "1 memory did not come back" in one.notes[0]
    memory.policy.use({})
    assert [item.text for item in alice.undo(done.id).back] == ["the code name is Bluebird"]
    assert memory.trail.verify().ok


def test_an_agent_does_not_bring_back_what_a_person_rejected(memory, alice):
    scribe = memory.as_agent("scribe", owner="alice", acting_for="alice")
    editor = memory.as_agent("editor", owner="alice", acting_for="alice")
    editor.correct(scribe.remember("the well is haunted", space={"user": "alice"}).id, "the well is deep")
    alice.review.reject(alice.remember("the well is haun\u200bted", confidence=0.1).id)
    assert "rejected" in editor.undo(author="agent:editor").notes[-1]
    assert texts(alice) == set()
