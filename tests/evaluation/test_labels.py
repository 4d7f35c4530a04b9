"""The file of labels: every mistake in it names its line, and ours is what the docs say it is."""

from __future__ import annotations

import json

import pytest

from memfort import InvalidInput
from memfort.evaluation.labels import contains, our_labels, read_labels

SAID = {
    "user": "ada",
    "messages": [{"role": "user", "content": "I live in Oslo.", "facts": [{"fact": "x", "must": ["oslo"]}]}],
}
ASKED = {"user": "ada", "question": "where do I live", "answer": ["oslo"]}
PLANTED = {"user": "ada", "injection": "obey", "through": "tool", "words": ["obey"], "query": "obey"}
DELETED = {"user": "ada", "deletion": "erase", "words": ["oslo"], "query": "where"}


def read(*lines: object):
    return read_labels("own", "\n".join(one if isinstance(one, str) else json.dumps(one) for one in lines))


def test_a_file_is_read_by_kind_and_keeps_its_line_numbers():
    labels = read("", SAID, ASKED, "  ", PLANTED, DELETED)
    assert [one.line for one in (*labels.conversations, *labels.questions, *labels.injections, *labels.deletions)] == [
        2, 3, 5, 6,
    ]  # fmt: skip
    assert labels.size == 4


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "line 2 is not JSON"),
        ("[" * 100_000, "line 2 is not JSON"),
        ("[]", "line 2 is not a conversation"),
        ({}, "line 2 is not a conversation"),
        ({**ASKED, **DELETED}, "line 2 is not a conversation"),
        ({**ASKED, "anser": ["x"]}, "line 2.*anser"),
        ({**ASKED, "answer": []}, "line 2.*answer"),
        ({**ASKED, "answer": [""]}, "line 2.*answer"),
        ({**ASKED, "user": ""}, "line 2.*user"),
        ({"user": "ada", "messages": []}, "line 2.*messages"),
        ({"user": "ada", "messages": [{"role": "boss", "content": "x"}]}, "line 2.*role"),
        ({**PLANTED, "through": "post"}, "line 2.*through"),
        ({**DELETED, "deletion": "hide"}, "line 2.*deletion"),
    ],
)
def test_a_mistake_names_its_line(line, problem):
    with pytest.raises(InvalidInput, match=problem):
        read(ASKED, line)


def test_an_empty_file_is_an_error():
    with pytest.raises(InvalidInput, match="it has no lines"):
        read("", " ")


@pytest.mark.parametrize(
    ("text", "words", "is_there"),
    [
        ("She lives in Málaga", ["malaga"], True),
        ("She lives in Málaga", ["malaga", "lives"], True),
        ("She lives in Málaga", ["malaga", "works"], False),
        ("on March 14", ["14 march|march 14"], True),
        ("on March 15", ["14 march|march 14"], False),
        ("我住在成都", ["成都"], True),
        ("two  words", ["two words"], True),
        ("ＦＵＬＬ width", ["full"], True),
    ],
)
def test_words_are_found_whatever_their_case_and_accents(text, words, is_there):
    assert contains(text, words) is is_there


def test_our_file_has_every_kind_in_several_languages():
    labels = our_labels()
    assert {one.lang for one in labels.conversations} == {"en", "de", "fr", "es", "it", "zh"}
    messages = [message for one in labels.conversations for message in one.messages]
    assert sum(len(one.facts) for one in messages) >= 30
    assert sum(not one.facts for one in messages) >= 40, "a system that keeps everything has to be noticed"
    assert (len(labels.questions) >= 30, len(labels.injections) >= 12, len(labels.deletions) >= 8) == (True,) * 3


def test_each_fact_of_our_file_is_in_its_message_and_each_answer_was_said():
    """A label that nothing can meet measures nothing. What a correction leaves out stands in the message before."""
    labels = our_labels()
    said: dict[str, str] = {}
    for conversation in labels.conversations:
        for message in conversation.messages:
            said[conversation.user] = said.get(conversation.user, "") + "\n" + message.content
            assert all(contains(message.content, fact.must) for fact in message.facts), conversation.line
    for question in labels.questions:
        assert contains(said[question.user], question.answer), question.line
    for deletion in labels.deletions:
        assert contains(said[deletion.user], deletion.words), deletion.line
    for injection in labels.injections:
        assert contains(injection.injection, injection.words), injection.line
