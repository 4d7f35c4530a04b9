"""Fade before forget: a lifetime that was said ends a memory, one that was only guessed makes it fade."""

from __future__ import annotations

import json

import pytest

from memfort import Policy

DAY = 24 * 60 * 60
GUESSED = "Had dinner with Sarah at the harbour"  # an event by its words: 30 days
QUERY = "dinner at the harbour"


def test_a_guessed_lifetime_ends_nothing(alice, clock):
    item = alice.remember(GUESSED).item
    assert (item.type, item.expires_at) == ("event", None)
    for _ in range(3):
        clock.advance(365 * DAY)
        assert alice.recall(QUERY).texts == [GUESSED]
    assert alice.get(item.id).text == GUESSED
    assert [one.id for one in alice.list()] == [item.id]


@pytest.mark.parametrize("said", [{"type": "event"}, {"ttl_seconds": 30 * DAY}])
def test_a_lifetime_that_was_said_ends_the_memory(alice, clock, said):
    alice.remember(GUESSED, **said)
    clock.advance(30 * DAY - 1)
    assert alice.recall(QUERY).texts == [GUESSED]
    clock.advance(1)
    assert alice.recall(QUERY).texts == []


def test_a_rule_of_the_policy_ends_what_was_guessed(open_memory, clock):
    rule = {"retention": {"semantic": {"fact": {"mode": "ttl", "seconds": 60}}}}
    alice = open_memory(policy=Policy.from_dict(rule)).as_user("alice")
    alice.remember("The kettle is new")
    assert alice.recall("kettle").texts
    clock.advance(60)
    assert alice.recall("kettle").texts == []


@pytest.mark.parametrize("settings", ["chat", {"retention": {"guessed": "end"}}])
def test_a_policy_may_let_a_guess_end_memories(open_memory, clock, settings):
    policy = settings if isinstance(settings, str) else Policy.from_dict(settings)
    alice = open_memory(policy=policy).as_user("alice")
    item = alice.remember(GUESSED).item
    assert (item.expires_at_us, item.fades_at_us) == (clock.now() + 30 * DAY * 1_000_000, None)
    clock.advance(30 * DAY)
    assert alice.recall(QUERY).texts == []


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("The office is closed until Friday", 2),  # the clock says Thursday
        ("Parking is free today only", 1),
        ("I'm on call this week only", 4),
        ("The code freeze is on until 2026-01-09", 9),
        ("Das Büro ist bis Freitag geschlossen", 2),
        ("Le bureau est fermé jusqu'à vendredi", 2),
        ("La oficina está cerrada hasta el viernes", 2),
        ("办公室关到周五", 2),
    ],
)
def test_an_end_said_in_words_ends_the_memory(alice, clock, text, days):
    item = alice.remember(text).item
    assert item.expires_at_us == clock.now() + days * DAY * 1_000_000
    assert [one.id for one in alice.list()] == [item.id]
    clock.advance(days * DAY)
    assert list(alice.list()) == []


@pytest.mark.parametrize(
    "text",
    [
        "I lived in Rome until May",
        "The parcel does not arrive until Friday",
        "We are open from Monday until Friday",
        "I only drink tea today and tomorrow",
        "Wait until the build is green",
        "I work until 5",
    ],
)
def test_what_is_no_end_ends_nothing(alice, text):
    assert alice.remember(text).item.expires_at is None


def test_a_faded_memory_ranks_below_an_equal_one_that_does_not_fade(alice, clock):
    alice.remember("Bob ran a race in the park")
    fresh = alice.recall("race in the park")[0].score
    clock.advance(60 * DAY)
    alice.remember("Ann ran a race in the park")
    new, old = alice.recall("race in the park")
    assert (new.text, old.text) == ("Ann ran a race in the park", "Bob ran a race in the park")
    assert "fade" not in new.features
    assert old.features["fade"] < 0
    assert old.score < fresh


def test_a_turn_of_a_conversation_keeps_its_rank(alice, clock):
    alice.remember("[8 May 2023] Bob: I ran a race in the park")
    clock.advance(60 * DAY)
    assert "fade" not in alice.recall("race in the park")[0].features


def test_the_weight_of_fading_is_a_setting(open_memory, clock):
    policy = Policy.from_dict({"recall": {"weights": {"fade": 0.0}}})
    alice = open_memory(policy=policy).as_user("alice")
    alice.remember(GUESSED)
    clock.advance(60 * DAY)
    assert "fade" not in alice.recall(QUERY)[0].features


def test_an_event_to_come_fades_after_it_has_happened(alice, clock):
    item = alice.remember("Had dinner planned with Sarah", occurred="2026-06-01").item
    assert item.fades_at_us > clock.now() + 150 * DAY * 1_000_000


def test_new_wordings_and_copies_fade_too(memory, clock):
    alice = memory.as_user("alice", session="s")
    item = alice.remember(GUESSED, space={"session": "s"}).item
    assert item.fades_at is not None
    corrected = alice.correct(item.id, "Had dinner with Tom at the harbour").item
    assert (corrected.expires_at, corrected.fades_at) == (None, item.fades_at)
    copy = alice.promote(corrected.id, {"user": "alice"}).item
    assert (copy.expires_at, copy.fades_at) == (None, item.fades_at)
    named = alice.correct(copy.id, "Had lunch with Tom at the harbour", type="event", ttl_seconds=60).item
    assert named.expires_at is not None


def test_a_transfer_keeps_what_fades(memory, open_memory, alice, exported, clock):
    item = alice.remember(GUESSED).item
    clock.advance(400 * DAY)
    there = open_memory().as_user("alice")
    there.import_(exported(alice))
    [moved] = there.list()
    assert (moved.type, moved.fades_at, moved.expires_at) == ("event", item.fades_at, None)


def test_explain_says_from_when_on_it_has_faded(alice):
    item = alice.remember(GUESSED).item
    assert f"faded from {item.fades_at:%Y-%m-%d}" in str(alice.explain(item.id))
    assert json.loads(json.dumps(item.to_dict()))["fades_at"] == item.to_dict()["fades_at"]
