"""The directory of people: who there is and what they are to each other. Every change is authorised, and told in the
trail without a name. Who is meant by a reference is found out in `meaning`, and who is who in `merging`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from memfort.errors import Denied, InvalidInput, NotFound
from memfort.memory.engine import Engine
from memfort.memory.input import id_of, list_of, space_of
from memfort.model.actor import Actor, Standpoint
from memfort.model.canonical import canonical_json
from memfort.model.item import EVERYONE, Readers
from memfort.model.moment import Moment
from memfort.model.person import (
    SPEAKER,
    Person,
    Relation,
    check_name,
    check_names,
    check_term,
    person_id,
    person_of_user,
    person_to_dict,
    relation_id,
    relation_to_dict,
    user_of_person,
    user_person,
)
from memfort.model.reason import Reason, explanation
from memfort.model.sight import Sight
from memfort.model.space import Level, Space, check_id
from memfort.policy.people import ALLOWED, canonical, follows, is_known_in, is_shown, may_change
from memfort.policy.personal import find_personal
from memfort.policy.secrets import find_secrets
from memfort.policy.sight import maintenance_sight
from memfort.store.port import Change, DropPerson, DropRelation, PutPerson, PutRelation
from memfort.trace.event import DIRECTORY_CHAIN, Event, chain_of_space
from memfort.trace.keys import Keys

_PAGE = 1000


# -- reading ---------------------------------------------------------------------------------------------------------


def get(engine: Engine, standpoint: Standpoint, id: str) -> Person | None:
    """The person that an id stands for now. One that turned out to be another is that other."""
    with engine.store.reading():
        return look_up(engine, engine.sight(standpoint), id_of(id))


def people(engine: Engine, standpoint: Standpoint, limit: int, after: str | None) -> list[Person]:
    """Everybody who was entered or mentioned in sight, in the order of their ids."""
    found: list[Person] = []
    with engine.store.reading():
        sight = engine.sight(standpoint)
        while len(found) < limit and (page := engine.store.all_people(sight, after, _PAGE)):
            found += [person for person in page if is_shown(sight, person)]
            after = page[-1].id
    return found[:limit]


def relations(engine: Engine, standpoint: Standpoint, id: str) -> list[Relation]:
    """What a person is to others, and others to them."""
    with engine.store.reading():
        sight = engine.sight(standpoint)
        person = seen(engine, sight, id)
        found = engine.store.relations(sight, [person.id])
    return [one for one in found if is_shown(sight, one)]


def look_up(engine: Engine, sight: Sight, id: str) -> Person | None:
    """The person that an id stands for, as far as this sight may know. Every user is one, known or not."""
    if id in SPEAKER and sight.actor.user is not None:
        id = person_of_user(sight.actor.user)
    found = [person for person in engine.store.people(sight, [id]) if is_shown(sight, person)]
    if not found:
        user = user_of_person(id)
        return None if user is None else user_person(check_id(user, "user"))
    last = canonical(id, redirects(engine, sight, found))
    return found[0] if last == id else look_up(engine, sight, last)


def seen(engine: Engine, sight: Sight, id: str) -> Person:
    found = look_up(engine, sight, id_of(id))
    if found is None:
        raise NotFound("person", id)
    return found


def redirects(engine: Engine, sight: Sight, people: Iterable[Person], actor: Actor | None = None) -> dict[str, str]:
    """Who of these turned out to be whom, step by step; with an actor, as far as that counts for what the actor says.
    Somebody who turned out to be nobody that is known stays who they were."""
    known = {person.id: person for person in people}
    moved: dict[str, str] = {}
    pending = list(known.values())
    while pending:
        steps = {one.id: one.merged_into for one in pending if one.merged_into and (not actor or follows(actor, one))}
        wanted = [id for id in steps.values() if id not in known and user_of_person(id) is None]
        pending = engine.store.people(sight, wanted) if wanted else []
        known |= {person.id: person for person in pending}
        moved |= {id: to for id, to in steps.items() if to in known or user_of_person(to) is not None}
    return moved


# -- changing --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Draft:
    """Changes that are being put together, and the events that tell of them."""

    engine: Engine
    actor: Actor
    now: Moment
    changes: list[Change] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)

    def put(self, made: Person | Relation, action: str, reason: Reason) -> None:
        self.changes.append(PutPerson(made) if isinstance(made, Person) else PutRelation(made))
        self.events.append(self._event(made, action, reason, person_digest(self.engine.store.keys, made)))

    def drop(self, gone: Person | Relation, action: str, reason: Reason) -> None:
        self.changes.append(DropPerson(gone.id) if isinstance(gone, Person) else DropRelation(gone.id))
        self.events.append(self._event(gone, action, reason, None))

    def apply(self) -> None:
        if self.changes:
            self.engine.apply(self.changes, self.events)

    def person(self, id: str) -> Person | None:
        """Somebody as this very draft leaves them, who need not be in the store yet."""
        put = [change.person for change in self.changes if isinstance(change, PutPerson) and change.person.id == id]
        return put[-1] if put else None

    def number(self, sight: Sight, home: Space | None, readers: Readers) -> int:
        """The next free place in the actor's sequence there, after those that this draft takes."""
        first = self.engine.store.next_person(sight, home, readers, self.actor.key)
        made = [one.person if isinstance(one, PutPerson) else one.relation
                for one in self.changes if isinstance(one, PutPerson | PutRelation)]  # fmt: skip
        mine = (home, readers, self.actor.key)
        taken = {one.number for one in made if (one.home, one.readers, one.created_by.key) == mine}
        return max((first, *(number + 1 for number in taken)))

    def _event(self, made: Person | Relation, action: str, reason: Reason, digest: str | None) -> Event:
        """An event for the chain of the home, or of the directory. No name is in it, nor what anybody is to anybody."""
        engine, what = self.engine, "person" if isinstance(made, Person) else "relation"
        return Event(
            chain=DIRECTORY_CHAIN if made.home is None else chain_of_space(made.home), at=self.now, action=action,
            actor=self.actor, surface=engine.surface, decision="allowed", reason=reason, policy=engine.policy.digest,
            space=made.home, detail={what: {"id": made.id, "digest": digest, "key": engine.store.keys.fingerprint}},
        )  # fmt: skip


