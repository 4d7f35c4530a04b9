"""The days that questions ask for, in every language in which statements say when something happens."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from memfort import Memory
from memfort.clock import FixedClock
from memfort.language.dates.asked_days import AskedDays
from memfort.model.moment import to_moment
from memfort.recall.parse_query import parse_query

TODAY, YEARS = date(2026, 5, 15), (2024, 2025, 2026)
CODES = ("en", "de", "fr", "es", "zh")


def _shown(days):
    first, last = days
    begin = "" if first <= 0 else date.fromordinal(first).isoformat()
    end = "" if last == date.max.toordinal() else date.fromordinal(last).isoformat()
    return begin if begin == end else f"{begin}..{end}"


def _questions():
    expected = []
    for line in (Path(__file__).parent / "date_questions.txt").read_text().splitlines():
        code, _, question = line.partition(" ")
        if code in CODES:
            yield pytest.param(question, expected, id=question)
        elif code != "#":
            expected = [] if line == "-" else line.split()


@pytest.mark.parametrize(("question", "expected"), list(_questions()))
def test_a_question_asks_for_the_same_days_in_every_language(question, expected):
    parsed = parse_query(question)
    assert sorted(map(_shown, parsed.days(YEARS, TODAY))) == sorted(expected)
    assert parsed.names_days == bool(expected)


def test_without_today_only_the_calendar_is_known():
    asked = AskedDays("Was habe ich gestern und am 3. Mai gemacht?")
    assert [_shown(one) for one in asked.days([2025])] == ["2025-05-03"]
    assert [_shown(one) for one in asked.days([2025], TODAY)] == ["2026-05-14", "2025-05-03"]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Was mache ich am Montag?", "2026-05-11"),  # nothing says that it lies ahead
        ("Was werde ich am Montag machen?", "2026-05-18"),
        ("¿Qué compré el martes?", "2026-05-12"),
        ("¿Qué compraré el martes?", "2026-05-19"),
        ("Qu'est-ce que j'ai fait lundi ?", "2026-05-11"),
        ("Qu'est-ce que je vais faire lundi ?", "2026-05-18"),
    ],
)
def test_the_tense_decides_between_the_last_weekday_and_the_next(question, expected):
    assert [_shown(one) for one in AskedDays(question).days(YEARS, TODAY)] == [expected]


@pytest.mark.parametrize(
    "question",
    [
        "Was essen wir an Weihnachten?",
        "¿Qué tomo por la mañana?",
        "帮我写一首关于春天的诗",
        "Which movie at Christmas?",
    ],
)
def test_what_comes_back_every_year_or_day_is_no_day(question):
    assert AskedDays(question).phrases == []


@pytest.mark.parametrize("day", [31, 29])
def test_a_day_that_no_year_has_is_none(day):
    found = AskedDays(f"Was war am {day}. Februar?").days((2023, 2024), TODAY)
    assert [_shown(one) for one in found] == ([] if day == 31 else ["2024-02-29"])


def test_a_long_text_is_no_question_about_a_day():
    assert AskedDays("Was war gestern? ").phrases == ["gestern"]
    assert AskedDays("Was war gestern? " + "Wort " * 200).phrases == []


def test_a_question_of_a_german_day_finds_what_was_remembered_for_it(tmp_path):
    with Memory.open(tmp_path / "days.db", clock=FixedClock(to_moment("2026-05-15T10:00:00Z", "now"))) as memory:
        ada = memory.as_user("ada")
        ada.remember("Der Zahn wurde gezogen", observed_at="2026-05-05T10:00:00Z")
        ada.remember("Der Zaun ist jetzt rot", observed_at="2026-05-12T10:00:00Z")
        assert ada.recall("Was war am 5. Mai?").texts == ["Der Zahn wurde gezogen"]
        assert ada.recall("Was war am Dienstag?").texts == ["Der Zaun ist jetzt rot"]
        assert ada.recall("Was war am 20. März?").texts == []
