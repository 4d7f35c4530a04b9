"""Resolve the people that a query names, as the asker knows them. Names are looked up for the asker and are not indexed
with memories: fewer readers may know a person's name than may read memories about them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from memfort.engine.indexing.embedding import speaker_name
from memfort.engine.view import View
from memfort.language.people_words import folded_relation_words, not_names, possessed_term
from memfort.language.words import split_words
from memfort.model.people.person import lookup_names, normal_name, user_of_person
from memfort.operations.people.resolve.names import find
from memfort.policy.people import is_shown
from memfort.recall.bind_query import NO_PEOPLE, NamedPeople
from memfort.recall.parse_query import ParsedQuery

Concerning = Callable[[Sequence[str]], Sequence[int]]  # the handles of memories about persons
_MOST_WORDS = 64
_WORD = re.compile(r"[^\W_]+")


def resolve_people(view: View, query: ParsedQuery, concerning: Concerning) -> NamedPeople:
    """The people whom a query names: the memories about them, the names they speak under, and the words that name
    them."""
    relations = _relations_of_asker(query)
    store, sight = view.store, view.sight
    if not relations and not view.context.knows_people:
        return NO_PEOPLE
    words = [word for word in _WORD.findall(query.text)[:_MOST_WORDS] if _may_name(word, query)]
    names = {normal_name(name) for name in (*words, *map(" ".join, pairwise(words)))}
    found = [person for person in store.people_named(sight, *sorted(names)) if is_shown(sight, person)]
    ways = [(id, lookup_names(person) & names) for person in found for id in (person.id, person.merged_into) if id]
    if relations:  # a user is a person without any record, and may be somebody's sister
        asker = view.from_standpoint(view.standpoint)  # wherever is looked
        related = [(person.id, word) for reference, word in relations.items() for person in find(asker, reference)]
        ways += [(id, frozenset((word,))) for id, word in related]
    if not ways:
        return NO_PEOPLE
    by_words = [(id, _words(by)) for id, by in ways]
    return NamedPeople(
        handles=frozenset(concerning(sorted({id for id, _ in ways}))),
        words=frozenset().union(*(words for _, words in by_words)),
        names=frozenset(name for _, by in ways for name in by if _means_somebody(name)),
        speakers=tuple(
            (speaker_name(user), words) for id, words in by_words if (user := user_of_person(id)) is not None
        ),
    )


def _relations_of_asker(query: ParsedQuery) -> dict[str, str]:
    """References to people by what they are to the asker ("my sister", "mi hermana"), each with its word for that. In
    English another word may stand between: "what do I give my dear sister?"."""
    if folded_relation_words().isdisjoint(query.words):
        return {}
    words = _WORD.findall(query.text.casefold())[:_MOST_WORDS]
    said = {f"{first} {second}": second for first, second in pairwise(words) if possessed_term(f"{first} {second}")}
    english = {f"my {word}": word for word in words if query.is_about_asker and possessed_term(f"my {word}")}
    return said | english


def _words(names: Iterable[str]) -> frozenset[str]:
    return frozenset(word for name in names for word in split_words(name))


def _means_somebody(name: str) -> bool:
    """Whether a statement with these words speaks of somebody called so. It need not with a word such as "may"; and
    somebody who is known as "my wife" is not everybody's wife."""
    words = name.split()
    return not_names().isdisjoint(words) and folded_relation_words().isdisjoint(words)


def _may_name(word: str, query: ParsedQuery) -> bool:
    return not query.content_words.isdisjoint(split_words(word))
