"""What the messages of one `observe` may lead to: turns, and the statements that are taken from them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec
from tests.purge.directory import Space, as_space, default_spaces
from tests.purge.steps import Standpoint, Step

NOT_A_TURN = frozenset(("system", "developer"))
HEALTH = "I have diabetes and like"  # words about health are never public
CORRECTIONS = ("No wait, it's", "Actually, ", "Scratch that")
_OPENINGS = re.compile(r"^(Noted: |Actually, |No wait, it's |Please forget that )")


class Spoken(msgspec.Struct, frozen=True):
    """One reading of a message, or of a sentence in it."""

    text: str
    is_turn: bool
    is_correction: bool
    is_about_health: bool
    speaker: str | None  # the user who is named as its speaker
    is_old: bool  # it has a time of its own
    subjects: tuple[str, ...] | None  # None: those that the words name


def spoken(messages: list[Mapping[str, Any]]) -> list[Spoken]:
    return [one for message in messages if message.get("role") not in NOT_A_TURN for one in _readings(message)]


def has_correction(step: Step) -> bool:
    """Whether a message corrects something, or takes it back, that was said before."""
    return step.kind == "observe" and any(one.is_correction for one in spoken(step.given["messages"]))


def has_forget_request(step: Step) -> bool:
    return step.kind == "observe" and any("Please forget" in one.text for one in spoken(step.given["messages"]))


def _readings(message: Mapping[str, Any]) -> list[Spoken]:
    """A message is a turn, and each of its sentences may be a statement. The documents do not say whom a mere turn is
    about, nor who is meant by the first person in the words of a speaker that only somebody else names."""
    text = message.get("content") or message.get("text") or ""
    found = []
    sentences = [sentence for sentence in re.split(r"[.?] ?", text) if sentence]
    clauses = [sentence.replace(HEALTH, "I like") for sentence in sentences if HEALTH in sentence]
    for part, is_turn in [(text, True), *((words, False) for words in (*sentences, *clauses))]:
        core = _OPENINGS.sub("", part)
        subjects: list[tuple[str, ...] | None] = [None, ()]
        if message.get("speaker") and core.startswith("I "):
            subjects.append((f"@{message['speaker']}",))
        found += [
            Spoken(
                text=words,
                is_turn=is_turn,
                is_correction=part.startswith(CORRECTIONS),
                is_about_health=HEALTH in part,
                speaker=message.get("speaker"),
                is_old="at" in message,
                subjects=meant,
            )
            for words in dict.fromkeys((part, core))
            for meant in subjects
        ]
    return found


def places(who: Standpoint, given: Mapping[str, Any]) -> tuple[Space, tuple[Space, ...]]:
    """Where the turns of a call go, and where its statements may go."""
    if given.get("space"):
        named = as_space(given["space"])
        return named, (named,)
    own = default_spaces(who)[0]
    there = own
    if who.chat:
        there = frozenset({("chat", who.chat)})
    elif who.session:
        there = own | {("session", who.session)}
    return there, tuple(dict.fromkeys((there, own)))
