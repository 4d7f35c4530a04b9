"""What was known of people only from memories that are erased: it goes with them. People and relations that somebody
entered stay."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from memfort.engine.engine import ALL_STATES
from memfort.engine.view import View
from memfort.errors import CorruptMemory
from memfort.language.mentions import Spoken, mentions
from memfort.model.item import Item, is_in_force
from memfort.model.people.person import Person, Relation, is_made
from memfort.model.reason import Reason
from memfort.model.sight import Sight
from memfort.model.space import Space
from memfort.operations.people.edits import PeopleEdits
from memfort.policy.sight import maintenance_sight
from memfort.store.port import DropPerson, DropRelation

_MOST_TEXTS = 1000  # of the memories about a person that stay; what more of them say is not looked at


def drop_unmentioned(view: View, erased: Sequence[Item]) -> PeopleEdits:
    """A draft that takes out the people that no memory is about any more when these are erased, and of the others the
    names and relations that only these said."""
    edits, store = PeopleEdits(view), _WholeStore(view, erased)
    pending = sorted({one for item in erased for one in item.subjects if is_made(one)})
    looked_at = set(pending)
    while pending:
        relations = store.relations(pending)
        for person in store.mentioned_people(pending):
            texts = store.texts_left(person)
            own = [one for one in relations if person.id in {one.from_person, one.to_person}]
            _drop_relations(edits, own, texts)
            if not texts and _is_unrelated(edits, own):
                edits.drop(person, "drop_person", Reason.ERASED)
            elif texts and not any(person.name.casefold() in text.casefold() for text in texts):
                _rename(edits, person, texts)
        dropped = {one.id for one in edits.changes if isinstance(one, DropRelation)}
        ends = {end for one in relations if one.id in dropped for end in (one.from_person, one.to_person)}
        pending = sorted(one for one in ends - looked_at if is_made(one))
        looked_at |= set(pending)
    return edits


class _WholeStore:
    """What is known of people in all spaces, while some memories are being erased."""

    def __init__(self, view: View, erased: Sequence[Item]) -> None:
        self._view = view
        self._spaces = list(view.store.spaces())
        self._everywhere = maintenance_sight(self._spaces)
        self._gone = frozenset(item.id for item in erased)
        self._gone_about: dict[str, list[bytes]] = {}  # by person: the spaces of erased memories in force
        for item in erased:
            for person in set(item.subjects) if is_in_force(item) else ():
                self._gone_about.setdefault(person, []).append(item.space.id)
        self._homes: dict[Space | None, Sight] = {}

    def mentioned_people(self, ids: Sequence[str]) -> list[Person]:
        found = self._view.store.people(self._everywhere, ids)
        return [person for person in found if person.mentioned and person.home is not None]

    def relations(self, ids: Sequence[str]) -> list[Relation]:
        return self._view.store.relations(self._everywhere, ids)

    def texts_left(self, person: Person) -> list[str]:
        """The texts of the memories about a person that are not erased, wherever they can be. A damaged memory may say
        anything, so it counts as naming them."""
        if person.home not in self._homes:
            self._homes[person.home] = maintenance_sight(one for one in self._spaces if _lies_within(one, person.home))
        there, store = self._homes[person.home], self._view.store
        gone_there = sum(space in there.by_id for space in self._gone_about.get(person.id, ()))
        if len(store.handles_about(there, [person.id])) == gone_there:
            return []  # as nearly always when all of a space is erased
        wanted = replace(ALL_STATES, and_only=lambda item: item.id not in self._gone)
        try:
            found = store.about(there, [person.id], wanted, _MOST_TEXTS, self._view.now)
        except CorruptMemory:
            return [person.name]
        return [item.text for item in found]


def _lies_within(space: Space, home: Space | None) -> bool:
    return home is not None and set(home.coordinates) <= set(space.coordinates)


def _drop_relations(edits: PeopleEdits, relations: Sequence[Relation], texts: Sequence[str]) -> None:
    """Take out the relations of a person that no text says any more."""
    said = {term for text in texts for one in mentions(text).people for term in _terms(one)}
    for relation in relations:
        if relation.mentioned and relation.term not in said:
            edits.drop(relation, "unrelate", Reason.ERASED)


def _terms(one: Spoken) -> Iterable[str]:
    if one.term is not None:
        yield one.term
    if one.owner is not None:
        yield from _terms(one.owner)


def _is_unrelated(edits: PeopleEdits, relations: Sequence[Relation]) -> bool:
    """Whether none of the relations of a person is left. The owner of a relation is needed as long as it is known."""
    dropped = {one.id for one in edits.changes if isinstance(one, DropRelation)}
    gone = {one.id for one in edits.changes if isinstance(one, DropPerson)}
    left = (one for one in relations if one.id not in dropped)
    return all({one.from_person, one.to_person} & gone for one in left)


def _rename(edits: PeopleEdits, person: Person, texts: Sequence[str]) -> None:
    """Call a person by what is still said of them: "my wife", if nothing else is."""
    term = next((one.term for text in texts for one in mentions(text).people if one.term is not None), None)
    after = replace(person, name="somebody" if term is None else f"my {term}", version=person.version + 1)
    if after.name != person.name:
        edits.put(after, "update_person", Reason.ERASED)