def person_digest(keys: Keys, made: Person | Relation) -> str:
    """A keyed digest of all that is known of a person, or of a relation."""
    record = person_to_dict(made) if isinstance(made, Person) else relation_to_dict(made)
    return keys.digest(canonical_json(record).decode())


@contextmanager
def changing(engine: Engine, actor: Actor, action: str, home: Space | None = None) -> Iterator[Draft]:
    """Put changes together and make them. A refusal takes all of it back and is put on record, without what it was
    about: in the asker's own chain, by the levels of the place alone."""
    try:
        with engine.writing():
            draft = Draft(engine, actor, engine.clock.now())
            yield draft
            draft.apply()
    except Denied as error:
        levels = [Level.SYSTEM.value] if home is None else sorted(level.value for level in home.levels)
        detail = {"gate": "border" if error.reason == Reason.BORDER_WRITE else "people", "levels": levels}
        with engine.writing():
            asked = engine.asked(action, actor, "denied", error.reason, engine.clock.now(), detail)
            engine.apply([], [asked])
        raise


def add(
    engine: Engine,
    standpoint: Standpoint,
    name: str,
    aliases: Iterable[str] = (),
    *,
    user: str | None = None,
    space: Mapping[str, str] | None = None,
    relation: str | None = None,
) -> Person:
    """Enter a person: in the directory, for all to see, or in one space. With `relation`, say what they are to the
    speaker; with `user`, whose person they are."""
    from memfort.memory.people.merging import unite

    name, others = check_names(name, list_of(aliases, "aliases"))
    term = None if relation is None else check_term(relation, "relation")
    home = None if space is None else space_of(standpoint, space)
    with changing(engine, standpoint.actor, "add_person", home) as draft:
        check_said(engine, name, *others, *([] if relation is None else [relation]))
        sight = engine.sight(standpoint)
        check_border(sight, home)
        own = None if user is None else seen(engine, sight, person_of_user(check_id(user, "user")))
        if own is not None and home is None and may_change(standpoint.actor, own) in ALLOWED:
            person = _renamed(draft, own, name, others, "add_person")
        else:
            person = new_person(draft, sight, home, EVERYONE, name, others, Reason.REGISTERED)
            person = person if own is None else unite(draft, sight, own, person)
        if term is not None:
            _relate(draft, sight, speaker_of(standpoint.actor), term, person.id, home)
    return person


