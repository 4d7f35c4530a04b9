"""Refuse JSON that gives a name twice in one object: parsers disagree on which of the two values counts."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from memfort.surfaces.http.problems import HttpProblem

_STRINGS = re.compile(rb'"(?:[^"\\]|\\.)*+"', re.DOTALL)


def check_repeated_names(body: bytes, document: Any) -> None:
    """Compare how many names a body has with how many are left of it, once it is read. Each name has one colon."""
    if _STRINGS.sub(b"", body).count(b":") != _count_names(document):
        raise HttpProblem(
            400, "invalid_json", "a name is given twice in one object", remedy="give each name of an object once"
        )


def check_unread(body: bytes) -> None:
    """The same of a body that somebody else reads, who says what else is wrong with it."""
    try:
        document = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return
    check_repeated_names(body, document)


def _count_names(document: Any) -> int:
    count, waiting = 0, [document]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            count += len(one)
            one = one.values()
        elif not isinstance(one, list):
            continue
        waiting += [part for part in one if isinstance(part, dict | list)]
    return count
