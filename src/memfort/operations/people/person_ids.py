"""One person whom the caller names, and every id that they are known under."""

from __future__ import annotations

from collections.abc import Iterator

from memfort.engine.view import View
from memfort.errors import InvalidInput, NotFound
from memfort.model.people.actor import ActorKind
from memfort.model.people.person import Person
from memfort.operations.people.resolve.look_up import look_up
from memfort.operations.people.resolve.names import find
from memfort.operations.people.resolve.said_names import is_name, person_said
from memfort.policy.sight import maintenance_sight

_PEOPLE_AT_ONCE = 1000


def resolve_person(view: View, reference: str, *, or_said: bool = False) -> Person:
    """The one person that the reference means. An ambiguous reference is refused, not guessed. The system finds
    everybody, wherever they are known. `or_said`: also somebody who may be known by the name alone."""
    if reference == "me" and view.actor.user is not None:
        reference = f"@{view.actor.user}"
    if view.actor.kind is ActorKind.SYSTEM:
        view = view.with_sight(maintenance_sight(view.store.spaces()))
    if (found := look_up(view.store, view.sight, reference)) is not None:
        return found
    people = find(view, reference)
    if not people and or_said and is_name(reference):
        return person_said(view, reference.strip())
    if not people:
        raise NotFound("person", reference)
    if len(people) > 1:
        names = ", ".join(f"`{one.id}`" for one in people)
        raise InvalidInput("person", f"`{reference}` could be more than one", f"name one of {names}")
    return people[0]


def ids_of_person(view: View, person: Person) -> frozenset[str]:
    """The person's id, and the ids of everyone who turned out to be that person, as far as the asker may know."""
    is_system = view.actor.kind is ActorKind.SYSTEM
    there = view.with_sight(maintenance_sight(view.store.spaces())) if is_system else view
    return frozenset({person.id, *(one.id for one in _merged_into(there, person))})


def _merged_into(view: View, person: Person) -> Iterator[Person]:
    wanted, after = {person.id}, None
    known: list[Person] = []
    while page := view.store.all_people(view.sight, after, _PEOPLE_AT_ONCE):
        known += [one for one in page if one.merged_into is not None]
        after = page[-1].id
    while more := [one for one in known if one.merged_into in wanted and one.id not in wanted]:
        wanted |= {one.id for one in more}
        yield from more
