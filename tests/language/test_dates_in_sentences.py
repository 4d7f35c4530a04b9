"""Days that a query tells from today, and ranges of days."""

from __future__ import annotations

import time
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfort.language.dates.parse import day_phrases, find_day, find_days
from memfort.recall.parse_query import parse_query

TODAY = date(2023, 8, 16)  # a Wednesday
EVER = date.max.toordinal()


def shown(text: str, today: date | None = TODAY, years: tuple[int, ...] = (2022, 2023)) -> list[str]:
    return [
        f"{_shown(first)}" if first == last else f"{_shown(first)}..{_shown(last)}"
        for first, last in find_days(text, years, today)
    ]


def _shown(day: int) -> str:
    return "" if day in {0, EVER} else f"{date.fromordinal(day)}"


FROM_TODAY = [
    ("today", "2023-08-16"),
    ("what did I eat this morning", "2023-08-16"),
    ("Yesterday", "2023-08-15"),
    ("last night", "2023-08-15"),
    ("the day before yesterday", "2023-08-14"),
    ("this week", "2023-08-14..2023-08-20"),
    ("last week's meeting", "2023-08-07..2023-08-13"),
    ("the week before last", "2023-07-31..2023-08-06"),
    ("last weekend", "2023-08-12..2023-08-13"),
    ("this month", "2023-08-01..2023-08-31"),
    ("last month", "2023-07-01..2023-07-31"),
    ("this year", "2023-01-01..2023-12-31"),
    ("last year", "2022-01-01..2022-12-31"),
    ("10 days ago", "2023-08-06"),
    ("a week ago", "2023-08-07..2023-08-13"),
    ("three weeks ago", "2023-07-24..2023-07-30"),
    ("a couple of months ago", "2023-06-01..2023-06-30"),
    ("eight months  ago", "2022-12-01..2022-12-31"),
    ("two years ago", "2021-01-01..2021-12-31"),
    ("in the last two weeks", "2023-08-02..2023-08-16"),
    ("over the past 3 months", "2023-05-16..2023-08-16"),
    ("the past few days", "2023-08-13..2023-08-16"),
    ("in the last week", "2023-08-09..2023-08-16"),
    ("during the last year", "2022-08-16..2023-08-16"),
    ("on Sunday", "2023-08-13"),
    ("last Friday", "2023-08-11"),
    ("on Wednesday", "2023-08-09"),
    ("last summer", "2022-06-01..2022-08-31"),
    ("last spring", "2023-03-01..2023-05-31"),
    ("last winter", "2022-12-01..2023-02-28"),
    ("last autumn", "2022-09-01..2022-11-30"),
    ("last May", "2023-05-01..2023-05-31"),
    ("what did we do last may?", "2023-05-01..2023-05-31"),
    ("last December", "2022-12-01..2022-12-31"),
    ("this spring", "2023-03-01..2023-05-31"),
    ("in May last year", "2022-05-01..2022-05-31"),
    ("two years ago in June", "2021-06-01..2021-06-30"),
    ("since yesterday", "2023-08-15..2023-08-16"),
    ("since last summer", "2022-06-01..2023-08-16"),
    ("since Monday", "2023-08-14..2023-08-16"),
    ("before last week", "..2023-08-06"),
    ("until yesterday", "..2023-08-15"),
    ("from May to yesterday", "2023-05-01..2023-08-15"),
    ("between April and June last year", "2022-04-01..2022-06-30"),
]

RANGES = [
    ("between April and June 2023", ["2023-04-01..2023-06-30"]),
    ("between 2023-04-01 and 2023-06-30", ["2023-04-01..2023-06-30"]),
    ("from April to June 2023", ["2023-04-01..2023-06-30"]),
    ("from 3 May 2022 until 5 June", ["2022-05-03..2022-06-05"]),
    ("from november to february 2023", ["2022-11-01..2023-02-28"]),
    ("between november 2022 and may", ["2022-11-01..2023-05-31"]),
    ("between June 2023 and April 2023", ["2023-04-01..2023-06-30"]),
    ("between April and June", ["2022-04-01..2022-06-30", "2023-04-01..2023-06-30"]),
    ("from 2020 to 2022", ["2020-01-01..2022-12-31"]),
    ("between Sunday, 7 May 2023 and the 9th of May 2023", ["2023-05-07..2023-05-09"]),
    ("before July 2023", ["..2023-06-30"]),
    ("before the summer of 2022", ["..2022-05-31"]),
    ("before the winter of 2022", ["..2022-11-30"]),
    ("after winter 2022", ["2023-03-01.."]),
    ("until July 2023", ["..2023-07-31"]),
    ("till 2023-07-04", ["..2023-07-04"]),
    ("after May 2023", ["2023-06-01.."]),
    ("after 8 May 2023", ["2023-05-09.."]),
    ("from 2021 onwards", ["2021-01-01.."]),
    ("after May 2023 but before July 2023", ["2023-06-01..2023-06-30"]),
    ("since May 2022 until July 2022", ["2022-05-01..2022-07-31"]),
]

