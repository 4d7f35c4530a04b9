"""Whom a statement names, found by words alone and only with evidence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfort.language.language import english
from memfort.language.mentions import THE_SPEAKER, Spoken, mentions
from memfort.model.item import MAX_TEXT_BYTES


@pytest.mark.parametrize(
    ("text", "handles"),
    [
        ("@bob loves pizza", ["@bob"]),
        ("I talked to @bob, @carol and @al.", ["@bob", "@carol", "@al"]),
        ("@bob and @bob again", ["@bob"]),
        ("@bob's birthday is in May", ["@bob"]),
        ("ask (@carol.d) or @al-x!", ["@carol.d", "@al-x"]),
        ("@Bob is not @bob", ["@Bob", "@bob"]),
        ("write to bob@example.com", []),
        ("a lone @ sign, and @", []),
    ],
)
def test_handles_are_taken_as_written(text, handles):
    assert list(mentions(text).handles) == handles


@pytest.mark.parametrize(
    ("text", "relations"),
    [
        ("my wife Sarah loves hiking", [("wife", "Sarah")]),
        ("Sarah is my wife", [("wife", "Sarah")]),
        ("Sarah was my boss", [("boss", "Sarah")]),
        ("@bob is my best friend", [("friend", "@bob")]),
        ("my boss", [("boss", None)]),
        ("My boss is tired", [("boss", None)]),
        ("My boss is Carol", [("boss", "Carol")]),
        ("my older sister is called Carol", [("sister", "Carol")]),
        ("My sister's name is Carol", [("sister", "Carol")]),
        ("My friend, Bob, is here", [("friend", "Bob")]),
        ("Bob, my boss, is away", [("boss", "Bob")]),
        ("Our neighbour Bob Miller plays the drums", [("neighbor", "Bob Miller")]),
        ("my ex wife Carol", [("former wife", "Carol")]),
        ("A friend of mine moved", [("friend", None)]),
        ("Mom called", [("mother", None)]),
        ("Wife has asthma", [("wife", None)]),
        ("my wife Sarah and my son Max", [("wife", "Sarah"), ("son", "Max")]),
        ("My mom lives in Lyon", [("mother", None)]),
        ("my MOTHER lives in Lyon", [("mother", None)]),
    ],
)
def test_relations_of_the_speaker(text, relations):
    assert list(mentions(text).people) == [Spoken(name, term, THE_SPEAKER) for term, name in relations]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Bob's wife Sarah works at Acme", "she is Bob's"),
        ("his dog named Max", "it is his"),
        ("Has a dog named Max", "it is an animal"),
        ("my cat Luna sleeps", "it is an animal"),
        ("my sisters live in Lyon", "there are several"),
        ("my dog food is empty", "it is food"),
        ("the manager called", "nobody says whose"),
        ("I need a friend", "nobody in particular"),
        ("I am a teacher", "it is the speaker"),
    ],
)
def test_these_are_not_relations_of_the_speaker(text, why):
    assert not [one for one in mentions(text).people if one.owner == THE_SPEAKER], why


@pytest.mark.parametrize(
    "text", ["I told my boss, Bob left", "I met Sarah. My boss was there", "With Bob, my boss was calm"]
)
def test_a_name_close_by_is_not_the_name_of_the_relation(text):
    assert Spoken(None, "boss", THE_SPEAKER) in mentions(text).people


BOSS, SISTER = Spoken(None, "boss", THE_SPEAKER), Spoken(None, "sister", THE_SPEAKER)


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("Bob is my boss's son", [Spoken("Bob", "son", BOSS)]),
        ("Bob's wife Sarah works at Acme", [Spoken("Sarah", "wife", Spoken("Bob"))]),
        ("Sarah's sister is pregnant", [Spoken(None, "sister", Spoken("Sarah"))]),
        ("the sister of Sarah is pregnant", [Spoken(None, "sister", Spoken("Sarah"))]),
        ("@bob's wife is ill", [Spoken(None, "wife", Spoken("@bob"))]),
        ("My sister's husband is ill", [Spoken(None, "husband", SISTER)]),
        ("my sister Ann's husband is ill", [Spoken(None, "husband", SISTER._replace(name="Ann"))]),
        ("my boss's car is red", [BOSS]),
        ("I am Tom's brother", [Spoken("Tom")]),
    ],
)
def test_relations_of_others(text, people):
    assert list(mentions(text).people) == people


@pytest.mark.parametrize("text", ["his wife is ill", "She is ill", "A colleague is ill", "Her salary is low"])
def test_somebody_is_spoken_of_and_nobody_says_who(text):
    assert mentions(text).people == (Spoken(is_sure=False),)


@pytest.mark.parametrize("text", ["My parents are divorced", "our kids have asthma", "the user's sister is ill"])
def test_a_nearby_name_is_not_the_name_of_the_relation(text):
    assert mentions(text).people == (Spoken(),)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Sarah loves hiking", ["Sarah"]),
        ("Bob's birthday is March 15", ["Bob"]),
        ("Carol’s car is red", ["Carol"]),
        ("Bob lives in Paris and works for Acme", ["Bob"]),
        ("Bob really loves tea. Carol does not.", ["Bob", "Carol"]),
        ("Sarah and Bob love hiking", ["Sarah", "Bob"]),
        ("Had dinner with Sarah Tuesday", ["Sarah"]),
        ("Met Carol and Bob at the station", ["Carol", "Bob"]),
        ("Bob Miller said that it works", ["Bob Miller"]),
        ("Anne-Marie O'Brien works here", ["Anne-Marie O'Brien"]),
        ("Zoë wants tea", ["Zoë"]),
        ("Bob is Carol's boss", ["Bob", "Carol"]),
        ("My boss is Carol", ["Carol"]),
        ("Bob will send the report by EOD", ["Bob"]),
    ],
)
def test_a_name_has_evidence_beside_it(text, names):
    assert list(mentions(text).names) == names


@pytest.mark.parametrize(
    "text",
    [
        "Prefers dark mode",
        "Lives in San Francisco",
        "The project uses Python",
        "Python is slow",
        "Paris is lovely in May",
        "Monday is fine",
        "Nobody likes that",
        "It's raining",
        "That's what is needed",
        "Lunch is at noon",
        "GitHub is down",
        "API is fast",
        "X is a variable",
        "Is pregnant, due August",
        "Has a garden",
        "Hello there",
        "On holiday in Lisbon",
    ],
)
def test_a_capital_letter_alone_is_not_a_name(text):
    assert mentions(text).names == ()


@pytest.mark.parametrize("text", ["sarah loves hiking", "Acme is hiring", "I work for Martin"])
def test_what_may_be_a_name_is_not_sure(text):
    (somebody,) = mentions(text).people
    assert (somebody.is_sure, somebody.name in text) == (False, True)


@pytest.mark.parametrize("text", ["sarah moon lamp", "we use docker", "the hope is gone"])
def test_small_letters_alone_are_no_name(text):
    assert mentions(text).people == ()


@pytest.mark.parametrize(
    "text",
    [
        "I like tea",
        "tell me",
        "My name is Ada",
        "We use Slack",
        "our team",
        "give it to us",
        "I’m tired",
        "so I've heard",
    ],
)
def test_the_speaker_speaks_of_themselves(text):
    assert mentions(text).first_person


@pytest.mark.parametrize(
    "text",
    [
        "Bob loves pizza",
        "Prefers dark mode",
        "The US is large",
        "I/O is slow",
        'Bob said "I love my job"',
        "Carol wrote “we won” on the wall",
        "Mining is hard",
        "The mic is on",
    ],
)
def test_the_speaker_does_not_speak_of_themselves(text):
    assert not mentions(text).first_person


def test_a_mark_that_nothing_closes_hides_nothing():
    assert mentions('A 5" nail is what I need').first_person
    assert mentions('It is 5" long, Bob said').names == ("Bob",)


def test_there_are_words_for_the_relations_people_speak_of():
    kept = set(english().relations.values())
    assert {"wife", "husband", "partner", "mother", "father", "sister", "brother", "friend", "boss"} <= kept
    assert len(kept) >= 26


@pytest.mark.parametrize(
    "unit", ["my wife ", "@a ", "Bob and ", "A'", "my best ", "“", '"', "is my best best ", "Bob "]
)
def test_the_longest_text_there_can_be_is_read(unit):
    text = unit * (MAX_TEXT_BYTES // len(unit.encode()))
    assert mentions("@bob: " + text).handles[0] == "@bob"


@given(st.text(max_size=200))
def test_any_text_mentions_the_same_each_time_and_nothing_it_does_not_hold(text):
    found = mentions(text)
    assert found == mentions(text)
    assert all(handle in text for handle in found.handles)
    assert all(part in text for name in found.names for part in name.split())


@pytest.mark.parametrize(("word", "term"), sorted(english().relations.items()))
def test_every_relation_is_found_in_small_letters(word, term):
    assert mentions(f"went there with my {word}.").people == (Spoken(None, term, THE_SPEAKER),)


@pytest.mark.parametrize("word", ["i", "me", "myself", "ours", "i'm", "we've", "ive"])
def test_the_speaker_is_found_in_small_letters(word):
    assert mentions(f"then,{word} said").first_person
    assert not mentions("then, they said").first_person
