"""What a user's message leaves: statements that can be understood alone, and the reason for all that leaves none."""

from __future__ import annotations

import pytest

from memfort.capture.extract import extract
from memfort.capture.extraction import Extraction, SpokenTurn
from memfort.model.item import Origin
from memfort.model.moment import to_datetime, to_moment

AT = to_moment("2026-05-01T12:00:00Z", "at")  # a Friday


def user(text: str) -> SpokenTurn:
    return SpokenTurn(text, Origin.USER, AT)


def assistant(text: str) -> SpokenTurn:
    return SpokenTurn(text, Origin.AI, AT)


def said(*texts: str) -> Extraction:
    return extract([user(text) for text in texts])


def texts(extraction: Extraction) -> list[str]:
    return [one.text for one in extraction.proposals]


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("I'm a vet tech in Denver", ["I'm a vet tech in Denver"]),
        ("oh btw I live in Rome and work at Acme", ["I live in Rome", "I work at Acme"]),
        ("My brother lives in Oslo and plays the cello", ["My brother lives in Oslo", "My brother plays the cello"]),
        ("Hi, I'm Marcus.", ["I'm Marcus"]),
        ("I can't have dairy", ["I can't have dairy"]),
        ("The quarterly review got moved to the 14th", ["The quarterly review got moved to the 14th"]),
        ("I need to renew my passport before July", ["I need to renew my passport before July"]),
        ("We decided against Kubernetes", ["We decided against Kubernetes"]),
        ("the landlord raised the rent to 1200", ["The landlord raised the rent to 1200"]),
        ("Tom and I are getting married next spring", ["Tom and I are getting married next spring"]),
        ("New oven arrives in three weeks!!", ["New oven arrives in three weeks"]),
    ],
)
def test_a_fact_is_kept_and_understood_alone(message, kept):
    assert texts(said(message)) == kept


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ("What is the capital of Peru?", "question"),
        ("how do I center a div", "question"),
        ("I have a question about taxes", "question"),
        ("if I moved to Spain, would I need a visa?", "question"),
        ("Let's say I live in Spain", "hypothetical"),
        ("If I were rich I'd buy a yacht", "hypothetical"),
        ("Pretend you are a pirate", "role_play"),
        ("I'm so tired today", "passing_state"),
        ("write me a poem about my cat", "instruction"),
        ("Make it shorter and more formal", "instruction"),
        ("Thanks a lot!", "small_talk"),
        ("lol that's hilarious", "small_talk"),
        ("I tried your suggestion again", "small_talk"),
        ('He said "I will never go back to Spain"', "quotation"),
        ("> I live in Rome", "quotation"),
        ("```\nname = 'I live in Rome'\n```", "code"),
    ],
)
def test_what_is_no_fact_is_demoted_with_its_reason(message, reason):
    found = said(message)
    assert not found.proposals
    assert {one.reason for one in found.demoted} == {reason}


def test_a_joke_takes_back_what_came_before_it():
    assert texts(said("I'm a brain surgeon.")) == ["I'm a brain surgeon"]
    found = said("I'm a brain surgeon. Just kidding!")
    assert not found.proposals
    assert {one.reason for one in found.demoted} == {"joke"}


def test_pasted_text_after_an_instruction_is_not_the_speakers():
    assert texts(said("My sister lives in Rome.")) == ["My sister lives in Rome"]
    assert not said("Summarize this: Profits rose. My sister lives in Rome.").proposals


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("can you book a table for me and my wife Ana?", []),
        ("Any ideas for my 6-year-old daughter?", []),
        ("As a vegetarian, what can I cook?", []),
        ("Do you think that I'm allergic to nuts?", []),
        ("I'm vegan, what can I cook?", ["I'm vegan"]),
        ("Which sports are ok, since I have asthma?", ["I have asthma"]),
        ("Which laptop should I get? My budget is 900 euros", ["My budget is 900 euros"]),
        ("Write an email to my boss Karen", []),
        ("Where can I park?", []),
        ("as an expert, write a summary", []),
    ],
)
def test_a_question_or_a_request_leaves_what_it_says_in_passing(message, kept):
    assert texts(said(message)) == kept


