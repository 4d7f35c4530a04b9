"""Which person a reference means, and who may change a person. Pure functions: the caller looks the people up.

Ambiguity is not guessed: a reference that could mean more than one person means none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from msgspec import Struct

from memfort.language.people_words import kept_term, possessed_term, relation_term
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


class Speaker(Struct, frozen=True, dict=True):
    """The speaker, and the people the speaker knows."""

    actor: Actor
    relations: Sequence[Relation] = ()  # of the speaker's person
    present: frozenset[str] = frozenset()  # participants of the speaker's chat

    @cached_property
    def person(self) -> str | None:
        """The speaker's person; `None` for an agent without a user, and for the system."""
        return None if self.actor.user is None else person_of_user(self.actor.user)

    def own(self, term: str) -> list[Relation]:
        """The persons with this relation to the speaker, as stated by the speaker or the system."""
        return [] if self.person is None else self.related(self.person, term)

    def related(self, person: str, term: str) -> list[Relation]:
        """The persons with this relation to a person, as stated by the speaker or the system."""
        wanted = kept_term(term)
        of_person = (one for one in self.relations if one.from_person == person and self.believes(one))
        return [one for one in of_person if one.term == term or kept_term(one.term) == wanted]

    def knows(self, person: Person) -> bool:
        """Whether a person is one of the speaker's own connections."""
        return person.id in self._connected_ids or is_creator(self.actor, person)

    @cached_property
    def _connected_ids(self) -> frozenset[str | None]:
        own = (one for one in self.relations if one.from_person == self.person and self.believes(one))
        return frozenset({self.person, *self.present, *(one.to_person for one in own)})

    def names_of(self, person: Person) -> frozenset[str]:
        """The names that mean this person to the speaker. What a user calls themselves counts only in a chat where both
        take part: otherwise anybody could take the name of a person that the speaker speaks of."""
        user = user_of_person(person.id)
        if user is None or person.id in {self.person, *self.present}:
            return normal_names(person)
        return frozenset({normal_name(user)})

    def first_names_of(self, person: Person) -> frozenset[str]:
        """The first words of the names that have several words."""
        return frozenset(name.split()[0] for name in self.names_of(person) if " " in name)

    def believes(self, relation: Relation) -> bool:
        """Whether the speaker or the system stated a relation."""
        if relation.created_by.kind is ActorKind.SYSTEM:
            return True
        return self.person is not None and relation.stated_by == self.person


class Resolution(Struct, frozen=True):
    """The person meant, or why there is none."""

    person: str | None
    reason: Reason
    term: str | None = None  # the relation of a new person to the speaker, if the reference names one


def resolve(
    reference: str, speaker: Speaker, people: Sequence[Person], redirects: Mapping[str, str] | None = None
) -> Resolution:
    """The person that `reference` means, among the candidates. Merged persons are given by the id they were merged
    into."""
    moved = redirects or {}
    name = normal_name(reference)
    known = _by_id(reference, speaker, people, moved) or _by_relation(name, reference, speaker, moved)
    if known is not None:
        return known
    own = [person for person in people if speaker.knows(person)]
    called = [person for person in own if name in speaker.names_of(person)]
    by_first_name = [person for person in own if name in speaker.first_names_of(person)]
    return _only_connection(called, moved) or _only_connection(by_first_name, moved) or _by_name(name, people, moved)


def possible_people(
    reference: str, speaker: Speaker, people: Sequence[Person], redirects: Mapping[str, str] | None = None
) -> list[str]:
    """Every person that `reference` could mean, the speaker's own connections first."""
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
    """The person at the end of a chain of merges. A circular chain ends where it was entered."""
    seen, last = {person_id}, person_id
    while (following := redirects.get(last)) is not None:
        if following in seen:
            return person_id
        seen.add(following)
        last = following
    return last


def is_merge_trusted(actor: Actor, person: Person) -> bool:
    """Whether a merge applies to this actor's memories. A merge into a user lets that user see memories about the
    person, so it applies to the actor who made it, and to all only if the system made it."""
    if person.merged_into is None or person.merged_by is None:
        return False
    if user_of_person(person.merged_into) is None or person.merged_by.kind is ActorKind.SYSTEM:
        return True
    return principal_of(person.merged_by) == principal_of(actor)


