"""Parse a text as a turn of a conversation: the speaker, the day, and the statement itself.

Lines of conversations are often kept as `[1:56 pm on 8 May, 2023] Caroline: I went there`. The prefix gives the time
and the speaker; a recall that treated it as part of the statement would find everything that a person ever said.
"""

from __future__ import annotations

import re
from enum import IntFlag
from functools import cache, lru_cache
from typing import Any, NamedTuple

import re2

from memfort.capture.marks import is_only_marks
from memfort.language.dates.parse import find_day
from memfort.language.language import english, languages, shared
from memfort.language.normalise import compile_set, plain
from memfort.language.words import split_words

ROLES = shared().turns.roles
SELF_ROLES = shared().turns.asking_roles  # who in a conversation with an assistant is the one who asks
_MAX_NAMES = 3
_MAX_SPEAKER_CHARS = 40  # with the colon


class Trait(IntFlag):
    """Surface features of a text. Kept in the index as one number."""

    QUESTION = 1  # it ends with a question
    TIME = 2  # it says when
    NUMBER = 4  # it says how many
    NAME = 8  # it has a name inside a sentence
    INSTRUCTION = 16  # an instruction or a preference, which applies to later questions
    CHANGE = 32  # it says that a number or a day has changed: "was moved to Friday"
    OTHERS = 64  # it is only about other people's things: "my brother's rent"
    ANSWER_STYLE = 128  # an instruction about the form of all answers: "always answer in metric units"


class Turn(NamedTuple):
    body: str
    speaker: str | None = None  # as it is written
    day: int | None = None  # as an ordinal number


def parse_turn(text: str) -> Turn:
    """The text without a prefix that gives its speaker and time."""
    dated = _date_prefix().match(text) if "[" in text else None
    day = None if dated is None else find_day(dated.group(1))
    rest = text if dated is None or day is None else text[dated.end() :]
    said = _speaker_prefix().match(rest) if ":" in rest[:_MAX_SPEAKER_CHARS] else None
    if said is None or not _is_name(said.group(1), is_dated=day is not None):
        return Turn(rest, None, day)
    return Turn(rest[said.end() :], said.group(1), day)


def find_traits(body: str) -> Trait:
    """The surface features of a statement."""
    seen = plain(body)
    found = _trait_forms().Match(seen) or ()
    traits = 0
    for place in found:
        traits |= _FORM_TRAITS[place]
    if traits & _CHANGE and (not traits & _VALUE or _change_pattern().search(seen) is None):
        traits &= ~_CHANGE
    if traits & _CANCELLED:
        traits = traits & ~_CANCELLED | _CHANGE
    if traits & _ANSWER_STYLE and _condition_pattern().search(seen) is not None:
        traits &= ~_ANSWER_STYLE
    if traits & _OTHERS and not _is_about_others(seen):
        traits &= ~_OTHERS
    if body.rstrip().endswith(("?", "？")):
        traits |= _QUESTION
    if not body.islower() and _name_pattern().search(body) is not None:
        traits |= _NAME
    return Trait(traits)


def says_nothing(body: str) -> bool:
    """Whether a turn states nothing: every sentence of it is small talk or a short question, or has ended."""
    if is_only_marks(body):
        return True
    sentences = [one.strip() for one in _SENTENCE.findall(body)]
    return all(map(_is_small_talk_or_question, filter(None, sentences)))


def _is_small_talk_or_question(sentence: str) -> bool:
    words = split_words(sentence)
    if sentence.endswith(("?", "？")):
        return len(words) < _MAX_QUESTION_WORDS
    return any(known.issuperset(words) and not small.isdisjoint(words) for small, known in _small_talk()) or not words


@cache
def _small_talk() -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    """For each language its words of small talk, and these with its stop words, which alone state nothing either."""
    files = [one.file for one in languages() if one.file.small_talk]
    return tuple((file.small_talk, file.small_talk | frozenset(file.stop_words)) for file in files)


_SENTENCE = re.compile(r"[^.!?。！？\n]*[.!?。！？\n]*")
_MAX_QUESTION_WORDS = 10  # a longer one says what it is about


