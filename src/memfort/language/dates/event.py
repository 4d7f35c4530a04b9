"""When the event takes place that a sentence tells of: "on Wednesday" is the next one in a plan and the last one in a
report.

The words are data (`dates.txt` of each language), `event_phrases.py` finds them, and here they become a time. Days are
in UTC, and a week begins on Monday. Which days a question asks for is decided in `asked_days.py`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from functools import cache
from typing import Any, NamedTuple

import re2

from memfort.errors import InvalidInput
from memfort.language.dates.event_days import DayResolver, Times, at, unit_around
from memfort.language.dates.event_phrases import (
    DATED_LANGUAGES,
    Forms,
    Phrase,
    fold,
    fold_signs,
    forms_of,
    may_name_a_time,
)
from memfort.language.detect import foreign_language, possible_languages
from memfort.language.language import ENGLISH, languages
from memfort.language.words import split_words
from memfort.model.moment import Moment, to_datetime, to_moment
from memfort.model.occurred import Occurred, Precision

_MAX_CHARS = 2_000  # of a text: the time of an event stands in its sentence
_LINK_CHARS = 30  # between two names of one time
_CHINESE = re.compile("[\u4e00-\u9fff]")


def event_time(
    text: str, said_at: Moment, *, is_plan: bool | None = None, language: str | None = None
) -> Occurred | None:
    """When the event takes place that `text` tells of, said at that moment. None: its words do not say.

    `is_plan` says whether it lies ahead; without it, the tense and the words of the sentence do, and what says neither
    is taken as a plan. `language` is the code of the one that it is likely in, if that is known.
    """
    begins = text[:_MAX_CHARS]
    folded, is_chinese = fold(begins), is_in_chinese(begins)
    if not is_chinese and not may_name_a_time(folded):
        return None
    accented = fold_signs(begins)
    said = to_datetime(said_at)
    likely = [] if language is None or language not in DATED_LANGUAGES or language == "zh" else [language]
    for code in ["zh"] if is_chinese else dict.fromkeys((*likely, *_codes(begins.lower()))):
        occurred = TimeReader(folded, accented, forms_of(code), is_plan).read(said)
        if occurred is not None:
            return occurred
    return None


def is_in_chinese(text: str) -> bool:
    return not text.isascii() and _CHINESE.search(text) is not None


def widen(occurred: Occurred, unit: str) -> Occurred:
    """The day, the week or the month in which a time lies; a longer time as it is."""
    start = to_datetime(occurred.start_us)
    times = unit_around(start.date(), unit)
    if occurred.end_us >= to_moment(times.end, "occurred"):
        return occurred
    return Occurred(to_moment(times.start, "occurred"), to_moment(times.end, "occurred"), times.precision)


def _codes(lower: str) -> list[str]:
    """The languages with spaces to read a text in, the likeliest first."""
    words = split_words(lower)
    if possible_languages(words, lower) == (ENGLISH,):
        return ["en"]
    spoken = foreign_language(words, lower)
    likely = [one.code for one in languages() if one.name == spoken]
    return [code for code in dict.fromkeys((*likely, *DATED_LANGUAGES)) if code in DATED_LANGUAGES and code != "zh"]


class NamedTime(NamedTuple):
    """A time that one phrase or several beside each other name."""

    begin: int
    end: int
    days: Phrase | None
    clock: Phrase | None = None
    until: Phrase | None = None  # the other end of a span
    weekday: int | None = None  # named beside its date: "Wednesday the 17th"


class TimeReader:
    """Reads one text in one language: a statement for when its event takes place (`read`), or a question for all that
    it names (`named`)."""

    def __init__(self, folded: str, accented: str, forms: Forms, is_plan: bool | None = None) -> None:
        self._accented = accented if len(accented) == len(folded) else folded  # else places would differ
        self._text, self._forms, self._is_plan = folded, forms, is_plan
        self._cues = _cues(forms.code)

    def named(self) -> list[NamedTime]:
        """The times that the text names, in order."""
        return [one for one in self._join(self._forms.find(self._text)) if not self._is_recurring(one)]

    def read(self, said_at: datetime) -> Occurred | None:
        for one in sorted(self.named(), key=self._order):
            try:
                times = self._resolve(one, said_at)
                if times is not None:
                    return Occurred(
                        to_moment(times.start, "occurred"), to_moment(times.end, "occurred"), times.precision
                    )
            except (ValueError, OverflowError, InvalidInput):  # there is no such day
                continue
        return None

    def _order(self, named: NamedTime) -> tuple[bool, bool, int]:
        """The time that something was put off to comes first, one that is denied last."""
        return not self._is_new(named), self._follows(self._cues.before_denied, named), _vagueness(named)

    def _is_new(self, named: NamedTime) -> bool:
        """Whether something was moved to this time: "pushed to Friday"."""
        return self._cues.moved_to.search(self._text[: named.begin] + self._opening(named)) is not None

    def _opening(self, named: NamedTime) -> str:
        """The first word of a time that begins with one: "al 30"."""
        first, _, rest = self._text[named.begin : named.end].partition(" ")
        return first + " " if rest and first.isalpha() else ""

    def _is_moved(self, named: NamedTime) -> bool:
        """Whether something was moved from the first of two times to the second."""
        return (
            named.until is not None
            and self._cues.moved.search(self._text[slice(*self._clause_ends(named))]) is not None
        )

    # -- which phrases name one time -----------------------------------------------------------------------------------

    def _join(self, phrases: list[Phrase]) -> list[NamedTime]:
        named: list[NamedTime] = []
        for phrase in phrases:
            if phrase.kind == "none" or (phrase.kind == "date" and not self._stands_alone(phrase)):
                continue
            joined = self._joined(named[-1], phrase) if named else None
            if joined is not None:
                named[-1] = joined
            elif phrase.kind == "clock":
                named.append(NamedTime(phrase.begin, phrase.end, None, phrase))
            else:
                named.append(NamedTime(phrase.begin, phrase.end, phrase))
        return named

    def _stands_alone(self, phrase: Phrase) -> bool:
        """Whether a number that may count anything is a day: "the 3rd" is one, "the 3rd floor" is none."""
        if phrase.parts.keys().isdisjoint({"day_alone", "ordinal_alone"}) or _is_weekday(phrase):
            return True
        behind = self._text[phrase.end :].lstrip()
        if self._forms.dates.ordinal_nouns:
            return not behind.startswith(tuple(self._forms.dates.ordinal_nouns))
        word = behind.partition(" ")[0].rstrip(".,;:!?)")
        return not behind[:1].isalnum() or word in self._forms.dates.continuations

    def _joined(self, before: NamedTime, phrase: Phrase) -> NamedTime | None:
        between = self._text[before.end : phrase.begin]
        if len(between) > _LINK_CHARS:
            return None
        if before.until is None and (self._is_span(before, between) or self._begins_as_end(before, phrase)):
            return self._with_end(before, phrase)
        return self._with_part(before, phrase) if self._cues.links.fullmatch(between) else None

    @staticmethod
    def _with_end(before: NamedTime, phrase: Phrase) -> NamedTime | None:
        if phrase.kind == "clock":  # "from 3 pm to 5 pm" begins at 3 pm
            return before._replace(end=phrase.end) if before.clock is not None else None
        return None if before.days is None else before._replace(end=phrase.end, until=phrase)

    def _with_part(self, before: NamedTime, phrase: Phrase) -> NamedTime | None:
        if phrase.kind == "clock":
            return before._replace(end=phrase.end, clock=phrase) if before.clock is None else None
        if before.days is None:
            return before._replace(end=phrase.end, days=phrase)
        return self._same_day(before, phrase)

    def _is_span(self, before: NamedTime, between: str) -> bool:
        if self._cues.spans.fullmatch(between):
            return True
        said = self._text[max(before.begin - _LINK_CHARS, 0) : before.end]
        return any(
            between.strip() in joints and opening in said for opening, joints in self._forms.dates.event_pairs.items()
        )

    def _begins_as_end(self, before: NamedTime, phrase: Phrase) -> bool:
        """Whether what joins the ends of a span is read as the first word of the second: "de mayo a junio"."""
        if before.days is None or before.days.parts.keys().isdisjoint(_OF_SPANS & phrase.parts.keys()):
            return False
        joint = self._cues.spans.match(self._text[before.end : phrase.end])
        return joint is not None and before.end + joint.end() > phrase.begin

    def _same_day(self, before: NamedTime, phrase: Phrase) -> NamedTime | None:
        """A weekday beside its date is no second day, nor is a date beside "tomorrow"."""
        if before.days is None or before.until is not None or phrase.kind != "date":
            return None
        parts, others = before.days.parts, phrase.parts
        if _is_weekday(before.days) and others.keys() & {"day", "ordinal", "day_alone", "ordinal_alone", "first"}:
            return before._replace(end=phrase.end, days=phrase, weekday=self._weekday(parts))
        if _is_weekday(phrase) and parts.keys() & {"day", "ordinal", "day_alone", "away", "first"}:
            return before._replace(end=phrase.end, weekday=self._weekday(others))
        return before._replace(end=phrase.end) if "away" in parts and "day" in others else None

    def _is_recurring(self, named: NamedTime) -> bool:
        """Whether it happens again and again: "every Monday". Days that are counted from today happen once."""
        parts = set() if named.days is None else named.days.parts.keys()
        is_once = bool(parts - _REPEATABLE) or (named.days is not None and named.days.kind in {"ago", "ahead"})
        return not is_once and self._cues.recurring.search(self._text[slice(*self._clause_ends(named))]) is not None

    # -- whether it lies ahead -----------------------------------------------------------------------------------------

    def direction(self, named: NamedTime) -> bool | None:
        """True: a plan. False: a report. None: the words do not say."""
        if self._is_plan is not None:
            return self._is_plan
        if self._is_new(named):
            return True
        if self._follows(self._cues.before_reports, named):
            return False
        of_clause = self._tense(*self._clause_ends(named), named)
        if of_clause is not None or self._follows(self._cues.before_plans, named):
            return True if of_clause is None else of_clause
        return self._tense(*self._sentence_ends(named), named)

    def _follows(self, words: Any, named: NamedTime) -> bool:
        """Whether the time follows one of these words directly, or its own words begin with one: "since May"."""
        first = self._text[named.begin : named.end].partition(" ")[0]
        return any(words.search(text) is not None for text in (self._text[: named.begin], f" {first}"))

    def _tense(self, begin: int, end: int, named: NamedTime) -> bool | None:
        """The tense between two places, without the words of the time itself."""
        words = self._text[begin : named.begin] + " " + self._text[named.end : end]
        accented = self._accented[begin : named.begin] + " " + self._accented[named.end : end]
        if self._cues.arrangements.search(words) or self._cues.accented_plans.search(accented):
            return True
        if self._cues.accented_reports.search(self._without_nouns(accented)):
            return False
        if self._cues.reports.search(self._cues.not_reports.sub(" ", words)):
            return False
        return True if self._cues.plans.search(words) else None

    def _without_nouns(self, accented: str) -> str:
        nouns = self._forms.dates.not_accented_reports
        return " ".join(word for word in accented.split() if word.strip(".,;:!?¿¡") not in nouns)

    def _sentence_ends(self, named: NamedTime) -> tuple[int, int]:
        return self._between(_SENTENCE_END, named)

    def _clause_ends(self, named: NamedTime) -> tuple[int, int]:
        return self._between(self._cues.clauses, named)

    def _between(self, ends: Any, named: NamedTime) -> tuple[int, int]:
        begin = max((found.end() for found in ends.finditer(self._text[: named.begin])), default=0)
        end = ends.search(self._text[named.end :])
        return begin, named.end + end.start() if end else len(self._text)

    # -- what time it is -----------------------------------------------------------------------------------------------

    def _resolve(self, named: NamedTime, said_at: datetime) -> Times | None:
        direction = self.direction(named)
        if self._is_moved(named):
            named, direction = named._replace(days=named.until, until=None), True
        if named.days is None:
            start = None if direction is None else self._at_clock(named, said_at.date())
            return None if start is None else _minute(start)
        when = DayResolver(self._forms, said_at, direction is not False, named.weekday, is_guessed=direction is None)
        if named.until is not None:
            return when.span(named.days, named.until)
        times = when.resolve(named.days)
        if times is None or named.clock is None or times.precision is not Precision.DAY:
            return times
        return _minute(self._at_clock(named, times.start.date()))

    def _at_clock(self, named: NamedTime, day: date) -> datetime:
        parts = {} if named.clock is None else named.clock.parts
        if "named_hour" in parts:
            return at(day, int(self._forms.meaning("named_hour", parts["named_hour"])))
        name = next(name for name in ("hour", "hour_alone", "half_past", "half_to") if name in parts)
        hour, minute = self._forms.number("hour", parts[name]) % 24, int(parts.get("minute", 0))
        if name in {"half_past", "half_to"}:  # "half past two" and "halb drei" are the same
            hour, minute = (hour - (name == "half_to")) % 24, 30
        if "named_minute" in parts:
            minute = int(self._forms.meaning("named_minute", parts["named_minute"]))
        half = self._half(parts, named)
        if half is None and name != "hour" and "twelve_hours" in self._forms.dates.customs and 1 <= hour <= _EARLY:
            half = "pm"
        if half is not None:
            hour = hour % 12 + (12 if half == "pm" else 0)
        return at(day, hour, minute)

    def _half(self, parts: Mapping[str, str], named: NamedTime) -> str | None:
        if "half" in parts:
            return self._forms.meaning("half", parts["half"])
        if int(parts["hour"]) > 12 if parts.get("hour", "").isdecimal() else False:
            return None
        beside = self._text[named.begin : named.end]
        return next((half for half, pattern in self._cues.halves if pattern.search(beside)), None)

    def _weekday(self, parts: Mapping[str, str]) -> int:
        name = "weekday" if "weekday" in parts else "weekday_short"
        return int(self._forms.meaning(name, parts[name]))


_OF_SPANS = frozenset({"month", "month_number", "year"})
_EARLY = 7  # "at 7" is in the evening, "at 8" in the morning, where nothing says more
_SENTENCE_END = re2.compile(r"[.!?]\s|[。！？；]")
_REPEATABLE = frozenset(
    ["weekday", "weekday_short", "day_alone", "ordinal_alone", "day", "ordinal", "month", "month_number", "season"]
)


_YEARS = ("year", "jahr", "jahres", "an", "annee", "ano", "年")


def _is_weekday(phrase: Phrase) -> bool:
    return bool(phrase.parts.keys() & {"weekday", "weekday_short"}) and phrase.kind == "date"


def _vagueness(named: NamedTime) -> int:
    if named.days is None:
        return 2
    parts = named.days.parts
    is_year = not (parts.keys() - {"year", "decade", "century"}) or parts.get("unit") in _YEARS
    return int(named.until is None and is_year)


class _Cues(NamedTuple):
    """The words around a time, compiled."""

    links: Any
    spans: Any
    clauses: Any
    arrangements: Any
    before_plans: Any
    before_reports: Any
    before_denied: Any
    plans: Any
    reports: Any
    not_reports: Any
    accented_plans: Any
    accented_reports: Any
    recurring: Any
    moved: Any
    moved_to: Any
    halves: tuple[tuple[str, Any], ...]


@cache
def _cues(code: str) -> _Cues:
    dates = forms_of(code).dates
    border = "" if "no_spaces" in dates.customs else r"\b"

    def words(pattern: str) -> Any:
        return re2.compile(rf"{border}{pattern}{border}")

    def before(pattern: str) -> Any:
        return re2.compile(rf"{border}{pattern}(?:\s+the)?\s*$")

    return _Cues(
        links=re2.compile(rf"\s*,?\s*(?:{dates.event_links})?\s*"),
        spans=re2.compile(rf"\s*{dates.event_spans}\s*"),
        clauses=re2.compile(rf"[.!?]\s|[。！？；，]|{dates.event_clauses}"),
        arrangements=words(dates.arrangements),
        before_plans=before(dates.before_plans),
        before_reports=before(dates.before_reports),
        before_denied=before(dates.before_denied),
        plans=words(dates.plans),
        reports=words(dates.reports),
        not_reports=words(dates.not_reports),
        accented_plans=re2.compile(dates.accented_plans),
        accented_reports=re2.compile(dates.accented_reports),
        recurring=words(dates.recurring),
        moved=words(dates.moved),
        moved_to=re2.compile(rf"{dates.moved}.{{0,12}}{border}{dates.moved_to}\s*$"),
        halves=tuple((half, words("(?:" + "|".join(one) + ")")) for half, one in dates.day_halves.items()),
    )


def _minute(start: datetime) -> Times:
    return Times(start, start + timedelta(minutes=1), Precision.MINUTE)
