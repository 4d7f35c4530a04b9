"""The people of an export: the subjects and speakers of its memories and their relations, as far as the exporter may
know them in the place of the export. In a chat these are the people known to the chat.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from memfort.engine.view import View
from memfort.model.item import Item
from memfort.model.people.actor import Actor, ActorKind
from memfort.model.people.directory import principal_of
from memfort.model.people.person import Person, Relation, is_made, user_of_person
from memfort.model.sight import Sight
from memfort.policy.people import is_creator, is_shown
from memfort.policy.sight import own_and_writable_sight
from memfort.store.port import Store

_PAGE = 1000


def people_in(view: View, items: Iterable[Item]) -> tuple[list[Person], list[Relation]]:
    """Every person that these memories name, their relations, and merges among them."""
    actor, sight = view.actor, own_and_writable_sight(view.sight, view.engine.own_spaces(view.sight))
    named = {one for item in items for one in (*item.subjects, item.stated_by) if one is not None}
    related = [one for one in view.store.relations(sight, sorted(named)) if _is_said_for(actor, sight, one)]
    wanted = named.union(*((one.from_person, one.to_person) for one in related))
    known = {person.id: person for person in _everybody(view.store, sight) if _is_carried(actor, sight, person)}
    taken = _with_redirects(wanted, known)
    people = [known[id] for id in sorted(taken)]
    return people, [
        one for one in related if all(_is_disclosed(end, taken) for end in (one.from_person, one.to_person))
    ]


def is_about_others(items: Iterable[Item], people: Sequence[Person]) -> bool:
    """Whether a memory names a person who is not exported. Such an id is valid only in the store it comes from; in
    another store it could be another person's."""
    known = {person.id for person in people}
    return any(is_made(one) and one not in known for item in items for one in item.subjects)


def _everybody(store: Store, sight: Sight) -> Iterator[Person]:
    after: str | None = None
    while page := store.all_people(sight, after, _PAGE):
        yield from page
        after = page[-1].id


def _is_carried(actor: Actor, sight: Sight, person: Person) -> bool:
    """Like memories: every person in the actor's private spaces, and elsewhere those that the actor added. Anyone may
    export people in the directory."""
    is_own = person.home is None or person.home.is_private or is_creator(actor, person)
    return is_own and is_shown(sight, person)


def _is_said_for(actor: Actor, sight: Sight, relation: Relation) -> bool:
    """Relations that other actors stated are not exported: the import would make them the importer's own. The system's
    relations count for everyone."""
    sayer = relation.created_by
    is_own = principal_of(sayer) == principal_of(actor) or sayer.kind is ActorKind.SYSTEM
    return is_own and is_shown(sight, relation)


def _with_redirects(wanted: set[str], known: dict[str, Person]) -> set[str]:
    """The wanted persons that are known, and the persons merged into or from them."""
    merged = [(person.id, person.merged_into) for person in known.values() if person.merged_into is not None]
    found = set(wanted)
    while more := {id for pair in merged if not found.isdisjoint(pair) for id in pair} - found:
        found |= more
    return found & known.keys()


def _is_disclosed(id: str, taken: set[str]) -> bool:
    return id in taken or user_of_person(id) is not None
