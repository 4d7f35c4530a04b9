"""Questions about people: those who live in a space in sight, and those listed for everybody."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memfort.model.item import Readers
from memfort.model.people.person import Person, Relation, lookup_names
from memfort.model.sight import Sight
from memfort.model.space import Space
from memfort.store.memory.transactions import Transactions


class PeopleQuestions(Transactions):
    def people(self, sight: Sight, ids: Sequence[str]) -> list[Person]:
        return [person for person in self._known_people(sight) if person.id in ids]

    def knows_people(self, sight: Sight) -> bool:
        return bool(self._known_people(sight))

    def people_named(self, sight: Sight, *names: str) -> list[Person]:
        return [person for person in self._known_people(sight) if not lookup_names(person).isdisjoint(names)]

    def all_people(self, sight: Sight, after: str | None, limit: int) -> list[Person]:
        return [person for person in self._known_people(sight) if person.id > (after or "")][:limit]

    def _known_people(self, sight: Sight) -> list[Person]:
        found = (person for person in self._state.people.values() if is_known(sight, person))
        return sorted(found, key=lambda person: person.id)

    def relations(self, sight: Sight, persons: Sequence[str]) -> list[Relation]:
        return [one for one in self.all_relations(sight) if one.from_person in persons or one.to_person in persons]

    def all_relations(self, sight: Sight) -> Iterator[Relation]:
        found = (relation for relation in self._state.relations.values() if is_known(sight, relation))
        return iter(sorted(found, key=lambda relation: relation.id))

    def next_person_number(self, sight: Sight, home: Space | None, readers: Readers, creator: bytes) -> int:
        if not (sight.sees_directory if home is None else sight.seen(home) is not None):
            return 1
        return self._state.person_numbers.get((home, readers, creator), 1)


def is_known(sight: Sight, record: Person | Relation) -> bool:
    """Whether a sight shows a person or a relation: one with a home to whoever sees the home, one without to whoever
    sees the directory."""
    sees_home = sight.sees_directory if record.home is None else sight.seen(record.home) is not None
    return sees_home and sight.admits_readers(record.readers)
