"""Seed 002: what only runs a conversation stays in it; what lasts may travel."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfort.language.sharing import is_portable
from memfort.model.item import MAX_TEXT_BYTES


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Bob loves pizza", True, id="seed 002: enduring trait about the person"),
        pytest.param("Bob is presenting next", False, id="seed 002: chat-operational, only relevant here"),
        pytest.param("Sarah's birthday is March 15", True, id="seed 002: enduring fact"),
        pytest.param("Sarah will send the report by EOD", False, id="seed 002: ephemeral task context"),
    ],
)
def test_the_seeds_table(text, expected):
    assert is_portable(text) is expected


@pytest.mark.parametrize(
    "text",
    [
        "Carol goes next",
        "Bob is up next",
        "Alice is next.",
        "Bob is on it",
        "Carol is running late",
        "Bob's on a call",
        "I'm taking notes",
        "Alice has the floor",
        "Bob will share his slides",
        "I'll review that",
        "Carol can take over",
        "Bob agreed to follow up",
        "Alice will be back in ten minutes",
        "Bob is here",
        "Carol is out of office",
        "Bob is on vacation",
        "Alice is at the dentist today",
        "Bob leaves tomorrow",
        "Carol is free this afternoon",
        "Bob is stuck in traffic right now",
        "The draft is due by Friday",
        "Bob needs the numbers before the meeting",
        "Carol answers in a minute",
        "Bob just joined the call",
        "Alice is the next speaker",
        "It's Carol's turn, she is going to start",
        "BOB IS PRESENTING NEXT",
        "Bob is\u00a0presenting\nnext",
    ],
)
def test_conversational_remarks_are_not_portable(text):
    assert not is_portable(text)


@pytest.mark.parametrize(
    "text",
    [
        "Bob lives next to the station",
        "Bob works at Acme",
        "Carol is allergic to peanuts",
        "Alice speaks German",
        "Bob will turn 40 in May",
        "Carol's latest book is about trains",
        "Bob is a presenter",
        "Bob is Carol's next of kin",
        "Has a dog named Max",
        "Alice prefers mail to calls",
        "Bob was born by the sea",
        "Carol is on the board of a bank",
        "Bob is lately fond of chess",
        "Looking for a new job",
        "Has anxiety",
        "Bob can play the piano",
        "Carol can fix bikes",
        "Bob's late father was a baker",
        "Goes to bed before midnight",
        "Carol will always love Paris",
        "The company uses Slack",
        "",
    ],
)
def test_lasting_facts_are_portable(text):
    assert is_portable(text)


@pytest.mark.parametrize("unit", ["is ", "by ", "will a ", "in a ", "the ", "é"])
def test_the_longest_text_there_can_be_has_an_answer(unit):
    text = unit * (MAX_TEXT_BYTES // len(unit.encode()))
    assert is_portable(text)
    assert not is_portable(text + ". Bob is presenting next")


@given(st.text(max_size=200))
def test_any_text_has_one_answer(text):
    assert is_portable(text) is is_portable(text)
