"""What a question to a memory is wrapped in is no part of what it asks for."""

from __future__ import annotations

import time

import pytest

from memfort import Memory
from memfort.recall.question_phrases import strip_question_phrase
from memfort.store.memory import MemoryStore

NOTES = ["The boiler was serviced in May", "My thesis is about moss", "Please tell the plumber to ring twice"]


@pytest.mark.parametrize(
    ("query", "rest"),
    [
        ("Tell me about the boiler", "the boiler"),
        ("Can you please remind me when the test is?", "when the test is?"),
        ("What about PROJ-12?", "PROJ-12?"),
        ("So, what do you know about Iris?", "Iris?"),
        ("Tell me everything you remember about tea", "tea"),
        ("Please tell me my blood type", "my blood type"),
        ("What did I tell you about Oslo?", "Oslo?"),
        ("Do you remember where the key is?", "where the key is?"),
    ],
)
def test_question_phrases_are_stripped(query, rest):
    assert strip_question_phrase(query) == rest


@pytest.mark.parametrize(
    "query",
    [
        "What is the book about?", "What did Carol say about tea?", "Who told me about the house?", "about", "Tell me",
        "Can you tell me about free will?", "What can you tell me about free will?",
        "I know about the boiler", "Which story did you tell me about Oslo?", "Do you have a boiler?", "Telling", "",
    ],
)  # fmt: skip
def test_other_questions_stay_as_they_are(query):
    assert strip_question_phrase(query) == query


@pytest.mark.parametrize(
    "query",
    [
        "Tell me about the boiler",
        "What about the boiler?",
        "Please tell me of the boiler",
        "What did I say about the boiler?",
    ],
)
def test_words_of_a_question_phrase_match_nothing(query):
    with Memory(MemoryStore()) as memory:
        alice = memory.as_user("alice")
        alice.remember_many(NOTES)
        [hit] = alice.recall(query)
        [bare] = alice.recall("the boiler")
        assert (hit.text, hit.score, dict(hit.features)) == (NOTES[0], bare.score, dict(bare.features))
        assert alice.recall("What is my thesis about?").texts == [NOTES[1]]


def test_a_query_of_nothing_else_still_finds():
    with Memory(MemoryStore()) as memory:
        alice = memory.as_user("alice")
        alice.remember_many(NOTES)
        assert NOTES[2] in alice.recall("Please tell me").texts


@pytest.mark.parametrize("query", ["please " * 50_000, "tell me " * 50_000, "and, " * 50_000 + "tell me about tea"])
def test_a_hostile_query_costs_little(query):
    began = time.process_time()
    strip_question_phrase(query)
    assert time.process_time() - began < 1
