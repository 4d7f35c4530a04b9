"""Codes with hyphens are one thing each; words that are joined by hyphens are words."""

from __future__ import annotations

import hashlib
import json
import time

import pytest

from memfort import FixedClock, Memory
from memfort.language.codes import parse_code
from memfort.language.words import identifier_words, query_terms, text_terms
from memfort.model.moment import Moment
from memfort.store.memory import MemoryStore
from memfort.store.port import ANALYZER


def alice_of(*texts: str):
    alice = Memory(MemoryStore(), clock=FixedClock(Moment(1_767_225_600_000_000))).as_user("alice")
    alice.remember_many([*texts, "unrelatedword"])
    return alice


def found(query: str, *texts: str) -> list[str]:
    return sorted(alice_of(*texts).recall(query, limit=1000).texts)


# A code, and others that share a part of it.
CODES = {
    "ticket": ("PROJ-1235", "PROJ-1236", "PROJ-7", "CVE-1235"),
    "short_ticket": ("PROJ-7", "PROJ-8", "PROJ-77"),
    "ticket_with_a_word": ("INFRA-7", "INFRA-8", "INFRA-77", "INFRA-8 with 7 steps"),
    "two_words": ("apollo-soyuz-7", "apollo-soyuz-8", "apollo-8"),
    "word_with_a_serial_number": ("ticket-1235", "ticket-1236", "Our ticket machine"),
    "vulnerability": ("CVE-2024-3094", "CVE-2024-3095", "CVE-2023-3094"),
    "leading_zeros": ("INC-00421", "INC-00422", "INC-421"),
    "one_letter": ("A-12", "A-13", "a 12 km run"),
    "model": ("GPT-4", "GPT-5", "GPT-5 with 4 sizes"),
    "standard": ("ISO-8601", "ISO-9001", "an ISO file"),
    "encoding": ("UTF-8", "UTF-16", "8 bits"),
    "processor": ("x86-64", "x86-32", "64 bits"),
    "hexadecimal": ("3f2a-99bc", "3f2a-99bd", "3f2b-99bc"),
    "instance": ("subnet-0a1b2c3d", "subnet-0a1b2c3e", "the subnet"),
    "uuid": ("550e8400-e29b-41d4-a716-446655440000", "550e8400-e29b-41d4-a716-446655440001"),
    "uuid_with_words_in_it": ("12345678-cafe-beef-dead-567890abcdef", "12345679-cafe-beef-dead-567890abcdef"),
    "cyrillic": ("проект-1235", "проект-1236"),
    "han": ("項目-1235", "項目-1236"),
}


@pytest.mark.parametrize(("code", "others"), [(code, others) for code, *others in CODES.values()], ids=CODES.keys())
def test_a_code_is_found_and_no_other_that_shares_a_part(code, others):
    texts = [f"{one} was looked at" for one in (code, *others)]
    for query in (code, code.lower(), code.upper(), f"what about {code}?", f"({code})", f"-{code}-", f"{code}, please"):
        assert found(query, *texts) == [texts[0]], query
    assert found(code, *texts[1:]) == []


@pytest.mark.parametrize(
    "query",
    ["PROJ-1237", "what is PROJ-1237?", "CVE-2024-1", "GPT-3", "A-13", "INFRA-7", "what is INFRA-7?", "infra-7",
     "Infra-77"],
)  # fmt: skip
def test_a_similar_code_is_not_a_match(query):
    alice = alice_of(
        "PROJ-1235 is about the pump", "CVE-2024-3094 is in the mixer", "GPT-4 writes", "Gate A-12 is shut",
        "INFRA-8 moves the cables",
    )  # fmt: skip
    assert alice.recall(query).texts == []
    assert alice.recall("PROJ-1235").texts == ["PROJ-1235 is about the pump"]
    assert alice.recall(f"{query} and the pump").texts == ["PROJ-1235 is about the pump"]


