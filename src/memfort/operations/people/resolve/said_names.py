"""Memories that say somebody's name and are not linked to a person, as most names of the world are said.

In a user's own space, and in what the user says elsewhere, one name is one person: such memories are about whoever is
asked for by that name. What others say under the same name is a namesake's until somebody decides.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from memfort.engine.view import View
from memfort.language.names_in_text import NameSearch
from memfort.language.people_words import possessed_term, relation_term
from memfort.model.item import Item, Kind
from memfort.model.people.actor import ActorKind
from memfort.model.people.person import (
    SPEAKER,
    Person,
    is_made,
    normal_name,
    person_of_user,
    user_of_person,
)
from memfort.model.space import Level
from memfort.operations.people.resolve.spoken_of import is_placeholder
from memfort.store.port import LIVE, Filter


class SaidNames(Struct, frozen=True):
    """The names of one person, and whose words with them are about that person."""

    search: NameSearch
    user: str | None  # in whose own words the name means this person; None: in nobody's

    def mean(self, item: Item) -> bool:
        """Whether a memory is about the person because it says the name."""
        return item.kind is not Kind.SHORT_TERM and self.are_said_in(item)

    def are_said_in(self, item: Item) -> bool:
        """The same of a turn too."""
        return self._is_own(item) and self.search.is_in(item.text)

    def _is_own(self, item: Item) -> bool:
        if self.user is None:
            return False
        return item.space.get(Level.USER) == self.user or item.stated_by == person_of_user(self.user)


def is_name(reference: str) -> bool:
    """Whether a reference is a plain name: no user, no id, and nobody by what they are to the asker."""
    name = normal_name(reference)
    is_other = reference.strip().startswith("@") or is_made(reference.strip()) or name in SPEAKER
    return not is_other and relation_term(name) is None and possessed_term(reference.strip().casefold()) is None


def names_of(view: View, person: Person) -> SaidNames:
    """The names by which a person is looked for in texts. A user is meant by a name in nobody's words but by a link."""
    is_user = user_of_person(person.id) is not None
    names = [one for one in person.names if not is_placeholder(one)]
    return SaidNames(NameSearch(names), None if is_user else view.actor.user)


def person_said(view: View, reference: str) -> Person:
    """Somebody who is known by nothing but the name that memories say: the name stands for the id too."""
    return Person(
        id=reference,
        name=reference,
        home=None,
        created_by=view.actor,
        created_at_us=view.now,
        number=0,
        mentioned=True,
        version=0,
    )


def is_only_said(person: Person) -> bool:
    return not is_made(person.id) and user_of_person(person.id) is None


def own_words_with(view: View, names: SaidNames, filter: Filter, limit: int) -> list[Item]:
    """The asker's own memories in sight that say one of these names, the newest first."""
    if not names.search or names.user is None:
        return []
    only = filter.and_only or view.is_current
    wanted = replace(filter, and_only=lambda item: names.mean(item) and only(item))
    return view.store.page(view.sight, wanted, None, limit, view.now)


def find_said(view: View, reference: str) -> list[Person]:
    """Whoever the asker's own words call so, if nobody who is recorded is."""
    if not is_name(reference) or view.actor.kind is ActorKind.SYSTEM:
        return []
    person = person_said(view, reference.strip())
    return [person] if own_words_with(view, names_of(view, person), LIVE, 1) else []


def names_asked_for(view: View, references: Iterable[str]) -> SaidNames:
    """The names among what somebody asks for."""
    given = [one.strip() for one in references if is_name(one)]
    return SaidNames(NameSearch(given), view.actor.user)
