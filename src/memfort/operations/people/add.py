"""Add a person: for the actor alone, for a space, or listed for everybody."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from memfort.engine.transaction import Session, Transaction
from memfort.errors import InvalidInput
from memfort.model.people.actor import Actor
from memfort.model.people.person import Person, check_names, check_term, person_of_user
from memfort.model.reason import Reason
from memfort.model.space import check_id
from memfort.operations.people.edits import (
    KnownTo,
    PeopleEdits,
    change_people,
    check_border,
    check_texts,
    new_person,
    place_for_people,
    rename,
)
from memfort.operations.people.merge import merge_records
from memfort.operations.people.relations.relate import relate
from memfort.operations.people.resolve.look_up import get_person
from memfort.operations.requests import Coordinates, PersonNames, Request
from memfort.policy.people import ALLOWED, may_change


class AddPersonRequest(Request, frozen=True):
    """The person to add."""

    name: Annotated[str, Meta(description="The person's name.")]
    aliases: Annotated[PersonNames, Meta(description="Another name.")] = ()
    relation: Annotated[str | None, Meta(description="What they are to you, for example wife.")] = None
    user: Annotated[str | None, Meta(description="The user they are.")] = None
    space: Annotated[Coordinates | None, Meta(description="The space in which they are known.")] = None
    listed: Annotated[bool, Meta(description="List them in the directory, visible to everybody.")] = False


def handle(session: Session, request: AddPersonRequest) -> Person:
    """Add a person. They are known to the actor alone, unless a space is named or they are listed for everybody.
    `relation` says what they are to the speaker; `user` says which user they are."""
    name, others = check_names(request.name, request.aliases)
    term = None if request.relation is None else check_term(request.relation, "relation")
    known_to = place_for_people(session, request.space, listed=request.listed)

    def change(tx: Transaction, edits: PeopleEdits) -> Person:
        check_texts(tx.policy, name, *others, *([] if request.relation is None else [request.relation]))
        check_border(tx.sight, known_to.home)
        person = _enter(tx, edits, known_to, (name, others), request)
        if term is not None:
            relate(tx, edits, (_speaker_of(tx.actor), term, person.id), known_to)
        return person

    own = [] if request.user is None else [person_of_user(request.user)]
    return change_people(session, "add_person", own, change, known_to.home)


def _enter(
    tx: Transaction,
    edits: PeopleEdits,
    known_to: KnownTo,
    names: tuple[str, tuple[str, ...]],
    request: AddPersonRequest,
) -> Person:
    user = request.user
    own = None if user is None else get_person(tx.store, tx.sight, person_of_user(check_id(user, "user")))
    if own is not None and request.space is None and may_change(tx.actor, own) in ALLOWED:
        return rename(edits, own, *names, "add_person")
    person = new_person(edits, known_to, *names, Reason.REGISTERED)
    return person if own is None else merge_records(tx, edits, own, person)


def _speaker_of(actor: Actor) -> str:
    """The actor's own person."""
    if actor.user is None:
        raise InvalidInput("relation", "the speaker is not a person here", "use `relate`, or act for a user")
    return person_of_user(actor.user)
