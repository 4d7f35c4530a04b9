"""Seed 004: importance is a sum, and every part of it has a name."""

from __future__ import annotations

import pytest

from memfort.capture.importance import BASE_IMPORTANCE, Importance, compute_importance
from memfort.model.item import EventType, Origin


@pytest.mark.parametrize(
    ("event_type", "base"),
    [
        pytest.param(event_type, base, id=f"seed 004: {event_type} is {base}")
        for event_type, base in {"preference": 3, "decision": 3, "fact": 4, "execution": 2, "context": 1}.items()
    ],
)
def test_the_base_of_each_event_type(event_type, base):
    made = compute_importance("tea", EventType(event_type), Origin.AI)
    assert made == Importance(base, (f"event:{event_type}",))


def test_a_correction_is_four_and_one_more():
    assert compute_importance("tea", EventType.CORRECTION, Origin.AI) == Importance(
        5, ("event:correction", "corrective")
    )


def test_the_users_own_words_are_one_more():
    assert compute_importance("tea", EventType.CONTEXT, Origin.USER) == Importance(2, ("event:context", "source:user"))
    for origin in (Origin.AI, Origin.TOOL, Origin.SYSTEM):
        assert compute_importance("tea", EventType.CONTEXT, origin).value == 1


@pytest.mark.parametrize("word", ["always", "never", "must", "avoid"])
def test_emphasis_is_one_more_and_a_whole_word(word):
    for text in (f"{word} tea", f"so {word.upper()}!", f"“{word}”", f"tea,{word},tea,{word}"):
        assert compute_importance(text, EventType.CONTEXT, Origin.AI) == Importance(2, ("event:context", "emphasis"))
    for text in (f"{word}able tea", f"un{word}", f"é{word}", f"{word}é"):
        assert compute_importance(text, EventType.CONTEXT, Origin.AI) == Importance(1, ("event:context",))


def test_all_that_can_be_added_in_order():
    assert compute_importance("Actually, never", EventType.CORRECTION, Origin.USER) == Importance(
        7, ("event:correction", "source:user", "emphasis", "corrective")
    )


def test_the_bases_come_from_outside():
    base = dict.fromkeys(EventType, 0.5)
    assert compute_importance("tea", EventType.FACT, Origin.USER, base).value == 1.5
    assert set(BASE_IMPORTANCE) == set(EventType)
