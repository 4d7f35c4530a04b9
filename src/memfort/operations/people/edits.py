"""Drafts of changes to people and relations: who may make them, and the events that record them.

No event contains a name or the term of a relation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from memfort.engine.default_place import home_of
from memfort.engine.inputs import space_of
from memfort.engine.transaction import Session, Transaction
from memfort.engine.view import View
from memfort.errors import Denied, InvalidInput, MemfortError
from memfort.model.item import EVERYONE, Readers
from memfort.model.moment import Moment
from memfort.model.people.actor import Actor, ActorKind
from memfort.model.people.person import (
    Person,
    Relation,
    person_id,
    person_of_user,
    person_to_dict,
    relation_id,
    relation_to_dict,
)
from memfort.model.reason import Reason, explanation
from memfort.model.serialize.encoding import canonical_json
from memfort.model.sight import Sight
from memfort.model.space import Level, Space
from memfort.operations.people.resolve.look_up import get_person, look_up
from memfort.policy.gates.personal_data import find_personal
from memfort.policy.people import ALLOWED, may_change
from memfort.policy.secrets import find_secrets
from memfort.policy.settings.policy import Policy
from memfort.policy.sight import maintenance_sight
from memfort.store.port import Change, DropPerson, DropRelation, PutPerson, PutRelation, Scope
from memfort.trail.event import Event
from memfort.trail.keys import Keys

_PAGE = 1000
_Answer = TypeVar("_Answer")


class KnownTo(NamedTuple):
    """Who may know of a person or a relation: these readers in one space, or everybody in the directory."""

    home: Space | None
    readers: Readers = EVERYONE


def place_for_people(session: Session, space: Mapping[str, str] | None, *, listed: bool) -> KnownTo:
    """Who may know of a person or a relation that is added: the readers of the space named; everybody if it is listed;
    otherwise the actor alone."""
    if space is not None and listed:
        raise InvalidInput("listed", "a space is named too", "name a space, or list it for everybody")
    if space is not None:
        return KnownTo(space_of(session.standpoint, space))
    return KnownTo(None) if listed else _private_place(session)


def _private_place(session: Session) -> KnownTo:
    actor = session.standpoint.actor
    if actor.kind is ActorKind.SYSTEM:
        raise InvalidInput("listed", "the system knows nobody in private", "list it for everybody, or name a space")
    with session.view() as view:
        home = home_of(view.standpoint, view.policy)
        own = home if actor.user is None else Space.of({Level.USER: actor.user})
        writable = [seen.space for seen in view.sight.writable.spaces]
    if own in writable or not writable:
        return KnownTo(own)
    # A policy without spaces of users: where the actor writes, for its eyes alone.
    only_actor = Readers.of(agents=[actor.id]) if actor.user is None else Readers.of([actor.user])
    return KnownTo(home if home in writable else writable[0], only_actor)


class PeopleEdits(Struct, frozen=True):
    """Changes that are not written yet, and the events that record them."""

    view: View
    changes: list[Change] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)

    @property
    def actor(self) -> Actor:
        return self.view.actor

    @property
    def now(self) -> Moment:
        return self.view.now

    def put(self, made: Person | Relation, action: str, reason: Reason) -> None:
        self.changes.append(PutPerson(made) if isinstance(made, Person) else PutRelation(made))
        self.events.append(self._event(made, action, reason, person_digest(self.view.store.keys, made)))

    def drop(self, gone: Person | Relation, action: str, reason: Reason) -> None:
        self.changes.append(DropPerson(gone.id) if isinstance(gone, Person) else DropRelation(gone.id))
        self.events.append(self._event(gone, action, reason, None))

    def apply(self, tx: Transaction) -> None:
        if self.changes:
            tx.apply(self.changes, self.events)

    def person(self, id: str) -> Person | None:
        """A person as this draft leaves them, who need not be in the store yet."""
        put = [change.person for change in self.changes if isinstance(change, PutPerson) and change.person.id == id]
        return put[-1] if put else None

    def number(self, known_to: KnownTo) -> int:
        """The next free place in the actor's sequence there, after those that this draft takes."""
        first = self.view.store.next_person_number(self.view.sight, *known_to, self.actor.key)
        made = [
            one.person if isinstance(one, PutPerson) else one.relation
            for one in self.changes
            if isinstance(one, PutPerson | PutRelation)
        ]
        mine = (*known_to, self.actor.key)
        taken = {one.number for one in made if (one.home, one.readers, one.created_by.key) == mine}
        return max((first, *(number + 1 for number in taken)))

    def _event(self, made: Person | Relation, action: str, reason: Reason, digest: str | None) -> Event:
        """An event for the chain of the home, or of the directory. No name is in it, nor what anybody is to anybody."""
        recorder, what = self.view.recorder, "person" if isinstance(made, Person) else "relation"
        detail = {what: {"id": made.id, "digest": digest, "key": recorder.keys.fingerprint}}
        if made.home is None:
            return recorder.directory_event(action, reason, detail=detail)
        return recorder.space_event(made.home, action, reason, detail=detail)


def person_digest(keys: Keys, made: Person | Relation) -> str:
    """A keyed digest of all fields of a person or a relation."""
    record = person_to_dict(made) if isinstance(made, Person) else relation_to_dict(made)
    return keys.digest(canonical_json(record).decode())


