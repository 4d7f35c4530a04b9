"""Compare a reply with what was sent. What does not hold is refused with a reason, one statement at a time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import Any

import msgspec
from msgspec import Struct

from memfort.capture.model.prompt import Sent, SentTurn
from memfort.capture.model.schema import ModelAction, SaidTime, Statement
from memfort.errors import InvalidInput
from memfort.language.fold import fold
from memfort.language.mentions import mentions
from memfort.language.words import content_words, split_words, stem_word
from memfort.model.item import Origin, Sensitivity
from memfort.model.occurred import Occurred, Precision, to_occurred

THE_SPEAKER = frozenset({"user", "the user", "speaker", "the speaker", "me", "i"})
_OTHER_ROLES = frozenset({"assistant", "ai", "tool", "system"})
_UNSPACED = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]+")  # Thai, Japanese, Chinese
_PARTS = {Precision.YEAR: 4, Precision.MONTH: 7, Precision.DAY: 10}  # characters of a date


class RefusedReason(StrEnum):
    """Why a statement of a reply is not used."""

    MALFORMED = "malformed"
    NO_SUCH_MESSAGE = "no_such_message"
    NOT_THE_USER = "not_the_user"  # it is taken from words that the user neither said nor confirmed
    QUOTE_NOT_FOUND = "quote_not_found"
    NOT_IN_THE_WORDS = "not_in_the_words"  # it has no word of the conversation
    WORDS_OF_A_MEMORY = "words_of_a_memory"  # it copies words of a memory that nobody said, to where they could be read
    UNKNOWN_PERSON = "unknown_person"  # it names a person whom the conversation does not
    NO_SUCH_TARGET = "no_such_target"
    BAD_DATE = "bad_date"
    ALREADY_KNOWN = "already_known"  # a memory says it, or was made from the same words
    NOT_YOURS_TO_END = "not_yours_to_end"  # another person's memory, or one with other readers
    OUTWEIGHED = "outweighed"  # the memory that it would end has more authority than a guess


class Refused(Struct, frozen=True):
    """A statement of a reply that is not used."""

    reason: RefusedReason
    turn: int | None = None  # the place of its message among the new ones, if it names one


class Checked(Struct, frozen=True):
    """A statement of a reply that agrees with what was sent. Every gate still decides on it."""

    turn: int  # the place of its message among the new ones
    text: str
    quote: str  # verbatim
    type: str | None
    confidence: float
    action: ModelAction
    target: int | None = None  # the place of a memory among those that were sent
    occurred: Occurred | None = None
    sensitivity: Sensitivity | None = None  # only what is stricter than public
    portable: bool | None = None  # only that it is not
    is_about_speaker: bool = False  # and about nobody else
    reason: str = ""


def check_reply(entries: Sequence[Any], sent: Sent) -> tuple[list[Checked], list[Refused]]:
    """What of a reply can be used, and what cannot."""
    checked, refused = list[Checked](), list[Refused]()
    for entry in entries:
        found = _check(entry, sent)
        if isinstance(found, Checked):
            checked.append(found)
        else:
            refused.append(found)
    return checked, refused


def _check(entry: Any, sent: Sent) -> Checked | Refused:
    try:
        given = msgspec.convert(entry, Statement)
        " ".join((given.statement, given.evidence, given.type or "", given.reason)).encode()
    except (msgspec.ValidationError, UnicodeEncodeError):  # the second: half a character, which no file can hold
        return Refused(RefusedReason.MALFORMED)
    if given.message > len(sent.turns):
        return Refused(RefusedReason.NO_SUCH_MESSAGE)
    place = given.message - 1
    turn = sent.turns[place]
    quote = find_quote(turn.text, given.evidence)
    refusal = _refusal(given, turn, quote, sent)
    if refusal is not None or quote is None:
        return Refused(refusal or RefusedReason.QUOTE_NOT_FOUND, place)
    try:
        occurred = None if given.occurred is None else _occurred(given.occurred)
    except InvalidInput:
        return Refused(RefusedReason.BAD_DATE, place)
    text = " ".join(given.statement.split())
    return Checked(
        place,
        text,
        quote,
        given.type,
        given.confidence,
        given.action,
        None if given.target is None else given.target - 1,
        occurred,
        None if given.sensitivity is Sensitivity.PUBLIC else given.sensitivity,
        None if given.portable else False,
        is_about_speaker=_is_about_speaker(given.subjects, text),
        reason=given.reason,
    )


def find_quote(text: str, words: str) -> str | None:
    """The words of a text that a quote gives, verbatim; between them any white space counts as the same."""
    parts = words.split()
    if not parts or not any(one.isalnum() for one in words):
        return None
    found = re.search(r"\s+".join(map(re.escape, parts)), text)
    return None if found is None else found.group()


def _refusal(given: Statement, turn: SentTurn, quote: str | None, sent: Sent) -> RefusedReason | None:
    if not _is_of_user(given, turn, quote, sent):
        return RefusedReason.NOT_THE_USER
    if quote is None:
        return RefusedReason.QUOTE_NOT_FOUND
    is_add, last = given.action is ModelAction.ADD, len(sent.memories)
    if is_add != (given.target is None) or (given.target is not None and given.target > last):
        return RefusedReason.NO_SUCH_TARGET
    if not _is_supported(given, turn, sent):
        return RefusedReason.NOT_IN_THE_WORDS
    return None if _names_are_known(given, turn, sent) else RefusedReason.UNKNOWN_PERSON


def _is_of_user(given: Statement, turn: SentTurn, quote: str | None, sent: Sent) -> bool:
    """Whether the user said the words that it quotes, as far as they are found at all."""
    if turn.origin is not Origin.USER or given.stated_by.strip().lower() in _OTHER_ROLES:
        return False
    others = [one for one in sent.before if one.origin is not Origin.USER]
    return quote is not None or not any(find_quote(one.text, given.evidence) for one in others)


def _is_supported(given: Statement, turn: SentTurn, sent: Sent) -> bool:
    """Whether a statement has any word of the conversation. Its message may leave the rest to what was said before:
    "yes, exactly", or "the fourth is done"."""
    stated = _stems(given.statement)
    if given.action is ModelAction.RETRACT or not stated:
        return True  # nothing is kept of it
    said = [turn.text, *(one.text for one in (*sent.turns, *sent.before))]
    return not stated.isdisjoint(_stems(" ".join(said)))


def _stems(text: str) -> set[str]:
    """The stems of a text's content words; of scripts without spaces, each two characters that stand together."""
    pairs = (run[at : at + 2] for run in _UNSPACED.findall(text) for at in range(len(run) - 1))
    return {*(stem_word(word) for word in content_words(text)), *pairs} - {"user"}


