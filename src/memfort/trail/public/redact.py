"""Redact texts for a trace: on one line, without secrets and personal data, cut at a fixed length.

Policy defines what a secret is, and the trail does not import policy: the finder is passed in as a function, and no
text is shown without one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from memfort.folding import is_mark

# The spans of a text that must not be shown, with their names: (start, end, name). A finder that knows no position, or
# cannot decide, returns the whole text as one span.
Find = Callable[[str], Sequence[tuple[int, int, str]]]

REDACTED = "(redacted)"  # in place of a whole text
TRUNCATED = "... (truncated)"
MAX_CHARS = 200  # of a text, without the truncation notice

_MAX_ROUNDS = 8
_MAX_NAME_CHARS = 40  # so that a marker always fits


def redact(text: str, find: Find) -> str:
    """The text as a trace may show it. The result has been searched itself, so redacting it again changes nothing.

    Redacting and cutting make new texts, in which something else may be found; hence the rounds. A text that still
    changes after that is not shown at all.
    """
    if text == REDACTED:
        return text
    for _ in range(_MAX_ROUNDS):
        shown = _redact_once(text, find)
        if shown == text:
            return shown
        text = shown
    return REDACTED


def _redact_once(text: str, find: Find) -> str:
    marked = _mark_spans(text, find)
    line = " ".join(marked.split())
    if line != marked:  # a key split over lines is found after joining them, another only before
        line = _mark_spans(line, find)
    return _cut(line)


def _mark_spans(text: str, find: Find) -> str:
    pieces, at = [], 0
    for start, end, name in _merge_spans(find(text)):
        pieces += [text[at:start], _mark(name)]
        at = end
    return "".join([*pieces, text[at:]])


def _merge_spans(spans: Iterable[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """The spans in order, overlapping ones merged, so that no end of a finding is left over."""
    merged: list[tuple[int, int, str]] = []
    for start, end, name in sorted(spans):
        if merged and start < merged[-1][1]:
            first, last, named = merged[-1]
            merged[-1] = first, max(last, end), named
        elif start < end:
            merged.append((start, end, name))
    return merged


def _mark(name: str) -> str:
    return f"[REDACTED_{re.sub('[^A-Z0-9]+', '_', name.upper())[:_MAX_NAME_CHARS]}]"


_MARK = re.compile(r"\[REDACTED_[A-Z0-9_]*\]")


def _cut(text: str) -> str:
    if len(text.removesuffix(TRUNCATED)) <= MAX_CHARS:
        return text
    end = MAX_CHARS
    while end > 0 and _is_inside_a_character(text, end):
        end -= 1
    halved = next((mark.start() for mark in _MARK.finditer(text) if mark.start() < end < mark.end()), end)
    return text[:halved].rstrip() + TRUNCATED


_JOINER = "\u200d"
_FLAG_LETTERS = "".join(map(chr, range(0x1F1E6, 0x1F200)))  # two make one flag
_EXTENDERS = re.compile("[\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]")  # skin tones, and what spells a region's flag


def _is_inside_a_character(text: str, at: int) -> bool:
    """Whether the two characters form one visible unit: a letter and its accent, the parts of one emoji."""
    before, after = text[at - 1], text[at]
    if before in _FLAG_LETTERS and after in _FLAG_LETTERS:
        flag_letters = at - len(text[:at].rstrip(_FLAG_LETTERS))
        return flag_letters % 2 == 1
    extends = is_mark(after) or _EXTENDERS.match(after) is not None
    return extends or _JOINER in (before, after)
