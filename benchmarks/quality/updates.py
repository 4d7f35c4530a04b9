"""Everyday talk in which values change, and in which they only seem to: `updates.txt`, in our own words. Public sets
have few updates and hardly any false ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

from benchmarks.quality.corpora import Conversation, Question

NEWS = "update"
TEXTS = Path(__file__).with_name("updates.txt")
_WHOSE = re.compile(r"= \[.*\] (\S+)")
_CASE = re.compile(r"(?:\+|- (\S+)) (.+)")
_BETWEEN = timedelta(days=30)


def updates() -> list[Conversation]:
    """Each question is of the kind `update`, or of the kind of its second turn: another person's value (`other`), a
    `question`, `hypothetical`, a `plan`, of `another` thing, of the same thing without its value (`partial`), or news
    where the past is asked for (`past`). `updated` has the positions of the old value and of the new or seemingly new
    one."""
    parts = TEXTS.read_text().split("\n= ")[1:]
    return [_conversation(f"talk {number}", f"= {part}") for number, part in enumerate(parts, start=1)]


def _conversation(name: str, part: str) -> Conversation:
    head, *lines = part.strip().split("\n")
    starts = [place for place, line in enumerate(lines) if _CASE.match(line)]
    cases = [(lines[place], lines[place + 1].strip(), lines[place + 2].strip()) for place in starts]
    between = [line.removeprefix(". ") for line in lines if line.startswith(". ")]
    said = [[old for _, old, _ in cases], between, [new for _, _, new in cases]]
    turns = [turn for phase, texts in enumerate(said) for turn in _turns(head, phase, texts)]
    questions = [_question(line, place, len(cases) + len(between) + place) for place, (line, _, _) in enumerate(cases)]
    return Conversation(name, tuple(turns), tuple(questions))


def _turns(head: str, phase: int, texts: list[str]) -> Iterator[str]:
    dated = _WHOSE.match(head)
    begins = f"[{date.fromisoformat(dated[1]) + phase * _BETWEEN}] " if dated else "user: "
    return (begins + text for text in texts)


def _question(line: str, old: int, new: int) -> Question:
    found = _CASE.match(line)
    assert found is not None
    kind = found[1] or NEWS
    return Question(found[2], kind, frozenset({new if kind == NEWS else old}), (frozenset({old}), frozenset({new})))
