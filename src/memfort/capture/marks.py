"""The marks that stand in a turn in the place of a sentence that was forgotten or erased."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from memfort.capture.extract.sentences import Sentence, split_sentences

FORGOTTEN, ERASED = "[forgotten]", "[erased]"
_MARK = re.compile(r"\[(?:forgotten|erased)\]")


def sentences_left(text: str) -> list[Sentence]:
    """The sentences of a turn that has marks, without these."""
    return [one for start, part in _parts(text) for one in _moved(split_sentences(part), start)]


def is_same_text(kept: str, given: str) -> bool:
    """Whether a message is the one of a turn: it says the same, with any words in the place of a mark."""
    if kept == given:
        return True
    parts = [part for _, part in _parts(kept)]
    if len(parts) == 1 or not (given.startswith(parts[0]) and given.endswith(parts[-1])):
        return False
    at = len(parts[0])
    for part in parts[1:-1]:
        at = given.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return at <= len(given) - len(parts[-1])


def is_only_marks(text: str) -> bool:
    """Whether nothing is left of a turn."""
    return not _MARK.sub("", text).strip() and _MARK.search(text) is not None


def has_marks(text: str) -> bool:
    """Whether a part of a turn has ended."""
    return "[" in text and _MARK.search(text) is not None


def _parts(text: str) -> Iterator[tuple[int, str]]:
    """What stands before, between and after the marks, and where."""
    at = 0
    for mark in _MARK.finditer(text):
        yield at, text[at : mark.start()]
        at = mark.end()
    yield at, text[at:]


def _moved(sentences: list[Sentence], start: int) -> Iterator[Sentence]:
    return (replace(one, start=one.start + start) for one in sentences)
