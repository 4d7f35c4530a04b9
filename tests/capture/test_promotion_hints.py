"""Seed 004: what is meant for more people than one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfort.capture.promotion_hints import Hint, read_hint
from memfort.model.item import MAX_TEXT_BYTES
from memfort.model.space import Level

HINTS = {
    "remember_for_me": (Level.USER, ["remember this for me"]),
    "remember_about_me": (Level.USER, ["remember this about me"]),
    "save_for_me": (Level.USER, ["save this for me"]),
    "remember_for_project": (Level.PROJECT, [f"remember this for {whose} project" for whose in ("the", "my", "our")]),
    "project_memory": (Level.PROJECT, ["add this to project memory", "put that note in the project memory"]),
    "remember_for_everyone": (Level.SYSTEM, ["remember this for everyone"]),
    "remember_for_system": (Level.SYSTEM, ["remember this for the system"]),
    "system_memory": (Level.SYSTEM, ["store this in our system memory"]),
}
PHRASES = [
    pytest.param(phrase, Hint(level, f"hint:{code}"), id=f"seed 004: {code}: {phrase}")
    for code, (level, phrases) in HINTS.items()
    for phrase in phrases
]


@pytest.mark.parametrize(("phrase", "hint"), PHRASES)
def test_a_hint_in_front_is_cut_off(phrase, hint):
    for given_text in (
        f"{phrase}: we deploy on Fridays",
        f"  {phrase.upper()} :\n we deploy on Fridays ",
        f"Please {phrase.replace(' ', '  ')}：we deploy on Fridays",
        f"{phrase}, please: we deploy on Fridays",
    ):
        hinted = read_hint(given_text)
        assert (hinted.text, hinted.hint) == ("we deploy on Fridays", hint)


@pytest.mark.parametrize(("phrase", "hint"), PHRASES)
def test_a_hint_elsewhere_counts_and_stays(phrase, hint):
    for text in (f"We deploy on Fridays, please {phrase}.", f"Could you {phrase}? We deploy on Fridays", phrase):
        assert (read_hint(text).text, read_hint(text).hint) == (text, hint)


@pytest.mark.parametrize(("phrase", "hint"), PHRASES)
def test_negated_hints_are_ignored(phrase, hint):
    for before in ("do not", "don’t", "Never", "I", "Please don't"):
        text = f"{before} {phrase}: we deploy on Fridays"
        assert (read_hint(text).text, read_hint(text).hint) == (text, None)


@pytest.mark.parametrize("level", [Level.PROJECT, Level.SYSTEM])
def test_memory_in_passing_asks_for_nothing(level):
    assert read_hint(f"{level} memory: we deploy on Fridays").hint == Hint(level, f"hint:{level}_memory")
    for text in (f"The {level} memory is 16 GB", f"there is a leak in {level} memory", f"what is {level} memory?"):
        assert read_hint(text).hint is None


def test_a_colon_with_nothing_behind_it_cuts_nothing():
    hinted = read_hint("Remember this for me: ")
    assert (hinted.text, hinted.hint) == ("Remember this for me: ", Hint(Level.USER, "hint:remember_for_me"))


def test_of_two_hints_the_one_for_fewer_people_counts():
    assert read_hint("tea. remember this for everyone, remember this for me").hint.level is Level.USER


def test_a_hint_in_front_counts_before_one_inside():
    hinted = read_hint("Remember this for the project: we say remember this for me")
    assert (hinted.text, hinted.hint.level) == ("we say remember this for me", Level.PROJECT)


@pytest.mark.parametrize("text", ["", "remember this", "remember this for metal", "dismember this for me", "save this"])
def test_no_hint_no_change(text):
    assert (read_hint(text).text, read_hint(text).hint) == (text, None)


@pytest.mark.parametrize("unit", ["remember this for me", "put a ", "\u200b", "not remember this for me ", ":"])
def test_the_longest_text_can_be_asked(unit):
    read_hint(unit * (MAX_TEXT_BYTES // len(unit.encode())))


@given(st.text(max_size=60), st.sampled_from([phrase for _, phrases in HINTS.values() for phrase in phrases]))
def test_the_text_after_a_hint_is_kept_verbatim(rest, phrase):
    hinted = read_hint(f"{phrase}:{rest}")
    assert hinted.hint is not None
    assert hinted.text == (rest.strip() or f"{phrase}:{rest}")
    assert read_hint(f"{phrase}:{rest}") == hinted
