"""Days written in numbers only, and numbers that are not days."""

from __future__ import annotations

import time
from datetime import date

import pytest

from memfort.capture.turns import Turn, parse_turn
from memfort.language.dates.parse import day_phrases, find_day, find_days
from memfort.recall.parse_query import parse_query

EVER = date.max.toordinal()
TODAY = date(2026, 11, 17)


def shown(text: str, today: date | None = None) -> list[str]:
    return [
        _shown(first) if first == last else f"{_shown(first)}..{_shown(last)}"
        for first, last in find_days(text, (2023, 2024), today)
    ]


def _shown(day: int) -> str:
    return "" if day in {0, EVER} else f"{date.fromordinal(day)}"


@pytest.mark.parametrize(
    "text",
    [
        "is pytz 2024.1 installed?", "pytz 2024.1rc2", "ticket 2024/17", "2024/17", "2024:30", "v2024.2", "v1.2024",
        "2024-17-99", "1.2024.3", "v1.2024.3", "2024.5.1", "0.2024", "CVE-2024-1234", "call 555-2024", "10.12.20.24",
        "v1.2.3.24", "1.10.12.2024", "10.12.2024.5", "python 3.10.12", "1.2.3", "3/4 cup", "24/7", "9/11", "10/12",
        "2024-5", "2024-2023", "123/4/2024", "030-12-09-2024", "12-09-24", "24/2024", "00/2024", "2024-00",
    ],
)  # fmt: skip
def test_part_of_a_number_is_neither_a_year_nor_a_day(text):
    assert shown(text, TODAY) == []
    assert day_phrases(text) == []
    assert find_day(text) is None
    assert not parse_query(text).names_days


@pytest.mark.parametrize(
    "text",
    [
        "room 2024", "price 2024 euros", "2024 euros", "is it 2024€?", "over $2024", "£ 2024", "issue #2024",
        "order no. 2024", "room number 2024", "version: 2024", "Model 2024", "2024 km", "2024 people came",
        "2024 dollars", "at 2024 hours", "ticket 2024/05", "version 2023/24",
    ],
)  # fmt: skip
def test_a_count_is_not_a_year(text):
    assert shown(text) == day_phrases(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "in 2024", "what was in 2024?", "back in 2024.", "2024: what happened", "mid-2024", "the 2024 model", "2024's",
        "in 2024 people came", "since when, 2024?", "the bedroom 2024", "there was no 2024 budget", "photos/2024",
        "(2024)", "the plan-2024", "2024-W", "2024 - 30 of them", "the last order, 2024",
    ],
)  # fmt: skip
def test_a_year_by_itself_is_all_of_it(text):
    assert shown(text) == ["2024-01-01..2024-12-31"]


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("on 12.09.2026", ["2026-09-12"]),
        ("on 12.09.2026.", ["2026-09-12"]),
        ("12. 9. 2026", ["2026-09-12"]),
        ("1.2.2024", ["2024-02-01"]),
        ("29.02.2024", ["2024-02-29"]),
        ("12.09.24", ["2024-09-12"]),
        ("2024/05/03", ["2024-05-03"]),
        ("2024-05-03", ["2024-05-03"]),
        ("2024.05.03", ["2024-05-03"]),
        ("2024-05-03T10:00", ["2024-05-03"]),
        ("log-2024-05-03.txt", ["2024-05-03"]),
        ("12.09.2026 10:30, room 12", ["2026-09-12"]),
        ("Thursday, 12.09.2024", ["2024-09-12"]),
        ("09/12/2024", ["2024-12-09", "2024-09-12"]),
        ("09-12-2024", ["2024-12-09", "2024-09-12"]),
        ("9/12/24", ["2024-12-09", "2024-09-12"]),
        ("9/9/24", ["2024-09-09"]),
        ("29/02/2024", ["2024-02-29"]),
        ("02/29/2024", ["2024-02-29"]),
        ("3/15/2024", ["2024-03-15"]),
        ("05/2024 and 2024-06", ["2024-05-01..2024-05-31", "2024-06-01..2024-06-30"]),
        ("in 2023/24", ["2023-01-01..2024-12-31"]),
        ("2019-2023", ["2019-01-01..2023-12-31"]),
        ("12-14 May 2023", ["2023-05-14"]),
        ("01.03.2024-05.03.2024", ["2024-03-01", "2024-03-05"]),
        ("2024-05-03/2024-05-07", ["2024-05-03", "2024-05-07"]),
    ],
)
def test_a_date_in_numbers_is_that_day_or_either_of_two(text, days):
    assert shown(text) == shown(text, TODAY) == days


@pytest.mark.parametrize("text", ["31.02.2024", "45/13/2024", "29/02/2023", "30.2.24", "2024-13-01", "0/0/2024"])
def test_a_nonexistent_day_is_ignored(text):
    assert shown(text) == shown(f"since {text}", TODAY) == day_phrases(text) == []
    assert shown("12.09.2024") == ["2024-09-12"]


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("between 01.03.2024 and 05.03.2024", ["2024-03-01..2024-03-05"]),
        ("from 01.03.24 to 05.03.24", ["2024-03-01..2024-03-05"]),
        ("from 2024-03-01 until 05.03.2024", ["2024-03-01..2024-03-05"]),
        ("from 3 May 2024 until 15/6/2024", ["2024-05-03..2024-06-15"]),
        ("since 12.09.2024", ["2024-09-12..2026-11-17"]),
        ("since 09/12/2024", ["2024-12-09..2026-11-17", "2024-09-12..2026-11-17"]),
        ("before 3/15/2024", ["..2024-03-14"]),
        ("until 12. 9. 2026", ["..2026-09-12"]),
        ("after 9/9/24", ["2024-09-10.."]),
        ("before 05/2024", ["..2024-04-30"]),
    ],
)
def test_a_numeric_date_may_end_a_range(text, days):
    assert shown(text, TODAY) == days
    assert day_phrases(text) == [text]


def test_both_ends_of_a_range_have_day_and_month_in_one_order():
    assert shown("between 01/12/2024 and 02/12/2024") == ["2024-12-01..2024-12-02", "2024-01-12..2024-02-12"]
    assert shown("between 01/03/2024 and 15/03/2024") == ["2024-03-01..2024-03-15"]
    assert shown("between 03/01/2024 and 3/15/2024") == ["2024-03-01..2024-03-15"]
    assert shown("between 29/02/2024 and 3/15/2024") == ["2024-02-29..2024-03-15"]


def test_a_turn_may_begin_with_a_date_in_numbers_that_can_be_only_one():
    day = date(2024, 9, 12).toordinal()
    assert parse_turn("[12.09.2024] Carol: I went.") == Turn("I went.", "Carol", day)
    assert parse_turn("[12.09.24, 10:15:33] Carol: I went.") == Turn("I went.", "Carol", day)
    assert parse_turn("[09/13/2024] Carol: I went.") == Turn("I went.", "Carol", day + 1)
    for text in ("[09/12/2024] Carol: I went.", "[31.02.2024] Carol: I went.", "[v1.2.3] Carol: I went.", "[24/7] x"):
        assert parse_turn(text) == Turn(text)


@pytest.mark.parametrize("words", ["12.09.2024 ", "1.", "2024.", "9/12/24 ", "1/", "room 2024 ", "12. 9. ", "2024-"])
def test_a_hostile_number_costs_little(words):
    begun = time.process_time()
    assert len(find_days(words * 100_000, range(1900, 2200), TODAY)) <= 64
    assert time.process_time() - begun < 1
