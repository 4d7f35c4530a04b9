"""The sentences beside a statement in its message, and whether they speak of the same: "My husband hits me. The
neighbours called the police twice." says something private in both."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memfort.language.mentions import PERHAPS_SOMEBODY, Mentions, mentions
from memfort.language.sensitivity import sentences

_REFERRING = re.compile(
    r"\b(he|she|they|it|him|her|them|his|hers|its|their|theirs|this|that|these|those)\b", re.IGNORECASE
)


def sentences_beside(message: str, quote: str) -> list[str]:
    """The sentence before a quote and the one after, and those that it is in, if they say more. All of the message
    where the quote is not in it as it stands."""
    said = sentences(message)
    start = message.find(quote)
    if start < 0:
        return [one for one in said if one != quote]
    places, at = [], 0
    for one in said:
        at = message.index(one, at)
        places.append((at, at + len(one)))
        at += len(one)
    inside = [n for n, (first, last) in enumerate(places) if first < start + len(quote) and start < last]
    if not inside:
        return list(said)
    near = range(max(inside[0] - 1, 0), min(inside[-1] + 2, len(said)))
    return [said[n] for n in near if said[n] not in quote]


def speak_of_the_same(statement: str, others: Sequence[str]) -> bool:
    """Whether a statement shares a person or a pronoun with sentences beside it, or refers back to them."""
    if _REFERRING.search(statement):
        return True
    own = mentions(statement)
    return PERHAPS_SOMEBODY in own.people or any(_is_shared(own, mentions(other)) for other in others)


def _is_shared(one: Mentions, other: Mentions) -> bool:
    if one.first_person and other.first_person:
        return True
    return not _named(one).isdisjoint(_named(other))


def _named(found: Mentions) -> set[object]:
    people = [one for one in found.people if one != PERHAPS_SOMEBODY]
    return {*found.handles, *found.perhaps, *found.names, *((one.term, one.owner) for one in people if one.term)}
