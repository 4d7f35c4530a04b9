"""Changes said long after what they change: the old value ends where it is sure which one it is, else the newer one
comes first; and what still holds stays."""

from __future__ import annotations

import pytest

DAY = 86_400


def say(bound, clock, *texts):
    """Each text in a conversation of its own, a day apart."""
    for text in texts:
        bound.observe([text], conversation=f"talk-{clock.now()}")
        clock.advance(DAY)


def in_force(bound):
    return {item.text for item in bound.list(limit=100) if item.kind != "short_term"}


@pytest.mark.parametrize(
    ("said", "change", "ended"),
    [
        (
            ["My manager is Helen", "Our anniversary is on 14 June"],
            "Helen left, it's Marcus now",
            "My manager is Helen",
        ),
        (
            ["Noah carries an EpiPen"],
            "I misspoke before, Noah carries an Auvi-Q, not an EpiPen",
            "Noah carries an EpiPen",
        ),
        (["I work at Acme", "Ben works at Acme"], "I no longer work at Acme", "I work at Acme"),
        (["Die Miete beträgt 900 Euro"], "Die Miete beträgt jetzt 950 Euro", "Die Miete beträgt 900 Euro"),
    ],
)
def test_a_change_in_another_conversation_ends_the_old_value_and_nothing_else(alice, clock, said, change, ended):
    say(alice, clock, *said)
    before = in_force(alice)
    assert ended in before
    say(alice, clock, change)
    assert in_force(alice) - before  # the change itself, as it was said
    assert all(one in change for one in in_force(alice) - before)
    assert before - in_force(alice) == {ended}
    [old] = [item for item in alice.list(limit=100, statuses=["superseded"]) if item.text == ended]
    assert old.superseded_by is not None


@pytest.mark.parametrize(
    ("said", "change"),
    [
        ("Noah is allergic to peanuts, carries an EpiPen", "I misspoke before, Noah carries an Auvi-Q, not an EpiPen"),
        ("Meine Schwester Klara studiert Medizin in Wien", "Klara studiert nicht mehr in Wien, sondern in Graz"),
        ("我们的年度目标是八百万，上个月完成了六十万", "年度目标调整了，改成七百万"),
    ],
)
def test_what_says_more_than_the_change_denies_stays_beside_it(alice, clock, said, change):
    say(alice, clock, said)
    assert said in in_force(alice)
    say(alice, clock, change)
    assert said in in_force(alice)
    assert len(in_force(alice)) == 2


def test_somebody_who_left_ends_only_what_says_who_they_are(alice, clock):
    for conversation in ("one", None):
        say(alice, clock, "Helen likes green tea", "My sister's name is Helena", "I met Helen")
        before = in_force(alice)
        alice.observe(["Helen likes green tea", "Helen left, it's Marcus now"], conversation=conversation)
        assert in_force(alice) == before | {"Helen left, it's Marcus now"}


def test_a_statement_of_several_things_stays_and_the_change_comes_first(alice, clock):
    several = "I take metformin twice a day for my diabetes, and ramipril for blood pressure, since my heart attack"
    say(alice, clock, several)
    alice.remember("The pharmacy sells diabetes tablets")
    query = "How often do I take metformin for diabetes?"
    assert alice.recall(query).texts[0] == several
    change = "The doctor changed the metformin to once a day"
    say(alice, clock, change)
    found = alice.recall(query).hits
    assert [hit.text for hit in found[:2]] == [change, several]
    assert found[0].features["newer_value"] > 0
    assert alice.recall(query, limit=1).texts == [change]


def test_a_change_of_something_else_does_not_come_first(alice, clock):
    say(alice, clock, "My sister Ana lives in Porto", "My sister Ana now has a dog")
    assert alice.recall("Where does Ana live?").texts[0] == "My sister Ana lives in Porto"


def test_a_change_by_another_speaker_moves_nothing(memory, clock):
    alice, bob = memory.as_user("alice"), memory.as_user("bob")
    say(alice, clock, "I take metformin twice a day")
    before = alice.recall("How often do I take metformin?").to_dict()["hits"]
    say(bob, clock, "The doctor changed the metformin to once a day")
    assert alice.recall("How often do I take metformin?").to_dict()["hits"] == before


OLD, LATER = "2023-05-08T13:56:00Z", "2024-05-08T13:56:00Z"


@pytest.mark.parametrize("said", ["I live in Berlin.", "I moved to Berlin."])
def test_an_old_conversation_does_not_end_what_was_said_after_it(alice, said):
    alice.observe("I live in Hamburg.")
    alice.observe([{"role": "user", "content": said, "at": OLD}], conversation="old")
    assert "I live in Hamburg" in in_force(alice)
    assert alice.recall("where do I live").texts[0] == "I live in Hamburg."
    alice.observe("I moved to Oslo.")  # the control: said now, it does
    [only] = alice.recall("where do I live").texts
    assert only.startswith("I moved to Oslo")


@pytest.mark.parametrize("order", [1, -1])
def test_old_conversations_may_be_observed_in_any_order(alice, order):
    talks = [(OLD, "I live in Rome."), (LATER, "I moved to Oslo.")]
    for at, text in talks[::order]:
        alice.observe([{"role": "user", "content": text, "at": at}], conversation=at)
    [only] = alice.recall("where do I live").texts
    assert only.startswith("I moved to Oslo")
