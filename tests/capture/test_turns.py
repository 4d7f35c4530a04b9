"""A text as something that was said: who, when, and the words themselves."""

from __future__ import annotations

from datetime import date

import pytest

from memfort.capture.turns import Trait, Turn, find_traits, parse_turn


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
def test_what_stands_in_front_says_who_and_when(text, turn):
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
def test_what_can_be_seen_of_a_text(text, traits):
    assert find_traits(text) == traits
