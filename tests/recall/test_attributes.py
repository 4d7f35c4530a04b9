"""What is asked for in other words than it was told in: job and pay; and a day that is off by one."""

from __future__ import annotations

import pytest

from memfort import FixedClock, Memory
from memfort.language.attributes import attribute_terms, name_attribute
from memfort.language.normalise import plain
from memfort.model.moment import to_moment
from memfort.store.memory import MemoryStore

NOW = to_moment("2026-11-20T10:00:00Z", "now")


@pytest.fixture
def alice():
    return Memory(MemoryStore(), clock=FixedClock(NOW)).as_user("alice")


JOB, PAY = "I'm a potter", "My pay is 70k"


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("What do I do for a living?", JOB),
        ("What is my job?", JOB),
        ("What's my occupation?", JOB),
        ("What kind of work do I do?", JOB),
        ("How much do I make?", PAY),
        ("How much do I earn a year?", PAY),
        ("What is my salary?", PAY),
    ],
)
def test_an_attribute_is_found_by_what_it_is_called(alice, query, text):
    for one in (JOB, PAY, "I live in Hamburg", "I make good soup", "Kim is a nurse", "The kettle makes a noise"):
        alice.remember(one)
    assert alice.recall(query).texts[0] == text


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("Was mache ich beruflich?", "Ich bin Töpfer"),
        ("Wie viel verdiene ich?", "Mein Gehalt beträgt 3000 Euro"),
        ("Que fais-je dans la vie ?", "Je suis potier"),
        ("¿A qué me dedico?", "Soy alfarero"),
        ("¿Cuánto gano?", "Mi sueldo es de 3000 euros"),
    ],
)
def test_the_same_in_other_languages(alice, query, text):
    assert alice.remember(text).kept
    assert alice.recall(query).texts == [text]


def test_the_job_of_another_is_that_persons(alice):
    for one in (JOB, "Kim is a nurse"):
        alice.remember(one)
    assert alice.recall("What does Kim do for a living?").texts[0] == "Kim is a nurse"
    assert alice.recall("What do I do for a living?").texts[0] == JOB


@pytest.mark.parametrize("query", ["How much tea do I make?", "What did I make for dinner?", "Where do I live?"])
def test_other_questions_are_left_as_they_are(query):
    assert name_attribute(query) == query


@pytest.mark.parametrize("text", ["I live in Hamburg", "I'm a father", "I'm a vegetarian", "The kettle is new"])
def test_other_statements_have_no_such_term(text):
    assert attribute_terms(plain(text)) == []
    assert attribute_terms(plain(JOB)) == ["=job", "=job!"]


def test_a_day_that_is_off_by_one_finds_what_was_said_the_day_after(alice):
    alice.remember("The roof was leaking again", observed_at="2026-10-04T09:00:00Z")
    assert alice.recall("What happened on 3 October?").texts == ["The roof was leaking again"]
    assert alice.recall("What happened on 1 October?").texts == []


def test_what_was_said_on_the_day_itself_comes_alone(alice):
    alice.remember("The roof was leaking again", observed_at="2026-10-04T09:00:00Z")
    alice.remember("The mason came by", observed_at="2026-10-03T09:00:00Z")
    assert alice.recall("What happened on 3 October?").texts == ["The mason came by"]
