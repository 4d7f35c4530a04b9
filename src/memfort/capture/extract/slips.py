"""Corrections that take a whole message: words that say it was wrong before, and somewhere the value that holds.

"Hang on, misread my own notes. 2050" and "9am no good for her. 11" say neither what the value is of nor in one sentence
what was wrong. The value takes the place of the last one of its kind that the same speaker gave; one that the message
itself names is the old one.

Where no word says that it was wrong, the value must stand alone in its clause, or with words of the old statement, and
somebody has moved it ("they rang back, it's Wednesday"), or the old value is denied ("52, not 60"), or it is the answer
to nothing ("14k").
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from typing import Any

import re2
from msgspec import Struct
from msgspec.structs import replace

from memfort.capture.extract.confirmations import open_question
from memfort.capture.extract.context import Context, Said
from memfort.capture.extract.corrections import Correction, content_words_of, in_month_of, is_article, same_unit
from memfort.capture.extract.rules import Conversation
from memfort.capture.extract.updates import Updates, updates_of
from memfort.capture.extraction import Action, Target
from memfort.language.detect import stem

_LONGEST = 160  # characters of such a message
_LOOKED_AT = 8  # statements back
_NEAR = 2  # statements back in which nothing has to be in common
_DAYS = ("weekday", "day")


class _Value(Struct, frozen=True):
    kind: str  # `time`, `day`, `number`, or `toward`, a number that may be the day of a date
    start: int
    end: int
    seen: str

    def is_like(self, other: _Value) -> bool:
        """Whether two name the same: "Thursdays" and "Thursday morning"."""
        if self.kind == other.kind == "number" and _digits(self.seen):  # "60" and "60k"
            return _digits(self.seen) == _digits(other.seen)
        mine, its = ({word.rstrip("s.") for word in one.seen.split()} for one in (self, other))
        return bool(mine and its) and (mine <= its or its <= mine)


class _Cue(IntEnum):
    """What says that a message corrects, the least first."""

    NOTHING = 0
    NEWS = 1  # somebody has moved it
    SLIP = 2  # something was wrong, or has changed
    WRONG = 3  # the speaker was wrong


class _Reading(Struct, frozen=True):
    """What a message may do to an earlier statement."""

    said: Said
    text: str  # the statement with the new values
    score: float
    is_sure: bool


class _Message(Struct, frozen=True):
    text: str
    folded: str
    cue: _Cue
    given: list[_Value]
    words: frozenset[str]  # what it says beside its values


def read_slip(rules: Conversation, text: str, context: Context) -> Correction | None:
    """The statement of the same speaker that a message corrects, with the values that hold instead."""
    text = _ASTERISK.sub("", text) if _ASTERISK.search(text) else text
    if len(text) > _LONGEST or text.rstrip().endswith(("?", "？")) or not context.said:
        return None
    folded = rules.fold(text)
    if not rules.find_value(folded):  # as in most messages
        return None
    given = [_led(rules, folded, one) for one in _values(rules, folded) if not rules.past_value.search(one.seen)]
    if not given:
        return None
    cue, kinds = _cue(rules, folded), {_plain_kind(one) for one in given}
    if cue is _Cue.NOTHING and not _may_replace_unasked(rules, folded, given, context):
        return None
    words = content_words_of(rules, rules.without_values(str(rules.slip.sub(" ", folded))))
    message, read = _Message(text, folded, cue, given, words), list[_Reading]()
    distance = 0  # in statements that have such a value
    for said in context.said[::-1][:_LOOKED_AT]:
        old = _values_of(rules, said, context)
        if old and (one := _read(rules, message, said, old, distance)) is not None:
            read.append(one)
        distance += any(one.kind in kinds for one in old)
    best = max(read, key=lambda one: one.score, default=None)
    if best is None:
        return None
    target = Target(words=best.said.words, query=best.said.text) if best.is_sure else Target()
    return Correction(Action.UPDATE, best.text, target, best.said)


def _led(rules: Conversation, folded: str, value: _Value) -> _Value:
    """A number that stands where a day does: "moved to the 19"."""
    is_day = value.kind == "number" and value.seen.isdigit() and 0 < int(value.seen) <= _LAST_DAY
    is_led = is_day and updates_of(rules).toward.search(folded[: value.start]) is not None
    return replace(value, kind=_TOWARD) if is_led else value


def _values_of(rules: Conversation, said: Said, context: Context) -> list[_Value]:
    if said.text not in context.values:
        context.values[said.text] = _values(rules, rules.fold(said.text))
    found: list[_Value] = context.values[said.text]
    return found


def _may_replace_unasked(rules: Conversation, folded: str, given: list[_Value], context: Context) -> bool:
    """Whether a message without a word for a correction begins with its value and answers nothing, or denies one."""
    if any(_is_denied(rules, folded, one) for one in given):
        return True
    return not folded[: given[0].start].strip(_BEFORE_VALUES) and not open_question(rules, context.answer)


def _cue(rules: Conversation, folded: str) -> _Cue:
    updates = updates_of(rules)
    if updates.wrong.search(folded):
        return _Cue.WRONG
    if rules.slip.search(folded):
        return _Cue.SLIP
    return _Cue.NEWS if updates.news.search(folded) else _Cue.NOTHING


def _read(rules: Conversation, message: _Message, said: Said, old: list[_Value], distance: int) -> _Reading | None:
    """How well a message fits as a correction of a statement; None if it does not."""
    folded = message.folded
    known = [one for one in old if any(one.is_like(other) for other in message.given)]
    fresh = [one for one in message.given if not any(one.is_like(other) for other in old)]
    new = [one for one in fresh if not _is_denied(rules, folded, one)]
    if not new:
        return None
    corrected = _replace(rules, said.text, old, known, new, message.text)
    if corrected is None:
        return None
    shared = len(message.words & content_words_of(rules, said.text)) / (1 if rules.is_spaced else 2)
    score = 3.0 * bool(known) + 1.5 * shared - 0.5 * distance
    if message.cue >= _Cue.SLIP:
        beside = content_words_of(rules, rules.without_values(str(rules.slip.sub(" ", _clause_at(folded, new[0])))))
        is_bare = len(beside) <= (1 if rules.is_spaced else 2)
        is_only = message.cue is _Cue.WRONG and distance == 0 and len(message.given) == 1
        if known or shared >= 1 or (is_bare and distance < _NEAR) or is_only:
            return _Reading(said, corrected, score, is_sure=bool(known) or is_bare)
    is_denied = any(_is_denied(rules, folded, one) for one in message.given if any(one.is_like(each) for each in known))
    if _is_only_about(rules, message, new[0], said, distance, is_denied=is_denied):
        return _Reading(said, corrected, score, is_sure=True)
    return None


def _is_only_about(
    rules: Conversation, message: _Message, value: _Value, said: Said, distance: int, *, is_denied: bool
) -> bool:
    """Whether the clause with the value says nothing that the statement does not, and does not add to it."""
    updates = updates_of(rules)
    clause = _clause_of(message.folded, value, updates)
    if updates.adding.search(clause):
        return False
    plain = str(updates.any_cue.sub(" ", str(rules.slip.sub(" ", rules.without_values(clause)))))
    beside = content_words_of(rules, plain)
    known = {stem(word, rules.language.name) for word in content_words_of(rules, said.text)}
    more = frozenset(word for word in beside if stem(word, rules.language.name) not in known)
    if len(more) > (0 if rules.is_spaced else 1):
        return False
    if is_denied:
        return True
    if message.cue is _Cue.NOTHING:  # a value alone, of the last statement
        return distance == 0 and not beside and not message.folded[: value.start].strip(_BEFORE_VALUES)
    return bool(beside - more) or distance < _NEAR


def _clause_of(folded: str, value: _Value, updates: Updates) -> str:
    start, end = 0, len(folded)
    for found in updates.clause_end.finditer(folded):
        if found.end() <= value.start:
            start = found.end()
        elif found.start() >= value.end:
            end = found.start()
            break
    return folded[start:end]


def _clause_at(folded: str, value: _Value) -> str:
    """The clause in which a value stands."""
    start = max(folded.rfind(mark, 0, value.start) for mark in _MARKS) + 1
    ends = [place for mark in _MARKS if (place := folded.find(mark, value.end)) >= 0]
    return folded[start : min(ends, default=len(folded))]


def _values(rules: Conversation, folded: str) -> list[_Value]:
    """The times, days and numbers of a text; of two that overlap the longer one. What holds since then has no value."""
    found = [
        _Value("day" if kind in _DAYS else kind, one.start(), one.end(), one.group().strip(" ."))
        for kind, form in rules.values
        for one in form.finditer(rules.without_since(folded))
        if not is_article(rules, one.group()) and one.group().strip() not in updates_of(rules).not_numbers
    ]
    found.sort(key=lambda one: (one.start - one.end, one.kind == "number"))
    kept: list[_Value] = []
    for one in found:
        if all(one.end <= other.start or other.end <= one.start for other in kept):
            kept.append(one)
    return sorted(kept, key=lambda one: one.start)


def _is_denied(rules: Conversation, folded: str, one: _Value) -> bool:
    """Whether the words around it say that it is not the value: "not Thursday", "scratch Thursdays"."""
    return rules.slip_denial.search(folded[max(0, one.start - 24) : one.start]) is not None


def _replace(
    rules: Conversation, statement: str, old: list[_Value], known: list[_Value], new: list[_Value], text: str
) -> str | None:
    """The statement with each new value in the place of one of its kind: the one that the message names, else the
    last. Of a list of which the message repeats a part, it is the rest."""
    places: list[tuple[_Value, _Value]] = []
    for value in new:
        if any(value.kind == one.kind for _, one in places):
            continue
        fitting = [one for one in old if _may_replace(value, one)]
        fitting = [one for one in fitting if one.kind == _plain_kind(value)] or fitting
        named = [one for one in fitting if one in known]
        unnamed = [one for one in fitting if one not in known]
        is_list = bool(named and unnamed) and rules.is_list_of(rules.fold(text), value.start, value.end)
        if chosen := (unnamed if is_list else named or unnamed):
            places.append((chosen[-1], value))
    corrected = statement
    for place, value in sorted(places, key=lambda pair: -pair[0].start):
        before, words = corrected[: place.start], text[value.start : value.end].strip(" .")
        if _is_day_of(value, place):
            words = str(_DAY_OF_MONTH.sub(words, corrected[place.start : place.end], count=1))
        elif value.kind == place.kind == "day":
            words = in_month_of(words, corrected[place.start : place.end])
        elif value.kind == place.kind == "number" and words.isdigit():  # "52" of "60k"
            words += str(_ATTACHED_UNIT.search(place.seen).group())
        corrected = f"{before}{_without_article(rules, before, words)}{corrected[place.end :]}"
    return corrected if places and corrected != statement else None


def _may_replace(value: _Value, old: _Value) -> bool:
    if _is_year_like(value) and old.kind == "number":
        return len(_digits(old.seen)) >= len(_digits(value.seen)) - 1
    if _is_day_of(value, old):
        return True
    value = replace(value, kind=_plain_kind(value))
    if value.kind == "number" and old.kind == "time":  # "9am no good. 11"
        return value.seen.isdigit() and len(value.seen) <= 2
    if value.kind != old.kind or (_is_year_like(value) and not _is_year_like(old)):
        return False
    return value.kind != "number" or same_unit(value.seen, old.seen)


def _plain_kind(value: _Value) -> str:
    return "number" if value.kind == _TOWARD else value.kind


def _is_day_of(value: _Value, old: _Value) -> bool:
    """Whether a number alone may be the day of a date: "moved to the 19" of "12 June"."""
    return value.kind == _TOWARD and old.kind == "day" and _DAY_OF_MONTH.search(old.seen) is not None


def _is_year_like(value: _Value) -> bool:
    return value.kind == "day" and value.seen.isdigit() and len(value.seen) == 4


def _digits(seen: str) -> str:
    return "".join(filter(str.isdigit, seen))


def _without_article(rules: Conversation, before: str, words: str) -> str:
    """A value without the words that lead in to it, where others do already: "au 17 juillet" becomes "au 17"."""
    if not rules.is_spaced or not before.strip():
        return words
    last = rules.fold(before.rsplit(maxsplit=1)[-1])
    lead = rules.before_value.match(rules.fold(words))
    is_led = lead is not None and lead.end() < len(words) and rules.before_value.fullmatch(last) is not None
    return words[lead.end() :] if is_led and lead is not None else words


def sentences_beside(text: str, rules: Conversation) -> Iterator[str]:
    """The sentences of a corrected message that hold neither the correction nor a value."""
    for one in _SENTENCE.findall(text):
        folded = rules.fold(one)
        if rules.slip.search(folded) is None and not _values(rules, folded):
            yield one


_BEFORE_VALUES = " .,!-–—¡"
_ATTACHED_UNIT: Any = re2.compile(r"(?:[a-z%€]+|[ ](?:[km]?g|ml|mcg))?$")
_LAST_DAY, _TOWARD = 31, "toward"
_DAY_OF_MONTH: Any = re2.compile(r"\b[0-9]{1,2}\b")
_ASTERISK: Any = re2.compile(r"^\s*[*＊]+\s*|\s*[*＊]+\s*$")
_MARKS = (",", ".", ";", "!", "，", "。", "；", "！", ":", " - ")
_SENTENCE: Any = re2.compile(r"[^.!。！]+[.!。！]*")
