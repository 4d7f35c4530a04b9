"""Who is meant: references made into persons. What comes into a memory is known to all who may read the memory, so that
no id tells anybody of people they do not know; and nobody is guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from memfort.engine.engine import Engine
from memfort.engine.inputs import id_of
from memfort.errors import InvalidInput, NotFound
from memfort.model.item import EVERYONE, Readers
from memfort.model.moment import Moment
from memfort.model.people.actor import Actor, ActorKind, Standpoint
from memfort.model.people.person import (
    Person,
    Relation,
    check_name,
    is_made,
    normal_name,
    person_of_user,
    user_of_person,
    user_person,
)
from memfort.model.reason import Reason
from memfort.model.sight import Sight
from memfort.model.space import Coordinate, Level, Space, check_id
from memfort.operations.people.edits import PeopleEdits, check_secrets, new_person, new_relation
from memfort.operations.people.resolve.look_up import look_up, redirects
from memfort.policy.people import (
    Resolution,
    Speaker,
    canonical,
    is_known_in,
    is_shown,
    may_be_meant,
    possible_people,
    resolve,
)
from memfort.store.port import Change
from memfort.trail.event import Event

MayKnow = Callable[[Person | Relation], bool]


def find(engine: Engine, standpoint: Standpoint, reference: str) -> list[Person]:
    """Everybody whom a reference could mean to the asker, the asker's own connections first."""
    with engine.store.reading():
        return find_in_sight(engine, standpoint, engine.sight(standpoint), id_of(reference))


def find_in_sight(engine: Engine, standpoint: Standpoint, sight: Sight, reference: str) -> list[Person]:
    speaker, people = _gather(engine, standpoint, sight, reference, lambda one: is_shown(sight, one))
    ids = possible_people(reference, speaker, people, redirects(engine.store, sight, people))
    return [person for id in ids if (person := look_up(engine.store, sight, id)) is not None]


def ids_of(engine: Engine, standpoint: Standpoint, reference: str) -> list[str]:
    """The ids of everybody whom a reference could mean to the asker. An id stands for itself too: what was said of
    somebody before they turned out to be somebody else is still said of them."""
    given = id_of(reference)
    is_id = is_made(given) or user_of_person(given) is not None
    found = [person.id for person in find(engine, standpoint, given)]
    return list(dict.fromkeys([given, *found] if is_id else found))


def resolve_subjects(
    engine: Engine,
    standpoint: Standpoint,
    sight: Sight,
    references: Iterable[str],
    space: Space,
    now: Moment,
    readers: Readers = EVERYONE,
) -> tuple[list[str], list[Change], list[Event]]:
    """The persons that the subjects of a memory mean, which is to be written in `space` for `readers`; and what makes
    those known there who are mentioned for the first time. To be called inside the transaction of the write."""
    edits = PeopleEdits(engine, standpoint.actor, now)
    made: dict[str, str] = {}  # by normal name, in this call
    found: list[str] = []
    for reference in references:
        resolution = _resolve_reference(engine, standpoint, sight, reference, space, readers)
        if resolution.person is not None:
            found.append(resolution.person)
            continue
        name = normal_name(reference)
        if name not in made:
            made[name] = _add_mentioned(edits, sight, reference, resolution, space, readers)
        found.append(made[name])
    return list(dict.fromkeys(found)), edits.changes, edits.events


def recognise_subjects(
    engine: Engine,
    standpoint: Standpoint,
    sight: Sight,
    references: Iterable[str],
    space: Space,
    readers: Readers = EVERYONE,
) -> list[str]:
    """The same for words that may mean somebody: those who are known there already. Nobody is made."""
    found = [_resolve_reference(engine, standpoint, sight, one, space, readers).person for one in references]
    return list(dict.fromkeys(person for person in found if person is not None))


def canonical_ids(engine: Engine, actor: Actor, sight: Sight, ids: Sequence[str]) -> list[str]:
    """Person ids as they are now, as far as merges count for what this actor says."""
    made = [id for id in ids if is_made(id)]
    moved = redirects(engine.store, sight, engine.store.people(sight, made), actor) if made else {}
    return list(dict.fromkeys(canonical(id, moved) for id in ids))


def _resolve_reference(
    engine: Engine, standpoint: Standpoint, sight: Sight, reference: str, space: Space, readers: Readers
) -> Resolution:
    user = user_of_person(reference)
    if user is not None:  # the most frequent, and nothing has to be looked up
        return Resolution(person_of_user(check_id(user, "subjects")), Reason.NAMED_AS_USER)

    def may_know(one: Person | Relation) -> bool:
        return is_known_in(one.home, one.readers, space, readers) and may_be_meant(sight, one)

    speaker, people = _gather(engine, standpoint, sight, reference, may_know)
    found = resolve(reference, speaker, people, redirects(engine.store, sight, people, standpoint.actor))
    if found.reason is Reason.NAMED_AS_SPEAKER and found.person is None:
        raise InvalidInput("subjects", f"`{reference}` is nobody here", "name somebody, or act for a user")
    if found.person is None and is_made(reference):
        # Known to the speaker, but not to everybody there: it is as if the name had been said.
        elsewhere = [one for one in engine.store.people(sight, [reference]) if may_be_meant(sight, one)]
        if not elsewhere:
            raise NotFound("person", reference)
        return _resolve_reference(engine, standpoint, sight, elsewhere[0].name, space, readers)
    return found


def _add_mentioned(
    edits: PeopleEdits, sight: Sight, reference: str, resolution: Resolution, space: Space, readers: Readers
) -> str:
    """Somebody who is mentioned for the first time, known where the mention stands."""
    if is_made(reference):
        reference = edits.engine.store.people(sight, [reference])[0].name
    name = check_name(reference, "subjects")
    check_secrets(edits.engine, name)
    person = new_person(edits, sight, space, readers, name, (), Reason.PERSON_MENTIONED)
    if resolution.term is not None and edits.actor.user is not None:
        ends = (person_of_user(edits.actor.user), resolution.term, person.id)
        new_relation(edits, sight, space, readers, ends, Reason.PERSON_MENTIONED)
    return person.id


def _gather(
    engine: Engine, standpoint: Standpoint, sight: Sight, reference: str, may_know: MayKnow
) -> tuple[Speaker, list[Person]]:
    """The speaker, and everybody in sight that a reference could mean, as far as they may be known."""
    store, actor = engine.store, standpoint.actor
    present = _people_present(engine, standpoint, sight)
    own = Speaker(actor).person
    relations = [] if own is None else [one for one in store.relations(sight, [own]) if may_know(one)]
    users = sorted(present | ({own} if own is not None else set()))
    known = {id: user_person(str(user_of_person(id))) for id in users}
    related = [one.to_person for one in relations]
    found = [*store.people(sight, [*users, *related, reference]), *store.people_named(sight, normal_name(reference))]
    known |= {person.id: person for person in found if may_know(person)}
    return Speaker(actor, relations, present), [known[id] for id in sorted(known)]


def _people_present(engine: Engine, standpoint: Standpoint, sight: Sight) -> frozenset[str]:
    """The persons of the users who take part in the chat where the speaker stands, if the speaker does."""
    chat = standpoint.get(Level.CHAT)
    if chat is None or all(seen.space.get(Level.CHAT) != chat for seen in sight.spaces):
        return frozenset()
    members = engine.store.members(Coordinate(Level.CHAT, chat))
    return frozenset(person_of_user(one.id) for one in members if one.kind is ActorKind.USER)
