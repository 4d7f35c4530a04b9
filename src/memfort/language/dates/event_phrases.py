"""Finds the phrases of a text that name the time of an event, by the forms of a language's `dates.txt`.

A form is a pattern in which `<day>`, `<month>`, `<weekday>` and so on stand for any word of the section of that name;
`event.py` says what time the parts of a phrase mean.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

import re2
from msgspec import Struct, field

from memfort.folding import apart, category, compose
from memfort.language.data import NEVER
from memfort.language.files import DatesFile
from memfort.language.language import FOLDER, Language, shared
from memfort.language.normalise import compile_set

DATED_LANGUAGES = ("en", "de", "fr", "es", "zh")


class Phrase(Struct, frozen=True):
    begin: int
    end: int
    kind: str  # the name of its rule
    parts: Mapping[str, str] = field(default_factory=dict)


class Forms(Struct, frozen=True):
    """The forms of one language, compiled."""

    code: str
    dates: DatesFile
    patterns: tuple[Any, ...]
    kinds: tuple[str, ...]
    together: Any  # all patterns at once: says which of them are worth a search
    meanings: Mapping[str, Mapping[str, str]]  # of the words of a part: their number, or their name in the data

    def find(self, folded: str) -> list[Phrase]:
        """All phrases in order. Of two that overlap, the one that says more; but days before hours: "from 4 June"."""
        found = [phrase for place in self.together.Match(folded) or () for phrase in self._find_one(place, folded)]
        found.sort(key=lambda one: (one.kind == "clock", -len(one.parts), one.begin - one.end, one.begin, one.kind))
        kept: list[Phrase] = []
        for phrase in found:
            if all(phrase.end <= other.begin or phrase.begin >= other.end for other in kept):
                kept.append(phrase)
        return sorted(kept, key=lambda phrase: phrase.begin)

    def meaning(self, part: str, words: str) -> str:
        """What the words of a part mean: a number, or a name of the data."""
        known = self.meanings[_ALIASES.get(part, part)]
        return known[words] if words in known else next(known[one] for one in known if re2.fullmatch(one, words))

    def number(self, part: str, words: str) -> int:
        if words.isdecimal():
            return int(words)
        known = self.meanings["ordinal" if _ALIASES.get(part, part) in {"day", "ordinal", "month_number"} else "count"]
        return int(known[words])

    def _find_one(self, place: int, folded: str) -> Iterable[Phrase]:
        for found in self.patterns[place].finditer(folded):
            begin, end = found.start(), found.end()
            if not (_runs_on(folded, begin) or _runs_on(folded, end)):
                parts = {name: words for name, words in found.groupdict().items() if words}
                yield Phrase(begin, end, self.kinds[place], parts)


def fold_signs(text: str) -> str:
    """Lower case and plain signs, with accents: in some languages they tell the past from the future."""
    return " ".join(compose(text.translate(_SIGNS)).lower().split())


def fold(text: str) -> str:
    """Lower case, plain signs and no accents: how the forms of `dates.txt` are written."""
    if text.isascii():
        folded = " ".join(text.lower().split())
        return _STAMP.sub(r"\1 \2", folded) if ":" in folded else folded
    plain = apart(text.translate(_SIGNS))
    kept = "".join(sign for sign in plain if category(sign) not in _DROPPED)
    folded = " ".join(kept.split())
    return _STAMP.sub(r"\1 \2", folded)


_DROPPED = ("Mn", "Me", "Cf", "Cs")  # accents, and what cannot be seen
_STAMP = re.compile(r"([0-9])t([0-9]{2}:)")  # the T of 2026-06-30T14:30
_SIGNS = str.maketrans("‘’‛ʼ′", "'''''")


def may_name_a_time(folded: str) -> bool:
    """Whether a form of any language with spaces is in a folded text: one search for all languages, for most texts have
    none."""
    found = _any_form().Match(folded) or ()
    return 0 not in found or len(found) > 1  # the empty pattern fits every text; without it RE2 gave up


@cache
def _any_form() -> Any:
    spaced = [code for code in DATED_LANGUAGES if "no_spaces" not in _written(code)[0].customs]
    return compile_set(dict.fromkeys(("", *(form for code in spaced for _, form in _written(code)[2]))))


@cache
def forms_of(code: str) -> Forms:
    """The forms of a language and those that all languages share."""
    dates, meanings, written = _written(code)
    patterns = tuple(re2.compile(form) for _, form in written)
    together = compile_set([form for _, form in written])
    return Forms(code, dates, patterns, tuple(kind for kind, _ in written), together, meanings)


@cache
def _written(code: str) -> tuple[DatesFile, Mapping[str, Mapping[str, str]], list[tuple[str, str]]]:
    """The dates of a language, what the words in them mean, and each form with the name of its rule."""
    dates = Language(FOLDER / code).dates
    meanings = _meanings(dates)
    slots = _slots(dates, meanings)
    written = [
        (rule.name, _filled(form, slots, is_spaced="no_spaces" not in dates.customs))
        for file in (dates, shared().dates)
        for rule in file.event
        for form in rule.forms
    ]
    return dates, meanings, written


def _slots(dates: DatesFile, meanings: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """What each part of a form may be."""
    slots = {name: _any_of(words) for name, words in meanings.items()}
    in_words = _any_of(dates.ordinals) if "days_in_words" in dates.customs else NEVER
    slots |= {
        "day": f"3[01]|[12][0-9]|0?[1-9]|{in_words}",
        "month_number": f"1[0-2]|0?[1-9]|{in_words}",
        "count": f"[0-9]{{1,3}}|{slots['count']}",
        "hour": f"2[0-4]|1[0-9]|0?[0-9]|{_any_of(dates.numbers)}",
        "minute": "[0-5][0-9]",
        "year": "(?:19|20|21)[0-9]{2}",
        "short_year": "[0-9]{2}",
        "decade": "[0-9]0",
    }
    others = {alias: slots[name] for alias, name in _ALIASES.items()}
    return slots | others | {f"to_{name}": slots[name] for name in ("day", "month", "month_number", "year", "weekday")}


# Parts that are written like another, and mean something else by where they stand.
_ALIASES = {
    "week_of": "which",
    "year_of": "which",
    "which_unit": "which",
    "unit_alone": "unit",
    "day_alone": "day",
    "ordinal_alone": "ordinal",
    "hour_alone": "hour",
    "half_past": "hour",
    "half_to": "hour",
    "from_weekday": "weekday",
    "first": "day",
    "second": "day",
    "to_first": "day",
    "to_second": "day",
    "nth_week": "ordinal",
}


def _any_of(words: Iterable[str]) -> str:
    """Any of the words, the longest first: the first that fits is taken."""
    return "|".join(sorted(words, key=len, reverse=True)) or NEVER


def _filled(form: str, slots: Mapping[str, str], *, is_spaced: bool) -> str:
    filled = _SLOT.sub(lambda found: f"(?P<{found[1]}>{slots[found[1]]})", form)
    if not is_spaced:
        return filled
    return rf"\b(?:{filled})" if form.endswith(r"\.") else rf"\b(?:{filled})(?:\b|$)"


_SLOT = re.compile(r"(?<!\?P)<([a-z_]+)>")  # not the name of a group


def _meanings(dates: DatesFile) -> dict[str, dict[str, str]]:
    counts = {word: str(number) for number, word in enumerate(dates.numbers, start=1)}
    counts |= {word: number for word, (number,) in dates.counts.items()}
    months = list(enumerate(dates.months.items(), start=1))
    return {
        "count": counts,
        "ordinal": {word: str(number) for number, word in enumerate(dates.ordinals, start=1)},
        "month": {word: str(number) for number, (whole, short) in months for word in (whole, *short)},
        "weekday": {whole: str(number) for number, whole in enumerate(dates.weekday_names)},
        "weekday_short": {
            word: str(number) for number, words in enumerate(dates.weekday_names.values()) for word in words
        },
        "season": {word: " ".join(ends) for word, ends in dates.seasons.items()},
        "away": _by_phrase(dates.days_away),
        "which": _by_phrase(dates.which_one),
        "unit": _by_phrase(dates.unit_words),
        "holiday": _by_phrase(dates.holidays),
        "half": _by_phrase(dates.day_halves),
        "named_hour": _by_phrase(dates.named_hours),
        "named_minute": _by_phrase(dates.named_minutes),
    }


def _by_phrase(groups: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    return {phrase: meaning for meaning, phrases in groups.items() for phrase in phrases}


def _runs_on(text: str, place: int) -> bool:
    """Whether a number or a word goes on here."""
    beside = text[max(place - 1, 0) : place + 1] if place else ""
    return len(beside) == 2 and (beside.isascii() and beside.isalnum())
