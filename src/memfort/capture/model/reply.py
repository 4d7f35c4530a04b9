"""Read the text of a reply: JSON by itself, in a code fence, or between other words."""

from __future__ import annotations

import json
from typing import Any

from memfort.capture.model.schema import MAX_STATEMENTS

MAX_REPLY_CHARS = 256 * 1024


class BadReply(Exception):
    """A reply that cannot be used as a whole. The message never quotes it."""


def read_statements(reply: Any) -> list[Any]:
    """The entries of a reply, none of them checked yet: from a text, or from what it stands for."""
    found = _from_text(reply) if isinstance(reply, str) else reply
    if isinstance(found, dict):
        if "statements" not in found:
            raise BadReply("its reply has no list of statements")
        found = found["statements"]
    if not isinstance(found, list | tuple):
        raise BadReply("its reply is no list of statements")
    if len(found) > MAX_STATEMENTS:
        raise BadReply(f"its reply has more than {MAX_STATEMENTS} statements")
    return list(found)


def _from_text(text: str) -> Any:
    if len(text) > MAX_REPLY_CHARS:
        raise BadReply("its reply is too long")
    starts = [place for place in (text.find("{"), text.find("[")) if place >= 0]
    if not starts:
        raise BadReply("its reply has no JSON")
    try:
        found, _ = json.JSONDecoder().raw_decode(text, min(starts))
    except (ValueError, RecursionError):
        raise BadReply("its reply is broken JSON") from None
    return found