# Nothing here is relative to today or a range: only calendar dates.
PLAIN = [
    ("the last of them", []),
    ("may I march on", []),
    ("this may be wrong", []),
    ("what came before may matter", []),
    ("after the march?", []),
    ("sun", []),
    ("is Sunday a holiday", []),
    ("will it last two weeks", []),
    ("before lunch, since then, until", []),
    ("the last week of May 2023", ["2023-05-01..2023-05-31"]),
    ("last May 2023", ["2023-05-01..2023-05-31"]),
    ("on Sunday, 7 May 2023", ["2023-05-07"]),
    ("the Sunday before 8 May 2023", ["2023-05-08"]),
    ("two days after 8 May 2023", ["2023-05-08"]),
    ("a letter from May 2023", ["2023-05-01..2023-05-31"]),
    ("between us, May 2023", ["2023-05-01..2023-05-31"]),
]


@pytest.mark.parametrize(("text", "days"), FROM_TODAY)
def test_a_range_relative_to_today_is_one_span(text, days):
    assert shown(text) == [days]


@pytest.mark.parametrize("text", [text for text, _ in FROM_TODAY])
def test_day_phrases_are_detected_without_a_known_today(text):
    assert shown(text, None) == []
    assert day_phrases(text)
    assert parse_query(text).names_days


@pytest.mark.parametrize(("text", "days"), RANGES)
def test_an_absolute_range_is_one_span(text, days):
    assert shown(text) == shown(text, None) == days
    assert len(day_phrases(text)) == 1


@pytest.mark.parametrize(("text", "days"), PLAIN)
def test_other_words_form_no_range_relative_to_today(text, days):
    assert shown(text) == shown(text, None) == days


def test_since_is_until_today():
    assert shown("since March 2022") == ["2022-03-01..2023-08-16"]
    assert shown("since March") == ["2023-03-01..2023-08-16"]
    assert shown("since October") == ["2022-10-01..2023-08-16"]
    assert shown("since March 2024") == shown("since March 2024", None) == ["2024-03-01.."]


@pytest.mark.parametrize(
    ("text", "today", "days"),
    [
        ("last summer", date(2026, 6, 1), "2025-06-01..2025-08-31"),
        ("last summer", date(2026, 6, 2), "2025-06-01..2025-08-31"),
        ("last summer", date(2026, 8, 31), "2025-06-01..2025-08-31"),
        ("last summer", date(2026, 9, 1), "2026-06-01..2026-08-31"),
        ("last summer", date(2026, 9, 15), "2026-06-01..2026-08-31"),
        ("last May", date(2026, 5, 20), "2025-05-01..2025-05-31"),
        ("last May", date(2026, 6, 1), "2026-05-01..2026-05-31"),
        ("last winter", date(2026, 1, 15), "2024-12-01..2025-02-28"),
        ("last winter", date(2026, 3, 1), "2025-12-01..2026-02-28"),
        ("last winter", date(2026, 12, 10), "2025-12-01..2026-02-28"),
        ("last 8 May", date(2026, 5, 8), "2025-05-08"),
        ("last 29 February", date(2023, 6, 2), "2020-02-29"),
        ("last 29 February", date(2104, 2, 29), "2096-02-29"),
        ("last Friday", date(2026, 11, 13), "2026-11-06"),
        ("last weekend", date(2026, 11, 14), "2026-11-07..2026-11-08"),
        ("last weekend", date(2026, 11, 15), "2026-11-07..2026-11-08"),
        ("last weekend", date(2026, 11, 16), "2026-11-14..2026-11-15"),
        ("last week", date(2026, 11, 15), "2026-11-02..2026-11-08"),
        ("last month", date(2026, 11, 30), "2026-10-01..2026-10-31"),
        ("last year", date(2026, 12, 31), "2025-01-01..2025-12-31"),
    ],
)
def test_the_last_one_has_ended(text, today, days):
    assert shown(text, today) == [days]


