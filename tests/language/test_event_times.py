"""When an event takes place, by the words of a sentence and the day on which it is said."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest

from memfort.language.dates.event import event_time
from memfort.model.moment import Moment, to_datetime, to_moment
from memfort.model.occurred import Occurred, Precision

SAID_AT = to_moment("2026-05-13T10:00:00Z", "at")  # a Wednesday
CASES_FILE = Path(__file__).parent.parent / "data" / "event_times.txt"


def cases() -> list[tuple[str, str, str]]:
    found, heading = [], ""
    for line in CASES_FILE.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            heading = line.strip("[]")
        elif line and not line.startswith("#"):
            text, _, expected = line.rpartition(" = ")
            found.append((heading, text, expected))
    return found


def written(occurred: Occurred | None) -> str:
    """The time as the file of cases writes it."""
    if occurred is None:
        return "none"
    last = occurred.end - timedelta(days=1)
    return {
        Precision.MINUTE: f"{occurred.start:%Y-%m-%dT%H:%M}",
        Precision.DAY: f"{occurred.start:%Y-%m-%d}",
        Precision.MONTH: f"{occurred.start:%Y-%m}",
        Precision.YEAR: f"{occurred.start:%Y}",
        Precision.SPAN: f"{occurred.start:%Y-%m-%d}..{last:%Y-%m-%d}",
    }[occurred.precision]


@pytest.mark.parametrize(("heading", "text", "expected"), cases(), ids=lambda value: value[:40])
def test_an_event_takes_place_when_its_sentence_says(heading, text, expected):
    _, day = heading.split()
    assert written(event_time(text, to_moment(f"{day}T10:00:00Z", "at"))) == expected


def test_there_are_enough_cases_in_every_language():
    languages = Counter(heading.split()[0] for heading, _, _ in cases())
    assert languages.total() >= 300
    assert min(languages[code] for code in ("en", "de", "fr", "es", "zh")) >= 50


def test_the_caller_may_say_whether_it_is_a_plan():
    assert written(event_time("Lunch with Ana on Friday", SAID_AT)) == "2026-05-15"
    assert written(event_time("Lunch with Ana on Friday", SAID_AT, is_plan=False)) == "2026-05-08"


def test_a_weekday_alone_is_never_today():
    assert written(event_time("The meeting is on Wednesday", SAID_AT)) == "2026-05-20"
    assert written(event_time("The meeting was on Wednesday", SAID_AT)) == "2026-05-06"


def test_a_day_that_does_not_exist_is_no_time():
    assert event_time("The party is on 31 February", SAID_AT) is None
    assert written(event_time("The party is on 29 February", SAID_AT)) == "2028-02-29"


def test_a_long_text_costs_no_more_than_its_beginning():
    assert event_time("word " * 10_000 + "on 3 October", SAID_AT) is None
    assert written(event_time("On 3 October " + "word " * 10_000, SAID_AT)) == "2026-10-03"


def test_text_beyond_the_calendar_is_no_time():
    for text in ("in 999 years", "999 years ago", "in 999 weeks", "0 days ago", "", "٣٣ / ١١", "\ud800"):
        event_time(text, to_moment("9999-12-29T00:00:00Z", "at"))
        event_time(text, to_moment("0001-01-03T00:00:00Z", "at"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We're all at Nan's on Easter Sunday", "2026-04-05"),
        ("Ostermontag sind wir bei Oma", "2026-04-06"),
        ("En Semana Santa vamos al pueblo", "2026-03-29..2026-04-05"),
        ("Thanksgiving is at ours this time", "2026-11-26"),
        ("中秋节全家聚餐", "2026-09-25"),
        ("Mum's operation is Thursday week", "2026-03-26"),
        ("Tocamos el sábado 28 en el Ateneo", "2026-03-28"),
        ("On part samedi 28", "2026-03-28"),
        ("They moved my interview from Monday to Thursday", "2026-03-19"),
        ("Der Termin wurde vom 20. auf den 27. verschoben", "2026-03-27"),
        ("TÜV ist am 27. fällig", "2026-03-27"),
        ("Am 40. Geburtstag war es schön", "None"),
        ("我27号住院", "2026-03-27"),
        ("我坐2号线上班", "None"),
        ("周四开会，门诊挪到周五上午", "2026-03-20"),
        ("I'm in Rome 22/04 to 29/04", "2026-04-22..2026-04-29"),
    ],
)
def test_a_day_is_found_by_its_holiday_its_weekday_and_where_it_was_moved_to(text: str, expected: str) -> None:
    found = event_time(text, to_moment("2026-03-18T10:00:00Z", "at"))
    days = [] if found is None else [to_datetime(found.start_us).date(), to_datetime(Moment(found.end_us - 1)).date()]
    assert "..".join(sorted({str(day) for day in days})) == expected.replace("None", "")
