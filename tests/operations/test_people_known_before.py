"""Whom a statement is about, where the words alone do not say that a name is a person's: somebody called so is known,
or takes part in the conversation."""

from __future__ import annotations

import pytest
from tests.operations.test_people_spoken_of import called


@pytest.mark.parametrize(
    ("known", "text", "about"),
    [
        ("my daughter is called Ruby", "Ruby lost her first tooth today", ["Ruby"]),
        ("My brother is called Tiernan", "Tiernan starts on the 16th", ["Tiernan"]),
        ("My brother is called Tiernan", "On Friday I called, and Tiernan starts soon", ["Tiernan", "@alice"]),
        ("Meine Tochter heißt Swantje", "Swantje studiert nicht mehr in Wien", ["Swantje"]),
        ("Mon fils s'appelle Ewen", "Ewen joue du violoncelle dans un quatuor", ["Ewen"]),
        ("我们有个女儿叫朵朵", "周五下午朵朵幼儿园有家长会", ["朵朵"]),
        ("My kids are Noah and Ruby", "Ruby's swimming is on Wednesdays", ["Ruby"]),
        ("Mi hermana se llama Itziar", "Itziar toca el violín en una orquesta", ["Itziar"]),
    ],
)
def test_a_known_name_is_the_person(memory, known, text, about):
    alice, bob = memory.as_user("alice"), memory.as_user("bob")
    alice.remember(known)
    assert called(alice, alice.remember(text)) == about
    assert not {*called(bob, bob.remember(text))} & {*about}  # whom Alice knows says nothing of Bob's
    assert memory.trail.verify().ok


def test_a_known_name_is_the_person_in_a_batch_that_names_them_first(memory):
    alice = memory.as_user("alice")
    outcomes = alice.remember_many(["My brother is called Tiernan", "Tiernan starts on the 16th", "Acme is hiring"])
    assert [called(alice, one) for one in outcomes] == [["Tiernan"], ["Tiernan"], []]


def test_of_two_who_are_called_so_nobody_knows_which_is_meant(memory):
    alice = memory.as_user("alice")
    alice.people.add("Ruby Stone")
    alice.people.add("Ruby Fields")
    assert called(alice, alice.remember("Ruby lost her first tooth today")) == ["?"]


def test_a_word_inside_a_sentence_is_not_taken_for_a_known_name(memory):
    alice = memory.as_user("alice")
    alice.people.add("Ruby")
    assert called(alice, alice.remember("The backend is written in Ruby")) == []


@pytest.mark.parametrize(
    ("speaker", "text", "about"),
    [
        ("Kofi", "I'm lactose intolerant", ["Kofi"]),
        ("Pia", "Ich habe eine Nussallergie", ["Pia"]),
        ("Maëlle", "Je suis allergique aux noix", ["Maëlle"]),
        ("Iker", "Yo soy alérgico al marisco", ["Iker"]),
        ("Zoe", "My boyfriend Petr has diabetes", ["Petr"]),
        ("Emre", "Mein Bruder Deniz hat Diabetes", ["Deniz"]),
    ],
)
def test_another_speaker_speaks_of_themselves(memory, speaker, text, about):
    """And never of the caller, who only hands the conversation over."""
    alice = memory.as_user("alice")
    seen = alice.observe([{"role": "user", "content": text, "speaker": speaker}])
    (outcome,) = (one for one in seen.messages[0].statements if one.item.kind == "semantic")
    assert called(alice, outcome) == about
    own = alice.observe([{"role": "user", "content": text}]).messages[0].statements
    assert all("@alice" in one.item.subjects or speaker in ("Zoe", "Emre") for one in own if one.item is not None)


def test_the_relative_of_another_speaker_is_not_the_callers(memory):
    alice = memory.as_user("alice")
    hers = alice.remember("My boyfriend has diabetes").item.subjects
    seen = alice.observe([{"role": "user", "content": "My boyfriend has diabetes", "speaker": "Zoe"}])
    theirs = [one.item.subjects for one in seen.messages[0].statements if one.item is not None]
    assert theirs
    assert all(one and one != hers and "@alice" not in one for one in theirs)


def test_a_participant_whom_an_agent_reports_speaks_of_themselves(memory):
    memory.agent.register("bot", owner="host")
    memory.chat.register("lunch", kind="group", participants=["alice", "bob"])
    memory.member.add({"chat": "lunch"}, agent="bot")
    message = {"role": "user", "speaker": "bob", "content": "I prefer tea"}
    (statement,) = memory.as_agent("bot", owner="host", chat="lunch").observe(message).messages[0].statements
    assert statement.item.subjects == ("@bob",)
