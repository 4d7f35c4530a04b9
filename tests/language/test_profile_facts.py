"""Seed 004: profile facts by key, as the speaker states them."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfort.language import profile_facts
from memfort.language.profile_facts import FACT_KEYS, MAX_VALUE_CHARS, find_facts
from memfort.model.item import MAX_TEXT_BYTES


def stated(text: str, keys=FACT_KEYS) -> dict[str, str]:
    return {fact.key: fact.value for fact in find_facts(text, keys)}


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        pytest.param(text, key, value, id=f"seed 004: {key}: {text}")
        for key, value, texts in [
            ("name", "Ada", ["my name is Ada", "My full name is Ada.", "my name's Ada", "My name: Ada", "Call me Ada",
                             "please call me Ada please", "well my name is Ada", "my name is now Ada",
                             "Actually, my name is actually “Ada”!", "my name is not Bob but Ada", "my name is *Ada*",
                             "My name is Ada (she/her)", "(my name is Ada)", "My name is Ada - hello"]),
            ("timezone", "Europe/Paris", ["my timezone is Europe/Paris", "My time zone is Europe/Paris",
                                          "I'm in the Europe/Paris timezone", "I am in Europe/Paris time zone",
                                          "we’re in the Europe/Paris timezone now"]),
            ("timezone", "-05:00", ["my timezone is -05:00"]),
            ("language", "German", ["I speak German", "I speak fluent German", "my native language is German",
                                    "I only speak German"]),
            ("language", "English and German", ["I speak English and German"]),
            ("project", "apollo", ["my project is apollo", "our project is called apollo", "We work on project apollo",
                                   "I'm working on the project apollo", "my project name is apollo"]),
            ("project", "Apollo", ["I work on the Apollo project with Bob"]),
            ("editor", "vim", ["my editor is vim", "My favourite editor is vim", "my IDE is vim",
                               "I use vim as my editor", "I use vim as my main editor",
                               "I use Python and I use vim as my editor"]),
            ("units", "metric", ["use metric units", "please use the metric system", "I prefer metric",
                                 "My units are metric", "let’s use metric units"]),
        ]
        for text in texts
    ],
)  # fmt: skip
def test_each_way_to_state_a_fact(text, key, value):
    assert stated(text) == {key: value}


def test_several_facts_in_one_utterance():
    text = "Hi! My name is Ada and my timezone is Europe/Paris, I speak French but please use metric units"
    assert [(fact.key, fact.value) for fact in find_facts(text)] == [
        ("name", "Ada"),
        ("timezone", "Europe/Paris"),
        ("language", "French"),
        ("units", "metric"),
    ]


@pytest.mark.parametrize("at", ["@", "＠", "\u200b@"])
def test_an_e_mail_address_yields_no_fact(at):
    for text in ("my name is bob@x.com", "my email is bob@x.com", "my name is Bob bob@x.com", "Call me Bob@x.com"):
        assert stated(text.replace("@", at), (*FACT_KEYS, "email")) == {}
        assert stated(text.replace("@", "-"), (*FACT_KEYS, "email")) != {}


@pytest.mark.parametrize(
    "text",
    [
        "Her name is Bob",
        "The name is Bond",
        "They use metric units",
        "their editor is vim",
        "is my name Ada?",
        "Did I tell you my name is Ada?",
        "What do you think my name is?",
        "Should I use vim as my editor?",
        "my name is not Bob",
        "My editor isn't vim",
        "don’t call me Bob",
        "Never call me Bob",
        "do not use metric units",
        "if I use vim as my editor it hangs",
        "Pretend my name is Bob",
        "She said my name is Bob",
    ],
)
def test_only_statements_of_the_speaker_about_themselves_are_facts(text):
    assert stated(text) == {}


@pytest.mark.parametrize(
    "text",
    [
        "call me later",
        "CALL ME LATER",
        "call me Monday",
        "call me crazy",
        "I speak for the team",
        "my name is a secret",
        "my name is on the list",
        "my project is late",
        "I'm working on the same project",
        "I use metric tons",
        "my name is",
        "my name is ...",
        "my name is “”",
        "my name is 🙂",
    ],
)
def test_idioms_are_not_values(text):
    assert stated(text) == {}


def test_text_without_a_statement_yields_no_facts():
    assert find_facts("") == find_facts(" \n\t") == find_facts("The sky is blue") == ()


@pytest.mark.parametrize("end", [". x", "! x", "? x", ", x", "; x", "\nx", "。x", "，x"])
def test_the_seeds_signs_end_a_value(end):
    expected = {} if end.startswith("?") else {"project": "apollo"}
    assert stated(f"my project is apollo{end}") == expected


def test_a_value_ends_after_sixty_characters():
    assert stated("my project is " + "a" * 60) == {"project": "a" * 60}
    assert stated("my project is " + "a" * 61) == {"project": "a" * 60}
    assert stated("my project is " + "a" * 59 + " bb") == {"project": "a" * 59}


def test_the_later_of_two_values_counts():
    assert stated("My name is Bob. No, my name is Ada.") == {"name": "Ada"}


def test_the_allowed_keys_come_from_outside():
    text = "My name is Ada and my shoe size is 43"
    assert stated(text) == {"name": "Ada"}
    assert stated(text, ("shoe_size",)) == {"shoe_size": "43"}
    assert stated(text, ("shoe-size", "name")) == {"shoe-size": "43", "name": "Ada"}
    assert stated(text, ()) == {}
    assert stated("my c++ is good, my .* is bad", ("c++", ".*")) == {"c++": "good"}


def test_a_key_that_cannot_be_matched_unambiguously_is_ignored():
    assert stated("my größe is 43", ("größe", "", "_", "\ud800")) == {}


def test_the_original_words_are_kept():
    assert stated("Ｍｙ ｎａｍｅ ｉｓ Ａｄａ") == {"name": "Ａｄａ"}
    assert stated("my na\u200bme is Zoë") == {"name": "Zoë"}
    assert stated("my name is ΑΔΑ") == {"name": "ΑΔΑ"}
    assert stated("call me 李") == {"name": "李"}


def test_thousands_of_facts_are_one_for_each_key_in_reasonable_time():
    text = "".join(f"My name is Ada{number}. " for number in range(3000))
    assert len(text) <= MAX_TEXT_BYTES
    begun = time.process_time()
    assert stated(text) == {"name": "Ada2999"}
    assert time.process_time() - begun < 10  # linear takes a fraction of a second, quadratic minutes


@pytest.mark.parametrize(
    "unit", ["and my ", "my name is not a but ", "i use a b ", "a", "my ", "é my name is é.", "((("]
)
def test_the_longest_text_is_read_in_reasonable_time(unit):
    begun = time.process_time()
    find_facts(unit * (MAX_TEXT_BYTES // len(unit.encode())))
    assert time.process_time() - begun < 10


WORDS = [
    "my", "name", "is", "are", "Ada", "call", "me", "I", "use", "vim", "as", "editor", "speak", "German", "not", "but",
    "and", "timezone", "I'm", "in", "the", "metric", "units", "project", "we", "work", "on", "now", "please", ".", ",",
    "?", "!", "\n", "@", "—", "“", "🙂", "é", "\u200b", ":", "*",
]  # fmt: skip


@given(st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join) | st.text(max_size=80))
def test_a_value_is_a_piece_of_the_text_under_an_allowed_key_and_always_the_same(text):
    found = find_facts(text)
    assert found == find_facts(text)
    assert len({fact.key for fact in found}) == len(found)
    for fact in found:
        assert fact.key in FACT_KEYS
        assert text[fact.start : fact.end] == fact.value
        assert 1 <= len(fact.value) <= MAX_VALUE_CHARS
        assert not set(fact.value) & set(".!?,;\n@")
        assert fact.value == fact.value.strip()


@given(st.data())
def test_a_stated_fact_has_a_sign_of_its_key(data):
    """A text without any is not cut into clauses."""
    key = data.draw(st.sampled_from([*FACT_KEYS, "shoe_size"]))
    forms = profile_facts._forms((key,))
    _, form = data.draw(st.sampled_from(forms.forms))
    assert forms.may_be_in(data.draw(st.from_regex(re.compile(form.pattern.pattern, re.ASCII))))
    assert not forms.may_be_in("the sky over there")
