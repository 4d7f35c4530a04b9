"""Add a relation between two people."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from memfort.engine.inputs import space_of
from memfort.engine.transaction import Session, Transaction
from memfort.errors import InvalidInput
from memfort.model.item import EVERYONE
from memfort.model.people.person import Person, Relation, check_term, person_of_user
from memfort.model.reason import Reason
from memfort.model.space import Space
from memfort.operations.people.edits import (
    KnownTo,
    PeopleEdits,
    change_people,
    check_allowed,
    check_border,
    check_texts,
    new_relation,
)
from memfort.operations.people.resolve.look_up import get_person
from memfort.operations.requests import Coordinates, OneWord, PersonId, Request
from memfort.policy.people import is_known_in, may_change


class RelateRequest(Request, frozen=True):
    """A relation between two people."""

    person: Annotated[PersonId, Meta(description="The person whose relation it is, for example `me`.")]
    term: Annotated[OneWord, Meta(description="What the other person is to them, for example wife.")]
    other: Annotated[PersonId, Meta(description="The other person.")]
    space: Annotated[Coordinates | None, Meta(description="The only space in which it is known.")] = None


def handle(session: Session, request: RelateRequest) -> Relation:
    """Add a relation between two people: in the directory, or in one space. A person known in one space only is related
    there."""
    term = check_term(request.term)
    home = None if request.space is None else space_of(session.standpoint, request.space)

    def change(tx: Transaction, edits: PeopleEdits) -> Relation:
        check_texts(tx.policy, request.term)
        return relate(tx, edits, (request.person, term, request.other), home)

    return change_people(session, "relate", [request.person, request.other], change, home)


def relate(tx: Transaction, edits: PeopleEdits, said: tuple[str, str, str], home: Space | None) -> Relation:
    """Add a relation to a draft: whose relation it is, its term, and the other person."""
    person, term, other = said
    first, second = (edits.person(id) or get_person(tx.store, tx.sight, id) for id in (person, other))
    if first.id == second.id:
        raise InvalidInput("other", "it is the same person", "name another person")
    home = _home_of(first, second) if home is None else home
    check_border(tx.sight, home)
    if home is None:
        check_allowed(may_change(edits.actor, first))
    for one in (first, second):
        if not (one.home is None and one.readers.is_open if home is None else is_known_in(one.home, one.readers, home)):
            raise InvalidInput("space", f"`{one.id}` is not known to all there", "relate them where both are known")
    ends = (first.id, term, second.id)
    stated_by = None if tx.actor.user is None else person_of_user(tx.actor.user)
    for known in tx.store.relations(tx.sight, [first.id]):
        if (known.ends, known.home, known.readers, known.stated_by) == (ends, home, EVERYONE, stated_by):
            return known
    return new_relation(edits, KnownTo(home), ends, Reason.REGISTERED)


def _home_of(first: Person, second: Person) -> Space | None:
    """Where two people can be related: the home of the one who is known to fewer readers."""
    homes = [one.home for one in (first, second) if one.home is not None]
    return max(homes, key=lambda home: len(home.coordinates), default=None)
