"""Resolve references to persons. Only persons known to all readers of a memory are put into it, so that no id reveals
people whom a reader does not know; an ambiguous reference is not guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from memfort.engine.inputs import id_of
from memfort.engine.view import View
from memfort.errors import InvalidInput, NotFound
from memfort.model.people.actor import ActorKind
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
from memfort.model.space import Coordinate, Level, check_id
from memfort.operations.people.edits import KnownTo, PeopleEdits, check_secrets, new_person, new_relation
from memfort.operations.people.resolve.look_up import look_up, redirects
from memfort.policy.people import Resolution, Speaker, is_known_in, is_shown, may_be_meant, possible_people, resolve

_MayKnow = Callable[[Person | Relation], bool]


def find(view: View, reference: str) -> list[Person]:
    """Everybody whom a reference could mean to the asker, the asker's own connections first."""
    speaker, people = _gather(view, reference, lambda one: is_shown(view.sight, one))
    ids = possible_people(reference, speaker, people, redirects(view.store, view.sight, people))
    return [person for id in ids if (person := look_up(view.store, view.sight, id)) is not None]


def ids_of(view: View, reference: str) -> list[str]:
    """The ids of everybody whom a reference could mean to the asker. An id stands for itself too: what was said of
    somebody before they turned out to be somebody else is still said of them."""
    given = id_of(reference)
    is_id = is_made(given) or user_of_person(given) is not None
    found = [person.id for person in find(view, given)]
    return list(dict.fromkeys([given, *found] if is_id else found))


def resolve_subjects(edits: PeopleEdits, references: Iterable[str], known_to: KnownTo) -> list[str]:
    """The persons that the subjects of a memory mean, which is to be written for these readers. The draft makes those
    known there who are mentioned for the first time. To be called inside the transaction of the write."""
    made: dict[str, str] = {}  # by normal name, in this call
    found: list[str] = []
    for reference in references:
        resolution = resolve_reference(edits.view, reference, known_to)
        if resolution.person is not None:
            found.append(resolution.person)
            continue
        name = normal_name(reference)
        if name not in made:
            made[name] = _add_mentioned(edits, reference, resolution, known_to)
        found.append(made[name])
    return list(dict.fromkeys(found))


def may_know(view: View, one: Person | Relation, known_to: KnownTo) -> bool:
    """Whether all who read there may know of a person or a relation, and it can be meant by the actor's words."""
    home, readers = known_to
    assert home is not None  # a memory has a space
    return is_known_in(one.home, one.readers, home, readers) and may_be_meant(view.sight, one)


def resolve_reference(view: View, reference: str, known_to: KnownTo) -> Resolution:
    """The person that a reference means in a memory that is to be written for these readers."""
    user = user_of_person(reference)
    if user is not None:  # the most frequent case, without a lookup
        return Resolution(person_of_user(check_id(user, "subjects")), Reason.NAMED_AS_USER)
    speaker, people = _gather(view, reference, lambda one: may_know(view, one, known_to))
    found = resolve(reference, speaker, people, redirects(view.store, view.sight, people, view.actor))
    if found.reason is Reason.NAMED_AS_SPEAKER and found.person is None:
        raise InvalidInput("subjects", f"`{reference}` names no person here", "name a person, or act for a user")
    if found.person is None and is_made(reference):
        # Known to the speaker, but not to everybody there: it is as if the name had been said.
        elsewhere = [one for one in view.store.people(view.sight, [reference]) if may_be_meant(view.sight, one)]
        if not elsewhere:
            raise NotFound("person", reference)
        return resolve_reference(view, elsewhere[0].name, known_to)
    return found


def _add_mentioned(edits: PeopleEdits, reference: str, resolution: Resolution, known_to: KnownTo) -> str:
    """Somebody who is mentioned for the first time, known where the mention stands."""
    view = edits.view
    if is_made(reference):
        reference = view.store.people(view.sight, [reference])[0].name
    name = check_name(reference, "subjects")
    check_secrets(view.policy, name)
    person = new_person(edits, known_to, name, (), Reason.PERSON_MENTIONED)
    if resolution.term is not None and view.actor.user is not None:
        ends = (person_of_user(view.actor.user), resolution.term, person.id)
        new_relation(edits, known_to, ends, Reason.PERSON_MENTIONED)
    return person.id


def _gather(view: View, reference: str, is_knowable: _MayKnow) -> tuple[Speaker, list[Person]]:
    """The speaker, and everybody in sight that a reference could mean, as far as they may be known."""
    store, sight, actor = view.store, view.sight, view.actor
    present = _people_present(view)
    own = Speaker(actor).person
    relations = [] if own is None else [one for one in store.relations(sight, [own]) if is_knowable(one)]
    users = sorted(present | ({own} if own is not None else set()))
    known = {id: user_person(str(user_of_person(id))) for id in users}
    related = [one.to_person for one in relations]
    found = [*store.people(sight, [*users, *related, reference]), *store.people_named(sight, normal_name(reference))]
    known |= {person.id: person for person in found if is_knowable(person)}
    return Speaker(actor, relations, present), [known[id] for id in sorted(known)]


def _people_present(view: View) -> frozenset[str]:
    """The persons of the users who take part in the chat where the speaker stands, if the speaker does."""
    chat = None if view.sight.disclosure is None else view.sight.disclosure.listeners.chat
    if chat is None or all(seen.space.get(Level.CHAT) != chat for seen in view.sight.spaces):
        return frozenset()
    members = view.store.members(Coordinate(Level.CHAT, chat))
    return frozenset(person_of_user(one.id) for one in members if one.kind is ActorKind.USER)
