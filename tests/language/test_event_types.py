"""Seed 004: every statement has one event type, by its words and in a fixed order of rules."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memfort.language.normalise import plain, read
from memfort.language.types import infer_event_type
from memfort.model.item import MAX_TEXT_BYTES, EventType, Origin

CORRECTION, PREFERENCE, DECISION = EventType.CORRECTION, EventType.PREFERENCE, EventType.DECISION
FACT, CONTEXT, EXECUTION = EventType.FACT, EventType.CONTEXT, EventType.EXECUTION


def said(text: str) -> EventType:
    return infer_event_type(text, Origin.USER)


def seed(rows: dict[str, tuple[str, EventType]]) -> list:
    return [pytest.param(text, expected, id=f"seed 004: {rule}") for rule, (text, expected) in rows.items()]


@pytest.mark.parametrize(
    ("text", "expected"),
    seed(
        {
            "actually is a correction": ("Actually, it is on Tuesday", CORRECTION),
            "I actually is a correction too": ("I actually live in Paris", CORRECTION),
            "correction": ("Correction: the port is 8080", CORRECTION),
            "not … but": ("It is not Bob but Alice", CORRECTION),
            "not … but across sentences of one line": ("Do not wait. Call, but later", CORRECTION),
            "i prefer": ("I prefer tea", PREFERENCE),
            "i like": ("i like short answers", PREFERENCE),
            "i want": ("What I want is peace", PREFERENCE),
            "never do": ("Never do that", PREFERENCE),
            "never use": ("never use tabs", PREFERENCE),
            "never call": ("never call before nine", PREFERENCE),
            "we decided": ("We decided on Postgres", DECISION),
            "decided": ("It is decided", DECISION),
            "decision": ("The decision is final", DECISION),
            "choose": ("I choose the red one", DECISION),
            "let's use": ("Let's use: SQLite", DECISION),
            "we will use": ("What we will use…", DECISION),
            "use <word>": ("Better use SQLite", DECISION),
            "a fact that can be extracted": ("My name is Ada", FACT),
            "all the rest is context": ("The sky is blue", CONTEXT),
        }
    ),
)
def test_each_rule(text, expected):
    assert said(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    seed(
        {
            "correction before preference": ("Actually, I prefer tea", CORRECTION),
            "preference before decision": ("I like what we decided", PREFERENCE),
            "decision before fact": ("I use vim as my editor", DECISION),
            "fact before context": ("The sky is blue. My name is Ada", FACT),
        }
    ),
)
def test_the_first_rule_wins(text, expected):
    assert said(text) is expected


@pytest.mark.parametrize("text", ["Actually, I prefer tea", "My name is Ada", "ok", ""])
def test_the_origin_outranks_the_text(text):
    assert infer_event_type(text, Origin.TOOL) is EXECUTION
    assert infer_event_type(text, Origin.AI) is CONTEXT


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("never actualy", "never actually"),
        ("he factually erred", "he actually erred"),
        ("several corrections", "a correction"),
        ("there is nothing but air", "not this but air"),
        ("not at all\nbut maybe", "not at all but maybe"),
        ("alibi preferred", "I prefer"),
        ("he wants", "I want"),
        ("never mind", "never call"),
        ("undecided", "decided"),
        ("the house is big", "use is made"),
        ("I used it", "I use it"),
        ("no use.", "no use today"),
    ],
)
def test_a_word_is_a_whole_word(text, near):
    assert said(text) is CONTEXT
    assert said(near) is not CONTEXT


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("LET’S USE: it", id="curly apostrophe"),
        pytest.param("let‘s use: it", id="opening quote"),
        pytest.param("letʼs use: it", id="letter apostrophe"),
        pytest.param("let's\u00a0use: it", id="no-break space"),
        pytest.param("let's\n  use: it", id="line break"),
        pytest.param("le\u00adt's u\u200bse: it", id="hidden characters"),
        pytest.param("\uff2c\uff45\uff54\uff07\uff53 use: it", id="full width"),
    ],
)
def test_the_way_it_was_typed_does_not_matter(text):
    assert said(text) is DECISION


@pytest.mark.parametrize("text", ["éuse it", "useé it", "use\u0301 it", "ñactually", "actuallyя", "i likeü"])
def test_a_letter_of_any_alphabet_belongs_to_its_word(text):
    assert said(text) is CONTEXT


def test_something_named_in_another_alphabet_is_something_to_use():
    assert said("use Ñandú") is DECISION


def test_a_key_not_looked_for_makes_no_fact():
    assert infer_event_type("My name is Ada", Origin.USER, ("editor",)) is CONTEXT
    assert infer_event_type("My editor is vim", Origin.USER, ("editor",)) is FACT


@pytest.mark.parametrize(
    ("unit", "expected"),
    [(unit, CONTEXT) for unit in ("not ", "use", "i  ", "my name is a.", "\x00", "💥", "\u0301")]
    + [("not but ", CORRECTION)],
)
def test_the_longest_text_there_can_be_has_a_type(unit, expected):
    assert said(unit * (MAX_TEXT_BYTES // len(unit.encode()))) is expected


@given(st.text(max_size=200), st.sampled_from(Origin))
def test_any_text_has_a_type_and_always_the_same(text, origin):
    assert infer_event_type(text, origin) is infer_event_type(text, origin)


@given(st.text(max_size=80), st.sampled_from(["\u200b", "\u00ad", "\u2060", "\ufeff"]))
def test_invisible_characters_change_nothing(text, hidden):
    assert plain(hidden.join(text)) == plain(text)


@given(st.text(alphabet=st.characters(), max_size=80))
@example("\ud800")
@example("ﷺİ㎏")
def test_a_reading_is_ascii_and_knows_its_places(text):
    reading = read(text)
    assert reading.text.isascii()
    assert reading.text == plain(text)
    assert len(reading.places) == len(reading.text)
    assert list(reading.places) == sorted(reading.places)
    assert all(plain(text[place]) for place in reading.places)
    assert plain(reading.text) == reading.text
