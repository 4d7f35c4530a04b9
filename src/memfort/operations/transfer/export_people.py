"""The people of an export: whom its memories are about, who said them, and what they are to each other; as far as the
exporter may know them, where it exports. In a chat that is whom the chat knows.
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
    """Everybody whom these memories name, whom those are related to, and who turned out to be whom among them."""
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
    """Whether a memory names somebody who is not carried along. The id is then good in the store it comes from, and
    could be anybody's elsewhere."""
    known = {person.id for person in people}
    return any(is_made(one) and one not in known for item in items for one in item.subjects)


def _everybody(store: Store, sight: Sight) -> Iterator[Person]:
    after: str | None = None
    while page := store.all_people(sight, after, _PAGE):
        yield from page
        after = page[-1].id


def _is_carried(actor: Actor, sight: Sight, person: Person) -> bool:
    """Like memories: all who live in private spaces of one's own, and elsewhere whom one made known oneself. Who is
    listed is there for all to take along."""
    is_own = person.home is None or person.home.is_private or is_creator(actor, person)
    return is_own and is_shown(sight, person)


def _is_said_for(actor: Actor, sight: Sight, relation: Relation) -> bool:
    """What others say that people are to each other is theirs, and would become the importer's own word. The system's
    counts for everybody."""
    sayer = relation.created_by
    is_own = principal_of(sayer) == principal_of(actor) or sayer.kind is ActorKind.SYSTEM
    return is_own and is_shown(sight, relation)


def _with_redirects(wanted: set[str], known: dict[str, Person]) -> set[str]:
    """Those who are wanted and known, whom they turned out to be, and who turned out to be them."""
    merged = [(person.id, person.merged_into) for person in known.values() if person.merged_into is not None]
    found = set(wanted)
    while more := {id for pair in merged if not found.isdisjoint(pair) for id in pair} - found:
        found |= more
    return found & known.keys()


def _is_disclosed(id: str, taken: set[str]) -> bool:
    return id in taken or user_of_person(id) is not None
