"""Whatever is written, the extractor answers soon, always the same, and with words of the turn itself."""

from __future__ import annotations

import time

import pytest

from memfort.capture.extract import extract
from memfort.capture.extraction import Extraction, SpokenTurn
from memfort.model.item import Origin
from memfort.model.moment import to_moment

AT = to_moment("2026-05-01T12:00:00Z", "at")
MESSAGES = (
    "Hey! My sister is Ana, and I live in Rome and work at Acme. She lives in Porto, btw.",
    "can you book a table for me and my wife Ana? I'm vegan, no wait, vegetarian.",
    "Übrigens wohne ich in Köln; meine Frau heißt Anna, sie ist Ärztin.",
    "Au fait, j'habite à Lyon et je travaille chez Michelin. Ma sœur s'appelle Léa.",
    "Por cierto, vivo en Sevilla. Mi hermana se llama Ana.",
    "对了，我住在成都。我老公姓陈，是中学老师。",
)


def read(text: str) -> Extraction:
    return extract([SpokenTurn(text, Origin.USER, AT)])


@pytest.mark.parametrize("message", MESSAGES)
def test_quotes_occur_verbatim(message):
    found = read(message)
    assert found.proposals
    assert all(one.quote in message for one in (*found.proposals, *found.demoted))


def test_the_same_turns_leave_the_same_each_time():
    turns = [SpokenTurn(message, Origin.USER, AT) for message in MESSAGES]
    assert extract(turns) == extract(turns)
    assert len(extract(turns).proposals) > len(MESSAGES)


@pytest.mark.parametrize(
    "unit",
    [
        "I live in Rome. ",
        "no wait, ",
        "and I ",
        "my sister Ana, ",
        '"a b c d ',
        "，",
        "我住在北京，",
        "```",
        "(",
        "\n> ",
        "not a but ",
    ],
)
def test_hostile_text_takes_no_longer_than_its_length(unit):
    read("hello")  # the rules are made once
    size = 64 * 1024
    started = time.process_time()
    read((unit * (size // len(unit) + 1))[:size])
    assert time.process_time() - started < 1.0


def test_one_message_leaves_a_bounded_number_of_statements():
    found = read("I live in Rome. " * 500)
    assert 0 < len(found.proposals) <= 41


def test_a_long_sentence_is_pasted_text():
    assert read("I live in Rome " + "and so on " * 10).proposals
    found = read("I live in Rome " + "and so on " * 200)
    assert not found.proposals
    assert [one.reason for one in found.demoted] == ["quotation"]


def test_an_empty_message_leaves_nothing():
    assert read("") == Extraction()
    assert read(" \n ") == Extraction()
