"""Who is meant by a reference, and who may change what is known of a person. Pure: people come in as they were found.

Nobody is guessed: where more than one person could be meant, none of them is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from memfort.model.item import EVERYONE, Readers
from memfort.model.people.actor import Actor, ActorKind
from memfort.model.people.directory import principal_of
from memfort.model.people.person import (
    SPEAKER,
    Person,
    Relation,
    first_names,
    is_made,
    normal_name,
    normal_names,
    person_of_user,
    user_of_person,
)
from memfort.model.reason import Reason
from memfort.model.sight import Sight
from memfort.model.space import Level, Space

# Words for what somebody is to the speaker. They are never a name: the wife of one is not the wife of another.
RELATIONSHIPS = frozenset(
    {
        "wife",
        "husband",
        "spouse",
        "partner",
        "girlfriend",
        "boyfriend",
        "fiance",
        "fiancee",
        "mother",
        "mom",
        "mum",
        "father",
        "dad",
        "parent",
        "sister",
        "brother",
        "sibling",
        "daughter",
        "son",
        "child",
        "grandmother",
        "grandfather",
        "aunt",
        "uncle",
        "cousin",
        "niece",
        "nephew",
        "friend",
        "best friend",
        "roommate",
        "neighbor",
        "neighbour",
        "boss",
        "manager",
        "colleague",
        "coworker",
        "doctor",
        "therapist",
        "teacher",
    }
)


class Speaker(Struct, frozen=True):
    """Whose words they are, and whom they know."""

    actor: Actor
    relations: Sequence[Relation] = ()  # of the speaker's person
    present: frozenset[str] = frozenset()  # persons who take part in the chat where the speaker stands

    @property
    def person(self) -> str | None:
        """An agent for nobody is no person, and neither is the system."""
        return None if self.actor.user is None else person_of_user(self.actor.user)

    def own(self, term: str) -> list[Relation]:
        """What the speaker calls so, in the speaker's own words or the system's."""
        return [one for one in self.relations if one.term == term and self._is_stated_by_speaker(one)]

    def knows(self, person: Person) -> bool:
        """Whether a person is one of the speaker's own connections."""
        related = (one.to_person for one in self.relations if self._is_stated_by_speaker(one))
        return person.id in {self.person, *self.present, *related} or is_creator(self.actor, person)

    def _is_stated_by_speaker(self, relation: Relation) -> bool:
        if self.person is None or relation.from_person != self.person:
            return False
        return relation.stated_by == self.person or relation.created_by.kind is ActorKind.SYSTEM


class Resolution(Struct, frozen=True):
    """Who is meant, or why nobody is."""

    person: str | None
    reason: Reason
    term: str | None = None  # what a person who is not known yet is to the speaker, if the reference says so


def resolve(
    reference: str, speaker: Speaker, people: Sequence[Person], redirects: Mapping[str, str] | None = None
) -> Resolution:
    """Who is meant by `reference`, of the people that could be. They are named by what they turned out to be."""
    moved = redirects or {}
    name = normal_name(reference)
    known = _by_id(reference, speaker, people, moved) or _by_relation(name, reference, speaker, moved)
    if known is not None:
        return known
    own = [person for person in people if speaker.knows(person)]
    called = [person for person in own if name in normal_names(person)]
    by_first_name = [person for person in own if name in first_names(person)]
    return _only_connection(called, moved) or _only_connection(by_first_name, moved) or _by_name(name, people, moved)


def possible_people(
    reference: str, speaker: Speaker, people: Sequence[Person], redirects: Mapping[str, str] | None = None
) -> list[str]:
    """Everybody whom `reference` could mean, the speaker's own connections first."""
    moved = redirects or {}
    surely = resolve(reference, speaker, people, moved)
    if surely.person is not None and surely.reason in _NO_NAME:
        return [surely.person]
    name = normal_name(reference)
    called = [person for person in people if name in normal_names(person) | first_names(person)]
    ranked = sorted(called, key=lambda person: (not speaker.knows(person), person.id))
    found = [*(one.to_person for one in speaker.own(name)), *(person.id for person in ranked)]
    return list(dict.fromkeys(canonical(id, moved) for id in found))


_NO_NAME = frozenset({Reason.NAMED_AS_SPEAKER, Reason.NAMED_AS_USER, Reason.NAMED_BY_ID, Reason.OWN_RELATION})


def canonical(person_id: str, redirects: Mapping[str, str]) -> str:
    """The person at the end of a chain of merges. One that runs in a circle ends where it was entered."""
    seen, last = {person_id}, person_id
    while (following := redirects.get(last)) is not None:
        if following in seen:
            return person_id
        seen.add(following)
        last = following
    return last


def is_merge_trusted(actor: Actor, person: Person) -> bool:
    """Whether a merge counts for what this actor says. That somebody is a user lets that user hear what is said of
    them, so it holds for who said it, and for all only if the system did."""
    if person.merged_into is None or person.merged_by is None:
        return False
    if user_of_person(person.merged_into) is None or person.merged_by.kind is ActorKind.SYSTEM:
        return True
    return principal_of(person.merged_by) == principal_of(actor)