def update(
    engine: Engine, standpoint: Standpoint, id: str, name: str | None = None, aliases: Iterable[str] | None = None
) -> Person:
    """Say how a person is called. Only who entered them may, or they themselves."""
    others = None if aliases is None else list_of(aliases, "aliases")
    with changing(engine, standpoint.actor, "update_person") as draft:
        person = changeable(draft, engine.sight(standpoint), id)
        called, more = check_names(person.name if name is None else name, person.aliases if others is None else others)
        check_said(engine, called, *more)
        return _renamed(draft, person, called, more, "update_person")


def alias(engine: Engine, standpoint: Standpoint, id: str, *aliases: str) -> Person:
    """Give a person more names."""
    more = [check_name(one, "alias") for one in aliases]
    with changing(engine, standpoint.actor, "update_person") as draft:
        person = changeable(draft, engine.sight(standpoint), id)
        check_said(engine, *more)
        return _renamed(draft, person, *check_names(person.name, (*person.aliases, *more)), "update_person")


def drop(engine: Engine, standpoint: Standpoint, id: str) -> None:
    """Take a person out for good, with every name and with what the actor said they are to others. Memories keep the
    id, which is nobody's from then on."""
    with changing(engine, standpoint.actor, "drop_person") as draft:
        sight = engine.sight(standpoint)
        found = [one for one in engine.store.people(sight, [id_of(id)]) if is_shown(sight, one)]
        if not found:
            raise NotFound("person", id)
        reason = allowed(may_change(standpoint.actor, found[0]))
        check_border(sight, found[0].home, Reason.READ_ONLY_HERE)
        for one in engine.store.relations(sight, [id]):
            if _may_end(engine, sight, standpoint.actor, one):
                draft.drop(one, "unrelate", reason)
        draft.drop(found[0], "drop_person", reason)


def emptied(engine: Engine, actor: Actor, spaces: Sequence[Space], now: Moment) -> tuple[list[Change], list[Event]]:
    """Everybody who lives in these spaces taken out, and every relation there: part of erasing the spaces."""
    draft, sight, wanted = Draft(engine, actor, now), maintenance_sight(spaces), set(spaces)
    after: str | None = None
    while page := engine.store.all_people(sight, after, _PAGE):
        for person in page:
            if person.home in wanted:
                draft.drop(person, "drop_person", Reason.ERASED)
        after = page[-1].id
    for relation in engine.store.all_relations(sight):
        if relation.home in wanted:
            draft.drop(relation, "unrelate", Reason.ERASED)
    return draft.changes, draft.events


def relate(
    engine: Engine,
    standpoint: Standpoint,
    person: str,
    term: str,
    other: str,
    space: Mapping[str, str] | None = None,
) -> Relation:
    """Say what somebody is to a person: in the directory, or in one space. Who is known in one space only is related
    there."""
    word, home = check_term(term), None if space is None else space_of(standpoint, space)
    with changing(engine, standpoint.actor, "relate", home) as draft:
        check_said(engine, term)
        sight = engine.sight(standpoint)
        return _relate(draft, sight, id_of(person), word, id_of(other), home)


def unrelate(engine: Engine, standpoint: Standpoint, person: str, term: str, other: str) -> list[Relation]:
    """Take back what somebody is to a person."""
    word, gone = check_term(term), []
    with changing(engine, standpoint.actor, "unrelate") as draft:
        sight = engine.sight(standpoint)
        ends = (seen(engine, sight, person).id, word, seen(engine, sight, other).id)
        known = engine.store.relations(sight, [ends[0]])
        found = [one for one in known if _ends(one) == ends and is_shown(sight, one)]
        if not found:
            raise NotFound("relation", word)
        gone = [one for one in found if _may_end(engine, sight, standpoint.actor, one)]
        if not gone:
            raise denied(Reason.NOT_YOUR_PERSON)
        for one in gone:
            draft.drop(one, "unrelate", Reason.REVOKED)
    return gone


# -- steps that several of them take ---------------------------------------------------------------------------------


def changeable(draft: Draft, sight: Sight, id: str) -> Person:
    """The person that an id stands for, if the actor may change it."""
    person = seen(draft.engine, sight, id)
    allowed(may_change(draft.actor, person))
    check_border(sight, person.home, Reason.READ_ONLY_HERE)
    return person


def check_border(sight: Sight, home: Space | None, reason: Reason = Reason.BORDER_WRITE) -> None:
    """Who is known in one space is entered and changed by who may write there."""
    if home is not None and ((place := sight.seen(home)) is None or not place.writable):
        raise denied(reason)


