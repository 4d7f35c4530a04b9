"""Days that a text names."""

from __future__ import annotations

from datetime import date

import pytest

from memfort.language.dates.parse import day_phrases, find_day, find_days


def shown(text: str, *years: int) -> list[str]:
    return [
        f"{date.fromordinal(first)}" if first == last else f"{date.fromordinal(first)}..{date.fromordinal(last)}"
        for first, last in find_days(text, years)
    ]


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("1:56 pm on 8 May, 2023", ["2023-05-08"]),
        ("on the 3rd of March 2024", ["2024-03-03"]),
        ("Sept. 9, 2022", ["2022-09-09"]),
        ("March-15-2024", ["2024-03-15"]),
        ("2024-02-29", ["2024-02-29"]),
        ("2024/2/9 and 1 May 2023", ["2024-02-09", "2023-05-01"]),
        ("in May 2023", ["2023-05-01..2023-05-31"]),
        ("the winter of 2022/23", ["2022-12-01..2023-02-28"]),
        ("back in 2021", ["2021-01-01..2021-12-31"]),
    ],
)
def test_a_day_with_its_year_is_that_day(text, days):
    assert shown(text) == days


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("on 7 May", ["2022-05-07", "2023-05-07"]),
        ("in summer", ["2022-06-01..2022-08-31", "2023-06-01..2023-08-31"]),
        ("in June", ["2022-06-01..2022-06-30", "2023-06-01..2023-06-30"]),
        ("in May", ["2022-05-01..2022-05-31", "2023-05-01..2023-05-31"]),
    ],
)
def test_without_a_year_it_is_that_of_every_year_in_question(text, days):
    assert shown(text, 2023, 2022) == days
    assert shown(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "How do I make spring rolls?", "Did I buy winter tyres?", "before the summer holidays", "Did the roof fall?",
        "What is in the spring water?", "Where does Jan live?", "What does April like?", "When is June's birthday?",
        "Did August call?", "May I eat nuts?", "What may I eat?", "after Jan left",
    ],
)  # fmt: skip
def test_a_word_that_may_be_no_time_is_none(text):
    assert shown(text, 2022) == day_phrases(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "in the spring", "over the summer with Anna", "all summer", "every winter", "in winter we ski", "summer?",
        "this fall semester", "the end of autumn", "in Jan", "the June release", "our April trip", "by May",
        "since August", "every June", "Dec", "after June", "July sales", "sales Jan-Mar", "sales Apr to June",
    ],
)  # fmt: skip
def test_context_makes_it_a_day(text):
    assert find_days(text, [2022], date(2022, 12, 31)) != []
    assert day_phrases(text) != []


def test_two_seasons_are_both_meant():
    assert len(shown("in spring and summer", 2022)) == 2


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("the winter of 2022", ["2022-01-01..2022-02-28", "2022-12-01..2023-02-28"]),
        ("Winter 2024", ["2024-01-01..2024-02-29", "2024-12-01..2025-02-28"]),
        ("winter 2022-2023", ["2022-12-01..2023-02-28"]),
        ("summer 2022/23", ["2022-06-01..2022-08-31"]),
    ],
)
def test_a_winter_is_at_both_ends_of_its_year(text, days):
    assert shown(text) == days


def test_a_winter_of_any_year_is_also_the_one_in_which_the_first_begins():
    assert shown("in winter", 2022)[0] == "2022-01-01..2022-02-28"


@pytest.mark.parametrize(
    "text", ["may I march on", "31 February 2023", "40 May 2023", "2023-13-01", "room 12", "", "0000-00-00"]
)
def test_texts_without_a_day_yield_none(text):
    assert shown(text, 2023) == ([] if "2023" not in text else shown(text))
    assert find_day(text) is None


def test_one_day_is_the_first_that_is_named_with_its_year():
    assert find_day("between May 2023 and 4 June 2023") == date(2023, 6, 4).toordinal()
    assert find_day("in May") is None