def unsaid_words(text: str, sent: Sent) -> set[str]:
    """The content words of a statement that are in no turn that was sent, stemmed."""
    return _stems(text).difference(
        *(all_stems(f"{one.speaker or ''} {one.text}") for one in (*sent.turns, *sent.before))
    )


def all_stems(text: str) -> set[str]:
    """The stems of a text's words, with those that some language has as stop words."""
    return {*map(stem_word, split_words(text)), *_stems(text)}


def _names_are_known(given: Statement, turn: SentTurn, sent: Sent) -> bool:
    """Whether the conversation names everybody whom the statement does: a memory is shown to the people it is about."""
    others = [name for name in given.subjects if name.strip().lower() not in THE_SPEAKER]
    found = mentions(given.statement)
    others += [*found.names, *found.handles]
    if not others:
        return True
    said = [turn, *sent.turns, *sent.before]
    known = fold(" ".join([*(one.text for one in said), *(one.speaker or "" for one in said)]))
    known += fold(" ".join(one.text for one in sent.memories))
    return all(fold(name.strip().removeprefix("@")) in known for name in others)


def _is_about_speaker(subjects: Sequence[str], text: str) -> bool:
    if not subjects or any(name.strip().lower() not in THE_SPEAKER for name in subjects):
        return False
    found = mentions(text)
    return not (found.people or found.handles or found.perhaps)


def _occurred(said: SaidTime) -> Occurred:
    """The time that a reply gives. A coarser precision than its start counts."""
    start, end = said.start.strip(), (said.end or "").strip()
    if end and end != start:
        return to_occurred(f"{start}/{end}")
    length = None if said.precision is None else _PARTS.get(said.precision)
    return to_occurred(start if length is None else start[:length])
