"""What is asked for by the word for its kind is found, in whatever words it was said; and a question for one thing of a
kind is not answered by another."""

from __future__ import annotations

import pytest

from memfort.language.concepts import concept_terms, concepts_by_word

FOUND = {
    "My line manager has been Anneke Smit since March": "Who is my boss?",
    "I'm Marcus": "What's my name?",
    "I have Crohn's": "Which illness do I have?",
    "We settled on Postgres 17": "Which database did we choose?",
    "Our rabbit is called Pip": "What pet do we have?",
    "No bullet points ever": "How should you format your messages?",
    "Mein Abteilungsleiter ist Herr Brandt": "Wer ist mein Chef?",
    "J'habite à Turin depuis mai": "Où est-ce que je vis ?",
    "Mi cuñada tiene asma": "¿Qué enfermedad hay en mi familia?",
    "我室友对猫毛过敏，腿脚也不好": "室友身体怎么样？",
}


@pytest.mark.parametrize("text", FOUND)
def test_the_word_for_a_kind_finds_what_is_of_that_kind(open_memory, text):
    with open_memory() as memory:
        alice = memory.as_user("alice")
        for one in (text, "The kettle is in the cellar", "Der Kessel steht im Keller"):
            alice.remember(one)
        assert alice.recall(FOUND[text]).texts[:1] == [text]


def test_one_thing_of_a_kind_is_no_answer_to_another(open_memory):
    with open_memory() as memory:
        alice = memory.as_user("alice")
        alice.remember("I trained two years for the marathon")
        assert alice.recall("Which football club do I like?").texts == []
        assert alice.recall("Which sport do I do?").texts == ["I trained two years for the marathon"]


def test_what_has_the_word_itself_comes_before_what_is_only_about_the_same(open_memory):
    with open_memory() as memory:
        alice = memory.as_user("alice")
        for one in ("We moved to a house near Lille", "I live in Metz with Ana"):
            alice.remember(one)
        assert alice.recall("Where do I live?").texts == ["I live in Metz with Ana", "We moved to a house near Lille"]


def test_a_long_text_is_about_many_things_and_has_no_concept():
    assert concept_terms("My boss is Ana") == ["≈boss"]
    assert concept_terms("My boss is Ana" + " and so on" * 50) == []
    assert concepts_by_word("Who is my boss?") == {"boss": ("≈boss",)}
