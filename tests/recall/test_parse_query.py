"""Whom a query asks about, and what its meaning is taken from."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from memfort import FixedClock, Memory
from memfort.model.moment import Moment
from memfort.recall.parse_query import PERSONS, parse_query
from memfort.store.memory import MemoryStore

BOTH = {name: name for name in ("anna", "ben")}
ANYBODY = {**PERSONS, **BOTH}
NOON = FixedClock(Moment(1_767_225_600_000_000))


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("What did Anna tell Ben about the boat?", "anna"),
        ("What does Ben think about Anna's boat?", "ben"),
        ("What did Anna do for Ben?", "anna"),
        ("What is Anna's opinion of Ben's boat?", "anna"),
        ("When did I give Anna the keys?", "i"),
        ("What did Anna say to me about my boat?", "anna"),
        ("What did you tell Ben?", "you"),
        ("What did Anna and Ben buy?", None),
        ("Which boat do Anna's and Ben's cousins have?", None),
        ("Was haben Anna und Ben gekauft?", None),
        ("Did Anna or I pay?", None),
        ("How long is the boat?", None),
    ],
)
def test_of_several_the_first_one_named_is_asked_about_unless_they_are_named_together(query, first):
    assert parse_query(query).first_named(ANYBODY) == first


def test_someone_who_never_speaks_is_not_named_as_a_speaker():
    assert parse_query("When did I give Anna the keys?").first_named(BOTH) == "anna"


def test_two_names_of_one_speaker_do_not_count_as_two_speakers():
    known = {**BOTH, "smith": "anna"}
    assert parse_query("What did Anna Smith tell Ben about the boat?").first_named(known) == "anna"
    assert parse_query("What did Anna Smith and Ben buy?").first_named(known) is None


@pytest.mark.parametrize(
    "query",
    [
        "What did you recommend for my back?", "Which recipe have you given me?", "the plan you suggested",
        "What were the steps you've outlined?", "What was your advice about the rent?",
    ],
)  # fmt: skip
def test_what_you_said_asks_about_the_assistant(query):
    assert set(parse_query(query).assistant_names) == {"assistant", "ai", "bot"}


@pytest.mark.parametrize(
    "query",
    ["Can you remind me of the rent?", "What do you need?", "Could you suggest a recipe?", "What did I say about you?"],
)
def test_a_wish_is_not_a_question_about_the_assistant(query):
    assert parse_query(query).assistant_names == ()


@pytest.mark.parametrize(
    ("query", "sentence", "words"),
    [
        ("What did Anna say about the boat?", "What did say about the boat?", "say about boat"),
        ("Where is Anna’s new boat?", "Where is new boat?", "new boat"),
        ("Où est le café d'Anna?", "Où est le café d'?", "cafe"),
        ("How long is the boat?", "How long is the boat?", "long boat"),
        ("Who is Anna?", "Who is Anna?", "anna"),
        ("Why does ERR_CONN_42 come at night?", "Why does come at night?", "come night"),
        ("ERR_CONN_42", "", ""),
    ],
)
def test_a_sentence_keeps_its_little_words_but_neither_names_nor_codes(query, sentence, words):
    wanted = parse_query(query)
    assert (wanted.embedding_text(frozenset(BOTH), as_sentence=True), wanted.embedding_text(frozenset(BOTH))) == (
        sentence,
        words,
    )


TALK = (
    "[8 May 2023] Anna: The mooring by the mill is free again",
    "[8 May 2023] Ben: The mooring by the mill is taken again",
    "[9 May 2023] Anna: It rained all day",
    "[9 May 2023] Ben: It rained here too",
)


@pytest.mark.parametrize(
    ("query", "who"),
    [
        ("What did Anna tell Ben about the mooring?", {"Anna"}),
        ("What did Ben tell Anna about the mooring?", {"Ben"}),
        ("What did Anna and Ben say about the mooring?", set()),
    ],
)
def test_when_all_speakers_are_named_the_first_is_the_speaker_asked_for(query, who):
    with Memory(MemoryStore(), clock=NOON) as memory:
        reader = memory.as_user("reader")
        reader.remember_many(list(TALK))
        found = [hit for hit in reader.recall(query) if "mooring" in hit.text]
    assert len(found) == 2
    assert {hit.text.split("] ")[1].split(":")[0] for hit in found if hit.features.get("speaker", 0) > 0} == who


def test_what_you_said_matches_both_speakers_and_what_i_said_only_mine():
    with Memory(MemoryStore(), clock=NOON) as memory:
        reader = memory.as_user("reader")
        reader.remember_many(["user: I want to stretch my back", "assistant: Stretch your back with a towel"])
        mine, ours = reader.recall("How did I stretch my back?"), reader.recall("How did you say I stretch my back?")
    assert {hit.text[:4] for hit in mine if hit.features.get("speaker", 0) > 0} == {"user"}
    assert len(ours) == 2
    assert not [hit for hit in ours if hit.features.get("speaker", 0) > 0]


class Noting:
    """An embedder that keeps what it was asked about."""

    name = "noting"

    def __init__(self, *, sums_words: bool) -> None:
        self.sums_words = sums_words
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.texts += texts
        return [[1.0, 0.0] for _ in texts]


@pytest.mark.parametrize(
    ("sums_words", "text"), [(False, "What did say about the mooring?"), (True, "say about mooring")]
)
def test_an_embedder_that_reads_sentences_is_given_the_question_as_one(sums_words, text):
    embedder = Noting(sums_words=sums_words)
    with Memory(MemoryStore(), clock=NOON, embedder=embedder) as memory:
        reader = memory.as_user("reader")
        reader.remember_many(list(TALK))
        reader.recall("What did Anna say about the mooring?")
    assert embedder.texts[-1] == text
