"""The labelled conversations: `README.md` says what each field means."""

from __future__ import annotations

import calendar
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from itertools import groupby
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

FOLDER = Path(__file__).parent
DEVELOPMENT = ("dev", "dev_2", "dev_3", "dev_4")
SETS = (*DEVELOPMENT, "held_out")  # that have a table of their own
LANGUAGES = ("en", "de", "fr", "es", "zh")

Level = Literal["public", "personal", "sensitive"]
Type = Literal[
    "preference", "identity", "relationship", "knowledge", "context", "event", "task", "observation", "decision"
]


class Fact(Struct, frozen=True, forbid_unknown_fields=True):
    """What one message says that is worth keeping."""

    fact: str
    must: tuple[str, ...]
    type: Type
    query: str
    also_type: tuple[Type, ...] = ()
    subject: str | None = None
    date: str | None = None
    sensitivity: Level = "public"
    lasting: bool = False
    replaces: str | None = None
    retracts: str | None = None
    old: tuple[str, ...] = ()
    optional: bool = False


class Message(Struct, frozen=True, forbid_unknown_fields=True):
    conversation: str
    id: str
    at: str
    role: Literal["user", "assistant", "tool"]
    lang: Literal["en", "de", "fr", "es", "zh"]
    text: str
    facts: tuple[Fact, ...] = ()
    user: str | None = None
    speaker: str | None = None
    forget: str | None = None
    retracts: str | None = None

    @property
    def owner(self) -> str:
        return self.user or self.conversation

    @property
    def required(self) -> tuple[Fact, ...]:
        return tuple(fact for fact in self.facts if not fact.optional)


def path_of(name: str) -> Path:
    """The file of a set: one of these by its name, any other by its path."""
    return FOLDER / f"{name}.jsonl" if name in SETS else Path(name)


def read(name: str) -> list[Message]:
    lines = path_of(name).read_text(encoding="utf-8").splitlines()
    return [msgspec.json.decode(line, type=Message) for line in lines if line.strip()]


def conversations(messages: Iterable[Message]) -> dict[str, list[list[Message]]]:
    """The conversations of each user, in the order of time."""
    by_conversation = [list(one) for _, one in groupby(messages, key=lambda message: message.conversation)]
    found: dict[str, list[list[Message]]] = {}
    for one in sorted(by_conversation, key=lambda conversation: conversation[0].at):
        found.setdefault(one[0].owner, []).append(one)
    return found


def corrected(reference: str, messages: Mapping[str, Message]) -> tuple[Message, Fact]:
    """The fact that `id` or `id#n` names."""
    id, _, place = reference.partition("#")
    return messages[id], messages[id].facts[int(place or 0)]


def contains(text: str, must: Sequence[str]) -> bool:
    """Whether the text has one alternative of each of the words."""
    plain = _plain(text)
    return all(any(_plain(one) in plain for one in word.split("|")) for word in must)


def contains_some(text: str, must: Sequence[str]) -> bool:
    return any(contains(text, [word]) for word in must)


def spans(labelled: str) -> list[tuple[date, date]]:
    """The alternatives of a date label: first and last day of each."""
    return [_span(one) for one in labelled.split("|")]


def _span(labelled: str) -> tuple[date, date]:
    first, _, last = labelled.partition("..")
    return _days(first)[0], _days(last or first)[1]


def _days(labelled: str) -> tuple[date, date]:
    year, month, day = ([int(part) for part in labelled.split("-")] + [0, 0])[:3]
    if day:
        return date(year, month, day), date(year, month, day)
    if month:
        return date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1])
    return date(year, 1, 1), date(year, 12, 31)


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text).replace("’", "'").casefold())