def test_case_and_accents_make_no_other_code():
    assert {"ete12", "zurich1235"} <= set(text_terms("ÉTÉ-12, Zürich-1235"))
    assert query_terms("ÉTÉ-12") == query_terms("e\u0301te\u0301-12") == [("ete12", "ete 12")]


@pytest.mark.parametrize("hyphen", "-\u2010\u2011\u2012\u2013\u2212\uff0d\ufe63")
def test_every_hyphen_is_one(hyphen):
    for code in ("PROJ-1235", "CVE-2024-3094", "2024-05-03"):
        written = code.replace("-", hyphen)
        assert query_terms(written) == query_terms(code)
        assert text_terms(f"see {written} now") == text_terms(f"see {code} now")


def test_a_dash_between_words_is_not_a_hyphen():
    assert query_terms("tea\u2013milk tea \u2013 5 tea\u2014x") == query_terms("tea milk tea 5 tea x")
    assert "gpt4" not in text_terms("GPT\u20144")
    assert query_terms("pages 10\u201312, 9am\u20135pm") == query_terms("pages 10 12, 9am 5pm")


WRITTEN_OTHERWISE = [
    ("GPT-4", "we use GPT 4"), ("GPT 4", "we use GPT-4"), ("GPT4", "we use GPT-4"), ("GPT-4", "we use GPT4"),
    ("PROJ-1235", "see proj 1235"), ("proj 1235", "see PROJ-1235"), ("1235", "see PROJ-1235"),
    ("proj", "see PROJ-1235"),
    ("CVE 2024-3094", "CVE-2024-3094 is fixed"), ("2024-3094", "CVE-2024-3094 is fixed"),
    ("CVE-2024-3094", "CVE 2024-3094 is fixed"), ("B-12", "takes B12"), ("B12", "takes B-12"),
    ("GPT-4", "GPT-5 came after GPT 4"),
]  # fmt: skip


@pytest.mark.parametrize(("query", "text"), WRITTEN_OTHERWISE)
def test_a_code_is_found_however_it_is_joined(query, text):
    assert found(query, text) == [text]


# -- words that are joined --------------------------------------------------------------------------------------------

WORDS = {
    "amount": ("a 10-minute walk", "a 10 minute walk"),
    "age": ("a 5-year-old boy", "a boy, 5 years old"),
    "ordinal": ("the 20th-century house", "a house of the 20th century"),
    "decade": ("mid-1990s music", "music of the 1990s"),
    "year": ("mid-2024 plan", "plan for 2024"),
    "season": ("summer-2024 plan", "plan for summer 2024"),
    "number_as_a_word": ("twenty-first floor", "floor twenty first"),
    "letter": ("a red T-shirt", "red t shirt"),
    "little_words": ("state-of-the-art pump", "the state of the art"),
    "up_to": ("up-to-5 users", "5 users"),
    "mixed": ("vitamin-B12 pills", "pills with B12"),
    "illness": ("a COVID-19 test", "covid 19"),
    "illness_without_its_number": ("covid-19", "had covid in May"),
    "office_hours": ("the 9-to-5 job", "from 9 to 5"),
}


@pytest.mark.parametrize(("one", "other"), WORDS.values(), ids=WORDS.keys())
def test_joined_words_are_found_by_their_parts(one, other):
    assert found(one, other) == [other]
    assert found(other, one) == [one]


@pytest.mark.parametrize(
    "run",
    ["10-minute", "5-year-old", "20th-century", "3d-printed", "50-kg", "mid-2024", "pre-2020", "may-2024", "post-2020",
     "june-2024", "vitamin-b12", "up-to-5", "3-in-1", "it-42", "report-2024-05-03", "well-known", "2024-05-03"],
)  # fmt: skip
def test_these_are_not_codes(run):
    assert parse_code(run) is None