def change_people(
    session: Session,
    action: str,
    ids: Iterable[str],
    work: Callable[[Transaction, PeopleEdits], _Answer],
    home: Space | None = None,
) -> _Answer:
    """Put changes to the persons called `ids` together and make them in one commit. A refusal takes all of it back and
    is recorded in the asker's own chain: by the levels of the place alone, without what it was about."""

    def change(tx: Transaction) -> _Answer:
        edits = PeopleEdits(tx)
        answer = work(tx, edits)
        edits.apply(tx)
        return answer

    try:
        return session.write(_homes(session, ids, home), change)
    except Denied as error:
        levels = [Level.SYSTEM.value] if home is None else sorted(level.value for level in home.levels)
        detail = {"gate": "border" if error.reason == Reason.BORDER_WRITE else "people", "levels": levels}
        refusal = partial(_record_denial, action=action, reason=error.reason, detail=detail)
        session.write((), refusal)
        raise


def _record_denial(tx: Transaction, action: str, reason: str, detail: dict[str, Any]) -> None:
    tx.apply([], [tx.actor_event(action, "denied", reason, detail)])


def _homes(session: Session, ids: Iterable[str], home: Space | None) -> Scope:
    """What these persons are known in: the spaces, or the directory, and what they are to others."""
    with session.view() as view, suppress(MemfortError):
        found = [person for id in ids if (person := look_up(view.store, view.sight, id)) is not None]
        relations = view.store.relations(view.sight, [person.id for person in found])
        homes = [home, *(person.home for person in found), *(relation.home for relation in relations)]
        people = [person.id for person in found]
        return Scope.of((one for one in homes if one is not None), directory=None in homes, people=people)
    return Scope(directory=True) if home is None else Scope.of([home])


def drop_people_of(view: View, spaces: Sequence[Space]) -> tuple[list[Change], list[Event]]:
    """Everybody who lives in these spaces taken out, and every relation there: part of erasing the spaces."""
    edits, sight, wanted = PeopleEdits(view), maintenance_sight(spaces), set(spaces)
    after: str | None = None
    while page := view.store.all_people(sight, after, _PAGE):
        for person in page:
            if person.home in wanted:
                edits.drop(person, "drop_person", Reason.ERASED)
        after = page[-1].id
    for relation in view.store.all_relations(sight):
        if relation.home in wanted:
            edits.drop(relation, "unrelate", Reason.ERASED)
    return edits.changes, edits.events


def find_changeable(tx: Transaction, id: str) -> Person:
    """The person that an id stands for, if the actor may change it."""
    person = get_person(tx.store, tx.sight, id)
    check_allowed(may_change(tx.actor, person))
    check_border(tx.sight, person.home, Reason.READ_ONLY_HERE)
    return person


def check_border(sight: Sight, home: Space | None, reason: Reason = Reason.BORDER_WRITE) -> None:
    """Require that the actor may write in the one space where a person is known."""
    if home is not None and ((place := sight.seen(home)) is None or not place.writable):
        raise denial(reason)


def check_texts(policy: Policy, *texts: str) -> None:
    """A name is read by all who know the person, so a secret or personal data is refused wherever it hides."""
    check_secrets(policy, *texts)
    if any(find_personal(text) for text in texts):
        raise denial(Reason.PERSONAL_DENIED)


def check_secrets(policy: Policy, *texts: str) -> None:
    own = tuple(policy.privacy.deny_patterns.items())
    if any(find_secrets(text, extra_patterns=own) for text in texts):
        raise denial(Reason.SECRET)


def new_person(
    edits: PeopleEdits,
    known_to: KnownTo,
    name: str,
    aliases: tuple[str, ...],
    reason: Reason,
    *,
    mentioned: bool = False,
) -> Person:
    """A person who was not there."""
    number = edits.number(known_to)
    person = Person(
        id=person_id(*known_to, edits.actor, number),
        name=name,
        aliases=aliases,
        home=known_to.home,
        readers=known_to.readers,
        created_by=edits.actor,
        created_at_us=edits.now,
        number=number,
        mentioned=mentioned,
    )
    edits.put(person, "add_person", reason)
    return person


def new_relation(
    edits: PeopleEdits, known_to: KnownTo, ends: tuple[str, str, str], reason: Reason, *, mentioned: bool = False
) -> Relation:
    number = edits.number(known_to)
    relation = Relation(
        id=relation_id(*known_to, edits.actor, number),
        from_person=ends[0],
        term=ends[1],
        to_person=ends[2],
        home=known_to.home,
        readers=known_to.readers,
        created_by=edits.actor,
        at_us=edits.now,
        number=number,
        mentioned=mentioned,
    )
    edits.put(relation, "relate", reason)
    return relation


def rename(edits: PeopleEdits, person: Person, name: str, aliases: tuple[str, ...], action: str) -> Person:
    if person.version and (person.name, person.aliases) == (name, aliases):
        return person
    begun = person if person.version else replace(person, created_by=edits.actor, created_at_us=edits.now)
    after = replace(begun, name=name, aliases=aliases, version=person.version + 1, mentioned=False)
    edits.put(after, action, may_change(edits.actor, person))
    return after


def may_end_relation(tx: Transaction, relation: Relation) -> bool:
    """A relation may be removed by the actor who stated it, and by actors who may change the person it belongs to."""
    actor = tx.actor
    if relation.home is not None and ((place := tx.sight.seen(relation.home)) is None or not place.writable):
        return False
    person = look_up(tx.store, tx.sight, relation.from_person)
    own = relation.created_by.key == actor.key or (
        actor.user is not None and relation.stated_by == person_of_user(actor.user)
    )
    return own or (person is not None and may_change(actor, person) in ALLOWED)


def check_allowed(reason: Reason) -> Reason:
    if reason not in ALLOWED:
        raise denial(reason)
    return reason


def denial(reason: Reason) -> Denied:
    return Denied(reason, explanation(reason))
