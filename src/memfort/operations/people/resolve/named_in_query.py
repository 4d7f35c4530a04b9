"""The people whom a query names: those by their handle, and of those present also by their name."""

from __future__ import annotations

from memfort.engine.view import View
from memfort.language.mentions import mentions
from memfort.language.words import split_words
from memfort.model.people.person import normal_names, user_of_person, user_person
from memfort.policy.sight import with_named
from memfort.recall.parse_query import first_part


def with_named_people(view: View, query: str) -> View:
    """The view, open to what others know about the people whom the query names."""
    present = view.sight.about
    if not present:
        return view
    handles = mentions(first_part(query)).handles if "@" in query else ()
    words = set(split_words(query))
    called = [one for one in present if _is_called(one, words)]
    return view.with_sight(with_named(view.sight, [*handles, *called])) if handles or called else view


def _is_called(person: str, words: set[str]) -> bool:
    """Whether each word of one of a user's names is among the words of a query."""
    user = user_of_person(person)
    return user is not None and any(set(split_words(name)) <= words for name in normal_names(user_person(user)))