def _is_name(words: str, *, is_dated: bool) -> bool:
    if words.lower() in shared().turns.roles:
        return True
    parts = words.split()
    is_named = len(parts) <= _MAX_NAMES and all(part[0].isupper() or not part[0].isascii() for part in parts)
    return is_named and (is_dated or not _is_label(words))


def _is_label(words: str) -> bool:
    """Whether they say what follows, and not who says it: `Root Cause`, `Lunch Menu`, or a ticket, an error, a part
    (`ZEP-7`, `E15`). If they were taken for a speaker, they would be no words of the statement, and a query for them
    would not find it."""
    parts = words.rstrip(".").split()
    known, endings, last = english().statements, shared().turns.label_endings, parts[-1].lower()
    is_known = any(part.lower() in known.labels or part.endswith(endings) for part in parts)
    is_stop_word = last in english().stop_words and last not in english().file.names
    return is_known or is_stop_word or last in known.last_words_of_labels or any(map(str.isdigit, words))


@lru_cache(maxsize=1)
def _date_prefix() -> Any:
    return re2.compile(r"\s*\[([^\[\]\n]{4,48})\]\s*")


@lru_cache(maxsize=1)
def _speaker_prefix() -> Any:
    return re2.compile(r"([\pL][\pL\pN.'’ -]{0,38}):[ \t]+")


@lru_cache(maxsize=1)
def _name_pattern() -> Any:
    """A capital letter inside a sentence, or after an opening quotation mark."""
    return re2.compile(r"[a-z,] [A-Z][a-zA-Z]|[\"“][A-Z]")


_WORDS_BETWEEN = 6
# As plain integers: combining flags costs as much as the search.
_CANCELLED = 1 << 30  # not a trait itself: it becomes `CHANGE` in any case
_FORM_TRAITS = (
    Trait.TIME.value,
    Trait.NUMBER.value,
    Trait.INSTRUCTION.value,
    Trait.CHANGE.value,
    Trait.OTHERS.value,
    _CANCELLED,
    Trait.ANSWER_STYLE.value,
)
_QUESTION, _NAME, _CHANGE, _OTHERS = Trait.QUESTION.value, Trait.NAME.value, Trait.CHANGE.value, Trait.OTHERS.value
_ANSWER_STYLE = Trait.ANSWER_STYLE.value
_VALUE = Trait.TIME.value | Trait.NUMBER.value


@lru_cache(maxsize=1)
def _trait_forms() -> Any:
    words = english().statements
    forms = (
        rf"\b{words.time_words}\b",
        rf"[0-9]|\b{words.number_words}\b",
        words.instructions,
        rf"\b{words.change_words}\b",
        rf"\b{words.owners}\b",
        rf"\b{words.cancelled}\b",
        words.answer_style,
    )
    return compile_set(forms)


def _is_about_others(seen: str) -> bool:
    """Whether it is only about other people's things: "my brother's" is not the speaker's, and "the landlord's letter"
    does not count."""
    if _own_pattern().search(_others_pattern().sub(" ", seen)) is not None:
        return False
    found = _owner_pattern().findall(seen)
    return any(whose or not (the or owner in english().statements.contractions) for the, whose, owner in found)


@lru_cache(maxsize=1)
def _condition_pattern() -> Any:
    """What is wished when something in particular is asked is found by what that is."""
    return re2.compile(rf"\b{english().statements.conditions}\b")


@lru_cache(maxsize=1)
def _own_pattern() -> Any:
    return re2.compile(rf"\b{english().statements.own}\b")


@lru_cache(maxsize=1)
def _others_pattern() -> Any:
    return re2.compile(rf"\b{english().statements.mine} [a-z]+'s\b")


@lru_cache(maxsize=1)
def _owner_pattern() -> Any:
    words = english().statements
    return re2.compile(rf"\b({words.the} )?(?:({words.owner_pronouns})\b|([a-z]+)'s [a-z])")


@lru_cache(maxsize=1)
def _change_pattern() -> Any:
    """A word of change, and few words after it, in the same sentence, a value."""
    words = english().statements
    between = rf"(?:[^\w.!?;\n]+[\w'-]+){{0,{_WORDS_BETWEEN}}}?[^\w.!?;\n]+"
    return re2.compile(rf"\b{words.change_words}\b{between}{words.changed_values}(?:[^a-z]|$)")