def test_this_winter_is_the_one_that_has_not_ended():
    assert shown("this winter", date(2026, 1, 15)) == ["2025-12-01..2026-02-28"]
    assert shown("this winter", date(2026, 2, 28)) == ["2025-12-01..2026-02-28"]
    assert shown("this winter", date(2026, 3, 1)) == ["2026-12-01..2027-02-28"]
    assert shown("this summer", date(2026, 1, 15)) == ["2026-06-01..2026-08-31"]


def test_the_words_of_a_phrase_are_all_of_it():
    text = "what did we do last week, between April and June 2023, and on Sunday, 7 May?"
    assert day_phrases(text) == ["last week", "between April and June 2023", "on Sunday, 7 May"]
    assert parse_query("last week").lacks_content(frozenset())
    assert parse_query("in the last two weeks").lacks_content(frozenset())
    assert not parse_query("the kettle last week").lacks_content(frozenset())


def test_relative_days_in_a_query_count_from_the_day_it_is_asked():
    assert parse_query("what about yesterday").days([2023], TODAY) == [(TODAY.toordinal() - 1,) * 2]
    assert parse_query("what about yesterday").days([2023]) == []


def test_a_day_that_begins_a_text_is_read_as_it_was():
    assert find_day("yesterday") is None
    assert find_day("before 8 May 2023") == date(2023, 5, 8).toordinal()


@pytest.mark.parametrize("today", [date.min, date.max, date(2024, 2, 29)])
@pytest.mark.parametrize("text", ["9999 years ago", "last winter", "this winter", "the last 9999 months", "last week"])
def test_no_day_is_too_early_or_too_late_to_be_asked_on(text, today):
    assert all(0 < first <= last for first, last in find_days(text, [1, 9999], today))


ABSOLUTE = st.sampled_from([
    "8 May, 2023", "on 7 May", "in June", "in May", "may", "march on", "Sept. 9, 2022", "2024-02-29", "2023-13-01",
    "31 February 2023", "the winter of 2022", "in 2021", "in summer", "March-15-2024", "1999/1/2", "tea", "Anna said",
    "sun", "12.09.2024", "pytz 2024.1",
])  # fmt: skip


@given(st.lists(ABSOLUTE, max_size=8), st.dates())
def test_today_changes_nothing_that_the_calendar_names(words, today):
    text, years = " and ".join(words), (2022, 2023)
    apart = dict.fromkeys(days for word in words for days in find_days(word, years))
    assert find_days(text, years, today) == find_days(text, years) == list(apart)


WORDS = st.sampled_from([
    "last", "this", "past", "the", "in", "on", "since", "between", "and", "from", "to", "before", "after", "until",
    "may", "May", "march", "2023", "2024-02-29", "30", "31", "February", "Dec", "Sunday", "week", "weeks", "years",
    "ago", "9999", "two", "a", "few", "of", "year", "month", "weekend", "yesterday", "today", ",", "-", "winter",
    "onwards", "12.09.2024", "09/12/2024", "2024/25", ".", "/", "euros", "room",
])  # fmt: skip


@given(st.lists(WORDS, max_size=12).map(" ".join), st.none() | st.dates())
def test_any_words_give_spans_and_words_of_the_text(text, today):
    assert all(0 <= first <= last for first, last in find_days(text, [1, 2023, 9999], today))
    assert all(words in text for words in day_phrases(text))


@pytest.mark.parametrize(
    "words",
    [
        "May 2023 ",
        "May ",
        "2023-",
        "since ",
        "between May and ",
        "on Sunday ",
        "last ",
        "a ",
        "before 2023-01-01 and ",
        " ",
    ],
)
def test_a_hostile_query_costs_little(words):
    begun = time.process_time()
    assert len(find_days(words * 100_000, range(1900, 2200), TODAY)) <= 64
    assert len(day_phrases(words * 100_000)) <= 2_000
    assert time.process_time() - begun < 1


def test_only_the_start_of_a_query_is_parsed_and_equal_days_are_merged():
    assert shown("tea " * 400 + "yesterday") == ["2023-08-15"]
    assert shown("tea " * 600 + "yesterday") == []
    assert shown("x" * 1990 + " May 2023") == shown("x" * 1990 + " May 2023 and tea") == ["2023-05-01..2023-05-31"]
    assert shown("x" * 1994 + " 2023-05-08") == []
    assert shown("May 2023, in May 2023 and May 2023") == ["2023-05-01..2023-05-31"]
    assert [first for first, _ in find_days("in June", range(1900, 2024))][-1] == date(2023, 6, 1).toordinal()