@pytest.mark.parametrize(
    "message",
    ["always answer in German", "please keep your answers short", "call me Alex", "Please stop using emojis"],
)
def test_a_standing_wish_is_a_preference(message):
    (found,) = said(message).proposals
    assert found.type == "preference"


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("Remember that my locker code is 4711", "My locker code is 4711"),
        ("Note: the cleaner comes on Fridays", "The cleaner comes on Fridays"),
        ("I'm allergic to nuts, remember that", "I'm allergic to nuts"),
        ("remember this for the project: we deploy on Fridays", "We deploy on Fridays"),
    ],
)
def test_what_the_user_asks_to_remember_is_kept_for_certain(message, kept):
    (found,) = said(message).proposals
    assert (found.text, found.confidence) == (kept, 1.0)


def test_a_hint_of_promotion_is_the_reason():
    (found,) = said("remember this for the project: we deploy on Fridays").proposals
    assert found.reason == "hint:remember_for_project"


@pytest.mark.parametrize("message", ["Do you remember my name?", "I remember the time we met", "remember when we met?"])
def test_talk_of_remembering_is_no_request(message):
    assert all(one.confidence < 1 for one in said(message).proposals)


@pytest.mark.parametrize(
    "second", ["She lives in Porto", "Her birthday is on 3 May", "they live in Porto", "It is blue"]
)
def test_a_pronoun_without_its_person_is_no_statement(second):
    found = said("My sister is Ana.", second)
    assert texts(found) == ["My sister is Ana"]
    assert found.demoted[-1].reason == "pronoun"


def test_a_pronoun_stays_with_the_words_that_say_whom_it_means():
    assert texts(said("My sister is Ana and she lives in Porto")) == ["My sister is Ana and she lives in Porto"]
    assert texts(said("It's my mum's birthday on 3 May")) == ["It's my mum's birthday on 3 May"]


def test_only_the_user_makes_statements():
    found = extract([assistant("I live in Rome"), SpokenTurn("Dave owes 500", Origin.TOOL, AT), user("I live in Rome")])
    assert [(one.turn, one.text) for one in found.proposals] == [(2, "I live in Rome")]
    assert [one.reason for one in found.demoted] == ["not_the_user", "tool_output"]


def test_a_yes_confirms_what_the_assistant_asked():
    (found,) = extract([assistant("So you live in Lyon?"), user("yes")]).proposals
    assert (found.turn, found.text) == (1, "I live in Lyon")
    assert found.confidence < 0.7
    assert found.composed is not None
    assert (found.composed.way, found.composed.words) == ("yes", "So you live in Lyon?")
    assert not extract([assistant("You don't live in Lyon?"), user("yes")]).proposals
    assert not extract([assistant("Shall I go on?"), user("yes")]).proposals
    assert not extract([assistant("You live in Lyon."), user("yes")]).proposals


def test_a_few_words_answer_what_the_assistant_asked_about_the_user():
    (found,) = extract([assistant("What does your dad like?"), user("cricket and old films")]).proposals
    assert found.text == "What does your dad like? cricket and old films"
    assert found.composed is not None
    assert (found.composed.way, found.composed.turn) == ("answer", 0)
    assert not extract([assistant("Which format would you like?"), user("a table and a list")]).proposals


@pytest.mark.parametrize(
    ("message", "type"),
    [
        ("I prefer tea", "preference"),
        ("I live in Rome", "identity"),
        ("My sister is Ana", "relationship"),
        ("I need to call the dentist", "task"),
        ("My flight is on Monday", "event"),
        ("We decided to use Postgres", "decision"),
        ("Our office closes at 6 on Fridays", "knowledge"),
        ("I'm learning Rust", "context"),
        ("I'm left-handed", "identity"),
    ],
)
def test_each_statement_has_its_type(message, type):
    (found,) = said(message).proposals
    assert found.type == type


def test_a_statement_has_the_time_of_its_event():
    (found,) = said("My dentist appointment is on Wednesday").proposals
    assert found.occurred is not None
    assert to_datetime(found.occurred.start_us).date().isoformat() == "2026-05-06"
    (without,) = said("I live in Rome").proposals
    assert without.occurred is None


def test_the_turns_before_are_context_and_no_source():
    found = extract([user("yes")], [assistant("So you live in Lyon?")])
    assert texts(found) == ["I live in Lyon"]
    assert found.proposals[0].composed is not None
    assert found.proposals[0].composed.turn == -1
    assert not extract([], [user("I live in Rome")]).proposals
