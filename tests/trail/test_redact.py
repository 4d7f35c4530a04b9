"""Redaction: nothing found gets out, what comes out stays as it is, and ordinary words are left alone."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from trace_story import MAIL, SECRET, find

from memfort.trail.public.redact import MAX_CHARS, REDACTED, TRUNCATED, redact

texts = st.text() | st.text("ab []_-REDACT.() truncated@1\n", max_size=400)


def nothing(text: str) -> list[tuple[int, int, str]]:
    return []


def finder(word: str, name: str):
    return lambda text: [(found.start(), found.end(), name) for found in re.finditer(re.escape(word), text)]


@given(texts, st.text("ab []EDT.", min_size=1, max_size=3), st.text(max_size=50))
@example("x" * 199 + " b", "b", "b")
@example("E" * 300, "E", "E")
@example("[REDACTED_A]" * 20, "A", "A")
def test_redaction_is_idempotent_for_any_finder(text: str, word: str, name: str) -> None:
    once = redact(text, finder(word, name))
    assert redact(once, finder(word, name)) == once


@given(texts | st.builds("{} {} {}".format, st.text(), st.sampled_from([MAIL, SECRET, "+49 30 901820"]), st.text()))
def test_redaction_is_idempotent_for_the_policys_finders(text: str) -> None:
    once = redact(text, find)
    assert redact(once, find) == once
    assert MAIL not in once
    assert SECRET not in once


@given(texts, st.text("ab ", min_size=1, max_size=2))
def test_redacted_text_holds_nothing_the_finder_matches(text: str, word: str) -> None:
    assert word not in redact(text, finder(word, "X")) or word in f"{TRUNCATED}{REDACTED}[REDACTED_X]"


@given(texts)
def test_redacted_text_is_one_short_line(text: str) -> None:
    redacted = redact(text, nothing)
    assert len(redacted) <= MAX_CHARS + len(TRUNCATED)
    assert redacted.split(" ") == redacted.split() or redacted == ""


@pytest.mark.parametrize("word", ["keyboard", "monkey", "a token of thanks", "the key question", "password policy"])
def test_ordinary_words_are_left_alone(word: str) -> None:
    assert redact(word, find) == word


def test_personal_data_is_marked_where_it_stands_and_a_secret_takes_the_whole_text() -> None:
    assert redact(f"write to {MAIL}, please", find) == "write to [REDACTED_EMAIL], please"
    assert redact(f"the key is {SECRET}", find) == "[REDACTED_SECRET]"


def test_white_space_is_collapsed() -> None:
    assert redact("  tea\n\nand\t milk\u2028", nothing) == "tea and milk"


def test_matches_are_found_before_and_after_joining_lines() -> None:
    assert redact("hun\nter2", finder("hun ter2", "password")) == "[REDACTED_PASSWORD]"
    assert redact("hun\nter2", finder("hun\nter2", "password")) == "[REDACTED_PASSWORD]"


def test_texts_longer_than_two_hundred_characters_are_truncated() -> None:
    assert redact("x" * 200, nothing) == "x" * 200
    assert redact("x" * 201, nothing) == "x" * 200 + "... (truncated)"


def test_a_secret_across_the_cut_is_found_before_the_cut() -> None:
    assert "hunter" not in redact("x" * 195 + "hunter2 and more", finder("hunter2", "password"))
    assert "hun" not in redact("x" * 195 + "hun\nter2 and more", finder("hun ter2", "password"))


@pytest.mark.parametrize("before", range(150, 201))
def test_a_mark_is_never_cut_in_half(before: int) -> None:
    redacted = redact("x" * before + MAIL + "y" * 50, finder(MAIL, "email"))
    assert redacted.count("[") == redacted.count("[REDACTED_EMAIL]") == redacted.count("]")
    assert redacted.endswith(TRUNCATED)


@pytest.mark.parametrize(
    "character",
    ["e\u0301", "👩\u200d🚀", "👍🏽", "🇵🇹", "🏴\U000e0067\U000e0062\U000e0073\U000e007f", "न\u0940"],
    ids=["accent", "joined", "skin", "flag", "region", "vowel"],
)
@pytest.mark.parametrize("before", [190, 198, 199])
def test_a_character_is_never_cut_in_half(character: str, before: int) -> None:
    redacted = redact("x" * before + character * 20, nothing).removesuffix(TRUNCATED)
    assert redacted == "x" * before + character * ((200 - before) // len(character))


def test_overlapping_findings_are_redacted_as_one() -> None:
    spans = [(4, 9, "b"), (0, 6, "a"), (2, 3, "c"), (9, 9, "empty")]
    assert redact("123456789!", lambda text: spans if text[0] == "1" else []) == "[REDACTED_A]!"


def test_a_text_that_never_stops_matching_is_redacted_whole() -> None:
    def restless(text: str) -> list[tuple[int, int, str]]:
        return [(0, 1, "again")]

    assert redact("anything", restless) == REDACTED
    assert redact(REDACTED, restless) == REDACTED


def test_the_name_in_a_mark_is_made_safe() -> None:
    assert redact("hunter2", finder("hunter2", "our keys] é")) == "[REDACTED_OUR_KEYS_]"
    assert redact("hunter2", finder("hunter2", "k" * 500)) == f"[REDACTED_{'K' * 40}]"
