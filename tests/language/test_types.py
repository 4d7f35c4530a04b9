"""Seed 002: a statement's type comes from its words, whoever it is about."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfort.language.types import infer_type
from memfort.model.item import MAX_TEXT_BYTES
from memfort.policy.settings.policy import default_types

SEED = {
    "prefers dark mode": "preference",
    "favorite color is blue": "preference",
    "works as a software engineer": "identity",
    "lives in SF": "identity",
    "Sarah is my wife": "relationship",
    "has a dog named Max": "relationship",
    "project X uses Python": "knowledge",
    "company uses Slack": "knowledge",
    "working on project X": "context",
    "had dinner with Sarah Tuesday": "event",
    "needs to call dentist": "task",
    "mentioned being tired": "observation",
}

LASTING = {
    "We got married in 2014": "identity",
    "Bob and Carol got engaged in May": "identity",
    "Bob and Carol got divorced": "identity",
    "We had a baby": "identity",
    "My father died last week": "identity",
    "I lost my father in March": "identity",
    "I moved to Lyon": "identity",
    "Moved to Berlin last month": "identity",
    "Bob moved in with Carol": "identity",
    "Carol got promoted": "identity",
    "I started a new job at Acme": "identity",
    "I left my job": "identity",
    "Carol joined Acme": "identity",
    "Bob left Acme in May": "identity",
    "I lost my job": "identity",
    "We bought a house": "identity",
    "I sold my car": "identity",
    "We opened a bakery in Lyon": "identity",
    "I got my driving licence yesterday": "identity",
    "I was diagnosed with diabetes": "identity",
    "Bob quit smoking": "identity",
    "I turned 40": "identity",
    "We adopted a dog": "relationship",
    "We decided to use Postgres": "decision",
    "We switched to Rust": "decision",
    "We migrated the database to Postgres": "decision",
    "We agreed on two-week sprints": "decision",
    "We renamed the service to Falcon": "decision",
    "My laptop broke for good": "knowledge",
    "The company was founded in 1999": "knowledge",
    "Secrets are stored in Vault": "knowledge",
    "Backups are uploaded to the bucket": "knowledge",
    "I broke my leg as a child": "knowledge",
    "We met many years ago": "knowledge",
}

OTHERS = {
    "preference": (
        "I prefer tea over coffee",
        "Bob loves pizza",
        "I like short answers",
        "Carol hates cilantro",
        "My favourite band is Blur",
        "Alice doesn't like surprises",
        "I can't stand loud music",
        "Bob would rather walk than drive",
        "Carol is a big fan of jazz",
        "I want my summaries in bullet points",
        "She always orders the soup",
        "Never use tabs",
        "My wife Sarah loves hiking",
        "Mentioned that she loves sushi",
    ),
    "identity": (
        "I live in Paris",
        "Bob works at Acme",
        "Carol is a nurse",
        "I'm a freelance graphic designer",
        "My name is Ada",
        "Bob is from Canada",
        "Sarah's birthday is March 15",
        "Alice is 34 years old",
        "I speak German and French",
        "Bob studied physics in Vienna",
        "I was born in 1990",
        "Carol is a vegetarian",
        "My timezone is UTC",
        "Is currently living in Berlin",
        "Bob is allergic to peanuts",
    ),
    "relationship": (
        "Bob is my best friend",
        "My boss is Carol",
        "Carol is Bob's sister",
        "I have two kids",
        "Bob is married to Carol",
        "My sister is called Alice",
        "My dog's name is Rex",
        "Bob and Carol are siblings",
        "Alice reports to Carol",
        "Has three cats",
        "Bob lives with his parents",
        "We have a daughter named Carol",
    ),
    "knowledge": (
        "The API returns dates in UTC",
        "Our service runs on Kubernetes",
        "The backend is written in Rust",
        "The deploy script lives in the tools folder",
        "The office closes at six",
        "Our standup is at 9am",
        "The test suite requires Docker",
        "EOD stands for end of day",
        "Canberra is the capital of Australia",
        "The database is hosted in Frankfurt",
        "The printer supports duplex",
        "A baker's dozen means thirteen",
    ),
    "context": (
        "I'm working on the migration",
        "Bob is on vacation",
        "Carol is learning Spanish",
        "We are preparing for the launch",
        "Currently reading Dune",
        "Bob is in the middle of a move",
        "I'm trying to fix the build",
        "Alice is travelling this week",
        "Bob is presenting next",
        "Carol is staying with friends",
        "Busy with the quarterly report",
        "Looking for a new job",
    ),
    "event": (
        "Met Carol at the station",
        "Bob went to Rome",
        "I bought a bike yesterday",
        "We had a meeting with the client",
        "Alice finished the marathon",
        "We moved the meeting to Friday",
        "The meeting moved to Friday",
        "The launch is scheduled for Friday",
        "I lost my keys",
        "Bob left the party early",
        "Bob left at six",
        "I started the dishwasher",
        "I have a flight on Friday",
        "The wedding is on Saturday",
        "Bob's talk was cancelled",
        "Two weeks ago the server crashed",
    ),
    "task": (
        "I need to buy milk",
        "Bob has to renew his passport",
        "Remind me to water the plants",
        "Don't forget to send the invoice",
        "We should book a room",
        "Todo: clean the garage",
        "Carol promised to review the draft",
        "I'll call the plumber",
        "Bob must pay the rent",
        "The report is due on Friday",
        "Sarah will send the report by EOD",
        "I forgot to lock the door",
    ),
    "observation": (
        "Bob seems tired",
        "Carol sounded upset on the phone",
        "I'm hungry",
        "Bob looked worried",
        "She is in a good mood",
        "Alice mentioned the rain",
        "Bob is feeling sick",
        "Carol complained about the noise",
        "He is a bit stressed",
        "Bob yawned all morning",
        "Carol joked about the food",
        "I felt nervous before the talk",
    ),
}


@pytest.mark.parametrize(("text", "expected"), [pytest.param(*row, id=f"seed 002: {row[0]}") for row in SEED.items()])
def test_the_seeds_examples(text, expected):
    assert infer_type(text) == expected


@pytest.mark.parametrize(("text", "expected"), [(text, type) for type, texts in OTHERS.items() for text in texts])
def test_other_wordings(text, expected):
    assert infer_type(text) == expected


@pytest.mark.parametrize(("text", "expected"), LASTING.items())
def test_lasting_changes_are_not_passing_events(text, expected):
    assert infer_type(text) == expected
    assert default_types()[expected].lifetime_seconds is None


@pytest.mark.parametrize("text", ["Blue skies", "42", "ok", "", "???", "Ça va", "The end", "purple", "Hello there"])
def test_words_that_show_no_type_have_none(text):
    assert infer_type(text) is None


def test_a_hearing_is_an_event_and_to_lose_it_a_turning_point():
    assert infer_type("The hearing was postponed to Friday") == "event"
    assert infer_type("He lost his hearing") == "identity"
    assert infer_type("He lost his umbrella") == "event"


def test_every_type_is_one_that_the_default_policy_knows():
    assert set(OTHERS) == set(SEED.values())
    assert all(infer_type(text) in default_types() for text in SEED)


@pytest.mark.parametrize(
    ("text", "near", "expected"),
    [
        ("dislikeness", "dislikes", "preference"),
        ("My boss is tired", "My boss is Carol", "relationship"),
        ("Has a dog allergy", "Has a dog", "relationship"),
        ("The seemstress", "She seems fine", "observation"),
        ("Needles to say", "Needs to say it", "task"),
    ],
)
def test_a_near_miss_is_not_inferred_as_the_type(text, near, expected):
    assert infer_type(text) != expected
    assert infer_type(near) == expected


@pytest.mark.parametrize(
    "text", ["PREFERS DARK MODE", "prefers\u00a0dark mode", "pre\u00adfers dark mode", "“Prefers” it"]
)
def test_the_way_it_was_typed_does_not_matter(text):
    assert infer_type(text) == "preference"


@pytest.mark.parametrize("unit", ["my a b ", "the x ", "is ", "had ", "a-", "é", "i am a b c ", "has a "])
def test_the_longest_text_there_can_be_has_an_answer(unit):
    text = unit * (MAX_TEXT_BYTES // len(unit.encode()))
    assert infer_type(text) == infer_type(text)
    assert infer_type("Needs to rest. " + text) == "task"


@given(st.text(max_size=200))
def test_any_text_has_one_answer(text):
    assert infer_type(text) in (None, "decision", *OTHERS)


@pytest.mark.parametrize(
    ("text", "type"),
    [
        ("Ich trinke keinen Alkohol", "preference"),
        ("Ich wohne seit 2020 in Köln", "identity"),
        ("Ich muss morgen den Vermieter anrufen", "task"),
        ("Wir haben uns gegen Kubernetes entschieden", "decision"),
        ("J'adore le thé vert", "preference"),
        ("Je suis infirmière à Lyon", "identity"),
        ("Mon frère s'appelle Paul", "relationship"),
        ("Tengo que renovar el pasaporte", "task"),
        ("Me encanta el té", "preference"),
        ("我不喝酒", "preference"),
        ("我住在成都", "identity"),
        ("明天我有个面试", "event"),
        ("Antworte mir bitte immer auf Englisch", "preference"),
    ],
)
def test_other_languages_have_types_by_their_own_rules(text, type):
    assert infer_type(text) == type


@pytest.mark.parametrize("text", ["Der Himmel über Köln", "Le ciel est bleu", "天空"])
def test_what_shows_no_type_in_its_language_has_none(text):
    assert infer_type(text) is None
