"""Resolve whom the words of a statement speak of to persons, and note who they are.

A person whom the words name beyond doubt is made where the statement stands, known to its readers, with what they are
to the speaker: "my boss Tom". Everybody else is an unknown person: the statement is about somebody then, and nobody is
told it as a statement about themselves.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from memfort.engine.transaction import Transaction
from memfort.errors import MemfortError
from memfort.language.mentions import SOMEBODY, THE_SPEAKER, Spoken
from memfort.language.people_words import has_only_one
from memfort.model.item import Candidate, Origin, Readers, Sensitivity
from memfort.model.people.person import (
    Person,
    Relation,
    check_name,
    lookup_names,
    normal_name,
    person_of_user,
    user_of_person,
)
from memfort.model.reason import Reason
from memfort.model.space import Space
from memfort.operations.people.edits import KnownTo, PeopleEdits, check_texts, new_person, new_relation
from memfort.operations.people.merge import merge_mentioned
from memfort.operations.people.resolve.look_up import redirects
from memfort.operations.people.resolve.names import may_know, resolve_reference
from memfort.operations.people.resolve.unknown_person import unknown_person_id
from memfort.policy.people import Speaker, canonical, is_creator


def people_spoken_of(
    edits: PeopleEdits, people: Iterable[Spoken], said: Candidate, space: Space, readers: Readers
) -> list[str]:
    """The persons that a statement is about, each once. `readers` may know the persons that are made for it."""
    resolver = _Resolver(edits, KnownTo(space, readers), may_make=_may_make(edits, said, space))
    found = [_id_of(resolver, one, said, space) for one in people]
    return list(dict.fromkeys(one for one in found if one is not None))


def people_called(
    edits: PeopleEdits, names: Iterable[str], said: Candidate, space: Space, readers: Readers
) -> list[str]:
    """The persons whom words of a statement name that are names only because somebody known is called so. Of several
    who are called so nobody knows which one is meant."""
    view, known_to = edits.view, KnownTo(space, readers)
    by_name = {normal_name(name): name for name in names}
    people = [one for one in view.store.people_named(view.sight, *by_name) if may_know(view, one, known_to)]
    called = sorted({name for one in people for name in lookup_names(one)} & by_name.keys())
    found = [resolve_reference(view, by_name[name], known_to) for name in called]
    unknown = [unknown_person_id(space, said.text)] if any(one.reason is _SEVERAL for one in found) else []
    return [*dict.fromkeys(one.person for one in found if one.person is not None), *unknown]


_SEVERAL = Reason.SEVERAL_CALLED_SO


def _id_of(resolver: _Resolver, one: Spoken, said: Candidate, space: Space) -> str | None:
    """The person; an unknown one if there is somebody; `None` if it may be nobody and anybody may hear it."""
    is_public = said.sensitivity is Sensitivity.PUBLIC
    if is_public and one.is_bare:
        return None
    known = resolver.resolve(one if is_public else one._replace(is_sure=True, is_bare=False))
    if known is not None or (is_public and not one.is_sure):
        return known
    return unknown_person_id(space, said.text)


def _may_make(edits: PeopleEdits, said: Candidate, space: Space) -> bool:
    """Whether persons are made for it. In a space of others only for what they may all hear; and only for a user's own
    words, because nobody can say later whom an agent meant."""
    is_own_word = edits.actor.user is not None and said.origin is Origin.USER
    return is_own_word and (space.is_private or said.sensitivity is Sensitivity.PUBLIC)


class _Resolver:
    """Finds persons, and makes or names those who are mentioned for the first time."""

    def __init__(self, edits: PeopleEdits, known_to: KnownTo, *, may_make: bool) -> None:
        self.edits, self.known_to, self.may_make = edits, known_to, may_make
        self._made: dict[Spoken, str] = {}  # in this call
        user = edits.actor.user
        self._speaker = None if user is None else person_of_user(user)

    def resolve(self, one: Spoken) -> str | None:
        """The person that is meant; `None`: nobody knows who."""
        if one == THE_SPEAKER:
            return self._speaker
        plain = one._replace(is_sure=True, is_bare=False)
        if plain == SOMEBODY:
            return None
        if plain not in self._made:
            found = self._by_name(one) if one.term is None else self._by_relation(one, one.term)
            if found is None:
                return None
            self._made[plain] = found
        return self._made[plain]

    def _by_name(self, one: Spoken) -> str | None:
        assert one.name is not None
        resolution = resolve_reference(self.edits.view, one.name, self.known_to)
        if resolution.person is not None or resolution.reason is Reason.SEVERAL_CALLED_SO:
            return resolution.person
        return self._make(one.name) if one.is_sure else None

    def _by_relation(self, one: Spoken, term: str) -> str | None:
        """Somebody who is the `term` of somebody: known as that, known by name, or new."""
        owner = None if one.owner is None else self.resolve(one.owner)
        if owner is None:
            return None if one.name is None else self._by_name(Spoken(one.name))
        related = self._related(owner, term)
        if one.name is None:
            return self._only_related(related, term) if related else self._make_related(one, owner, term)
        named = resolve_reference(self.edits.view, one.name, self.known_to).person
        nameless = self._nameless(related)
        if named is None:
            if nameless is not None and self.may_make and self._is_usable(one.name):
                after = replace(nameless, name=one.name, version=nameless.version + 1)
                self.edits.put(after, "update_person", Reason.PERSON_MENTIONED)
                return after.id
            return self._make_related(one, owner, term)
        if named not in related and named != owner and self.may_make:
            self._note((owner, term, named), nameless, related)
        return named

    def _note(self, ends: tuple[str, str, str], nameless: Person | None, related: dict[str, Relation]) -> None:
        """Note that somebody known by name is the `term` of the owner. Somebody whom the actor knew as nothing but that
        is the same person; but words alone do not make earlier memories memories about a user, who may be told them."""
        _, term, named = ends
        tx, home = self.edits.view, self.known_to.home
        if nameless is not None and user_of_person(named) is None:
            if isinstance(tx, Transaction) and home is not None:
                merge_mentioned(tx, self.edits, named, nameless, home)
            return
        if nameless is not None and has_only_one(term):
            self.edits.drop(related[nameless.id], "unrelate", Reason.PERSON_MENTIONED)
        new_relation(self.edits, self.known_to, ends, Reason.PERSON_MENTIONED, mentioned=True)

    def _related(self, owner: str, term: str) -> dict[str, Relation]:
        """The persons who are the `term` of the owner, as the speaker or the system said."""
        view = self.edits.view
        known = [one for one in view.store.relations(view.sight, [owner]) if may_know(view, one, self.known_to)]
        found = Speaker(view.actor, known).related(owner, term)
        people = view.store.people(view.sight, [one.to_person for one in found]) if found else []
        moved = redirects(view.store, view.sight, people, view.actor) if people else {}
        return {canonical(one.to_person, moved): one for one in found}

    def _only_related(self, related: dict[str, Relation], term: str) -> str | None:
        """The only one. A user is meant by a relation of which there may be several only if they are named: it would
        tell them what is said of another."""
        if len(related) > 1:
            return None
        (id,) = related
        return id if user_of_person(id) is None or has_only_one(term) else None

    def _nameless(self, related: dict[str, Relation]) -> Person | None:
        """The only person with a relation, if the actor made them and knows no name yet."""
        view = self.edits.view
        people = view.store.people(view.sight, list(related)) if len(related) == 1 else []
        is_nameless = len(people) == 1 and is_creator(view.actor, people[0]) and is_placeholder(people[0].name)
        return people[0] if is_nameless else None

    def _make_related(self, one: Spoken, owner: str, term: str) -> str | None:
        made = self._make(one.name or _describe(one))
        if made is not None:
            new_relation(self.edits, self.known_to, (owner, term, made), Reason.PERSON_MENTIONED, mentioned=True)
        return made

    def _make(self, name: str) -> str | None:
        """A new person, if persons are made here and it can be a name."""
        if not self.may_make or not self._is_usable(name):
            return None
        return new_person(self.edits, self.known_to, name, (), Reason.PERSON_MENTIONED, mentioned=True).id

    def _is_usable(self, name: str) -> bool:
        try:
            check_texts(self.edits.view.policy, check_name(name, "subjects"))
        except MemfortError:
            return False
        return True


_PLACEHOLDER = "my "  # begins the description of a person without a name


def _describe(one: Spoken) -> str:
    """What a person without a name is called: `my wife`, `my sister's husband`, `Sarah's sister`."""
    if one.owner is None or one.owner == THE_SPEAKER:
        return f"{_PLACEHOLDER}{one.term}"
    return f"{one.owner.name or _describe(one.owner)}'s {one.term}"


def is_placeholder(name: str) -> bool:
    """Whether it describes a person without a name."""
    return name.startswith(_PLACEHOLDER) or "'s " in name
