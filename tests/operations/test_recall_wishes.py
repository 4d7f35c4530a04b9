"""Wishes about how to answer are recalled with every request, and with nothing else."""

from __future__ import annotations

import pytest

from memfort.recall import rank

METRIC = "Always answer in metric units"
SEATS, RENT, SISTER = "I prefer window seats on trains", "The rent is 900 euros", "My sister lives in Rome"


@pytest.fixture
def wishing(alice):
    for text in (METRIC, SEATS, RENT, SISTER):
        assert alice.remember(text).kept
    return alice


@pytest.mark.parametrize(
    "request_", ["Convert the recipe", "convert 3 cups of flour", "Could you convert the recipe?", "Please bake a pie",
                 "How should I measure the flour?", "Translate this letter", "Write me a poem", "Draft an email"],
)  # fmt: skip
def test_a_wish_comes_with_a_request_that_has_no_word_of_it(wishing, request_):
    found = wishing.recall(request_)
    assert found.texts == [METRIC]
    assert found.hits[0].features["instruction"] == pytest.approx(0.39)
    explanation = wishing.explain(found.hits[0].id, query=request_)
    assert (explanation.shown, explanation.ranking.rank) == (True, 1)


@pytest.mark.parametrize(
    "question", ["What is the capital of France?", "What is quantum chromodynamics?", "Did I convert the recipe?",
                 "recipe", "the convert of 1890", "Do you remember the recipe?"],
)  # fmt: skip
def test_a_question_is_not_a_request(wishing, question):
    assert METRIC not in wishing.recall(question).texts
    assert METRIC in wishing.recall("metric units").texts


def test_answers_rank_before_wishes(wishing):
    assert wishing.recall("Could you tell me what the rent is?").texts[:2] == [RENT, METRIC]
    assert wishing.recall("Could you tell me what the rent is?", limit=1).texts == [RENT]


def test_a_wish_lifts_nothing_else_over_the_floor(wishing, memory):
    """What is not about the request does not come because a wish does."""
    bob = memory.as_user("bob")
    for text in (SEATS, RENT, SISTER):
        bob.remember(text)
    for request in ("Convert the recipe", "Could you tell me what the flour is?", "Please bake a pie"):
        assert [one for one in wishing.recall(request).texts if one != METRIC] == bob.recall(request).texts


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("Never use emojis", True), ("From now on, reply in French", True), ("Always be brief", True),
        ("Please always keep your answers short", True), ("Never call me Al", True),
        ("Going forward, write dates as day and month", True),
        ("Always lock the back door", False), ("Never give the dog chocolate", False),
        ("Always include the version when I ask about software", False), ("I prefer tea", False),
        ("From now on the office is in Rome", False), ("I always take the train", False),
    ],
)  # fmt: skip
def test_wishes_about_how_to_answer_are_recognised(alice, text, is_one):
    assert alice.remember(text).kept
    assert alice.recall("Convert the recipe").texts == ([text] if is_one else [])


def test_an_assistants_statement_is_not_a_wish(alice):
    alice.remember(f"assistant: {METRIC}")
    assert alice.recall("Convert the recipe").texts == []


def test_wishes_are_recalled_within_sight_only(wishing, memory):
    assert memory.as_user("bob").recall("Convert the recipe").texts == []
    assert wishing.recall("Convert the recipe").texts == [METRIC]


def test_a_wish_starts_no_second_hop(alice):
    wish, other = "Always answer in Esperanto", "Esperanto was invented by Zamenhof"
    alice.remember_many([f"the {word} crate stands in room {place}" for place, word in enumerate(["red", "blue"] * 30)])
    alice.remember_many([wish, other])
    assert alice.recall("Convert the recipe", limit=50).texts == [wish]
    assert other in alice.recall("Esperanto").texts


def test_a_wish_is_found_among_very_many_memories(alice, monkeypatch):
    monkeypatch.setattr(rank, "_WEIGH_ALL", 20)
    monkeypatch.setattr(rank, "_WEIGH_BEST", 5)
    alice.remember_many([f"the {word} crate stands in room {place}" for place, word in enumerate(["red", "blue"] * 30)])
    alice.remember(METRIC)
    assert alice.recall("Convert the recipe").texts == [METRIC]