def check_said(engine: Engine, *texts: str) -> None:
    """A name is read by all who know the person, so a secret or personal data is refused wherever it hides."""
    check_secrets(engine, *texts)
    if any(find_personal(text) for text in texts):
        raise denied(Reason.PERSONAL_DENIED)


def check_secrets(engine: Engine, *texts: str) -> None:
    own = tuple(engine.policy.privacy.deny_patterns.items())
    if any(find_secrets(text, extra_patterns=own) for text in texts):
        raise denied(Reason.SECRET)


def new_person(
    draft: Draft, sight: Sight, home: Space | None, readers: Readers, name: str, aliases: tuple[str, ...],
    reason: Reason,
) -> Person:  # fmt: skip
    """A person who was not there."""
    number = draft.number(sight, home, readers)
    person = Person(
        id=person_id(home, readers, draft.actor, number), name=name, aliases=aliases, home=home, readers=readers,
        created_by=draft.actor, created_at=draft.now, number=number,
    )  # fmt: skip
    draft.put(person, "add_person", reason)
    return person


def new_relation(
    draft: Draft, sight: Sight, home: Space | None, readers: Readers, ends: tuple[str, str, str], reason: Reason
) -> Relation:
    number = draft.number(sight, home, readers)
    relation = Relation(
        id=relation_id(home, readers, draft.actor, number), from_person=ends[0], term=ends[1], to_person=ends[2],
        home=home, readers=readers, created_by=draft.actor, at=draft.now, number=number,
    )  # fmt: skip
    draft.put(relation, "relate", reason)
    return relation


def speaker_of(actor: Actor) -> str:
    """The actor's own person."""
    if actor.user is None:
        raise InvalidInput("relation", "it is to the speaker, who is no person here", "use `relate`, or act for a user")
    return person_of_user(actor.user)


def _renamed(draft: Draft, person: Person, name: str, aliases: tuple[str, ...], action: str) -> Person:
    if person.version and (person.name, person.aliases) == (name, aliases):
        return person
    begun = person if person.version else replace(person, created_by=draft.actor, created_at=draft.now)
    after = replace(begun, name=name, aliases=aliases, version=person.version + 1)
    draft.put(after, action, may_change(draft.actor, person))
    return after


def _relate(draft: Draft, sight: Sight, person: str, term: str, other: str, home: Space | None) -> Relation:
    engine = draft.engine
    first, second = (draft.person(id) or seen(engine, sight, id) for id in (person, other))
    if first.id == second.id:
        raise InvalidInput("other", "it is the same person", "name somebody else")
    home = _home_of(first, second) if home is None else home
    check_border(sight, home)
    if home is None:
        allowed(may_change(draft.actor, first))
    for one in (first, second):
        if not (one.home is None and one.readers.is_open if home is None else is_known_in(one.home, one.readers, home)):
            raise InvalidInput("space", f"`{one.id}` is not known to all there", "relate them where both are known")
    ends = (first.id, term, second.id)
    for known in engine.store.relations(sight, [first.id]):
        said = (_ends(known), known.home, known.readers, known.stated_by)
        if said == (ends, home, EVERYONE, _stated_by(draft.actor)):
            return known
    return new_relation(draft, sight, home, EVERYONE, ends, Reason.REGISTERED)


def _home_of(first: Person, second: Person) -> Space | None:
    """Where two can be related: where the one of them lives who is known to fewer."""
    homes = [one.home for one in (first, second) if one.home is not None]
    return max(homes, key=lambda home: len(home.coordinates), default=None)


def _ends(relation: Relation) -> tuple[str, str, str]:
    return relation.from_person, relation.term, relation.to_person


def _stated_by(actor: Actor) -> str | None:
    return None if actor.user is None else person_of_user(actor.user)


def _may_end(engine: Engine, sight: Sight, actor: Actor, relation: Relation) -> bool:
    """Who said it may take it back, and so may whoever may change the person it was said of."""
    if relation.home is not None and ((place := sight.seen(relation.home)) is None or not place.writable):
        return False
    person = look_up(engine, sight, relation.from_person)
    own = relation.created_by.key == actor.key or (actor.user is not None and relation.stated_by == _stated_by(actor))
    return own or (person is not None and may_change(actor, person) in ALLOWED)


def allowed(reason: Reason) -> Reason:
    if reason not in ALLOWED:
        raise denied(reason)
    return reason


def denied(reason: Reason) -> Denied:
    return Denied(reason, explanation(reason))