def is_known_in(home: Space | None, known_to: Readers, space: Space, readers: Readers = EVERYONE) -> bool:
    """Whether everyone who may read memories for these readers in this space may also know people of `home`: it is the
    directory, or the space lies within it."""
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
    """Why the actor may merge two persons into `primary`, or why not. A user's person is permanent: a person merged
    with one becomes that user's person, and two users are never merged. A name that everybody reads is a user's only if
    that user says so, or the system."""
    if user_of_person(secondary.id) is not None:
        return Reason.DIFFERENT_USERS if user_of_person(primary.id) is not None else Reason.NOT_YOUR_PERSON
    if actor.kind is ActorKind.SYSTEM:
        return Reason.PERSON_KEPT
    user = user_of_person(primary.id)
    both = [secondary] if user is not None else [primary, secondary]
    if not all(is_creator(actor, one) for one in both):
        return Reason.NOT_YOUR_PERSON
    is_listed = secondary.home is None and secondary.readers.is_open
    return Reason.LISTED_BY_THEMSELVES if is_listed and user not in {None, actor.user} else Reason.PERSON_CREATOR


ALLOWED = frozenset({Reason.PERSON_KEPT, Reason.PERSON_THEMSELVES, Reason.PERSON_CREATOR})


def is_shown(sight: Sight, known: Person | Relation) -> bool:
    """Whether a person or a relation may be shown in a room. If others are present, only people in the directory or of
    this chat; people known to some readers only if everyone present is one of them. An actor who does not take part in
    the chat sees no one.

    Who reads a space by a share, or because it is the public one of somebody's agent, is not told of all that is in it.
    So they are shown nobody who is known there: a name, or the number in an id, would say that there is more."""
    if _is_known_elsewhere(sight, known):
        return False
    listeners = None if sight.disclosure is None else sight.disclosure.listeners
    if listeners is None or listeners.chat is None:
        return True
    if not sight.takes_part:
        return False
    is_known_here = known.home is None or known.home.get(Level.CHAT) == listeners.chat
    return is_known_here and listeners.is_among(known.readers)


def may_be_meant(sight: Sight, known: Person | Relation) -> bool:
    """Whether a name or an id used in a chat can mean this person. The whole chat sees the answer, so a person whom not
    all participants may know is matched only for the actor who added them, who learns nothing new from it."""
    if _is_known_elsewhere(sight, known):
        return False
    listeners = None if sight.disclosure is None else sight.disclosure.listeners
    return listeners is None or listeners.is_among(known.readers) or _is_own(sight.actor, known)


# -- inside ----------------------------------------------------------------------------------------------------------


def _is_known_elsewhere(sight: Sight, known: Person | Relation) -> bool:
    """Whether they are known in a space that is read by a share, or because it is the public one of an agent."""
    seen = None if known.home is None else sight.seen(known.home)
    return seen is not None and seen.is_leaving


def _by_id(
    reference: str, speaker: Speaker, people: Sequence[Person], redirects: Mapping[str, str]
) -> Resolution | None:
    """The person of a reference that is not a name."""
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
    """The speaker's own connection called `name`. A word for a relation is not a name, so the search ends here."""
    possessed = possessed_term(" ".join(reference.casefold().split()))
    targets = {canonical(one.to_person, redirects) for one in speaker.own(possessed or name)}
    if targets:
        return _unique(targets, Reason.OWN_RELATION)
    if possessed is None and relation_term(name) is None:
        return None
    return Resolution(None, Reason.NOBODY_CALLED_SO, None if speaker.person is None else possessed)


def _only_connection(people: Sequence[Person], redirects: Mapping[str, str]) -> Resolution | None:
    found = {canonical(person.id, redirects) for person in people}
    return _unique(found, Reason.OWN_CONNECTION) if found else None


def _unique(found: set[str], reason: Reason) -> Resolution:
    return Resolution(found.pop(), reason) if len(found) == 1 else Resolution(None, Reason.SEVERAL_CALLED_SO)


def _by_name(name: str, people: Sequence[Person], redirects: Mapping[str, str]) -> Resolution:
    """The only person with this name. A user unconnected with the speaker is not matched by a name alone: any user
    could take that name, and would then see memories about the other."""
    found = {canonical(person.id, redirects) for person in people if name in normal_names(person)}
    if not found or (len(found) == 1 and user_of_person(min(found)) is not None):
        return Resolution(None, Reason.NOBODY_CALLED_SO)
    return _unique(found, Reason.ONLY_ONE_CALLED_SO)
