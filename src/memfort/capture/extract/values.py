"""The times, days and numbers of a text, and which of them may stand in the place of another."""

from __future__ import annotations

from typing import Any

import re2
from msgspec import Struct

from memfort.capture.extract.rules import Conversation
from memfort.capture.extract.updates import updates_of

_DAYS = ("weekday", "day")


class Value(Struct, frozen=True):
    kind: str  # `time`, `day` or `number`
    start: int
    end: int
    seen: str  # folded

    def is_like(self, other: Value) -> bool:
        """Whether it is of a kind with another: not euros of kilometres."""
        if self.kind != other.kind:
            return False
        mine, its = (_UNIT.sub("", one.seen) for one in (self, other))
        return self.kind != "number" or mine == its or not mine


def find_values(rules: Conversation, folded: str) -> list[Value]:
    """The times, days and numbers of a text; of two that overlap the longer one. What holds since then has no value."""
    found = [
        Value("day" if kind in _DAYS else kind, one.start(), one.end(), one.group().strip(" ."))
        for kind, form in rules.values
        for one in form.finditer(rules.without_since(folded))
        if not _is_article(rules, one.group())
    ]
    found.sort(key=lambda one: (one.start - one.end, one.kind == "number"))
    kept: list[Value] = []
    for one in found:
        if all(one.end <= other.start or other.end <= one.start for other in kept):
            kept.append(one)
    return sorted(kept, key=lambda one: one.start)


def _is_article(rules: Conversation, seen: str) -> bool:
    """Whether a number is none: "una" in "en una heladería", "one" in "the one"."""
    word = seen.strip()
    return word in rules.language.stop_words or word in updates_of(rules).not_numbers


_UNIT: Any = re2.compile(r"[^a-z%€$£]+")
