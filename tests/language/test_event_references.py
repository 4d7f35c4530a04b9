"""What a question tells time by, where it names no day."""

from __future__ import annotations

import pytest

from memfort.language.dates.event_references import EventReference, Side, find_event_reference


@pytest.mark.parametrize(
    ("question", "side", "words"),
    [
        ("Where did we live before the move?", Side.BEFORE, "the move"),
        ("What has Anna done since we got married, and where?", Side.SINCE, "we got married"),
        ("After Anna's graduation: who came?", Side.AFTER, "anna's graduation"),
        ("Who was my dentist until my surgery", Side.UNTIL, "my surgery"),
        ("Who was my dentist till I left Lyon?", Side.UNTIL, "i left lyon"),
        ("what did I eat before moving to Lyon?", Side.BEFORE, "moving to lyon"),
    ],
)
def test_an_event_reference_is_parsed_into_side_and_words(question, side, words):
    assert find_event_reference(question) == EventReference(side, words)


@pytest.mark.parametrize(
    "question",
    [
        "What came before?", "What do we do after lunch?", "Since when do I run?",
        "What did I do the week before the move?", "Who called right after the meeting?",
        "The aftermath of the move", "x" * 3000 + " before the move",
    ],
)  # fmt: skip
def test_other_questions_have_no_event_reference(question):
    assert find_event_reference(question) is None


def test_a_side_of_a_day_has_that_day_or_not():
    assert [Side.BEFORE.span_from(9), Side.UNTIL.span_from(9)] == [(0, 8), (0, 9)]
    assert [Side.SINCE.span_from(9)[0], Side.AFTER.span_from(9)[0]] == [9, 10]
