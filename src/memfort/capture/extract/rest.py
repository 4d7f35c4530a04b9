"""What is left of a statement of which one part has ended: "We play in Bernal on Friday and in Utrecht on Sunday"."""

from __future__ import annotations

from typing import Any

import re2

from memfort.capture.extract.corrections import content_words_of
from memfort.capture.extract.rules import Conversation, rules_for
from memfort.capture.extract.updates import updates_of
from memfort.language.words import split_words

_MARKS = " .!,;。！，；"


def rest_of(statement: str, ended: str) -> tuple[str, ...]:
    """The parts of a statement without the words for what has ended, if each names something of its own: a day, a
    number or a name. A part without a verb gets the subject and the verb of the whole."""
    rules = rules_for(statement)
    parts = _parts(rules, statement)
    words = (
        {word for word in split_words(rules.fold(ended)) if len(word) > 2} if rules.is_spaced else set(ended.split())
    )
    left = [part for part in parts if not _has_some(rules, part, words)]
    if not left or len(left) == len(parts) or not all(_names_something(rules, part) for part in left):
        return ()
    whole = rules.fold(statement)
    subject = rules.subject.match(whole)
    lead = statement[: subject.end()].rstrip(_MARKS) if subject is not None and parts[0] not in left else ""
    return tuple(part if rules.verb.search(rules.fold(part)) or not lead else rules.join(lead, part) for part in left)


def _parts(rules: Conversation, statement: str) -> list[str]:
    folded, start, found = rules.fold(statement), 0, list[str]()
    for joint in updates_of(rules).part_end.finditer(folded):
        found.append(statement[start : joint.start()])
        start = joint.end()
    return [part.strip(_MARKS) for part in (*found, statement[start:]) if part.strip(_MARKS)]


def _has_some(rules: Conversation, part: str, words: set[str]) -> bool:
    seen = rules.fold(part)
    return any(word in seen for word in words)


def _names_something(rules: Conversation, part: str) -> bool:
    if len(content_words_of(rules, part)) < 1:
        return False
    return rules.find_value(rules.fold(part)) or _NAME_INSIDE.search(part) is not None


_NAME_INSIDE: Any = re2.compile(r"[\pL\d,] \p{Lu}\p{Ll}+")
