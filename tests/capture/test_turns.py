"""A text as something that was said: who, when, and the words themselves."""

from __future__ import annotations

from datetime import date

import pytest

from memfort import FixedClock, Memory
from memfort.capture.turns import Trait, Turn, find_traits, parse_turn
from memfort.model.moment import Moment
from memfort.store.memory import MemoryStore


def day(year: int, month: int, number: int) -> int:
    return date(year, month, number).toordinal()


@pytest.mark.parametrize(
    ("text", "turn"),
    [
        ("[1:56 pm on 8 May, 2023] Caroline: I went.", Turn("I went.", "Caroline", day(2023, 5, 8))),
        ("[2023-05-08T13:56] Caroline: I went.", Turn("I went.", "Caroline", day(2023, 5, 8))),
        ("[May 8th, 2023] I went.", Turn("I went.", None, day(2023, 5, 8))),
        ("[8 May 2023] Anna99: I went.", Turn("I went.", "Anna99", day(2023, 5, 8))),
        ("[8 May 2023] Note: I went.", Turn("I went.", "Note", day(2023, 5, 8))),
        ("user: I went.", Turn("I went.", "user")),
        ("Assistant: Sure.", Turn("Sure.", "Assistant")),
        ("Mary Ann: I went.", Turn("I went.", "Mary Ann")),
        ("Жанна: привет", Turn("привет", "Жанна")),
    ],
)
def test_a_turn_prefix_is_parsed_into_speaker_and_time(text, turn):
    assert parse_turn(text) == turn


@pytest.mark.parametrize(
    "text",
    [
        "I went there", "", ":", "[", "[] x", "Note: buy milk", "TODO: buy milk", "buy this: milk", "at 10:30 we met",
        "http://example.org is down", "[draft] the plan", "[see 8 May] x", "Caroline:", "Re: the plan",
        "one two three four: five", "(Ann): hello", "ZEP-7: move to Postgres", "E15: the door is open",
        "ORA-00942: no such table", "Covid-19: second jab", "Fixed TypeError: x is undefined",
        "KeyError: 'id'", "Root Cause: no disk", "Allergies: peanuts", "Next Step: call", "P.S.: thanks",
    ],
)  # fmt: skip
def test_other_texts_stay_as_they_are(text):
    assert parse_turn(text) == Turn(text)


LABELS = (
    "Ticket Number: TKT-100 was resolved", "Lunch Menu: soup at noon", "Order Total: 40 euros", "Flight: LH 400",
    "Flight Number: LH400", "Blood Type: zero", "Invoice Date: Friday", "Shipping Address: Main Street",
    "Weather: rain", "Parking Space: by the gate", "Favorite Food: sushi", "Meeting Room: Berlin",
    "Access Code: at the desk", "License Plate Number: on the card", "Hotel: Adlon", "Team Size: five",
    "Server Region: Frankfurt", "When: Friday", "Directed By: her brother", "Booked: the flat in Rome", "Q: why?",
)  # fmt: skip
SPEAKERS = (
    "Anna", "Anna Miller", "Dr. Jones", "Mary-Jane", "Jean Luc Picard", "Katie Price", "Johnny Cash", "Mark", "Grace",
    "Rose", "Will", "Customer", "Patient", "Interviewer", "Doctor", "Mom", "Support Agent Kim", "O'Brien",
    "Billie Holiday", "Support", "Team Lead",
)  # fmt: skip


@pytest.mark.parametrize("text", LABELS)
def test_a_label_is_not_a_speaker(text):
    assert parse_turn(text) == Turn(text)


@pytest.mark.parametrize("name", SPEAKERS)
def test_a_named_prefix_is_a_speaker(name):
    assert parse_turn(f"{name}: the soup was cold") == Turn("the soup was cold", name)


def test_two_labels_do_not_form_a_conversation():
    """If they were, a hit on the first would bring the second, as the next turn."""
    memory = Memory(MemoryStore(), clock=FixedClock(Moment(1_767_225_600_000_000)))
    alice = memory.as_user("alice")
    alice.remember_many(["Ticket Number: TKT-100 was resolved", "Lunch Menu: soup at noon"])
    assert list(alice.recall("TKT-100").texts) == ["Ticket Number: TKT-100 was resolved"]
    assert list(alice.recall("soup").texts) == ["Lunch Menu: soup at noon"]


@pytest.mark.parametrize(
    ("text", "traits"),
    [
        ("I went there yesterday.", Trait.TIME),
        ("We have three cats", Trait.NUMBER),
        ("Room 12", Trait.NUMBER),
        ("I met Sarah", Trait.NAME),
        ("What did it look like?", Trait.QUESTION),
        ("为什么？", Trait.QUESTION),
        ("From now on, answer in German", Trait.INSTRUCTION | Trait.ANSWER_STYLE | Trait.NAME),
        ("Never use emojis", Trait.INSTRUCTION | Trait.ANSWER_STYLE),
        ("Never use emojis when i ask for a letter", Trait.INSTRUCTION),
        ("Always lock the door", Trait.INSTRUCTION),
        ("i prefer tea", Trait.INSTRUCTION),
        ("plain words", Trait(0)),
        ("", Trait(0)),
    ],
)
def test_traits_of_a_text_are_found(text, traits):
    assert find_traits(text) == traits
