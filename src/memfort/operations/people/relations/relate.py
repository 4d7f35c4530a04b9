"""Add a relation between two people."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from memfort.engine.transaction import Session, Transaction
from memfort.errors import InvalidInput
from memfort.model.people.person import Person, Relation, check_term, person_of_user
from memfort.model.reason import Reason
from memfort.operations.people.edits import (
    KnownTo,
    PeopleEdits,
    change_people,
    check_allowed,
    check_border,
    check_texts,
    new_relation,
    place_for_people,
)
from memfort.operations.people.resolve.look_up import get_person, look_up
from memfort.operations.requests import Coordinates, OneWord, PersonId, Request
from memfort.policy.people import is_known_in, may_change


class RelateRequest(Request, frozen=True):
    """A relation between two people."""

    person: Annotated[PersonId, Meta(description="The person whose relation it is, for example `me`.")]
    term: Annotated[OneWord, Meta(description="What the other person is to them, for example wife.")]
    other: Annotated[PersonId, Meta(description="The other person.")]
    space: Annotated[Coordinates | None, Meta(description="The space in which it is known.")] = None
    listed: Annotated[bool, Meta(description="List it in the directory, visible to everybody.")] = False


def handle(session: Session, request: RelateRequest) -> Relation:
    """Add a relation between two people. It is known to the actor alone, unless a space is named or it is listed for
    everybody; people who are known in one space are related there."""
    term = check_term(request.term)
    known_to = _place_asked_for(session, request)

    def change(tx: Transaction, edits: PeopleEdits) -> Relation:
        check_texts(tx.policy, request.term)
        return relate(tx, edits, (request.person, term, request.other), known_to)

    return change_people(session, "relate", [request.person, request.other], change, known_to.home)


def _place_asked_for(session: Session, request: RelateRequest) -> KnownTo:
    """Who may know of the relation: as asked for; otherwise whoever knows the one that fewer know, or the actor."""
    if request.space is not None or request.listed:
        return place_for_people(session, request.space, listed=request.listed)
    with session.view() as view:
        found = (look_up(view.store, view.sight, id) for id in (request.person, request.other))
        at_home = [one for one in found if one is not None and one.home is not None]
    if not at_home:
        return place_for_people(session, None, listed=False)
    narrowest = max(at_home, key=lambda one: 0 if one.home is None else len(one.home.coordinates))
    return KnownTo(narrowest.home, narrowest.readers)


def relate(tx: Transaction, edits: PeopleEdits, said: tuple[str, str, str], known_to: KnownTo) -> Relation:
    """Add a relation to a draft: whose relation it is, its term, and the other person."""
    person, term, other = said
    first, second = (edits.person(id) or get_person(tx.store, tx.sight, id) for id in (person, other))
    if first.id == second.id:
        raise InvalidInput("other", "it is the same person", "name another person")
    check_border(tx.sight, known_to.home)
    if known_to.home is None:
        check_allowed(may_change(edits.actor, first))
    for one in (first, second):
        if not _is_known_there(one, known_to):
            raise InvalidInput("space", f"`{one.id}` is not known to all there", "relate them where both are known")
    ends = (first.id, term, second.id)
    stated_by = None if tx.actor.user is None else person_of_user(tx.actor.user)
    for known in tx.store.relations(tx.sight, [first.id]):
        if (known.ends, known.home, known.readers, known.stated_by) == (ends, *known_to, stated_by):
            return known
    return new_relation(edits, known_to, ends, Reason.REGISTERED)


def _is_known_there(one: Person, known_to: KnownTo) -> bool:
    """Whether everybody who may know of the relation may know of the person."""
    if known_to.home is None:
        return one.home is None and one.readers.is_open
    return is_known_in(one.home, one.readers, known_to.home, known_to.readers)
