"""Resolve the people that a query names, as the asker knows them. Names are looked up for the asker and are not indexed
with memories: fewer readers may know a person's name than may read memories about them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from memfort.engine.indexing.embedding import speaker_name
from memfort.engine.view import View
from memfort.language.words import split_words
from memfort.model.people.person import lookup_names, normal_name, user_of_person
from memfort.operations.people.resolve.names import find
from memfort.policy.people import RELATIONSHIPS, is_shown
from memfort.recall.bind_query import NO_PEOPLE, NamedPeople
from memfort.recall.parse_query import ParsedQuery

Concerning = Callable[[Sequence[str]], Sequence[int]]  # the handles of memories about persons
_MOST_WORDS = 64
_WORD = re.compile(r"[^\W_]+")


def resolve_people(view: View, query: ParsedQuery, concerning: Concerning) -> NamedPeople:
    """The people whom a query names: the memories about them, the names they speak under, and the words that name
    them."""
    says_what_they_are = query.is_about_asker and not RELATIONSHIPS.isdisjoint(query.words)
    store, sight = view.store, view.sight
    if not says_what_they_are and not view.context.knows_people:
        return NO_PEOPLE
    words = [word for word in _WORD.findall(query.text)[:_MOST_WORDS] if _may_name(word, query)]
    names = {normal_name(name) for name in (*words, *map(" ".join, pairwise(words)))}
    found = [person for person in store.people_named(sight, *sorted(names)) if is_shown(sight, person)]
    ways = [(id, lookup_names(person) & names) for person in found for id in (person.id, person.merged_into) if id]
    if says_what_they_are:  # a user is a person without any record, and may be somebody's sister
        asker = view.from_standpoint(view.standpoint)  # wherever is looked
        kin = [(person.id, term) for term in names & RELATIONSHIPS for person in find(asker, term)]
        ways += [(id, frozenset((term,))) for id, term in kin]
    if not ways:
        return NO_PEOPLE
    by_words = [(id, _words(by)) for id, by in ways]
    return NamedPeople(
        handles=frozenset(concerning(sorted({id for id, _ in ways}))),
        words=frozenset().union(*(words for _, words in by_words)),
        speakers=tuple(
            (speaker_name(user), words) for id, words in by_words if (user := user_of_person(id)) is not None
        ),
    )


def _words(names: Iterable[str]) -> frozenset[str]:
    return frozenset(word for name in names for word in split_words(name))


def _may_name(word: str, query: ParsedQuery) -> bool:
    return not query.content_words.isdisjoint(split_words(word))
