"""Whether a memory says the words of a query."""

from __future__ import annotations

import re
from itertools import pairwise

from memfort.capture.extract.rules import group_span, rules_for
from memfort.language.fold import fold
from memfort.language.word_query import parse_word_query, stems_of
from memfort.language.words import split_words
from memfort.model.item import Item

_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]+")
_CLAUSES = re.compile(r"[,;] |[，；]")
_SMALL_PART = 0.25


def says_all(item: Item, query: str) -> bool:
    """Whether a memory says all that a query names: content words, identifiers whole, quoted words as a phrase."""
    return parse_word_query(query).is_said_in(f"{item.text}\n{item.key or ''}")


def says_much_more(item: Item, query: str) -> bool:
    """Whether the query is only a small part of what a memory of several clauses says."""
    if _CLAUSES.search(item.text) is None:
        return False
    if _HAN.search(item.text):
        return len(query) < _SMALL_PART * len(item.text)
    return len(stems_of(query)) < _SMALL_PART * len(stems_of(item.text))


def shares_topic(item: Item, topic: str) -> float:
    """How much of the words for a topic a memory says: as many words as it has, less those that it has not. Nothing if
    it has none but the name of whom it is about, or lacks more than it has."""
    if runs := _HAN.findall(topic):
        pairs = {one + other for run in runs for one, other in pairwise(run)}
        return float(sum(pair in item.text for pair in pairs))
    known = split_words(fold(item.text))
    asked = set(split_words(fold(topic)))
    shared = {word for word in asked if any(_is_same_word(word, other) for other in known)}
    persons = set(split_words(fold(_persons(item))))
    if not shared - persons or len(asked - shared) > len(shared):
        return 0.0
    return len(shared) - 0.1 * len(asked - shared)


def _is_same_word(one: str, other: str) -> bool:
    """Whether two words differ by no more than their ending: "leopard" and "leopards", not "building" and "builds"."""
    short, long = sorted((one, other), key=len)
    return short == long or (len(short) > 3 and len(long) - len(short) < 3 and long.startswith(short))


def _persons(item: Item) -> str:
    """The names of those whom a memory is about, as far as its words show them."""
    rules = rules_for(item.text)
    folded = rules.fold(item.text)
    own = rules.own_person.search(folded)
    relation = "" if own is None else item.text[slice(*group_span(own, "whole"))]
    first = item.text.split(maxsplit=1)[0].split("'")[0] if rules.named_subject(item.text) else ""
    return " ".join(filter(None, (relation, rules.own_name(folded, item.text), rules.named(folded, item.text), first)))
