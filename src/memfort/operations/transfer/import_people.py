"""Import the people of a file. A person who exists here is recognised and left unchanged; equal names alone never
identify two people.

An id identifies a person only in the store that made it: it numbers a creator's persons, so the first person of the
same user in another store has the same id. The time and the creator tell the two apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from memfort.engine.inputs import owner_coordinates
from memfort.engine.transaction import Transaction
from memfort.errors import Denied
from memfort.model.item import EVERYONE, Item, Readers
from memfort.model.people.actor import Actor, ActorKind
from memfort.model.people.person import (
    Person,
    Relation,
    is_made,
    person_id,
    person_of_user,
    relation_id,
    user_of_person,
)
from memfort.model.reason import Reason
from memfort.model.serialize.encoding import canonical_json, short_name
from memfort.model.serialize.record import actor_to_dict
from memfort.model.sight import Sight
from memfort.model.space import Level, Space
from memfort.operations.people.edits import KnownTo, PeopleEdits, check_secrets, check_texts, new_relation
from memfort.operations.people.resolve.unknown_person import unknown_person_id
from memfort.operations.transfer.people_format import PeopleInExport
from memfort.operations.transfer.trust import may_speak_for, names_of
from memfort.policy.people import is_known_in, is_merge_trusted
from memfort.policy.sight import own_and_writable_sight
from memfort.store.port import Store

_LAST = 2**53  # imported numbers must be smaller, so that no file can exhaust a sequence


class LocalPeople(Struct, frozen=True):
    """The persons here that the persons of a file correspond to."""

    store: Store
    reach: Sight
    is_elsewhere: bool  # whether the file is from another store, whose ids may belong to other people here
    known: Mapping[str, str | None]  # ids here, by those in the file; `None`: not imported
    found: dict[str, Person | None] = field(default_factory=dict)

    def subjects(self, item: Item, space: Space, readers: Readers) -> tuple[str, ...]:
        """The subjects of a memory of the file, for these readers. A person whom not all of them may know, or who was
        not imported, becomes an unknown person."""
        return tuple(dict.fromkeys(self._subject(one, item, space, readers) for one in item.subjects))

    def _subject(self, id: str, item: Item, space: Space, readers: Readers) -> str:
        if not is_made(id):
            return id
        here = self.known.get(id, None if self.is_elsewhere else id)
        return (
            here if here is not None and self._is_known(here, space, readers) else unknown_person_id(space, item.text)
        )

    def _is_known(self, id: str, space: Space, readers: Readers) -> bool:
        """Whether all of these readers may know a person; the id of an unknown person reveals nothing."""
        if id not in self.found:
            self.found[id] = next(iter(self.store.people(self.reach, [id])), None)
        person = self.found[id]
        return person is None or is_known_in(person.home, person.readers, space, readers)


def import_people(tx: Transaction, in_file: PeopleInExport, counts: Counter[str], problems: list[str]) -> LocalPeople:
    """Add the people that are not here yet for the importer, and their relations."""
    incoming = _PeopleImport(tx, in_file)
    known = incoming.people(counts, problems)
    incoming.relations(known, counts, problems)
    incoming.edits.apply(tx)
    is_elsewhere = in_file.header.get("store") not in {None, tx.store.keys.fingerprint}
    return LocalPeople(tx.store, incoming.reach, is_elsewhere, dict.fromkeys(in_file.people) | known)


class _PeopleImport:
    """The import of people."""

    def __init__(self, tx: Transaction, in_file: PeopleInExport) -> None:
        self.in_file = in_file
        self.actor = actor = tx.actor
        self.store, self.policy = tx.store, tx.policy
        own = owner_coordinates(actor)
        self.home = Space.of(own) if own else None  # `None`: the importer has no private space
        made: list[Person | Relation] = [one for _, one in in_file.people.values()]
        homes = {one.home for one in (*made, *(one for _, one in in_file.relations))}
        homes |= {self.home, *tx.engine.own_spaces(tx.sight)}
        spaces = sorted((space for space in homes if space is not None), key=lambda space: space.id)
        self.reach = own_and_writable_sight(tx.sight, spaces)  # where the importer may write
        self.edits = PeopleEdits(tx.with_sight(self.reach))
        names = [name for _, person in in_file.people.values() for name in self._names(person)]
        self.here = {person.id: person for person in self.store.people(self.reach, names)}  # plus added persons

    # -- persons -----------------------------------------------------------------------------------------------------

    def people(self, counts: Counter[str], problems: list[str]) -> dict[str, str]:
        """Add the persons who are not here, and map every id of the file."""
        made = {id: person for id, (_, person) in self.in_file.people.items() if is_made(id)}
        ids = {id: found for id, person in made.items() if (found := self._recognise(person)) is not None}
        entries = {id: entry for id, person in made.items() if id not in ids and (entry := self._entry(person))}
        refused = {id: denied for id, entry in entries.items() if (denied := self._refusal(entry)) is not None}
        problems += [f"{self.in_file.people[id][0]}: {denied}" for id, denied in refused.items()]
        counts["recognised"] += len(ids) + len(self.in_file.people) - len(made)
        counts["left_out"] += len(made) - len(ids) - len(entries)
        counts["denied"] += len(refused)
        entries = {id: entry for id, entry in entries.items() if id not in refused}
        counts["people"] += len(entries)
        ids |= {id: entry.id for id, entry in entries.items()}
        self.here |= {entry.id: entry for entry in entries.values()}
        return ids | self._enter_all(entries, made, ids)

    def _enter_all(
        self, entries: Mapping[str, Person], made: Mapping[str, Person], ids: Mapping[str, str]
    ) -> dict[str, str]:
        """Add them; returns the users that some of them are. Persons who keep their number go first."""
        kept = [id for id, entry in entries.items() if entry.number]
        users = {id: self._put(entries[id], made[id], ids) for id in kept}
        first = self.edits.number(KnownTo(self.home))
        for number, id in enumerate(sorted(entries.keys() - set(kept)), start=first):
            users[id] = self._put(replace(entries[id], number=number), made[id], ids)
        return {id: user for id, user in users.items() if user is not None}

    def _names(self, person: Person) -> list[str]:
        """The ids that a person could have here: the one of an earlier import, and their own."""
        return [*([] if self.home is None else [_id_from_elsewhere(self.home, person)]), person.id]

    def _recognise(self, person: Person) -> str | None:
        known = [self.here[id] for id in self._names(person) if id in self.here]
        return next((one.id for one in known if one.id != person.id or _is_same(one, person)), None)

    def _entry(self, person: Person) -> Person | None:
        """Somebody as they are entered here: as they were where the importer itself made them known, otherwise for the
        importer alone, even if they were listed elsewhere."""
        at = min(person.created_at_us, self.edits.now)
        if person.home is not None and person.home.get(Level.USER) not in {None, self.actor.user}:
            return None  # a person known only to another user is theirs, like the memories there
        if person.home is not None and self._is_kept(person, person_id(*_place(person))):
            return replace(person, created_at_us=at)
        if self.home is None:
            return None
        return replace(
            person,
            id=_id_from_elsewhere(self.home, person),
            home=self.home,
            readers=EVERYONE,
            created_by=self.actor,
            created_at_us=at,
            number=0,
            version=1,
        )

    def _is_kept(self, made: Person | Relation, id: str) -> bool:
        """Whether a person keeps their id: it is provably from the importer's own sequence, in a place where the
        importer may write, and its number was never used here."""
        home, readers, maker, number = _place(made)
        if made.id != id or home is None or not self._speaks_for(maker) or not self._may_write(home, readers):
            return False
        return self.store.next_person_number(self.reach, home, readers, maker.key) <= number < _LAST

    def _speaks_for(self, author: Actor) -> bool:
        return may_speak_for(self.store, self.actor, author)

    def _may_write(self, home: Space, readers: Readers) -> bool:
        return self.reach.seen(home) is not None and self.reach.admits_readers(readers)

    def _refusal(self, entry: Person | Relation) -> Denied | None:
        """Why a person's names may not be kept there."""
        check = check_secrets if entry.home is not None and entry.home.is_private else check_texts
        names = [entry.term] if isinstance(entry, Relation) else [entry.name, *entry.aliases]
        try:
            check(self.policy, *names)
            check_secrets(self.policy, *names_of(entry.created_by))
        except Denied as error:
            return error
        return None

    def _put(self, entry: Person, person: Person, ids: Mapping[str, str]) -> str | None:
        """Add a person, with a merge if it applies to the importer's memories. Returns the user that they are, if any:
        memories about them are then about that user."""
        into = person.merged_into
        if into is not None and user_of_person(into) is None:
            into = ids.get(into)
        is_linked = into is not None and is_merge_trusted(self.actor, person) and self._is_known_to(into, entry)
        by = person.merged_by if person.merged_by and self._speaks_for(person.merged_by) else self.actor
        after = replace(entry, merged_into=into if is_linked else None, merged_by=by if is_linked else None)
        self.edits.put(after, "add_person", Reason.IMPORTED)
        return None if after.user is None else person_of_user(after.user)

    def _is_known_to(self, id: str, place: Person | Relation) -> bool:
        """Whether a person is known to all readers of what is added there."""
        if user_of_person(id) is not None:
            return True
        person = self.here.get(id)
        return (
            person is not None
            and place.home is not None
            and is_known_in(person.home, person.readers, place.home, place.readers)
        )

    # -- relations ---------------------------------------------------------------------------------------------------

    def relations(self, ids: Mapping[str, str], counts: Counter[str], problems: list[str]) -> None:
        """Add the relations that the importer or the system stated. Those of other actors are left out: they would
        become the importer's own."""
        said = [
            (place, self._with_local_ends(one, ids) if self._is_own(one) else None)
            for place, one in self.in_file.relations
        ]
        persons = sorted({one.from_person for _, one in said if one is not None})
        known = {one.ends for one in self.store.relations(self.reach, persons) if self._is_own(one)}
        for place, one in said:
            entry = None if one is None else self._place_relation(one)
            if one is not None and one.ends in known:
                counts["recognised"] += 1
            elif entry is None:
                counts["left_out"] += 1
            elif (refused := self._refusal(entry)) is not None:
                counts["denied"] += 1
                problems.append(f"{place}: {refused}")
            else:
                known.add(entry.ends)
                self._relate(entry)
                counts["relations"] += 1

    def _with_local_ends(self, relation: Relation, ids: Mapping[str, str]) -> Relation | None:
        """The relation between the two persons here, if both exist and they are different."""
        ends = (relation.from_person, relation.to_person)
        first, second = (one if user_of_person(one) is not None else ids.get(one) for one in ends)
        if first is None or second is None or first == second:
            return None
        return replace(relation, from_person=first, to_person=second)

    def _is_own(self, relation: Relation) -> bool:
        """Whether the importer stated it, or the system, whose relations count for everyone."""
        return self._speaks_for(relation.created_by) or relation.created_by.kind is ActorKind.SYSTEM

    def _place_relation(self, relation: Relation) -> Relation | None:
        """A relation in its original place if it can be stated there; otherwise for the importer alone."""
        places = [relation, *([] if self.home is None else [replace(relation, home=self.home, readers=EVERYONE)])]
        return next((one for one in places if self._may_be_said(one)), None)

    def _may_be_said(self, relation: Relation) -> bool:
        if relation.home is None or not self._may_write(relation.home, relation.readers):
            return False
        return all(self._is_known_to(end, relation) for end in (relation.from_person, relation.to_person))

    def _relate(self, relation: Relation) -> None:
        if self._is_kept(relation, relation_id(*_place(relation))):
            self.edits.put(replace(relation, at_us=min(relation.at_us, self.edits.now)), "relate", Reason.IMPORTED)
        else:
            known_to = KnownTo(relation.home, relation.readers)
            new_relation(self.edits, known_to, relation.ends, Reason.IMPORTED)


def _place(made: Person | Relation) -> tuple[Space | None, Readers, Actor, int]:
    return made.home, made.readers, made.created_by, made.number


def _is_same(here: Person, person: Person) -> bool:
    """Whether two persons with the same id are one: created by the same actor at the same moment. A revision that both
    have had must be equal, too."""
    is_alike = here.version != person.version or (here.name, here.aliases) == (person.name, person.aliases)
    return (here.created_by, here.created_at_us) == (person.created_by, person.created_at_us) and is_alike


def _id_from_elsewhere(home: Space, person: Person) -> str:
    """The id of somebody from elsewhere in the importer's home: the same whenever they come, and in whatever file."""
    made = canonical_json([person.id, actor_to_dict(person.created_by), person.created_at_us])
    return short_name("per_", b"memfort/person from elsewhere\x00" + home.id + made)