def test_the_word_of_a_code_is_found_by_itself_and_not_inside_another_code():
    texts = ("The infra team meets on Monday", "INFRA-8 moves the cables", "INFRA-8 is for the infra team")
    assert found("INFRA-7", *texts) == [texts[2], texts[0]]
    own = "INFRA-7 brings the partition_groups"
    alice = alice_of(*texts, own)
    assert alice.recall("INFRA-7").texts[0] == own
    assert alice.recall("What does INFRA-7 bring?").texts[0] == own
    assert texts[1] not in alice.recall("INFRA-7").texts
    assert sorted(alice.recall("infra INFRA-7").texts) == sorted([*texts, own])
    assert sorted(alice.recall("infra").texts) == sorted([*texts, own])


def test_a_code_in_another_language_is_answered_by_no_neighbour():
    german = "Das INFRA-8 ist für die Kabel und nicht für den Strom in der Halle"
    assert text_terms(german)["~infra"] == 1
    alice = alice_of(german)
    assert alice.recall("INFRA-8").texts == [german]
    assert alice.recall("INFRA-7").texts == alice.recall("Was ist das INFRA-7?").texts == []


def test_a_code_without_siblings_is_also_found_by_meaning():
    """`covid-19` says what it is about; what is known as one of several does not."""
    flu = "We all had the corona virus in May"
    assert alice_of(flu).recall("covid-19 virus").texts == [flu]
    assert alice_of("COVID-19 was hard", "Covid tests are free").recall("covid-19").texts[0] == "COVID-19 was hard"


def test_the_word_part_of_a_code_is_also_a_query_term():
    assert query_terms("covid-19") == [("covid covid-", "covid19", "covid 19"), ("covid19", "covid 19")]
    assert dict(identifier_words("covid-19")) == {"19": 1}
    assert dict(identifier_words("PROJ-1235")) == {"proj": 1, "1235": 1}


def test_versions_and_dates_behind_a_hyphen_stay_as_they_are():
    assert {"1.26.4", "numpi"} <= set(text_terms("numpy-1.26.4"))
    assert {"2024-05-03", "log2024-05-03"} <= set(text_terms("log-2024-05-03"))
    assert found("numpy 1.26.4", "we pin numpy-1.26.4", "we pin numpy-1.26.5")[0] == "we pin numpy-1.26.4"
    assert query_terms("2024-05-03T10:30:00Z") == [("2024-05-03t10:30:00z",)]


# -- bounds -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["a1-" * 20_000, "a-1." * 16_000, "a-" * 32_000 + "1.5", "1-a " * 16_000, "a-1\n" * 16_000, "-" * 65_000 + "1",
     "a-1_" * 16_000, "x" * 60_000 + "-1", "a-1,1" * 13_000, "\u20131a" * 20_000, "a\u2013" * 20_000,
     "a1\u2010" * 20_000],
)  # fmt: skip
def test_a_very_long_run_takes_no_time_to_speak_of(text):
    """Were a run begun anew at each of its parts, this would not end."""
    began = time.process_time()
    text_terms(text)
    query_terms(text)
    assert time.process_time() - began < 5


def test_an_overlong_code_is_split_into_words():
    assert set(text_terms("a1-" * 200)) == {"a1"}
    assert "a1a1a1" in text_terms("a1-a1-a1")


def test_changing_the_terms_of_a_text_requires_a_new_analyzer_name():
    """A store notes the name, and so knows that its index is old. If this fails: change `ANALYZER`, then this."""
    sample = (
        "Running well-known PROJ-1235, GPT 4; a 10-minute walk",
        "C++ v1.2.3 on 2024-05-03 at 10:30, 1,500 to a@b.example",
        "Die Straße ist nicht im café, ERR_CONN_42 – 2020–2024 PROJ–7",
        "她喜欢喝茶 東京-12 コーヒー",
        "любит чай กาแฟ 한국어 Łódź win\u00addow",
    )
    terms = json.dumps([sorted(text_terms(text).items()) for text in sample], ensure_ascii=False)
    assert (ANALYZER, hashlib.sha256(terms.encode()).hexdigest()[:16]) == ("words-9", "e5bb290c3b22a692")