def is_known_in(home: Space | None, known_to: Readers, space: Space, readers: Readers = EVERYONE) -> bool:
    """Whether everybody who may read, in this space, what is for these readers may also know what lives in `home`: it
    is listed, or the space lies within it."""
    if not known_to.is_open and known_to != readers:
        return False
    return home is None or set(home.coordinates) <= set(space.coordinates)


# -- who may change --------------------------------------------------------------------------------------------------


def is_creator(actor: Actor, person: Person) -> bool:
    return user_of_person(person.id) is None and _is_own(actor, person)


def _is_own(actor: Actor, known: Person | Relation) -> bool:
    return principal_of(known.created_by) == principal_of(actor)


def may_change(actor: Actor, person: Person) -> Reason:
    """Why the actor may change a person, or `NOT_YOUR_PERSON`."""
    if actor.kind is ActorKind.SYSTEM:
        return Reason.PERSON_KEPT
    if actor.user is not None and person.id == person_of_user(actor.user):
        return Reason.PERSON_THEMSELVES
    return Reason.PERSON_CREATOR if is_creator(actor, person) else Reason.NOT_YOUR_PERSON


def may_merge(actor: Actor, primary: Person, secondary: Person) -> Reason:
    """Why the actor may say that two persons are one, `primary`; or why not. A user is a person for good: whoever turns
    out to be one becomes that user's person, and two users never become one."""
    if user_of_person(secondary.id) is not None:
        return Reason.DIFFERENT_USERS if user_of_person(primary.id) is not None else Reason.NOT_YOUR_PERSON
    if actor.kind is ActorKind.SYSTEM:
        return Reason.PERSON_KEPT
    both = [secondary] if user_of_person(primary.id) is not None else [primary, secondary]
    return Reason.PERSON_CREATOR if all(is_creator(actor, one) for one in both) else Reason.NOT_YOUR_PERSON


ALLOWED = frozenset({Reason.PERSON_KEPT, Reason.PERSON_THEMSELVES, Reason.PERSON_CREATOR})


def is_shown(sight: Sight, known: Person | Relation) -> bool:
    """Whether a room may hear of somebody, or of what they are to another. Where others listen, only of whom all know,
    or this chat; and of whom is known to some readers, only if everybody here is one of them. Who takes no part in
    the chat hears of nobody."""
    listeners = None if sight.disclosure is None else sight.disclosure.listeners
    if listeners is None or listeners.chat is None:
        return True
    if not sight.takes_part:
        return False
    is_known_here = known.home is None or known.home.get(Level.CHAT) == listeners.chat
    return is_known_here and listeners.is_among(known.readers)


def may_be_meant(sight: Sight, known: Person | Relation) -> bool:
    """Whether a name that is said in a chat can mean this person. The whole chat sees the answer, so a person whom not
    everybody in it may know is meant only by the actor who entered them: they learn nothing new from it."""
    listeners = None if sight.disclosure is None else sight.disclosure.listeners
    return listeners is None or listeners.is_among(known.readers) or _is_own(sight.actor, known)


# -- inside ----------------------------------------------------------------------------------------------------------


def _by_id(
    reference: str, speaker: Speaker, people: Sequence[Person], redirects: Mapping[str, str]
) -> Resolution | None:
    """Whom a reference names that is no name."""
    if reference.strip().casefold() in SPEAKER:
        return Resolution(speaker.person, Reason.NAMED_AS_SPEAKER)
    if user_of_person(reference) is not None:
        return Resolution(reference, Reason.NAMED_AS_USER)
    if not is_made(reference):
        return None
    if all(person.id != reference for person in people):
        return Resolution(None, Reason.NOBODY_CALLED_SO)
    return Resolution(canonical(reference, redirects), Reason.NAMED_BY_ID)


def _by_relation(name: str, reference: str, speaker: Speaker, redirects: Mapping[str, str]) -> Resolution | None:
    """Who is the speaker's own `name`. A word for a relationship is no name, so it goes no further."""
    targets = {canonical(one.to_person, redirects) for one in speaker.own(name)}
    if targets:
        return _unique(targets, Reason.OWN_RELATION)
    if name not in RELATIONSHIPS:
        return None
    says_whose = reference.strip().casefold().startswith("my ") and speaker.person is not None
    return Resolution(None, Reason.NOBODY_CALLED_SO, name if says_whose else None)


def _only_connection(people: Sequence[Person], redirects: Mapping[str, str]) -> Resolution | None:
    found = {canonical(person.id, redirects) for person in people}
    return _unique(found, Reason.OWN_CONNECTION) if found else None


def _unique(found: set[str], reason: Reason) -> Resolution:
    return Resolution(found.pop(), reason) if len(found) == 1 else Resolution(None, Reason.SEVERAL_CALLED_SO)


def _by_name(name: str, people: Sequence[Person], redirects: Mapping[str, str]) -> Resolution:
    """The one among all who is called so. A user that the speaker has nothing to do with is not meant by a mere name:
    anybody could call themselves so, and would then hear what is said about the other."""
    found = {canonical(person.id, redirects) for person in people if name in normal_names(person)}
    if not found or (len(found) == 1 and user_of_person(min(found)) is not None):
        return Resolution(None, Reason.NOBODY_CALLED_SO)
    return _unique(found, Reason.ONLY_ONE_CALLED_SO)
